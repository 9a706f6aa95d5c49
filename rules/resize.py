"""Resize and Upsample: each size becomes ``floor(size * scale)``, or the size that ``sizes`` names.

Upsample: 1 has the attributes ``height_scale`` and ``width_scale`` for a 4-D image, 7 one attribute ``scales`` with a
number for each axis, from 9 on that is an input; 10 is deprecated. Scales are at least 1.

Resize: 10 takes ``scales``, greater than 0. 11 adds ``roi`` and ``sizes``, with which ``scales`` must be empty; from 13
on exactly one of the two is given. 18 adds ``axes``, to which the others then refer, and ``keep_aspect_ratio_policy``:
with ``not_larger`` (``not_smaller``) all axes are scaled by the least (greatest) ``sizes[i] / size[i]``, and rounded,
halves up. 19 adds the coordinate mode ``half_pixel_symmetric``.

Scales are 32-bit floats, and runtimes multiply in them: 0.7 is a bit less than 7/10, yet ``10 * 0.7`` rounds to 7. So
a size is claimed only where rounding makes no difference: for numbers if both ways agree; for symbols if the scale is a
short binary fraction such as 2, 0.5 or 1.75, or a bit more than a short fraction: 0.6 is, so that ``3*N // 5`` holds
for all but huge N, which is recorded as a condition. With ``tf_crop_and_resize`` the text also multiplies by the extent
of ``roi``, which no runtime does: nothing is claimed then where that extent is not 1.
"""

from __future__ import annotations

from typing import Any

from shapeinfer.rule import Context, Dim, Result, Shape, codes, rule

from .resize_sizes import in_proportion, scaled

MODES = ("nearest", "linear", "cubic")
NEAREST_MODES = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
COORDINATES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize")
POLICIES = ("stretch", "not_larger", "not_smaller")


@rule("Upsample", since=(1,))
def upsample_image(ctx: Context) -> Result:
    """Height and width times their scales."""
    ctx.attr_choice("mode", ("nearest", "bilinear"))
    scales = tuple(checked_scale(ctx, name, ctx.attr_float(name), 1) for name in ("height_scale", "width_scale"))
    ctx.best((None,) * 4)
    shape = ctx.require_rank(0, 4)
    return (*shape[:2], *(scaled(ctx, size, scale) for size, scale in zip(shape[2:], scales, strict=True)))


@rule("Upsample", since=(7,))
def upsample_attribute(ctx: Context) -> Result:
    """Each size times its scale."""
    ctx.attr_choice("mode", ("nearest", "linear"))
    proto = ctx.attr_proto("scales")
    return by_scales(ctx, tuple(proto.floats) if proto is not None else None, None, 1)


@rule("Upsample", since=(9, 10))
def upsample(ctx: Context) -> Result:
    """Each size times its scale."""
    ctx.attr_choice("mode", ("nearest", "linear"))
    return by_scales(ctx, listed(ctx, 1), None, 1)


@rule("Resize", since=(10,))
def resize_by_scales(ctx: Context) -> Result:
    """Each size times its scale."""
    ctx.attr_choice("mode", ("nearest", "linear"))
    return by_scales(ctx, listed(ctx, 1), None, 0)


@rule("Resize", since=(11, 13, 18, 19))
def resize(ctx: Context) -> Result:
    """Along ``axes``, the sizes that are named or those that the scales give."""
    check_modes(ctx)
    axes = ctx.attr_ints("axes") if ctx.version >= 18 else None
    scales, sizes = present(ctx, 2), present(ctx, 3)
    if (scales and sizes) or (scales is False and sizes is False):
        ctx.fail(codes.RESIZE_TARGET, found="both" if scales else "neither")
    if scales or sizes is False:
        return by_scales(ctx, listed(ctx, 2), axes, 0)
    if sizes or scales is False:
        return by_sizes(ctx, listed(ctx, 3), axes)
    shape = ctx.shape_or_none(0)
    return None if shape is None else resized(ctx, shape, axes, (None,) * len(shape if axes is None else axes))


def check_modes(ctx: Context) -> None:
    """The attributes that name a way to interpolate."""
    also = ("tf_half_pixel_for_nn",) if ctx.version < 18 else ("half_pixel_symmetric",) if ctx.version >= 19 else ()
    ctx.attr_choice("mode", MODES)
    ctx.attr_choice("nearest_mode", NEAREST_MODES)
    ctx.attr_choice("coordinate_transformation_mode", (*COORDINATES, *also))


def present(ctx: Context, which: int) -> bool | None:
    """Whether an input is given and not empty; ``None`` where only a run can tell."""
    if not ctx.given(which):
        return False
    length = ctx.length(which)
    empty = None if length is None else ctx.facts.equal(length, 0)
    return None if empty is None else not empty


