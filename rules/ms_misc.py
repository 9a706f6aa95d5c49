"""The other operators of ``com.microsoft``: early forms of what ONNX has now, transforms, embeddings and text."""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, ElementType, Result, Shape, TensorType, codes, dims, rule, rules

from .ms_shared import MS, flag, last, positive, scalar_value, tie


@rules({"Inverse": (1,), "Trilu": (1,)}, domain=MS)
def matrices(ctx: Context) -> Result:
    """Matrices in the last two dims; those to invert are square."""
    shape = ctx.shape_or_none("X")
    if shape is None:
        return None
    if len(shape) < 2:
        ctx.fail(codes.RANK, input="X", shape=shape, expected="at least 2")
    if ctx.node.op == "Inverse":
        tie(ctx, "the rows and columns of X", shape[-2], shape[-1])
    return shape


@rule("CDist", since=(1,), domain=MS)
def cdist(ctx: Context) -> Result:
    """The distance of each row of ``A`` from each row of ``B``."""
    left, right = ctx.shape_or_none("A"), ctx.shape_or_none("B")
    rows = columns = None
    if left is not None:
        rows, width = ctx.require_rank("A", 2)
        if right is not None:
            tie(ctx, "the row lengths of A and B", width, ctx.require_rank("B", 2)[1])
    if right is not None:
        columns = ctx.require_rank("B", 2)[0]
    return (rows, columns)


@rules({"ComplexMul": (1,), "ComplexMulConj": (1,)}, domain=MS)
def complex_mul(ctx: Context) -> Result:
    """Complex numbers, whose two parts lie along the last axis; the shapes broadcast."""
    return ctx.broadcast(ctx.shape("A"), ctx.shape("B"))


@rule("Rfft", since=(1,), domain=MS)
def rfft(ctx: Context) -> Result:
    """The last axis of n entries becomes ``n // 2 + 1`` complex numbers, whose two parts form a new last axis."""
    shape = ctx.shape_or_none("X")
    if shape is None:
        return None
    size = last(shape, ctx, "X")
    return (*shape[:-1], dims.add(dims.floordiv(size, 2), 1), 2)


@rule("Irfft", since=(1,), domain=MS)
def irfft(ctx: Context) -> Result:
    """The reverse: m complex numbers become ``2 * (m - 1)`` entries."""
    shape = ctx.shape_or_none("X")
    if shape is None:
        return None
    if len(shape) < 2:
        ctx.fail(codes.RANK, input="X", shape=shape, expected="at least 2")
    tie(ctx, "the last dim of X, real and imaginary part,", shape[-1], 2)
    return (*shape[:-2], dims.mul(2, dims.sub(shape[-2], 1)))


@rule("ExpandDims", since=(1,), domain=MS)
def expand_dims(ctx: Context) -> Result:
    """A dim of 1 at ``axis``, counted in the result."""
    shape, axis = ctx.shape_or_none("X"), scalar_value(ctx, "axis")
    if shape is None:
        return None
    if type(axis) is not int:
        return (None,) * (len(shape) + 1)
    axis = ctx.axis(axis, len(shape) + 1)
    return (*shape[:axis], 1, *shape[axis:])


@rule("GatherND", since=(1,), domain=MS)
def gather_nd(ctx: Context) -> Result:
    """The last axis of ``indices`` holds positions in the first dims of ``data``."""
    data, indices = ctx.shape_or_none("data"), ctx.shape_or_none("indices")
    if indices is None:
        return None
    count = last(indices, ctx, "indices")
    if data is None or type(count) is not int:
        return None
    if not 1 <= count <= len(data):
        ctx.fail(codes.SIZE_VALUE, what="the last dim of indices", value=count, expected=f"in 1 to {len(data)}")
    return (*indices[:-1], *data[count:])


@rule("GridSample", since=(1,), domain=MS)
def grid_sample(ctx: Context) -> Result:
    """``(N, C, H', W')`` from an image ``(N, C, H, W)`` and a grid ``(N, H', W', 2)``."""
    ctx.attr_choice("mode", ("bilinear", "nearest", "bicubic"))
    ctx.attr_choice("padding_mode", ("zeros", "border", "reflection"))
    image, grid = ctx.shape_or_none("X"), ctx.shape_or_none("Grid")
    batch = channels = height = width = None
    if image is not None:
        batch, channels = ctx.require_rank("X", 4)[:2]
    if grid is not None:
        other, height, width, parts = ctx.require_rank("Grid", 4)
        tie(ctx, "the last dim of Grid", parts, 2)
        batch = other if batch is None else tie(ctx, "the batch sizes of X and Grid", batch, other)
    return TensorType(ctx.elem("X"), (batch, channels, height, width))


@rule("CropAndResize", since=(1,), domain=MS)
def crop_and_resize(ctx: Context) -> Result:
    """``(regions, C, height, width)``, where ``crop_size`` holds height and width."""
    image, regions = ctx.shape_or_none("X"), ctx.shape_or_none("rois")
    channels = None if image is None else ctx.require_rank("X", 4)[1]
    count = None
    if regions is not None:
        count, corners = ctx.require_rank("rois", 2)
        tie(ctx, "the last dim of rois", corners, 4)
    size = ctx.ints("crop_size") or (None, None)
    if len(size) != 2:
        ctx.fail(codes.LENGTH, what="crop_size", found=len(size), expected=2)
    return (count, channels, *size)


