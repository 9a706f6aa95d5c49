"""Fused activations, normalisations and dropouts of ``com.microsoft``: nearly all keep the shape of their input."""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, ElementType, Result, Shape, TensorType, codes, dims, rule, rules

from .ms_shared import MS, last, quotient, same, tie, vector, with_last

ENDED = (1, 10)  # early experiments of ONNX that ONNX Runtime keeps running below opset 10
KEEPING = (
    "Gelu",
    "QuickGelu",
    "QOrderedGelu",
    "QOrderedLayerNormalization",
    "QuantizeWithOrder",
    "SampleOp",
)
rules(dict.fromkeys(KEEPING, (1,)), domain=MS)(same)
rules(dict.fromkeys(("Affine", "ParametricSoftplus", "ScaledTanh", "Scale"), ENDED))(same)


@rules({"BiasGelu": (1,), "FastGelu": (1,)}, domain=MS)
def bias_gelu(ctx: Context) -> Result:
    """An activation after a bias, which has one value for each entry of the last axis."""
    shape = ctx.shape_or_none(0)
    if shape is not None and ctx.given(1):
        vector(ctx, ctx.signature.inputs[1].name, last(shape, ctx, 0))
    return shape


@rule("BiasSplitGelu", since=(1,), domain=MS)
def bias_split_gelu(ctx: Context) -> Result:
    """One half of the last axis, multiplied with the activation of the other half."""
    shape = ctx.shape_or_none("X")
    width = vector(ctx, "bias", shape[-1] if shape else None)
    half = None if width is None else quotient(ctx, "the last dim of X, which is two halves", width, 2)
    return with_last(shape, half)


@rule("SwiGLU", since=(1,), domain=MS)
def swiglu(ctx: Context) -> Result:
    """As ``gate``; without ``up``, ``gate`` holds both halves."""
    shape = ctx.shape_or_none("gate")
    if shape is None or ctx.given("up"):
        return shape if shape is not None else ctx.shape_or_none("up")
    width = last(shape, ctx, "gate")
    return with_last(shape, quotient(ctx, "the last dim of gate, which is two halves", width, 2))


@rule("BiasAdd", since=(1,), domain=MS)
def bias_add(ctx: Context) -> Result:
    """``X + bias + skip``: ``X`` and ``skip`` are of one shape."""
    shape, skip = ctx.shape_or_none("X"), ctx.shape_or_none("skip")
    if shape is not None:
        vector(ctx, "bias", last(shape, ctx, "X"))
    return shape if shape is not None else skip


@rule("BiasSoftmax", since=(1,), domain=MS)
def bias_softmax(ctx: Context) -> Result:
    """``Softmax(data + bias)``."""
    shape = ctx.shape_or_none("data")
    if shape is not None:
        ctx.axis(ctx.attr_int("axis"), len(shape))
    return shape


@rule("BiasDropout", since=(1,), domain=MS)
def bias_dropout(ctx: Context) -> Result:
    """Dropout of ``data + bias``, with a mask of the same shape."""
    shape = dropped(ctx)
    return [shape, shape]


@rules({"BitmaskDropout": (1,), "BitmaskBiasDropout": (1,)}, domain=MS)
def bitmask_dropout(ctx: Context) -> Result:
    """The mask has one bit for each element, 32 to an entry, in one row."""
    shape = dropped(ctx)
    return [shape, None if shape is None else (dims.ceildiv(dims.mul(1, *shape), 32),)]


def dropped(ctx: Context) -> Shape | None:
    """The shape of ``data`` or, where that is unknown, of ``residual``, which is the same."""
    shape = ctx.shape_or_none("data")
    if shape is None and "residual" in ctx.signature.input_index:
        return ctx.shape_or_none("residual")
    return shape


@rule("SimplifiedLayerNormalization", since=(1,))
def simplified_layer_normalization(ctx: Context) -> Result:
    """Division by the root mean square over the axes from ``axis`` on, which are 1 in the second output.

    ONNX Runtime writes it into the domain of ONNX itself.
    """
    shape = ctx.shape_or_none("X")
    if shape is None:
        return None
    axis = ctx.axis(ctx.attr_int("axis"), len(shape))
    single = ctx.attr_int("stash_type") == ElementType.FLOAT and ctx.elem("X") not in (0, ElementType.DOUBLE)
    scales = (*shape[:axis], *(1,) * (len(shape) - axis))
    return [shape, TensorType(ElementType.FLOAT if single else 0, scales)]