def listed(ctx: Context, which: int) -> tuple[Any, ...] | None:
    """The entries of a 1-D input, ``None`` for those that are unknown; ``None`` where not even their number is."""
    length = ctx.length(which)
    known = ctx.elements(which)
    if known is not None:
        return tuple(known.ravel().tolist())
    return (None,) * length if type(length) is int and length <= 64 else None


def by_scales(ctx: Context, scales: tuple[Any, ...] | None, axes: tuple[int, ...] | None, least: int) -> Result:
    """The sizes times their scales."""
    for i, scale in enumerate(scales or ()):
        checked_scale(ctx, f"scales[{i}]", scale, least)
    shape = ctx.shape_or_none(0)
    if shape is None:
        return (None,) * len(scales) if scales is not None and axes is None else None
    count = len(shape) if axes is None else len(axes)
    check_length(ctx, "scales", scales, count)
    extents = crop_extents(ctx, count)
    where = axes_of(ctx, axes, len(shape))
    found = tuple(
        scaled(ctx, shape[axis], scale) if extent == 1 else None
        for axis, scale, extent in zip(where, scales or (None,) * count, extents, strict=True)
    )
    return resized(ctx, shape, axes, found)


def checked_scale(ctx: Context, name: str, scale: Any, least: int) -> Any:
    """A scale, if it is unknown or allowed: at least 1, or greater than 0."""
    if type(scale) is float and not (scale >= 1 if least else scale > 0):
        expected = "at least 1" if least else "greater than 0"
        ctx.fail(codes.SIZE_VALUE, what=name, value=scale, expected=expected)
    return scale


def check_length(ctx: Context, name: str, values: tuple[Any, ...] | None, expected: int) -> None:
    """Requires one entry for each axis."""
    if values is not None and len(values) != expected:
        ctx.fail(codes.LENGTH, what=name, found=len(values), expected=expected)


def axes_of(ctx: Context, axes: tuple[int, ...] | None, rank: int) -> tuple[int, ...]:
    """The axes that are resized, counted from the front."""
    if axes is None:
        return tuple(range(rank))
    found = tuple(ctx.axis(axis, rank) for axis in axes)
    for position, axis in enumerate(found):
        if axis in found[:position]:
            ctx.fail(codes.REPEATED_AXIS, what="axes", axes=axes, axis=axis)
    return found


def resized(ctx: Context, shape: Shape, axes: tuple[int, ...] | None, sizes: tuple[Dim | None, ...]) -> Result:
    """The shape with these sizes along the axes that are resized."""
    found: list[Dim | None] = list(shape)
    for axis, size in zip(axes_of(ctx, axes, len(shape)), sizes, strict=True):
        found[axis] = size
    return tuple(found)


def crop_extents(ctx: Context, count: int) -> tuple[float | None, ...]:
    """How much of each axis is cropped: ``end - start`` of ``roi``, which only ``tf_crop_and_resize`` uses."""
    modes = ctx.signature.attributes
    name = "coordinate_transformation_mode"
    if name not in modes or ctx.attr_str(name) != "tf_crop_and_resize":
        return (1,) * count
    roi = listed(ctx, 1) if ctx.given(1) else None
    if roi is None:
        return (None,) * count
    check_length(ctx, "roi", roi, 2 * count)
    known = all(type(edge) is float for edge in roi)
    return tuple(roi[i + count] - roi[i] if known else None for i in range(count))


def by_sizes(ctx: Context, sizes: tuple[Any, ...] | None, axes: tuple[int, ...] | None) -> Result:
    """The sizes that are named, or those that keep the proportions."""
    for i, size in enumerate(sizes or ()):
        if type(size) is int and size < 0:
            ctx.fail(codes.SIZE_VALUE, what=f"sizes[{i}]", value=size, expected="at least 0")
    policy = ctx.attr_choice("keep_aspect_ratio_policy", POLICIES) if ctx.version >= 18 else "stretch"
    shape = ctx.shape_or_none(0)
    if shape is None:
        if sizes is None or axes is not None:
            return None
        return sizes if policy == "stretch" else (None,) * len(sizes)
    count = len(shape) if axes is None else len(axes)
    check_length(ctx, "sizes", sizes, count)
    wanted = sizes if sizes is not None else (None,) * count
    if policy != "stretch" and count > 1:
        old = tuple(shape[axis] for axis in axes_of(ctx, axes, len(shape)))
        wanted = in_proportion(old, wanted, policy == "not_larger")
    return resized(ctx, shape, axes, wanted)
