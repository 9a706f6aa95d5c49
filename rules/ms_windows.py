"""Convolutions and pools of ``com.microsoft``: fused with an activation, on quantised input, or with channels last.

They are as ``Conv`` and ``MaxPool`` of ONNX but for the place of the channels: last in ``Nhwc…`` operators and where
``channels_last`` is 1. Weights stay ``(M, C / group, kernel…)``; only with ``channels_last`` of ``QLinearConv`` does
ONNX Runtime keep them so, too.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, Maybe, Result, Shape, codes, dims, rule, rules

from .ms_shared import MS, flag, quotient, tie, vector

PADDING = ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")


def split_channels(shape: Shape, channels_last: bool) -> tuple[Dim, Shape]:
    """The channels and the spatial dims."""
    return (shape[-1], shape[1:-1]) if channels_last else (shape[1], shape[2:])


def joined(batch: Dim | None, channels: Dim | None, spatial: tuple[Dim | None, ...], channels_last: bool) -> Maybe:
    """A shape put together again."""
    return (batch, *spatial, channels) if channels_last else (batch, channels, *spatial)


def per_axis(ctx: Context, name: str, count: int, least: int) -> tuple[int, ...]:
    """An attribute with one entry for each spatial axis, 1 where it is not stated."""
    values = ctx.attr_ints(name) or (1,) * count
    if len(values) != count:
        ctx.fail(codes.LENGTH, what=name, found=len(values), expected=count)
    for value in values:
        if value < least:
            ctx.fail(codes.SIZE_VALUE, what=f"an entry of {name}", value=value, expected=f"at least {least}")
    return values


def window_counts(ctx: Context, spatial: Shape, kernel: tuple[Dim, ...]) -> tuple[Dim | None, ...]:
    """How many windows there are along each spatial axis."""
    count = len(spatial)
    has_dilations = "dilations" in ctx.signature.attributes
    strides = per_axis(ctx, "strides", count, 1)
    dilations = per_axis(ctx, "dilations", count, 1) if has_dilations else (1,) * count
    padding = ctx.attr_choice("auto_pad", PADDING)
    if padding.startswith("SAME"):
        return tuple(dims.ceildiv(size, stride) for size, stride in zip(spatial, strides, strict=True))
    pads = ctx.attr_ints("pads") or (0,) * (2 * count)
    if len(pads) != 2 * count:
        ctx.fail(codes.LENGTH, what="pads", found=len(pads), expected=2 * count)
    if padding == "VALID":
        pads = (0,) * (2 * count)
    ceil = "ceil_mode" in ctx.signature.attributes and ctx.attr_int("ceil_mode") != 0
    found: list[Dim | None] = []
    for axis, (size, stride, dilation) in enumerate(zip(spatial, strides, dilations, strict=True)):
        reach = dims.add(dims.mul(dilation, dims.sub(kernel[axis], 1)), 1)
        padded = dims.add(size, pads[axis], pads[axis + count])
        what = f"the padded size of spatial axis {axis}, which must hold the kernel,"
        ctx.require_at_least(padded, reach, codes.AT_LEAST, what=what, found=padded, least=reach)
        room = dims.sub(padded, reach)
        if ceil:
            most = dims.ceildiv(dims.add(size, pads[axis]), stride)  # no window starts in the padding at the end
            found.append(dims.minimum(dims.add(dims.ceildiv(room, stride), 1), most))
        else:
            found.append(dims.add(dims.floordiv(room, stride), 1))
    return tuple(found)


def convolution(ctx: Context, data: str, weights: str, bias: str, channels_last: bool) -> Result:
    """The shape of a convolution."""
    shape, filters = ctx.shape_or_none(data), ctx.shape_or_none(weights)
    if filters is not None and len(filters) < 3:
        ctx.fail(codes.RANK, input=weights, shape=filters, expected="at least 3")
    outputs = vector(ctx, bias, None if filters is None else filters[0])
    if shape is None:
        return None if filters is None else joined(None, outputs, (None,) * (len(filters) - 2), channels_last)
    if len(shape) < 3:
        ctx.fail(codes.RANK, input=data, shape=shape, expected="at least 3")
    channels, spatial = split_channels(shape, channels_last)
    if filters is None:
        return joined(shape[0], outputs, (None,) * len(spatial), channels_last)
    if len(filters) != len(shape):
        ctx.fail(codes.RANK, input=weights, shape=filters, expected=len(shape))
    group = ctx.attr_int("group")
    if group < 1:
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute="group", value=group, expected="at least 1")
    tie(ctx, f"the channels of {data} and those of {weights} times group", channels, dims.mul(filters[1], group))
    quotient(ctx, f"the filters of {weights} and group", filters[0], group)
    kernel = filters[2:]
    stated = ctx.attr_ints("kernel_shape")
    if stated is not None:
        if len(stated) != len(kernel):
            ctx.fail(codes.LENGTH, what="kernel_shape", found=len(stated), expected=len(kernel))
        kernel = tuple(
            tie(ctx, f"kernel_shape and dim {axis + 2} of {weights}", size, dim)
            for axis, (size, dim) in enumerate(zip(stated, kernel, strict=True))
        )
    return joined(shape[0], filters[0], window_counts(ctx, spatial, kernel), channels_last)


@rules({"FusedConv": (1,), "NhwcConv": (1,), "NhwcFusedConv": (1,)}, domain=MS)
def fused_conv(ctx: Context) -> Result:
    """``activation(Conv(X, W) + B + Z)``."""
    return convolution(ctx, "X", "W", "B", ctx.node.op.startswith("Nhwc"))


@rule("QLinearConv", since=(1,), domain=MS)
def qlinear_conv(ctx: Context) -> Result:
    """A convolution of quantised tensors."""
    return convolution(ctx, "x", "w", "B", flag(ctx, "channels_last") != 0)


@rules({"NhwcMaxPool": (1,), "QLinearAveragePool": (1,), "MaxpoolWithMask": (1,)}, domain=MS)
def pool(ctx: Context) -> Result:
    """Batch and channels stay; each spatial axis has as many entries as there are windows."""
    channels_last = ctx.node.op.startswith("Nhwc") or flag(ctx, "channels_last") != 0
    kernel = ctx.attr_ints("kernel_shape")
    shape = ctx.shape_or_none(0)
    if shape is None:
        return None if kernel is None else (None,) * (len(kernel) + 2)
    if len(shape) < 3:
        ctx.fail(codes.RANK, input=ctx.input_name(0), shape=shape, expected="at least 3")
    channels, spatial = split_channels(shape, channels_last)
    if kernel is None:
        return joined(shape[0], channels, (None,) * len(spatial), channels_last)
    per_axis(ctx, "kernel_shape", len(spatial), 1)
    return joined(shape[0], channels, window_counts(ctx, spatial, kernel), channels_last)


@rule("QLinearGlobalAveragePool", since=(1,), domain=MS)
def global_pool(ctx: Context) -> Result:
    """Each spatial axis becomes 1."""
    shape = ctx.shape_or_none("X")
    if shape is None:
        return None
    if len(shape) < 3:
        ctx.fail(codes.RANK, input="X", shape=shape, expected="at least 3")
    channels_last = flag(ctx, "channels_last") != 0
    channels, spatial = split_channels(shape, channels_last)
    return joined(shape[0], channels, (1,) * len(spatial), channels_last)


@rule("ConvTransposeWithDynamicPads", since=(1,), domain=MS)
def conv_transpose(ctx: Context) -> Result:
    """As ``ConvTranspose``, but the pads, begins before ends, are an input."""
    shape, filters = ctx.shape_or_none("X"), ctx.shape_or_none("W")
    if shape is None or filters is None:
        known = shape if shape is not None else filters
        return None if known is None else (None,) * len(known)
    if len(shape) < 3 or len(filters) != len(shape):
        ctx.fail(codes.RANK, input="W", shape=filters, expected=len(shape))
    count = len(shape) - 2
    tie(ctx, "the channels of X and the filters of W", shape[1], filters[0])
    outputs = dims.mul(filters[1], ctx.attr_int("group"))
    vector(ctx, "B", outputs)
    strides, dilations = per_axis(ctx, "strides", count, 1), per_axis(ctx, "dilations", count, 1)
    extra = ctx.attr_ints("output_padding") or (0,) * count
    kernel = ctx.attr_ints("kernel_shape") or filters[2:]
    pads = ctx.ints("Pads") if ctx.given("Pads") else (0,) * (2 * count)
    if pads is None or len(pads) != 2 * count or ctx.attr_str("auto_pad") != "NOTSET" or len(extra) != count:
        return (shape[0], outputs, *(None,) * count)
    spatial: list[Dim | None] = []
    for axis in range(count):
        begin, end = pads[axis], pads[axis + count]
        if begin is None or end is None:
            spatial.append(None)
            continue
        reach = dims.add(dims.mul(dilations[axis], dims.sub(kernel[axis], 1)), 1)
        steps = dims.mul(strides[axis], dims.sub(shape[axis + 2], 1))
        spatial.append(dims.sub(dims.add(steps, extra[axis], reach), dims.add(begin, end)))
    return (shape[0], outputs, *spatial)


@rule("CausalConvWithState", since=(1,), domain=MS)
def causal_conv(ctx: Context) -> Result:
    """The shape of the input, and the last entries along the last axis, which the next step needs."""
    shape, state = ctx.shape_or_none("input"), ctx.shape_or_none("past_state")
    if flag(ctx, "input_channels"):
        shape = None
    filters = ctx.shape_or_none("weight")
    plain = not any(flag(ctx, name) for name in ("channels_last", "state_window", "state_length"))
    if state is None and plain and shape is not None and filters is not None and len(shape) == len(filters):
        kept = dims.mul(dims.sub(filters[-1], 1), flag(ctx, "dilation"))
        state = (*shape[:-1], kept)
    return [shape, state]
