"""Unsqueeze inserts dims of size 1 at the positions that ``axes`` names in the *output*.

Versions: 1 takes ``axes`` as a required attribute, counted from the front only; 11 allows negative axes, in
``[-(r+k), r+k-1]`` for k axes; from 13 on ``axes`` is an int64 input. 21, 23, 24 and 25 add element types.

The order of the axes is free. A repeated axis is an error, also when two axes are one only after normalising.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

from shapeinfer.rule import Context, Dim, Maybe, Result, Shape, codes, moved, rule, value_rule

from .axes import check_negative, listed_axes, repeated

VERSIONS = (1, 11, 13, 21, 23, 24, 25)
CHOICES = 256  # more ways than this to place run-time axes are not told apart


@rule("Unsqueeze", since=VERSIONS)
def unsqueeze(ctx: Context) -> Result:
    """``data`` with a dim of 1 at each of ``axes``."""
    axes = listed_axes(ctx)
    shape = ctx.shape_or_none("data")
    if axes is None:
        return None
    known = [axis for axis in axes if type(axis) is int]
    if shape is None:
        check_without_rank(ctx, known)
        return None
    rank = len(shape) + len(axes)
    ones = [ctx.axis(axis, rank, negative=ctx.version >= 11) for axis in known]
    fail_repeated(ctx, known, ones, f" (rank {rank})")
    return place(ctx, shape, set(ones), rank)


def check_without_rank(ctx: Context, axes: list[int]) -> None:
    """What can be said of axes even when the rank is unknown: axes of one sign that repeat."""
    check_negative(ctx, axes)
    fail_repeated(ctx, axes, axes, "")


def fail_repeated(ctx: Context, axes: list[int], normalised: list[int], rank: str) -> None:
    """Fails at the first axis that is named twice."""
    axis = repeated(normalised)
    if axis is not None:
        ctx.fail(codes.UNSQUEEZE_REPEATED, axes=axes, axis=axis, rank=rank)


def place(ctx: Context, shape: Shape, ones: set[int], rank: int) -> Maybe:
    """The input's dims in order, with ones at ``ones`` and, where axes are only known at run time, anywhere else.

    What is claimed of a dim holds wherever the run-time axes turn out to be.
    """
    free = [axis for axis in range(rank) if axis not in ones]
    unknown = len(free) - len(shape)
    if all(ctx.facts.equal(dim, 1) for dim in shape):
        return (1,) * rank
    if comb(len(free), unknown) > CHOICES:
        return tuple(1 if axis in ones else None for axis in range(rank))
    results = [fill(shape, ones.union(chosen), rank) for chosen in combinations(free, unknown)]
    return tuple(
        dim if all(ctx.facts.equal(dim, result[axis]) for result in results) else None
        for axis, dim in enumerate(results[0])
    )


def fill(shape: Shape, ones: set[int], rank: int) -> Shape:
    """A shape of this rank with ones at ``ones`` and the dims of ``shape`` elsewhere, in order."""
    rest = iter(shape)
    out: list[Dim] = [1 if axis in ones else next(rest) for axis in range(rank)]
    return tuple(out)


value_rule("Unsqueeze", since=VERSIONS)(moved)
