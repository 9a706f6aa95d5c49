"""Matrix products of ``com.microsoft``: fused with transpositions, scales or activations, and on quantised inputs.

All follow ``numpy.matmul`` or ``Gemm``. ``FusedMatMul`` transposes each operand in one of two ways: ``transA`` swaps
the last two dims, ``transBatchA`` moves the first dim behind the batch dims, so that ``[M, B1, B2, K]`` stands for
``[B1, B2, M, K]``; with both, ``[K, B1, B2, M]`` does.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, ElementType, Result, Shape, TensorType, codes, rule, rules

from .ms_shared import MS, batch_matmul, flag, per_column, tie, vector, with_last

FUSED = ("FusedMatMul", "FusedMatMulActivation", "TransposeMatMul")


@rules(dict.fromkeys(FUSED, (1,)), domain=MS)
def fused_matmul(ctx: Context) -> Result:
    """The product of ``A`` and ``B``, each transposed as its attributes say."""
    left = turned(ctx, "A", flag(ctx, "transA"), flag(ctx, "transBatchA"))
    right = turned(ctx, "B", flag(ctx, "transB"), flag(ctx, "transBatchB"))
    return batch_matmul(ctx, left, right)


def turned(ctx: Context, which: str, matrix: int, batch: int) -> Shape:
    """The shape of an operand after its transpositions; one of rank 1 has none."""
    shape = ctx.shape(which)
    if len(shape) < 2:
        return shape
    if batch:
        if len(shape) < 3:
            ctx.fail(codes.RANK, input=which, shape=shape, expected="at least 3 for a transposed batch")
        shape = (*shape[1:-1], shape[0], shape[-1])
    return (*shape[:-2], shape[-1], shape[-2]) if matrix else shape


@rules({"MatMulInteger16": (1,), "MatMulIntegerToFloat": (1,), "DynamicQuantizeMatMul": (1,)}, domain=MS)
def integer_matmul(ctx: Context) -> Result:
    """The product of ``A`` and ``B``; scales and zero points of ``B`` may be one per column."""
    left, right = ctx.shape("A"), ctx.shape("B")
    result = batch_matmul(ctx, left, right)
    if len(right) > 1:
        per_column(ctx, right[-1], "b_scale", "b_zero_point")
        if "bias" in ctx.signature.input_index:
            vector(ctx, "bias", right[-1])
    if ctx.node.op == "MatMulInteger16":
        return TensorType(integer_result(ctx), result)
    return result


def integer_result(ctx: Context) -> int:
    """32 bits, unsigned when both operands are; 0 while a type is unknown."""
    types = {ctx.elem("A"), ctx.elem("B")}
    if 0 in types:
        return 0
    return ElementType.UINT32 if types == {ElementType.UINT16} else ElementType.INT32


@rules({"FusedGemm": (1,), "QGemm": (1,), "GemmFloat8": (1,)}, domain=MS)
def gemm(ctx: Context) -> Result:
    """``A * B + C`` of matrices: ``(M, N)``, to which ``C`` must broadcast."""
    elem = gemm_type(ctx)
    ctx.best(TensorType(elem, (None, None)))
    rows = inner = columns = None
    left, right = ctx.shape_or_none("A"), ctx.shape_or_none("B")
    if left is not None:
        rows, inner = swapped(ctx.require_rank("A", 2), flag(ctx, "transA"))
    if right is not None:
        other, columns = swapped(ctx.require_rank("B", 2), flag(ctx, "transB"))
        if inner is not None:
            tie(ctx, "the inner dims of A and B", inner, other)
    if rows is not None and columns is not None and ctx.node.op != "GemmFloat8":
        check_bias(ctx, (rows, columns))
    if columns is not None and ctx.node.op == "QGemm":
        per_column(ctx, columns, "b_scale", "b_zero_point")
    return TensorType(elem, (rows, columns))


def swapped(shape: Shape, transposed: int) -> tuple[Dim, Dim]:
    """Rows and columns of a matrix."""
    return (shape[1], shape[0]) if transposed else (shape[0], shape[1])


def check_bias(ctx: Context, result: Shape) -> None:
    """``C`` must broadcast to the result without making it larger."""
    shape = ctx.shape_or_none("C")
    if shape is None:
        return
    if len(shape) > 2:
        ctx.fail(codes.RANK, input="C", shape=shape, expected="at most 2")
    for dim, size in zip(reversed(shape), reversed(result), strict=False):
        if ctx.facts.equal(dim, 1) is False and ctx.facts.equal(dim, size) is False:
            ctx.fail(codes.BROADCAST, left=dim, right=size, a=shape, b=result)


def gemm_type(ctx: Context) -> int:
    """The element type of the result where no type variable says it; 0 where one does."""
    if ctx.node.op == "GemmFloat8":
        return ctx.element_type_attr("dtype")
    if ctx.node.op == "QGemm":
        return ctx.elem("y_zero_point") if ctx.given("y_zero_point") else ElementType.FLOAT
    return 0


@rule("GemmFastGelu", since=(1,), domain=MS)
def gemm_fast_gelu(ctx: Context) -> Result:
    """``FastGelu(X * W + bias)``."""
    left, right = ctx.shape("X"), ctx.shape("W")
    result = batch_matmul(ctx, left, right)
    if len(right) > 1:
        vector(ctx, "bias", right[-1])
    return result


@rule("QOrderedMatMul", since=(1,), domain=MS)
def ordered_matmul(ctx: Context) -> Result:
    """As ``MatMul``; a column-major ``B`` (order 0) is stated transposed in memory, not in shape."""
    left, right = ctx.shape("A"), ctx.shape("B")
    return batch_matmul(ctx, left, right)


@rule("SparseToDenseMatMul", since=(1,), domain=MS)
def sparse_matmul(ctx: Context) -> Result:
    """A sparse matrix times a dense one."""
    kind = ctx.type("A")
    sparse: Shape | None = getattr(kind, "shape", None)
    right = ctx.shape("B")
    if sparse is None:
        return None
    for name, shape in (("A", sparse), ("B", right)):
        if len(shape) != 2:
            ctx.fail(codes.RANK, input=name, shape=shape, expected=2)
    rows, inner = swapped(sparse, flag(ctx, "transA"))
    other, columns = swapped(right, flag(ctx, "transB"))
    tie(ctx, "the inner dims of A and B", inner, other)
    return rows, columns


@rule("MatMulFpQ4", since=(1,), domain=MS)
def matmul_fp_q4(ctx: Context) -> Result:
    """``A`` times a matrix packed into a blob, whose shape is an input of its own."""
    shape = ctx.shape("A")
    packed = ctx.ints("B_shape")
    if packed is None:
        return with_last(shape, None)
    if len(packed) != 2:
        ctx.fail(codes.LENGTH, what="B_shape", found=len(packed), expected=2)
    if shape and packed[0] is not None:
        tie(ctx, "the inner dims of A and B", shape[-1], packed[0])
    return with_last(shape, packed[1])
