"""Slice takes a range of each of some axes.

Versions: 1 has ``starts``, ``ends`` and ``axes`` as attributes and no steps; from 10 on all are inputs and ``steps``
may be given; 11 allows negative axes, 13 adds element types. Without axes, the first ones are meant.

A negative start or end counts from the back; what is still out of range then is clamped, so nothing is out of range.
The ends are clamped to ``[0, n]``; with a negative step a start is clamped to ``[0, n-1]`` and an end to ``[-1,
n-1]``. (So a start before the first element is the first element even going backwards, where Python would give
nothing.)
"""

from __future__ import annotations

from shapeinfer.rule import Array, Context, Dim, Maybe, Result, Shape, codes, rule, value_rule

from .movement import same_length
from .slice_length import Range, sliced_length

VERSIONS = (1, 10, 11, 13)
Entries = tuple[Dim | None, ...]


@rule("Slice", since=VERSIONS)
def slice_(ctx: Context) -> Result:
    """The input's dims with the lengths of the ranges."""
    shape = ctx.shape_or_none("data")
    starts, ends = ctx.ints("starts"), ctx.ints("ends")
    axes, steps = optional(ctx, "axes"), optional(ctx, "steps")
    count = check_lengths(ctx, {"starts": starts, "ends": ends, "axes": axes, "steps": steps})
    check_steps(ctx, steps)
    if shape is None:
        return None
    if axes is None and not stated(ctx, "axes"):
        axes = tuple(range(len(shape) if count is None else count))
        if len(axes) > len(shape):
            ctx.fail(codes.LENGTH, what="starts", found=len(axes), expected=f"at most {len(shape)}")
    if axes is None:
        return left_open(ctx, shape)
    blank: Entries = (None,) * len(axes)
    steps = (1,) * len(axes) if steps is None and not stated(ctx, "steps") else steps
    return sliced(ctx, shape, axes, starts or blank, ends or blank, steps or blank)


def stated(ctx: Context, name: str) -> bool:
    """Whether the list is there, as an input or attribute."""
    return ctx.given(name) or ctx.has_attr(name)


def optional(ctx: Context, name: str) -> Entries | None:
    """A list that may be left out; ``None`` also where it is unknown."""
    return ctx.ints(name) if stated(ctx, name) else None


def check_lengths(ctx: Context, lists: dict[str, Entries | None]) -> int | None:
    """Requires the lists that are given to have one length; returns it where it is known."""
    count: int | None = None
    for name, entries in lists.items():
        if entries is not None:
            same_length(ctx, name, len(entries), count)
            count = len(entries)
    return count


def check_steps(ctx: Context, steps: Entries | None) -> None:
    """Fails for a step of 0."""
    for position, step in enumerate(steps or ()):
        if type(step) is int and step == 0:
            ctx.fail(codes.SIZE_VALUE, what=f"steps[{position}]", value=0, expected="positive or negative")


def left_open(ctx: Context, shape: Shape) -> Maybe:
    """What is left of dims that may be sliced or not: of nothing there stays nothing."""
    return tuple(0 if ctx.facts.equal(dim, 0) else None for dim in shape)


def sliced(ctx: Context, shape: Shape, axes: Entries, starts: Entries, ends: Entries, steps: Entries) -> Maybe:
    """The dims with the ranges taken, axis by axis."""
    known = [ctx.axis(axis, len(shape)) if type(axis) is int else None for axis in axes]
    result: list[Dim | None] = list(shape if None not in known else left_open(ctx, shape) or ())  # type: ignore[arg-type]
    for position, axis in enumerate(known):
        if axis is None:
            continue
        if axis in known[:position]:
            ctx.fail(codes.REPEATED_AXIS, what="axes", axes=list(axes), axis=axis)
        ends_of = Range(starts[position], ends[position], steps[position])
        result[axis] = sliced_length(ctx, shape[axis], ends_of)
    return tuple(result)


@value_rule("Slice", since=VERSIONS)
def slice_elements(ctx: Context) -> Array | list[Array | None] | None:
    """The elements in the ranges, where these are numbers."""
    return ctx.run_kernel(symbolic=(0,))
