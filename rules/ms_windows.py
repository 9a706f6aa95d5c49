"""Convolutions and pools of ``com.microsoft``: fused with an activation, on quantised input, or with channels last.

They are as in ONNX (:mod:`.windows`) but for the place of the channels: last in ``Nhwc…`` operators and where the
attribute ``channels_last`` is 1. The filters stay ``(M, C / group, kernel…)``.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, Maybe, Result, Shape, dims, rule, rules

from .conv import bias_length, convolution, same_rank
from .ms_shared import MS, flag, quotient, tie
from .windows import image, per_axis, positive, read, spatial_rank


def channels_first(ctx: Context, shape: Shape | None) -> Shape | None:
    """The shape as ONNX has it."""
    if shape is None or not channels_last(ctx):
        return shape
    return (shape[0], shape[-1], *shape[1:-1])


def channels_last(ctx: Context) -> bool:
    """Whether the channels come last."""
    return ctx.node.op.startswith("Nhwc") or flag(ctx, "channels_last") != 0


def placed(ctx: Context, batch: Dim | None, channels: Dim | None, spatial: tuple[Dim | None, ...]) -> Maybe:
    """The output's shape, with its channels in their place."""
    return (batch, *spatial, channels) if channels_last(ctx) else (batch, channels, *spatial)


@rules({"FusedConv": (1,), "NhwcConv": (1,), "NhwcFusedConv": (1,), "QLinearConv": (1,)}, domain=MS)
def conv(ctx: Context) -> Result:
    """``activation(Conv(X, W) + B + Z)``."""
    quantised = ctx.node.op == "QLinearConv"
    data, weights, bias = (0, 3, 8) if quantised else (0, 1, 2)
    if not channels_last(ctx):
        return convolution(ctx, data, weights, bias)[0]
    shape, filters = channels_first(ctx, image(ctx, data)), image(ctx, weights)
    count = spatial_rank(ctx, shape, filters)
    group = positive(ctx, "group")
    maps = bias_length(ctx, bias, None if filters is None else filters[0])
    if count is None:
        return None
    if filters is not None:
        quotient(ctx, "filters by group", filters[0], group)
        if shape is not None:
            same_rank(ctx, weights, filters, len(shape))
            tie(ctx, f"channels of the input and of the filters * group {group}", shape[1], dims.mul(filters[1], group))
    windows = read(ctx, count, filters)
    sizes = (None,) * count if shape is None else shape[2:]
    spatial = tuple(windows.positions(ctx, size, axis) for axis, size in enumerate(sizes))
    return placed(ctx, None if shape is None else shape[0], maps, spatial)


@rules({"NhwcMaxPool": (1,), "QLinearAveragePool": (1,), "MaxpoolWithMask": (1,)}, domain=MS)
def pool(ctx: Context) -> Result:
    """Batch and channels stay; each spatial axis has as many entries as there are windows."""
    shape = channels_first(ctx, image(ctx, 0))
    count = spatial_rank(ctx, shape)
    if count is None:
        return None
    windows = read(ctx, count)
    sizes = (None,) * count if shape is None else shape[2:]
    spatial = tuple(windows.positions(ctx, size, axis) for axis, size in enumerate(sizes))
    batch, channels = (None, None) if shape is None else shape[:2]
    return placed(ctx, batch, channels, spatial)


@rule("QLinearGlobalAveragePool", since=(1,), domain=MS)
def global_pool(ctx: Context) -> Result:
    """Each spatial axis becomes 1."""
    shape = channels_first(ctx, image(ctx, 0))
    return None if shape is None else placed(ctx, shape[0], shape[1], (1,) * (len(shape) - 2))


@rule("ConvTransposeWithDynamicPads", since=(1,), domain=MS)
def conv_transpose(ctx: Context) -> Result:
    """As ``ConvTranspose``, but the pads, begins before ends, are an input."""
    shape, filters = image(ctx, 0), image(ctx, 1)
    count = spatial_rank(ctx, shape, filters)
    if count is None:
        return None
    maps = None
    if filters is not None:
        maps = bias_length(ctx, 3, dims.mul(filters[1], positive(ctx, "group")))
        if shape is not None:
            same_rank(ctx, 1, filters, len(shape))
            tie(ctx, "channels of X and first size of W", shape[1], filters[0])
    pads = ctx.ints("Pads") if ctx.given("Pads") else (0,) * (2 * count)
    if shape is None or pads is None or len(pads) != 2 * count or ctx.attr_str("auto_pad") != "NOTSET":
        return (None if shape is None else shape[0], maps, *(None,) * count)
    windows = read(ctx, count, filters)
    extra = per_axis(ctx, "output_padding", count, 0, 0)
    spatial: list[Dim | None] = []
    for axis in range(count):
        begin, end, extent = pads[axis], pads[axis + count], windows.extent(axis)
        if begin is None or end is None or extent is None:
            spatial.append(None)
            continue
        steps = dims.mul(windows.strides[axis], dims.sub(shape[axis + 2], 1))
        spatial.append(dims.sub(dims.add(steps, extra[axis], extent), dims.add(begin, end)))
    return (shape[0], maps, *spatial)


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