@rule("Pad", since=(1,), domain=MS)
def pad(ctx: Context) -> Result:
    """Each dim grown by its entries in ``pads``: all begins, then all ends, in one row or as ``[1, 2 * rank]``."""
    ctx.attr_choice("mode", ("constant", "reflect", "edge", "wrap"))
    shape = ctx.shape_or_none("data")
    if shape is None:
        return None
    given = ctx.shape_or_none("pads")
    if given is not None:
        if len(given) not in (1, 2):
            ctx.fail(codes.RANK, input="pads", shape=given, expected="1 or 2")
        tie(ctx, "the length of pads and twice the rank of data", given[-1], 2 * len(shape))
    known = ctx.elements("pads")
    if known is None or known.size != 2 * len(shape):
        return (None,) * len(shape)
    pads: list[Dim | None] = known.reshape(-1).tolist()
    begins, ends = pads[: len(shape)], pads[len(shape) :]
    return tuple(
        None if begin is None or end is None else dims.add(dim, begin, end)
        for dim, begin, end in zip(shape, begins, ends, strict=True)
    )


@rule("Range", since=(1,), domain=MS)
def range_of(ctx: Context) -> Result:
    """Numbers from ``start`` up to ``limit``, without it; the step is 1 unless given."""
    start, limit = scalar_value(ctx, "start"), scalar_value(ctx, "limit")
    step = scalar_value(ctx, "delta") if ctx.given("delta") else 1
    if ctx.elem("start") in (0, ElementType.FLOAT, ElementType.DOUBLE):
        return (None,)
    if start is None or limit is None or type(step) is not int:
        return (None,)
    if step == 0:
        ctx.fail(codes.SIZE_VALUE, what="delta", value=0, expected="other than 0")
    return (dims.maximum(dims.ceildiv(dims.sub(limit, start), step), 0),)


@rule("Unique", since=(1,), domain=MS)
def unique(ctx: Context) -> Result:
    """The different values, only a run knows how many, which of them each entry is, and how often each occurs."""
    return [(None,), (ctx.length("x"),), (None,)]


@rule("UnfoldTensor", since=(1,), domain=MS)
def unfold_tensor(ctx: Context) -> Result:
    """All slices of ``size`` entries along ``dim``, every ``step``; each slice lies along a new last axis."""
    shape = ctx.shape_or_none("input")
    size, step = positive(ctx, "size"), positive(ctx, "step")
    if shape is None:
        return None
    axis = ctx.axis(ctx.attr_int("dim"), len(shape))
    ctx.require_at_least(shape[axis], size, codes.AT_LEAST, what=f"dim {axis} of input", found=shape[axis], least=size)
    count = dims.add(dims.floordiv(dims.sub(shape[axis], size), step), 1)
    return (*shape[:axis], count, *shape[axis + 1 :], size)


@rule("TorchEmbedding", since=(1,), domain=MS)
def torch_embedding(ctx: Context) -> Result:
    """Each index becomes a row of ``weight``."""
    table, indices = ctx.shape_or_none("weight"), ctx.shape_or_none("indices")
    width = None if table is None else ctx.require_rank("weight", 2)[1]
    return None if indices is None else (*indices, width)


@rule("WordConvEmbedding", since=(1,), domain=MS)
def word_conv_embedding(ctx: Context) -> Result:
    """Each word, a row of ``Sequence``, becomes a vector as long as there are filters."""
    shape, filters = ctx.shape_or_none("Sequence"), ctx.shape_or_none("W")
    return (None if shape is None else ctx.require_rank("Sequence", 2)[0], filters[0] if filters else None)


@rule("Tokenizer", since=(1,), domain=MS)
def tokenizer(ctx: Context) -> Result:
    """Each text becomes a row of tokens, as long as the longest needs."""
    shape = ctx.shape_or_none("X")
    if shape is not None and len(shape) not in (1, 2):
        ctx.fail(codes.RANK, input="X", shape=shape, expected="1 or 2")
    return None if shape is None else (*shape, None)


@rule("MurmurHash3", since=(1,), domain=MS)
def murmur_hash(ctx: Context) -> Result:
    """A hash of each element, unsigned unless ``positive`` is 0."""
    elem = ElementType.UINT32 if flag(ctx, "positive") else ElementType.INT32
    return TensorType(elem, ctx.shape_or_none("X"))


@rule("IsAllFinite", since=(1,), domain=MS)
def is_all_finite(ctx: Context) -> Result:
    """One answer for all inputs."""
    return ()


@rule("DynamicTimeWarping", since=(1,), domain=MS)
def dynamic_time_warping(ctx: Context) -> Result:
    """A path of row and column numbers; only a run knows how long it is."""
    shape: Shape | None = ctx.shape_or_none("input")
    if shape is not None and len(shape) not in (2, 3):
        ctx.fail(codes.RANK, input="input", shape=shape, expected="2 or 3")
    return (2, None)


@rules({"EPContext": (1,), "Snpe": (1,)}, domain=MS)
def opaque(ctx: Context) -> Result:
    """A compiled part of a model, of which nothing is known."""
    return None
