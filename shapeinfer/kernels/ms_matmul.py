"""com.microsoft: matrix products, fused with transpositions, scales and activations, and of quantised matrices."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.matmul import gemm
from shapeinfer.kernels.ms_shared import MS, activated, check_vector, gelu_tanh, quantised, whole_product
from shapeinfer.kernels.registry import kernel

# ruff: noqa: N803  (attributes have the names of the specification)


def _turned(x: Array, matrix: int, batch: int) -> Array:
    """An operand after its transpositions; one of rank 1 has none."""
    if x.ndim < 2:
        return x
    if batch:
        if x.ndim < 3:
            raise KernelError(f"a transposed batch needs rank 3, not the shape {shape_text(x.shape)}")
        x = np.moveaxis(x, 0, -2)
    return np.swapaxes(x, -1, -2) if matrix else x


@kernel("FusedMatMul", since=(1,), domain=MS)
def fused_matmul(
    a: Array,
    b: Array,
    *,
    alpha: float = 1.0,
    transA: int = 0,
    transB: int = 0,
    transBatchA: int = 0,
    transBatchB: int = 0,
) -> Array:
    """``alpha * A @ B``, each transposed as its attributes say: the last two dims, or the first behind the batch."""
    left, right = _turned(widen(a), transA, transBatchA), _turned(widen(b), transB, transBatchB)
    if left.ndim == 0 or right.ndim == 0:
        raise KernelError("a factor is a scalar")
    product = np.matmul(left, right)
    return narrow(product if alpha == 1 else product * np.asarray(alpha, dtype=product.dtype), a.dtype)


@kernel("TransposeMatMul", since=(1,), domain=MS)
def transpose_matmul(a: Array, b: Array, *, alpha: float = 1.0, transA: int = 0, transB: int = 0) -> Array:
    """``alpha * A @ B`` with the last two dims swapped where the attributes say so."""
    return fused_matmul(a, b, alpha=alpha, transA=transA, transB=transB)


@kernel("FusedMatMulActivation", since=(1,), domain=MS)
def fused_matmul_activation(
    a: Array,
    b: Array,
    *,
    activation: str,
    activation_alpha: float | None = None,
    activation_axis: int = -1,
    activation_beta: float | None = None,
    activation_gamma: float | None = None,
    alpha: float = 1.0,
    transA: int = 0,
    transB: int = 0,
    transBatchA: int = 0,
    transBatchB: int = 0,
) -> Array:
    """An activation after FusedMatMul."""
    product = fused_matmul(
        a, b, alpha=alpha, transA=transA, transB=transB, transBatchA=transBatchA, transBatchB=transBatchB
    )
    if activation == "Softmax":
        moved = activated(np.moveaxis(widen(product), activation_axis, -1), activation)
        return narrow(np.moveaxis(moved, -1, activation_axis), a.dtype)
    parameters = (activation_alpha, activation_beta, activation_gamma)
    return narrow(activated(widen(product), activation, parameters), a.dtype)


@kernel("FusedGemm", since=(1,), domain=MS)
def fused_gemm(
    a: Array,
    b: Array,
    c: Array | None = None,
    *,
    activation: str = "",
    activation_alpha: float | None = None,
    activation_beta: float | None = None,
    activation_gamma: float | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,
    transB: int = 0,
) -> Array:
    """An activation after Gemm."""
    product = gemm(a, b, c, alpha=alpha, beta=beta, transA=transA, transB=transB)
    if not activation:
        return product
    parameters = (activation_alpha, activation_beta, activation_gamma)
    return narrow(activated(widen(product), activation, parameters), a.dtype)


@kernel("GemmFastGelu", since=(1,), domain=MS)
def gemm_fast_gelu(x: Array, w: Array, bias: Array | None = None) -> Array:
    """FastGelu of ``X @ W + bias``."""
    product = np.matmul(widen(x), widen(w))
    check_vector(bias, product.shape[-1], "the bias")
    return narrow(gelu_tanh(product if bias is None else product + widen(bias)), x.dtype)


@kernel("MatMulInteger16", since=(1,), domain=MS)
def matmul_integer_16(a: Array, b: Array) -> Array:
    """The product of 16-bit integers in 32 bits, unsigned when both are."""
    unsigned = a.dtype.kind == b.dtype.kind == "u"
    return whole_product(a, None, b, None).astype(np.int64).astype(np.uint32 if unsigned else np.int32)


@kernel("MatMulIntegerToFloat", since=(1,), domain=MS)
def matmul_integer_to_float(
    a: Array,
    b: Array,
    a_scale: Array,
    b_scale: Array,
    a_zero_point: Array | None = None,
    b_zero_point: Array | None = None,
    bias: Array | None = None,
) -> Array:
    """``(A - zero) @ (B - zero)`` times both scales, plus the bias."""
    product = whole_product(a, a_zero_point, b, b_zero_point)
    return narrow(_scaled(product, a_scale, b_scale, bias), a_scale.dtype)


def _scaled(product: Array, a_scale: Array, b_scale: Array, bias: Array | None) -> Array:
    left = a_scale.reshape(()) if a_scale.size == 1 else a_scale[..., None]
    right = b_scale.reshape(()) if b_scale.size == 1 else b_scale
    if right.ndim > 1 and right.shape[-2] != 1:
        right = right[..., None, :]
    result = product.astype(np.float32) * (widen(left) * widen(right))
    if bias is None:
        return np.asarray(result)
    check_vector(bias, product.shape[-1], "the bias")
    return np.asarray(result + widen(bias))


@kernel("DynamicQuantizeMatMul", since=(1,), domain=MS)
def dynamic_quantize_matmul(
    a: Array, b: Array, b_scale: Array, b_zero_point: Array | None = None, bias: Array | None = None
) -> Array:
    """``A``, quantised to uint8 over its range, times ``B``."""
    quantised_a, scale, zero = dynamically(a)
    return _scaled(whole_product(quantised_a, zero, b, b_zero_point), scale, b_scale, bias)


def dynamically(x: Array) -> tuple[Array, Array, Array]:
    """A float32 tensor in uint8, its scale and its zero point: its range, with 0 in it, becomes 0 to 255."""
    low, high = np.float32(min(x.min(initial=0), 0)), np.float32(max(x.max(initial=0), 0))
    scale = np.asarray((high - low) / np.float32(255) if high > low else np.float32(1), dtype=np.float32)
    zero = np.asarray(np.clip(np.rint(-low / scale), 0, 255), dtype=np.uint8)
    return quantised(x, scale, zero, zero.dtype), scale, zero


@kernel("QGemm", since=(1,), domain=MS)
def qgemm(
    a: Array,
    a_scale: Array,
    a_zero_point: Array,
    b: Array,
    b_scale: Array,
    b_zero_point: Array,
    c: Array | None = None,
    y_scale: Array | None = None,
    y_zero_point: Array | None = None,
    *,
    alpha: float = 1.0,
    transA: int = 0,
    transB: int = 0,
) -> Array:
    """``alpha * A @ B`` of quantised matrices, plus ``C``, which has the scale of the product.

    Quantised again when the scale of the result is given, else float32.
    """
    if a.ndim != 2 or b.ndim != 2:
        raise KernelError("A and B must be matrices")
    product = whole_product(a.T if transA else a, a_zero_point, b.T if transB else b, b_zero_point)
    if c is not None:
        product = product + c
    result = _scaled(product, a_scale, b_scale, None) * np.float32(alpha)
    if y_scale is None:
        return np.asarray(result, dtype=np.float32)
    dtype = np.dtype(np.uint8) if y_zero_point is None else y_zero_point.dtype
    return quantised(result, y_scale, y_zero_point, dtype)
