"""Pad adds to both ends of each axis, or removes where the number is negative.

Versions: 1 calls the attribute ``paddings``, 2 ``pads``; from 11 on ``pads`` and the constant are inputs; 18 adds
``axes``; 19 adds the mode ``wrap``; 13, 21 and later add element types. ``pads`` lists all begins, then all ends.
"""

from __future__ import annotations

from shapeinfer.rule import Array, Context, Dim, Maybe, Result, Shape, codes, dims, rule, value_rule

from .movement import same_length

VERSIONS = (1, 2, 11, 13, 18, 19, 21, 23, 24, 25)


@rule("Pad", since=VERSIONS)
def pad(ctx: Context) -> Result:
    """Each dim with what is added at its begin and end."""
    name = "paddings" if ctx.version == 1 else "pads"
    mode = check_mode(ctx)
    shape = ctx.shape_or_none("data")
    pads = ctx.ints(name)
    axes = ctx.ints("axes") if ctx.given("axes") else None
    if pads is not None and len(pads) % 2:
        ctx.fail(codes.LENGTH, what=name, found=len(pads), expected="twice as many as there are axes")
    if pads is not None and axes is not None:
        same_length(ctx, name, len(pads), 2 * len(axes))
    if ctx.given("axes"):
        return None if shape is None else pad_axes(ctx, shape, pads, axes, mode)
    if shape is None:
        return None if pads is None else (None,) * (len(pads) // 2)
    if pads is None:
        same_length(ctx, name, ctx.length(name), 2 * len(shape))
        return (None,) * len(shape)
    same_length(ctx, name, len(pads), 2 * len(shape))
    return padded(ctx, shape, pads, list(range(len(shape))), mode)


def check_mode(ctx: Context) -> str:
    """The mode, which must be one that this version has."""
    later = ("wrap",) if ctx.version >= 19 else ()
    return ctx.attr_choice("mode", ("constant", "reflect", "edge", *later))


def pad_axes(
    ctx: Context, shape: Shape, pads: tuple[Dim | None, ...] | None, axes: tuple[Dim | None, ...] | None, mode: str
) -> Maybe:
    """With a list of axes: where one is unknown, any dim may be padded."""
    known = [ctx.axis(axis, len(shape)) for axis in axes or () if type(axis) is int]
    for position, axis in enumerate(known):
        if axis in known[:position]:
            ctx.fail(codes.REPEATED_AXIS, what="axes", axes=list(axes or ()), axis=axis)
    if axes is None or len(known) < len(axes):
        none = pads is not None and all(type(each) is int and each == 0 for each in pads)
        return shape if none else (None,) * len(shape)
    return padded(ctx, shape, (None,) * (2 * len(known)) if pads is None else pads, known, mode)


def padded(ctx: Context, shape: Shape, pads: tuple[Dim | None, ...], axes: list[int], mode: str) -> Maybe:
    """The dims with the pads at these axes."""
    result: list[Dim | None] = list(shape)
    for axis, begin, end in zip(axes, pads[: len(axes)], pads[len(axes) :], strict=True):
        if begin is None or end is None:
            result[axis] = None
            continue
        result[axis] = size = dims.add(shape[axis], begin, end)
        ctx.require_at_least(size, 0, codes.AT_LEAST, what=f"the padded size at axis {axis}", found=size, least=0)
        check_source(ctx, mode, axis, shape[axis], size)
    return tuple(result)


def check_source(ctx: Context, mode: str, axis: int, dim: Dim, size: Dim) -> None:
    """Fails where elements must be copied from an axis that has none."""
    if mode != "constant" and ctx.facts.equal(dim, 0) and ctx.facts.at_least(size, 1):
        ctx.fail(codes.AT_LEAST, what=f"the size at axis {axis}, padded by mode {mode},", found=0, least=1)


@value_rule("Pad", since=VERSIONS)
def pad_elements(ctx: Context) -> Array | list[Array | None] | None:
    """The elements with what is added, where the pads are numbers."""
    return ctx.run_kernel(symbolic=(0,))
