"""Operators of ``com.microsoft`` on quantised tensors, whose scales and zero points are single numbers.

``QLinear…`` operators take and give 8-bit tensors; each tensor is followed by its scale and its zero point, and the
scale and zero point of the result are inputs too.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, ElementType, Maybe, Result, Shape, TensorType, codes, dims, rule, rules

from .ms_shared import MS, flag, one_element, per_column, tie, vector


@rules({"QLinearAdd": (1,), "QLinearMul": (1,), "MulInteger": (1,)}, domain=MS)
def binary(ctx: Context) -> Result:
    """Two tensors that broadcast."""
    one_element(ctx, *(name for name in ctx.signature.input_index if len(name) > 1))
    return broadcast(ctx, "A", "B")


@rule("QLinearWhere", since=(1,), domain=MS)
def where(ctx: Context) -> Result:
    """``X`` where the condition holds, else ``Y``; all three broadcast."""
    one_element(ctx, *(name for name in ctx.signature.input_index if "_" in name))
    return broadcast(ctx, "condition", "X", "Y")


def broadcast(ctx: Context, *names: str) -> Result:
    """What these inputs broadcast to; known shapes are checked even where others are not."""
    shapes = [ctx.shape_or_none(name) for name in names]
    known = [shape for shape in shapes if shape is not None]
    result = ctx.broadcast(*known) if known else None
    return result if len(known) == len(shapes) else None


@rules({"QLinearSigmoid": (1,), "QLinearLeakyRelu": (1,), "QLinearSoftmax": (1,)}, domain=MS)
def unary(ctx: Context) -> Result:
    """The shape of the input."""
    one_element(ctx, *(name for name in ctx.signature.input_index if "_" in name))
    shape = ctx.shape_or_none("X")
    if shape is not None and ctx.node.op == "QLinearSoftmax":
        ctx.axis(ctx.attr_int("axis"), len(shape))
    return shape


@rule("QLinearConcat", since=(1,), domain=MS)
def concat(ctx: Context) -> Result:
    """Tensors, each followed by its scale and zero point, laid one behind the other along ``axis``."""
    given = len(ctx.inputs) - 2
    if given % 3:
        ctx.fail(codes.DIVISIBLE, what="the number of tensors, scales and zero points", dim=given, divisor=3)
    shapes = [ctx.shape_or_none(i) for i in range(2, len(ctx.inputs), 3)]
    known = [shape for shape in shapes if shape is not None]
    if not known:
        return None
    first = known[0]
    axis = ctx.axis(ctx.attr_int("axis"), len(first))
    result: list[Dim | None] = list(first)
    for shape in known[1:]:
        if len(shape) != len(first):
            ctx.fail(codes.RANK, input="a tensor to concatenate", shape=shape, expected=len(first))
        for i, dim in enumerate(shape):
            before = result[i]
            if i != axis and before is not None:
                result[i] = tie(ctx, f"dim {i} of the tensors to concatenate", before, dim)
    lengths = [shape[axis] for shape in known]
    result[axis] = dims.add(*lengths) if len(known) == len(shapes) else None
    return tuple(result)


@rules({"QLinearReduceMean": (1,), "ReduceSumInteger": (1,)}, domain=MS)
def reduce(ctx: Context) -> Result:
    """``axes`` become 1, or go when ``keepdims`` is 0."""
    if ctx.node.op == "QLinearReduceMean":
        one_element(ctx, *(name for name in ctx.signature.input_index if "_" in name))
    result = reduced(ctx, ctx.shape_or_none("data"))
    if ctx.node.op == "QLinearReduceMean":
        return result
    sums = {int(ElementType.UINT8): ElementType.UINT32, int(ElementType.INT8): ElementType.INT32}
    return TensorType(sums.get(ctx.elem("data"), 0), result)


def reduced(ctx: Context, shape: Shape | None) -> Shape | None:
    """The shape without ``axes``; all of them when the list is empty."""
    if shape is None:
        return None
    stated = ctx.attr_ints("axes") or range(len(shape))
    axes = {ctx.axis(axis, len(shape)) for axis in stated}
    if flag(ctx, "keepdims"):
        return tuple(1 if axis in axes else dim for axis, dim in enumerate(shape))
    return tuple(dim for axis, dim in enumerate(shape) if axis not in axes)


@rules({"QuantizeLinear": (1,), "DequantizeLinear": (1,)}, domain=MS)
def linear(ctx: Context) -> Result:
    """The shape of ``x``; a scale of rank 1 has one entry for each along ``axis``.

    Without a zero point ``QuantizeLinear`` gives uint8.
    """
    shape = ctx.shape_or_none("x")
    quantize = ctx.node.op == "QuantizeLinear"
    scale, zero = ("y_scale", "y_zero_point") if quantize else ("x_scale", "x_zero_point")
    if shape is not None and ctx.has_attr("axis"):
        axis = ctx.axis(flag(ctx, "axis"), len(shape))
        per_column(ctx, shape[axis], scale, zero)
    elem = 0
    if quantize:
        elem = ctx.elem(zero) if ctx.given(zero) else ElementType.UINT8
    return TensorType(elem, shape)


@rule("QuantizeBFP", since=(1,), domain=MS)
def quantize_bfp(ctx: Context) -> Result:
    """Raw bytes, as many as the block format needs, and the shape and strides of the input."""
    shape = ctx.shape_or_none("x")
    rank = None if shape is None else len(shape)
    return [(None,), (rank,), (rank,)]


@rule("DequantizeBFP", since=(1,), domain=MS)
def dequantize_bfp(ctx: Context) -> Result:
    """A tensor of the shape that the input ``shape`` says."""
    return typed(ctx.element_type_attr("dtype"), ctx.ints("shape"))


@rule("DequantizeWithOrder", since=(1,), domain=MS)
def dequantize_with_order(ctx: Context) -> Result:
    """The shape of the input, in the type ``to``."""
    return typed(ctx.element_type_attr("to"), ctx.shape_or_none("input"))


def typed(elem: int, shape: tuple[Dim | None, ...] | None) -> Maybe:
    """A tensor type whose open dims only a run can tell."""
    return TensorType(elem, shape)


@rule("GatherBlockQuantized", since=(1,), domain=MS)
def gather_block_quantized(ctx: Context) -> Result:
    """As ``Gather``; bytes hold several entries along the last axis, so that axis is longer in the result."""
    data, indices = ctx.shape_or_none("data"), ctx.shape_or_none("indices")
    elem = ctx.elem("data")
    if data is None:
        return None
    axis = ctx.axis(ctx.attr_int("gather_axis"), len(data))
    ctx.axis(ctx.attr_int("quantize_axis"), len(data))
    scales = ctx.shape_or_none("scales")
    if scales is not None and len(scales) != len(data):
        ctx.fail(codes.RANK, input="scales", shape=scales, expected=len(data))
    if indices is None:
        return None
    result: list[Dim | None] = list(data)
    if not elem:
        result[-1] = None
    elif elem == ElementType.UINT8:
        bits = ctx.attr_int("bits")
        if bits not in (2, 4, 8):
            ctx.fail(codes.ATTRIBUTE_VALUE, attribute="bits", value=bits, expected="2, 4 or 8")
        result[-1] = dims.mul(data[-1], 8 // bits)
    return (*result[:axis], *indices, *result[axis + 1 :])


@rules({"DynamicQuantizeLSTM": (1,), "AttnLSTM": (1,)}, domain=MS)
def lstm(ctx: Context) -> Result:
    """All hidden states ``(S, directions, B, hidden)``, and the last hidden and cell state."""
    direction = ctx.attr_choice("direction", ("forward", "reverse", "bidirectional"))
    directions = 2 if direction == "bidirectional" else 1
    shape, weights = ctx.shape_or_none("X"), ctx.shape_or_none("R")
    hidden: Dim | None = flag(ctx, "hidden_size") or None
    if weights is not None:
        ctx.require_rank("R", 3)
        tie(ctx, "dim 0 of R and the directions", weights[0], directions)
        inner = weights[1] if ctx.node.op == "DynamicQuantizeLSTM" else weights[2]
        hidden = inner if hidden is None else tie(ctx, "hidden_size and R", inner, hidden)
    length = batch = None
    if shape is not None:
        length, batch, _ = ctx.require_rank("X", 3)
    batch = vector(ctx, "sequence_lens", batch)
    state: Maybe = (directions, batch, hidden)
    return [(length, directions, batch, hidden), state, state]
