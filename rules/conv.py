"""Convolutions slide filters over an image ``(N, C, D1, ..., Dn)``; :mod:`.windows` says how many positions there are.

The filters ``W`` have shape ``(M, C/group, k1, ..., kn)``: C is ``W.shape[1] * group``, the M maps of the output are a
multiple of ``group``, and a bias has length M. ``kernel_shape``, where it is given, repeats ``(k1, ..., kn)``.

Versions: Conv 1, 11 (a default of 1 for strides and dilations is stated) and 22 (bfloat16) have one meaning, which
ConvInteger 10 and QLinearConv 10 share: their zero points and scales are scalars or, for the filters, 1-D of length M.
DeformConv 19 and 22 shift each entry of each window by ``offset``, of shape
``(N, offset_group * k1 * ... * kn * n, o1, ..., on)`` for an output ``(N, M, o1, ..., on)``, and weight it by ``mask``.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, Maybe, Result, Shape, codes, dims, rule

from .windows import Windows, image, positive, read, spatial_rank


@rule("Conv", since=(1, 11, 22))
def conv(ctx: Context) -> Result:
    """Batch, maps, and the positions of the window."""
    return convolution(ctx, 0, 1, 2)[0]


@rule("ConvInteger", since=(10,))
def conv_integer(ctx: Context) -> Result:
    """As Conv, in int32."""
    result, maps = convolution(ctx, 0, 1, None)
    per_tensor(ctx, 2)
    per_map(ctx, 3, maps)
    return result


@rule("QLinearConv", since=(10,))
def qlinear_conv(ctx: Context) -> Result:
    """As Conv, of quantised tensors."""
    result, maps = convolution(ctx, 0, 3, 8)
    for which in (1, 2, 6, 7):
        per_tensor(ctx, which)
    for which in (4, 5):
        per_map(ctx, which, maps)
    return result


def convolution(ctx: Context, x: int, w: int, bias: int | None) -> tuple[Maybe, Dim | None]:
    """The output's shape, ``None`` where its rank is unknown, and the number of its maps."""
    data, filters = image(ctx, x), image(ctx, w)
    count = spatial_rank(ctx, data, filters)
    maps = filter_maps(ctx, x, w, data, filters)
    maps = bias_length(ctx, bias, maps)
    if count is None:
        return None, maps
    windows = read(ctx, count, filters)
    sizes = data[2:] if data is not None else (None,) * count
    batch = data[0] if data is not None else None
    return (batch, maps, *(windows.positions(ctx, size, axis) for axis, size in enumerate(sizes))), maps


def filter_maps(ctx: Context, x: int, w: int, data: Shape | None, filters: Shape | None) -> Dim | None:
    """The number of maps, after the channels of image and filters have been held against each other."""
    group = positive(ctx, "group")
    if filters is None:
        if data is not None:
            ctx.require_divisible(data[1], group, codes.DIVISIBLE, what="channels by group", dim=data[1], divisor=group)
        return None
    maps = filters[0]
    ctx.require_divisible(maps, group, codes.DIVISIBLE, what="filters by group", dim=maps, divisor=group)
    if data is not None:
        same_rank(ctx, w, filters, len(data))
        channels = dims.mul(filters[1], group)
        what = f"channels of {ctx.input_name(x)} and channels of {ctx.input_name(w)} * group {group}"
        ctx.require_equal(data[1], channels, codes.SIZES_DIFFER, what=what, left=data[1], right=channels)
    return maps


def same_rank(ctx: Context, which: int, shape: Shape, rank: int) -> None:
    """An error where an input has another rank."""
    if len(shape) != rank:
        ctx.fail(codes.RANK, input=ctx.input_name(which), shape=shape, expected=rank)