@rules({"SkipLayerNormalization": (1,), "SkipSimplifiedLayerNormalization": (1,)}, domain=MS)
def skip_layer_normalization(ctx: Context) -> Result:
    """The normalised sum of input, skip and bias, and the sum itself; the scale has one value per channel."""
    shape = ctx.shape_or_none("input")
    if shape is None:
        return None
    if len(shape) not in (2, 3):
        ctx.fail(codes.RANK, input="input", shape=shape, expected="2 or 3")
    for which in ("gamma", "beta", "bias"):
        if which in ctx.signature.input_index and ctx.given(which):
            vector(ctx, which, shape[-1])
    return [shape, with_last(shape, 1), with_last(shape, 1), shape]


@rules({"EmbedLayerNormalization": (1,), "QEmbedLayerNormalization": (1,)}, domain=MS)
def embed_layer_normalization(ctx: Context) -> Result:
    """``(B, S, hidden)`` from tokens ``(B, S)`` and embeddings ``(words, hidden)``, and the length of each sequence."""
    quantised = ctx.node.op.startswith("Q")
    word, gamma, beta = (
        ("word_embedding_quant", "gamma_quant", "beta_quant")
        if quantised
        else (
            "word_embedding",
            "gamma",
            "beta",
        )
    )
    tokens, table = ctx.shape_or_none("input_ids"), ctx.shape_or_none(word)
    batch, length = (None, None) if tokens is None else ctx.require_rank("input_ids", 2)
    width: Dim | None = None if table is None else ctx.require_rank(word, 2)[1]
    width = vector(ctx, gamma, width)
    vector(ctx, beta, width)
    return [(batch, length, width), (batch,), (batch, length, width)]


@rules({"GroupNorm": (1,), "SkipGroupNorm": (1,)}, domain=MS)
def group_norm(ctx: Context) -> Result:
    """Normalisation within groups of channels, which come last unless ``channels_last`` is 0."""
    shape = ctx.shape_or_none("X")
    if shape is None:
        return None
    if len(shape) != 4:
        ctx.fail(codes.RANK, input="X", shape=shape, expected=4)
    channels = shape[-1] if ctx.attr_int("channels_last") else shape[1]
    quotient(ctx, "the channels and groups", channels, ctx.attr_int("groups"))
    vector(ctx, "gamma", channels)
    vector(ctx, "beta", channels)
    return [shape, shape]


@rule("GatedRMSNorm", since=(1,), domain=MS)
def gated_rms_norm(ctx: Context) -> Result:
    """The shape of ``X``, which ``gate`` has too."""
    shape, gate = ctx.shape_or_none("X"), ctx.shape_or_none("gate")
    if shape is not None and gate is not None:
        if len(shape) != len(gate):
            ctx.fail(codes.RANK, input="gate", shape=gate, expected=len(shape))
        for axis, (left, right) in enumerate(zip(shape, gate, strict=True)):
            tie(ctx, f"dim {axis} of X and gate", left, right)
    return shape if shape is not None else gate


@rule("ImageScaler", since=ENDED)
def image_scaler(ctx: Context) -> Result:
    """A scaled image with a bias for each channel."""
    shape = ctx.shape_or_none("input")
    if shape is not None:
        channels = ctx.require_rank("input", 4)[1]
        if ctx.attr_proto("bias") is not None:
            tie(ctx, "the number of biases and of channels", len(ctx.decoded_attributes()["bias"]), channels)
    return shape


@rule("Crop", since=ENDED)
def crop(ctx: Context) -> Result:
    """An image ``(N, C, H, W)`` without its borders, or of a stated size."""
    shape = ctx.shape_or_none("input")
    border, scale = ctx.attr_ints("border") or (0, 0, 0, 0), ctx.attr_ints("scale")
    if shape is None or len(border) != 4:
        return None
    batch, channels, height, width = ctx.require_rank("input", 4)
    if scale is not None and len(scale) == 2:
        return (batch, channels, *scale)
    left, top, right, bottom = border
    return (batch, channels, dims.sub(height, top + bottom), dims.sub(width, left + right))
