"""com.microsoft: operators on 8-bit tensors, each of which comes with a scale and a zero point, and quantisation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shapeinfer.kernels.arguments import normalise_axes, normalise_axis
from shapeinfer.kernels.dtypes import Array, narrow
from shapeinfer.kernels.elementwise import sigmoid
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.ms_shared import MS, dequantised, quantised, required
from shapeinfer.kernels.registry import kernel
from shapeinfer.kernels.softmax import softmax


@kernel("QuantizeLinear", since=(1,), domain=MS)
def quantize_linear(x: Array, y_scale: Array, y_zero_point: Array | None = None, *, axis: int = 1) -> Array:
    """``x / scale`` rounded to even, plus the zero point, saturated; uint8 without a zero point."""
    dtype = np.dtype(np.uint8) if y_zero_point is None else y_zero_point.dtype
    return quantised(x.astype(np.float32), y_scale, y_zero_point, dtype, _axis(axis, x, y_scale))


@kernel("DequantizeLinear", since=(1,), domain=MS)
def dequantize_linear(x: Array, x_scale: Array, x_zero_point: Array | None = None, *, axis: int = 1) -> Array:
    """``(x - zero) * scale``, in the type of the scale."""
    return narrow(dequantised(x, x_scale, x_zero_point, _axis(axis, x, x_scale)), x_scale.dtype)


def _axis(axis: int, x: Array, scale: Array) -> int:
    return -1 if scale.size == 1 else normalise_axis(axis, x.ndim)


@kernel("QLinearAdd", since=(1,), domain=MS)
def qlinear_add(
    a: Array,
    a_scale: Array,
    a_zero: Array | None = None,
    b: Array | None = None,
    b_scale: Array | None = None,
    b_zero: Array | None = None,
    c_scale: Array | None = None,
    c_zero: Array | None = None,
) -> Array:
    """``A + B``."""
    left, right = dequantised(a, a_scale, a_zero), dequantised(required(b, "B"), required(b_scale, "B_scale"), b_zero)
    return quantised(left + right, required(c_scale, "C_scale"), c_zero, a.dtype)


@kernel("QLinearMul", since=(1,), domain=MS)
def qlinear_mul(
    a: Array,
    a_scale: Array,
    a_zero: Array | None = None,
    b: Array | None = None,
    b_scale: Array | None = None,
    b_zero: Array | None = None,
    c_scale: Array | None = None,
    c_zero: Array | None = None,
) -> Array:
    """``A * B``."""
    left, right = dequantised(a, a_scale, a_zero), dequantised(required(b, "B"), required(b_scale, "B_scale"), b_zero)
    return quantised(left * right, required(c_scale, "C_scale"), c_zero, a.dtype)


@kernel("QLinearWhere", since=(1,), domain=MS)
def qlinear_where(
    condition: Array,
    x: Array,
    x_scale: Array,
    x_zero: Array,
    y: Array,
    y_scale: Array,
    y_zero: Array,
    z_scale: Array,
    z_zero: Array,
) -> Array:
    """``X`` where the condition holds, else ``Y``."""
    chosen = np.where(condition, dequantised(x, x_scale, x_zero), dequantised(y, y_scale, y_zero))
    return quantised(chosen, z_scale, z_zero, x.dtype)


@kernel("QLinearSigmoid", since=(1,), domain=MS)
def qlinear_sigmoid(
    x: Array, x_scale: Array, x_zero: Array | None = None, y_scale: Array | None = None, y_zero: Array | None = None
) -> Array:
    """``1 / (1 + exp(-x))``."""
    return quantised(sigmoid(dequantised(x, x_scale, x_zero)), required(y_scale, "Y_scale"), y_zero, x.dtype)


@kernel("QLinearLeakyRelu", since=(1,), domain=MS)
def qlinear_leaky_relu(
    x: Array,
    x_scale: Array,
    x_zero: Array | None = None,
    y_scale: Array | None = None,
    y_zero: Array | None = None,
    *,
    alpha: float = 0.01,
) -> Array:
    """``alpha * x`` below 0, else ``x``."""
    plain = dequantised(x, x_scale, x_zero)
    return quantised(
        np.where(plain < 0, plain * np.float32(alpha), plain), required(y_scale, "Y_scale"), y_zero, x.dtype
    )


@kernel("QLinearSoftmax", since=(1,), domain=MS)
def qlinear_softmax(
    x: Array,
    x_scale: Array,
    x_zero: Array | None = None,
    y_scale: Array | None = None,
    y_zero: Array | None = None,
    *,
    axis: int = -1,
    opset: int,
) -> Array:
    """Softmax along the axis; below opset 13, over all axes from there on."""
    plain = dequantised(x, x_scale, x_zero)
    at = normalise_axis(axis, x.ndim)
    if opset < 13:
        rows = plain.reshape(int(np.prod(x.shape[:at])), -1)
        return quantised(softmax(rows, 1).reshape(x.shape), required(y_scale, "Y_scale"), y_zero, x.dtype)
    return quantised(softmax(plain, at), required(y_scale, "Y_scale"), y_zero, x.dtype)


@kernel("QLinearConcat", since=(1,), domain=MS)
def qlinear_concat(y_scale: Array, y_zero: Array, *inputs: Array, axis: int) -> Array:
    """Tensors, each followed by its scale and zero point, one behind the other along the axis."""
    if not inputs or len(inputs) % 3:
        raise KernelError(f"{len(inputs)} inputs are no tensors with a scale and a zero point each")
    parts = [dequantised(inputs[at], inputs[at + 1], inputs[at + 2]) for at in range(0, len(inputs), 3)]
    return quantised(np.concatenate(parts, axis=normalise_axis(axis, parts[0].ndim)), y_scale, y_zero, y_zero.dtype)


@kernel("QLinearReduceMean", since=(1,), domain=MS)
def qlinear_reduce_mean(
    data: Array,
    data_scale: Array,
    data_zero: Array | None = None,
    reduced_scale: Array | None = None,
    reduced_zero: Array | None = None,
    *,
    axes: Sequence[int],
    keepdims: int,
) -> Array:
    """The mean over the axes, all of them when none is named."""
    over = normalise_axes(axes, data.ndim) or tuple(range(data.ndim))
    mean = dequantised(data, data_scale, data_zero).mean(axis=over, keepdims=bool(keepdims))
    return quantised(np.asarray(mean), required(reduced_scale, "reduced_scale"), reduced_zero, data.dtype)


@kernel("ReduceSumInteger", since=(1,), domain=MS)
def reduce_sum_integer(data: Array, *, axes: Sequence[int], keepdims: int) -> Array:
    """The sum over the axes in 32 bits."""
    over = normalise_axes(axes, data.ndim) or tuple(range(data.ndim))
    dtype = np.uint32 if data.dtype.kind == "u" else np.int32
    return np.asarray(data.sum(axis=over, keepdims=bool(keepdims), dtype=dtype))


@kernel("MulInteger", since=(1,), domain=MS)
def mul_integer(a: Array, a_zero: Array | None = None, b: Array | None = None, b_zero: Array | None = None) -> Array:
    """``(A - zero) * (B - zero)`` in 32 bits."""
    left, right = a.astype(np.int32), required(b, "B").astype(np.int32)
    if a_zero is not None:
        left = left - a_zero.reshape(()).astype(np.int32)
    if b_zero is not None:
        right = right - b_zero.reshape(()).astype(np.int32)
    return np.asarray(left * right)
