"""Products and convolutions of quantized tensors: MatMulInteger, QLinearMatMul, ConvInteger and QLinearConv.

Integers are multiplied as float64, which is exact up to 2**53 and runs in BLAS; sums wrap around in 32 bits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shapeinfer.kernels.arguments import scalar, shape_text
from shapeinfer.kernels.conv import conv
from shapeinfer.kernels.dtypes import Array, is_integer
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.quantization import centred, saturated
from shapeinfer.kernels.registry import kernel


@kernel("MatMulInteger", since=(10,))
def matmul_integer(a: Array, b: Array, a_zero_point: Array | None = None, b_zero_point: Array | None = None) -> Array:
    """``(A - a_zero_point) * (B - b_zero_point)``, with zero points per tensor, per row of A or per column of B."""
    return _product(a, a_zero_point, b, b_zero_point).astype(np.int64).astype(np.int32)


def _product(a: Array, a_zero_point: Array | None, b: Array, b_zero_point: Array | None) -> Array:
    """The product of the values that the quantized numbers stand for, but for the scales; as float64."""
    if a.ndim == 0 or b.ndim == 0:
        raise KernelError("a factor is a scalar")
    left = centred(a, None if a_zero_point is None else _per_row(a_zero_point, a))
    right = centred(b, None if b_zero_point is None else _per_column(b_zero_point, b))
    return np.asarray(np.matmul(left.astype(np.float64), right.astype(np.float64)))


def _per_row(value: Array, a: Array) -> Array:
    """A zero point or a scale of the rows of ``a``, so that it broadcasts to it."""
    if value.size == 1:
        return value.reshape(())
    if a.ndim > 1 and value.shape == (a.shape[-2],):
        return value[:, None]
    if a.ndim > 1 and value.shape == (*a.shape[:-1], 1):
        return value
    raise KernelError(f"{shape_text(value.shape)} for the rows of {shape_text(a.shape)}")


def _per_column(value: Array, b: Array) -> Array:
    if value.size == 1:
        return value.reshape(())
    if b.ndim > 1 and (value.shape == (b.shape[-1],) or value.shape == (*b.shape[:-2], 1, b.shape[-1])):
        return value
    raise KernelError(f"{shape_text(value.shape)} for the columns of {shape_text(b.shape)}")


@kernel("QLinearMatMul", since=(10, 21))
def qlinear_matmul(
    a: Array,
    a_scale: Array,
    a_zero_point: Array,
    b: Array,
    b_scale: Array,
    b_zero_point: Array,
    y_scale: Array,
    y_zero_point: Array,
) -> Array:
    """The product of the values that quantized matrices stand for, quantized."""
    total = _accumulated(_product(a, a_zero_point, b, b_zero_point), a)
    rows, columns = _per_row(a_scale, a).astype(np.float64), _per_column(b_scale, b).astype(np.float64)
    if b.ndim == 1 and rows.ndim:
        rows = rows[..., 0]
    if a.ndim == 1 and columns.ndim > 1:
        columns = columns[..., 0, :]
    real = total * rows * columns
    scale, zero_point = (_output(each, real.shape) for each in (y_scale, y_zero_point))
    return saturated(real / scale.astype(np.float64), zero_point, y_zero_point.dtype)


def _accumulated(total: Array, a: Array) -> Array:
    return total.astype(np.int64).astype(np.int32).astype(np.float64) if is_integer(a.dtype) else total


def _output(value: Array, shape: tuple[int, ...]) -> Array:
    """A scale or zero point of the result: one, one per row, or in a shape that broadcasts to it."""
    if value.size == 1:
        return value.reshape(())
    if len(shape) > 1 and value.shape == (shape[-2],):
        return value[:, None]
    if value.ndim == len(shape) and np.broadcast_shapes(value.shape, shape) == shape:
        return value
    raise KernelError(f"{shape_text(value.shape)} for an output {shape_text(shape)}")


@kernel("ConvInteger", since=(10,))
def conv_integer(
    x: Array,
    w: Array,
    x_zero_point: Array | None = None,
    w_zero_point: Array | None = None,
    *,
    group: int,
    auto_pad: str,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    kernel_shape: Sequence[int] | None = None,
) -> Array:
    """``x - x_zero_point`` convolved with ``w - w_zero_point``; padding stands for 0."""
    left = centred(x, None if x_zero_point is None else _only(x_zero_point, "x_zero_point"))
    right = centred(w, None if w_zero_point is None else _per_filter(w_zero_point, w))
    total = conv(
        left.astype(np.float64),
        right.astype(np.float64),
        group=group,
        auto_pad=auto_pad,
        pads=pads,
        strides=strides,
        dilations=dilations,
        kernel_shape=kernel_shape,
    )
    return total.astype(np.int64).astype(np.int32)


def _only(value: Array, what: str) -> Array:
    scalar(value, what)
    return value.reshape(())


def _per_filter(value: Array, w: Array) -> Array:
    if value.size == 1:
        return value.reshape(())
    if w.ndim and value.shape == w.shape[:1]:
        return value.reshape((-1,) + (1,) * (w.ndim - 1))
    raise KernelError(f"{shape_text(value.shape)} for the filters of {shape_text(w.shape)}")


@kernel("QLinearConv", since=(10,))
def qlinear_conv(
    x: Array,
    x_scale: Array,
    x_zero_point: Array,
    w: Array,
    w_scale: Array,
    w_zero_point: Array,
    y_scale: Array,
    y_zero_point: Array,
    b: Array | None = None,
    *,
    group: int,
    auto_pad: str,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    kernel_shape: Sequence[int] | None = None,
) -> Array:
    """The convolution of the values that quantized tensors stand for, quantized; the bias is in units of its scales."""
    total = conv_integer(
        x,
        w,
        x_zero_point,
        w_zero_point,
        group=group,
        auto_pad=auto_pad,
        pads=pads,
        strides=strides,
        dilations=dilations,
        kernel_shape=kernel_shape,
    )
    if b is not None:
        if b.shape != w.shape[:1]:
            raise KernelError(f"a bias {shape_text(b.shape)} for {w.shape[0]} filters")
        total = total + b.reshape((-1,) + (1,) * (w.ndim - 2))
    scales = _only(x_scale, "x_scale").astype(np.float64) * _per_filter(w_scale, w).astype(np.float64)
    if scales.ndim:
        scales = scales[..., 0]  # the filters are the second dim of the result
    real = total * scales / _only(y_scale, "y_scale").astype(np.float64)
    return saturated(real, _only(y_zero_point, "y_zero_point"), y_zero_point.dtype)
