"""Squeeze removes dims of size 1.

Versions: 1 takes ``axes`` as an attribute, counted from the front only; 11 allows negative axes, in ``[-r, r-1]``; from
13 on ``axes`` is an optional int64 input, so it may only be known at run time. 21, 23, 24 and 25 add element types.

Without axes every dim of 1 goes, so a dim that may or may not be 1 leaves even the rank open. A named axis must be 1: a
symbolic one is then required to be. A repeated axis is taken as a set, on which the specification is silent.
"""

from __future__ import annotations

from itertools import combinations

from shapeinfer.rule import Context, Dim, Facts, Maybe, Result, Shape, codes, dims, moved, rule, value_rule

from .axes import check_negative, listed_axes, repeated

VERSIONS = (1, 11, 13, 21, 23, 24, 25)
CHOICES = 256  # more ways than this to choose run-time axes are not told apart


@rule("Squeeze", since=VERSIONS)
def squeeze(ctx: Context) -> Result:
    """``data`` without the dims that ``axes`` names, or without every dim of 1."""
    if not (ctx.given("axes") or ctx.has_attr("axes")):
        return drop_ones(ctx, ctx.shape("data"))
    axes = listed_axes(ctx)
    if axes == ():
        ctx.warn(codes.SQUEEZE_EMPTY)
        return ctx.shape("data")
    shape = ctx.shape_or_none("data")
    if shape is None:
        check_without_rank(ctx, axes)
        return None
    if axes is None:
        return squeeze_some(ctx, shape, set(), None)
    known = [axis for axis in axes if type(axis) is int]
    named = normalise(ctx, known, len(shape))
    shape = require_ones(ctx, shape, named)
    return squeeze_some(ctx, shape, named, len(axes) - len(known))


def check_without_rank(ctx: Context, axes: tuple[Dim | None, ...] | None) -> None:
    """What can be said of axes even when the rank is unknown."""
    known = [axis for axis in axes or () if type(axis) is int]
    check_negative(ctx, known)
    warn_repeated(ctx, known, known)


def normalise(ctx: Context, axes: list[int], rank: int) -> set[int]:
    """The axes counted from the front, as a set."""
    found = [ctx.axis(axis, rank, negative=ctx.version >= 11) for axis in axes]
    warn_repeated(ctx, axes, found)
    return set(found)


def warn_repeated(ctx: Context, axes: list[int], normalised: list[int]) -> None:
    """Warns of the first axis that is named twice."""
    axis = repeated(normalised)
    if axis is not None:
        ctx.warn(codes.SQUEEZE_REPEATED, axes=axes, axis=axis)


def require_ones(ctx: Context, shape: Shape, axes: set[int]) -> Shape:
    """Requires the named dims to be 1, and returns the shape in which they are."""
    for axis in sorted(axes):
        ctx.require_equal(shape[axis], 1, codes.SQUEEZE_NOT_ONE, axis=axis, size=shape[axis], shape=shape)
    return tuple(1 if axis in axes else dim for axis, dim in enumerate(shape))


def drop_ones(ctx: Context, shape: Shape) -> Maybe:
    """Without axes: every dim of 1 goes, if it is known for each dim whether it is 1."""
    answers = [ctx.facts.equal(dim, 1) for dim in shape]
    if None in answers:
        open_dims = [dim for dim, answer in zip(shape, answers, strict=True) if answer is None]
        ctx.warn(codes.SQUEEZE_RANK, dims=", ".join(map(dims.text, open_dims)), first=open_dims[0])
        return None
    return tuple(dim for dim, answer in zip(shape, answers, strict=True) if not answer)


def squeeze_some(ctx: Context, shape: Shape, named: set[int], unknown: int | None) -> Maybe:
    """The dims that stay when ``unknown`` further axes (``None``: any number) are only known at run time.

    Such an axis may repeat another one, so it removes one dim or none. What is claimed of a dim holds for every choice
    of axes with which the node runs.
    """
    if unknown == 0:
        return tuple(dim for axis, dim in enumerate(shape) if axis not in named)
    candidates = [axis for axis, dim in enumerate(shape) if axis not in named and ctx.facts.equal(dim, 1) is not False]
    least = 0 if named or unknown is None else 1
    most = len(candidates) if unknown is None else min(unknown, len(candidates))
    if most < least:
        ctx.fail(codes.SQUEEZE_NO_ONE, count=least, shape=shape, ones=len(candidates))
    if most != least:
        return None
    staying = [axis for axis in range(len(shape)) if axis not in named]
    choices = list(combinations(candidates, least))
    if len(choices) > CHOICES:
        return (None,) * (len(staying) - least)
    return agreed(ctx, shape, staying, choices)


def agreed(ctx: Context, shape: Shape, staying: list[int], choices: list[tuple[int, ...]]) -> Maybe:
    """For each dim of the result the size on which all choices agree, given that the dims chosen are 1."""
    results: list[tuple[Facts, Shape]] = []
    for choice in choices:
        facts = ctx.facts.fork()
        for axis in choice:
            facts.assume_equal(shape[axis], 1)
        results.append((facts, tuple(shape[axis] for axis in staying if axis not in choice)))
    found: list[Dim | None] = []
    for position in range(len(results[0][1])):
        sizes = dict.fromkeys(result[position] for _, result in results)
        holds = (size for size in sizes if all(facts.equal(size, result[position]) for facts, result in results))
        found.append(next(holds, None))
    return tuple(found)


value_rule("Squeeze", since=VERSIONS)(moved)
