"""ConvTranspose spreads each entry of an image ``(N, C, D1, ..., Dn)`` over a window of its output.

The filters have shape ``(C, M/group, k1, ..., kn)``, so the output has ``W.shape[1] * group`` maps. An axis of it has
``stride * (size - 1) + output_padding + dilation * (kernel - 1) + 1 - begin - end`` entries; with ``auto_pad`` VALID
there are no pads, and with SAME_UPPER or SAME_LOWER there are ``size * stride`` entries. ``output_shape``, the n
spatial sizes, overrides all of that.

Versions: 11 states the defaults of strides and dilations, and that ``output_padding`` is less than the stride or the
dilation; 22 adds bfloat16.

SAME with a window that is shorter than the stride would need negative pads, which there are none of: the equations give
``size * stride``, ONNX Runtime and the C++ inference less. Nothing is claimed then.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, Result, codes, dims, rule

from .conv import bias_length, same_rank
from .windows import Windows, checked, image, per_axis, positive, read, spatial_rank


@rule("ConvTranspose", since=(1, 11, 22))
def conv_transpose(ctx: Context) -> Result:
    """Batch, maps, and the sizes over which the windows spread."""
    data, filters = image(ctx, 0), image(ctx, 1)
    count = spatial_rank(ctx, data, filters)
    group = positive(ctx, "group")
    if data is not None:
        ctx.require_divisible(data[1], group, codes.DIVISIBLE, what="channels by group", dim=data[1], divisor=group)
    if data is not None and filters is not None:
        same_rank(ctx, 1, filters, len(data))
        what = "channels of X and first size of W"
        ctx.require_equal(data[1], filters[0], codes.SIZES_DIFFER, what=what, left=data[1], right=filters[0])
    maps = bias_length(ctx, 2, dims.mul(filters[1], group) if filters is not None else None)
    if count is None:
        return None
    batch = data[0] if data is not None else None
    sizes = data[2:] if data is not None else (None,) * count
    return (batch, maps, *spatial_sizes(ctx, count, sizes, read(ctx, count, filters)))


def spatial_sizes(ctx: Context, count: int, sizes: tuple[Dim | None, ...], windows: Windows) -> tuple[Dim | None, ...]:
    """The spatial sizes of the output."""
    extra = per_axis(ctx, "output_padding", count, 0, 0)
    if ctx.version >= 11:
        for i, value in enumerate(extra):
            most = max(windows.strides[i], windows.dilations[i])
            if value >= most:
                expected = f"less than the stride or the dilation ({most})"
                ctx.fail(codes.SIZE_VALUE, what=f"output_padding[{i}]", value=value, expected=expected)
    stated = ctx.attr_ints("output_shape")
    if stated is not None:
        return checked(ctx, "output_shape", stated, count, 0)
    return tuple(spread(ctx, size, extra[axis], axis, windows) for axis, size in enumerate(sizes))


def spread(ctx: Context, size: Dim | None, extra: int, axis: int, windows: Windows) -> Dim | None:
    """The size of the output along an axis."""
    if size is None:
        return None
    stride, extent = windows.strides[axis], windows.extent(axis)
    if windows.same:
        window = None if extent is None else dims.add(extent, extra)
        if window is None or ctx.facts.at_least(window, stride) is False:
            return None
        what = f"window with output_padding along spatial axis {axis}"
        ctx.require_at_least(window, stride, codes.AT_LEAST, what=what, found=window, least=stride)
        return dims.mul(size, stride)
    if extent is None:
        return None
    pads = windows.begins[axis] + windows.ends[axis]
    result = dims.add(dims.mul(stride, size), extent, extra - stride - pads)
    what = f"size of the output along spatial axis {axis}"
    ctx.require_at_least(result, 0, codes.AT_LEAST, what=what, found=result, least=0)
    return result