def bias_length(ctx: Context, bias: int | None, maps: Dim | None) -> Dim | None:
    """The number of maps, which a 1-D bias has as its length."""
    length = ctx.length(bias) if bias is not None and ctx.given(bias) else None
    if length is None or maps is None:
        return length if maps is None else maps
    what = "length of the bias and number of maps"
    return ctx.require_equal(maps, length, codes.SIZES_DIFFER, what=what, left=length, right=maps)


def per_tensor(ctx: Context, which: int) -> None:
    """Requires a scale or zero point for a whole tensor: a scalar, for which one of length 1 is taken as well."""
    shape = ctx.shape_or_none(which)
    if shape is None or not shape:
        return
    if len(shape) > 1:
        ctx.fail(codes.RANK, input=ctx.input_name(which), shape=shape, expected=0)
    what = f"{ctx.input_name(which)} is a scalar; its length and"
    ctx.require_equal(shape[0], 1, codes.SIZES_DIFFER, what=what, left=shape[0], right=1)


def per_map(ctx: Context, which: int, maps: Dim | None) -> None:
    """Requires a scale or zero point of the filters: a scalar, or one number for each map."""
    shape = ctx.shape_or_none(which)
    if shape is None or not shape:
        return
    if len(shape) > 1:
        ctx.fail(codes.RANK, input=ctx.input_name(which), shape=shape, expected="0 or 1")
    if maps is not None and ctx.facts.equal(shape[0], 1) is False:
        what = f"length of {ctx.input_name(which)} and number of maps"
        ctx.require_equal(shape[0], maps, codes.SIZES_DIFFER, what=what, left=shape[0], right=maps)


@rule("DeformConv", since=(19, 22))
def deform_conv(ctx: Context) -> Result:
    """As Conv; where the image is unknown, ``offset`` tells the batch and the positions."""
    data, filters, offset, mask = image(ctx, 0), image(ctx, 1), image(ctx, 2), image(ctx, 4)
    maps = bias_length(ctx, 3, filter_maps(ctx, 0, 1, data, filters))
    count = spatial_rank(ctx, data, filters, offset, mask)
    if count is None:
        return None
    windows = read(ctx, count, filters, pool=True)
    sizes = data[2:] if data is not None else (None,) * count
    batch = data[0] if data is not None else None
    result: tuple[Dim | None, ...] = (batch, maps, *(windows.positions(ctx, s, i) for i, s in enumerate(sizes)))
    groups = positive(ctx, "offset_group")
    if data is not None:
        what = "channels by offset_group"
        ctx.require_divisible(data[1], groups, codes.DIVISIBLE, what=what, dim=data[1], divisor=groups)
    points = kernel_points(windows, groups)
    result = beside(ctx, 2, offset, result, None if points is None else dims.mul(points, count))
    return beside(ctx, 4, mask, result, points if count == 2 else None)


def kernel_points(windows: Windows, groups: int) -> Dim | None:
    """The entries of a window, counted for each group of offsets."""
    known = [size for size in windows.kernel if size is not None]
    return dims.mul(groups, *known) if len(known) == len(windows.kernel) else None


def beside(
    ctx: Context, which: int, shape: Shape | None, result: tuple[Dim | None, ...], channels: Dim | None
) -> tuple[Dim | None, ...]:
    """The result, of which the batch and the positions agree with those of ``offset`` or ``mask``."""
    if shape is None:
        return result
    same_rank(ctx, which, shape, len(result))
    name = ctx.input_name(which)
    if channels is not None:
        what = f"channels of {name} and entries of a window"
        ctx.require_equal(shape[1], channels, codes.SIZES_DIFFER, what=what, left=shape[1], right=channels)
    found = list(result)
    for axis, size in enumerate(shape):
        expected = result[axis]
        if axis == 1:
            continue
        if expected is None:
            found[axis] = size
        else:
            what = f"axis {axis} of {name} and of the output"
            found[axis] = ctx.require_equal(expected, size, codes.SIZES_DIFFER, what=what, left=size, right=expected)
    return tuple(found)
