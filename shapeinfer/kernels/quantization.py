"""QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear."""

from __future__ import annotations

from typing import Any

import numpy as np

from shapeinfer.kernels.arguments import normalise_axis, shape_text
from shapeinfer.kernels.cast import cast
from shapeinfer.kernels.dtypes import (
    FLOAT8E8M0,
    Array,
    element_type,
    extreme,
    is_integer,
    label,
    narrow,
    to_dtype,
    widen,
)
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel

UINT8 = np.dtype(np.uint8)


@kernel("QuantizeLinear", since=(10,))
def quantize_tensor(x: Array, y_scale: Array, y_zero_point: Array | None = None) -> Array:
    """``saturate(x / y_scale + y_zero_point)`` with one scale."""
    _single(y_scale)
    return quantize(x, y_scale, y_zero_point)


@kernel("QuantizeLinear", since=(13, 19, 21, 23, 24, 25, 28))
def quantize(
    x: Array,
    y_scale: Array,
    y_zero_point: Array | None = None,
    *,
    axis: int = 1,
    saturate: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
    precision: int = 0,
) -> Array:
    """``saturate(x / y_scale + y_zero_point)``: one scale, one per place along the axis, or one per block of it.

    The quotient has the precision of ``precision``, else of the scale. A scale that is float8e8m0, which has nothing
    but powers of two, or int32, in which few quotients exist, is widened to a type that holds the quotients.
    """
    target = UINT8 if y_zero_point is None else y_zero_point.dtype
    if output_dtype:
        if y_zero_point is not None and to_dtype(output_dtype) != target:
            raise KernelError(f"output_dtype is {label(to_dtype(output_dtype))}, the zero point {label(target)}")
        target = to_dtype(output_dtype)
    scale = _spread(y_scale, x.shape, axis, block_size)
    exact = to_dtype(precision) if precision else y_scale.dtype
    quotient = _divided(x, scale, exact)
    zero = None if y_zero_point is None else _spread(_like(y_zero_point, y_scale), x.shape, axis, block_size)
    return saturated(quotient, zero, target, bool(saturate))


def _divided(x: Array, scale: Array, precision: np.dtype[Any]) -> Array:
    if is_integer(precision):
        return np.asarray(x / scale)  # float64
    if precision == FLOAT8E8M0:
        precision = np.dtype(np.float32) if is_integer(x.dtype) else x.dtype
    computed = widen(np.empty(0, precision)).dtype
    quotient = widen(x).astype(computed, copy=False) / widen(scale).astype(computed, copy=False)
    return widen(narrow(np.asarray(quotient), precision))


def saturated(value: Array, zero_point: Array | None, target: np.dtype[Any], saturate: bool = True) -> Array:
    """The value, rounded to even for integers, plus the zero point; clipped to the range of the target type."""
    if not is_integer(target):
        shifted = value if zero_point is None else value + widen(zero_point).astype(np.float32)
        return cast(np.asarray(shifted), to=element_type(target), saturate=int(saturate))
    rounded = np.rint(value)
    if zero_point is not None:
        rounded = rounded + zero_point.astype(np.float32)
    clipped = np.clip(rounded, extreme(target, -1), extreme(target, 1))
    if label(target) in ("int4", "uint4", "int2", "uint2"):
        clipped = clipped.astype(np.int8)
    return np.asarray(clipped).astype(target)


@kernel("DequantizeLinear", since=(10,))
def dequantize_tensor(x: Array, x_scale: Array, x_zero_point: Array | None = None) -> Array:
    """``(x - x_zero_point) * x_scale`` with one scale."""
    _single(x_scale)
    return dequantize(x, x_scale, x_zero_point)


@kernel("DequantizeLinear", since=(13, 19, 21, 23, 24, 25, 28))
def dequantize(
    x: Array,
    x_scale: Array,
    x_zero_point: Array | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
) -> Array:
    """``(x - x_zero_point) * x_scale`` in the type of the scale, or in ``output_dtype``."""
    target = to_dtype(output_dtype) if output_dtype else x_scale.dtype
    scale = _spread(x_scale, x.shape, axis, block_size)
    plain = centred(x, None)
    if x_zero_point is not None:
        plain = plain - centred(_spread(_like(x_zero_point, x_scale), x.shape, axis, block_size), None)
    return narrow(np.asarray(plain.astype(np.float32) * scale.astype(np.float32)), target)


def centred(x: Array, zero_point: Array | None) -> Array:
    """``x - zero_point`` without overflow: int32 of integers (int64 of the widest), float32 of narrow floats."""
    if is_integer(x.dtype):
        wide = np.int64 if x.dtype.itemsize > 2 else np.int32
        return x.astype(wide) if zero_point is None else np.subtract(x, zero_point.astype(wide), dtype=wide)
    wide_x = x.astype(np.float32)
    return wide_x if zero_point is None else wide_x - zero_point.astype(np.float32)


def _single(scale: Array) -> None:
    if scale.size != 1:
        raise KernelError(f"the scale must be a scalar, not of shape {shape_text(scale.shape)}")


def _like(zero_point: Array, scale: Array) -> Array:
    if zero_point.shape != scale.shape and not zero_point.size == scale.size == 1:
        raise KernelError(f"a zero point {shape_text(zero_point.shape)} for a scale {shape_text(scale.shape)}")
    return zero_point.reshape(scale.shape)


def _spread(value: Array, shape: tuple[int, ...], axis: int, block_size: int) -> Array:
    """Scales or zero points in a shape that broadcasts to ``shape``."""
    if block_size < 0:
        raise KernelError(f"block_size is {block_size}")
    if not block_size and value.size == 1 and value.ndim < 2:
        return value.reshape(())
    at = normalise_axis(axis, len(shape))
    if block_size:
        blocks = (*shape[:at], -(-shape[at] // block_size), *shape[at + 1 :])
        if value.shape != blocks:
            message = f"the scale {shape_text(value.shape)} for {shape_text(shape)} in blocks of {block_size}"
            raise KernelError(f"{message} at axis {at} should be {shape_text(blocks)}")
        every = (slice(None),) * at
        return np.repeat(value, block_size, axis=at)[(*every, slice(shape[at]))]
    if value.shape != (shape[at],):
        raise KernelError(f"the scale {shape_text(value.shape)} for {shape_text(shape)} by axis {at}")
    return value.reshape((-1,) + (1,) * (len(shape) - at - 1))


@kernel("DynamicQuantizeLinear", since=(11,))
def dynamic_quantize(x: Array) -> tuple[Array, Array, Array]:
    """The input as uint8 by the scale and the zero point that spread its range, with 0 in it, over ``[0, 255]``.

    The formula has no answer for an input of zeros; then everything is 0.
    """
    low, high = np.minimum(np.min(x, initial=0), 0), np.maximum(np.max(x, initial=0), 0)
    scale = np.asarray((high - low) / np.float32(255), dtype=np.float32)
    if scale == 0:
        return np.zeros(x.shape, UINT8), scale, np.zeros((), UINT8)
    zero_point = np.rint(np.clip(0 - low / scale, 0, 255)).astype(UINT8)
    return saturated(x / scale, zero_point, UINT8), scale, zero_point
