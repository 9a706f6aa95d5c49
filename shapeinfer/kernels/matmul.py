"""MatMul and Gemm."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.broadcasting import check_onto
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("MatMul", since=(1, 9, 13))
def matmul(a: Array, b: Array) -> Array:
    """The matrix product as ``numpy.matmul`` has it: stacks of matrices are broadcast, vectors lose their dim."""
    if a.ndim == 0 or b.ndim == 0:
        raise KernelError("a factor is a scalar")
    return narrow(np.matmul(widen(a), widen(b)), a.dtype)


@kernel("Gemm", since=(1, 6))
def gemm_attribute(
    a: Array,
    b: Array,
    c: Array,
    *,
    alpha: float,
    beta: float,
    transA: int,  # noqa: N803
    transB: int,  # noqa: N803
    broadcast: int,
) -> Array:
    """``alpha * A * B + beta * C``; ``C`` is broadcast only if the attribute says so."""
    rows, columns = a.shape[-1 if transA else 0], b.shape[0 if transB else -1]
    if not broadcast and c.shape != (rows, columns):
        raise KernelError(f"C {shape_text(c.shape)} is not {shape_text((rows, columns))} and broadcast is not set")
    return gemm(a, b, c, alpha=alpha, beta=beta, transA=transA, transB=transB)


@kernel("Gemm", since=(7, 9, 11, 13))  # 7 and 9 require C; the executor sees to that
def gemm(
    a: Array,
    b: Array,
    c: Array | None = None,
    *,
    alpha: float,
    beta: float,
    transA: int,  # noqa: N803
    transB: int,  # noqa: N803
) -> Array:
    """``alpha * A * B + beta * C``, with ``C`` broadcast to the product."""
    if a.ndim != 2 or b.ndim != 2:
        raise KernelError("A and B must be matrices")
    left, right = widen(a.T if transA else a), widen(b.T if transB else b)
    if left.shape[1] != right.shape[0]:
        raise KernelError(f"{shape_text(left.shape)} and {shape_text(right.shape)} cannot be multiplied")
    product = left @ right
    if alpha != 1:
        product = product * alpha
    if c is not None:
        check_onto(c.shape, product.shape, "C")
        product = product + (widen(c) if beta == 1 else widen(c) * beta)
    return narrow(product, a.dtype)
