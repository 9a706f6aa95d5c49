"""Matrix products: MatMul with its integer and quantized forms, Gemm; and Det, of square matrices.

MatMul follows ``numpy.matmul``: a 1-D operand is a row on the left and a column on the right, and that dim is not in
the result; the dims before the last two broadcast. Later versions add element types.

Gemm takes matrices only. In versions 1 and 6 ``C`` has the result's shape, unless ``broadcast``; from 7 on it
broadcasts to the result's shape in any case; from 11 on it may be left out.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, Maybe, Result, Shape, codes, rule, rules

from .broadcasting import replaced
from .movement import merged, tie


@rules({"MatMul": (1, 9, 13), "MatMulInteger": (10,)})
def matmul(ctx: Context) -> Result:
    """The product of ``A`` and ``B``."""
    return matrix_product(ctx, "A", "B")


@rule("QLinearMatMul", since=(10, 21))
def quantized_matmul(ctx: Context) -> Result:
    """The product of ``a`` and ``b``."""
    return matrix_product(ctx, "a", "b")


def matrix_product(ctx: Context, left: str, right: str) -> Maybe:
    """The product of two inputs, as ``numpy.matmul`` has it."""
    for name in (left, right):
        if ctx.shape_or_none(name) == ():
            ctx.fail(codes.RANK, input=name, shape=(), expected="at least 1")
    a, b = ctx.shape(left), ctx.shape(right)
    tie(ctx, f"the inner dims of {left} and {right}", a[-1], b[0] if len(b) == 1 else b[-2])
    rows: Shape = a[-2:-1]
    columns: Shape = b[-1:] if len(b) > 1 else ()
    return (*ctx.broadcast(a[:-2], b[:-2]), *rows, *columns)


@rules({"Gemm": (1, 6, 7, 9, 11, 13)})
def gemm(ctx: Context) -> Result:
    """``A * B + C``: the rows of ``A`` and the columns of ``B``."""
    rows, inner = matrix(ctx, "A", ctx.attr_int("transA"))
    other, columns = matrix(ctx, "B", ctx.attr_int("transB"))
    merged(ctx, "the inner dims of A and B", inner, other)
    bias = ctx.shape_or_none("C")
    if bias is None:
        return rows, columns
    if "broadcast" in ctx.signature.attributes and not ctx.attr_int("broadcast"):
        return same_as_bias(ctx, rows, columns, bias)
    if len(bias) > 2:
        ctx.fail(codes.RANK, input="C", shape=bias, expected="at most 2")
    return with_bias(ctx, rows, columns, bias)


def matrix(ctx: Context, name: str, transposed: int) -> tuple[Dim | None, Dim | None]:
    """Rows and columns of an input that must be a matrix."""
    if ctx.shape_or_none(name) is None:
        return None, None
    first, second = ctx.require_rank(name, 2)
    return (second, first) if transposed else (first, second)


def same_as_bias(ctx: Context, rows: Dim | None, columns: Dim | None, bias: Shape) -> Maybe:
    """The result where ``C`` must have its very shape."""
    if len(bias) != 2:
        ctx.fail(codes.RANK, input="C", shape=bias, expected="2, without broadcast")
    return merged(ctx, "the rows of A and C", rows, bias[0]), merged(ctx, "the columns of B and C", columns, bias[1])


def with_bias(ctx: Context, rows: Dim | None, columns: Dim | None, bias: Shape) -> Maybe:
    """The result where ``C`` broadcasts to it: each of its dims is 1 or the result's."""
    if rows is not None and columns is not None:
        return replaced(ctx, (rows, columns), bias, 2 - len(bias))
    result: list[Dim | None] = [rows, columns]
    for axis, size in enumerate(bias, 2 - len(bias)):
        dim = result[axis]
        if dim is not None:
            result[axis] = replaced(ctx, (dim,), (size,), 0)[0]
        elif ctx.facts.equal(size, 1) is False:
            result[axis] = size
    return tuple(result)


@rule("Det", since=(11, 22))
def det(ctx: Context) -> Result:
    """The dims before those of the matrices, which must be square."""
    shape = ctx.shape("X")
    if len(shape) < 2:
        ctx.fail(codes.RANK, input="X", shape=shape, expected="at least 2")
    tie(ctx, "the last two dims of X", shape[-2], shape[-1])
    return shape[:-2]
