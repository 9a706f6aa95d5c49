"""The ten reductions, ArgMax and ArgMin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from shapeinfer.kernels.arguments import integers, normalise_axes, normalise_axis
from shapeinfer.kernels.dtypes import Array, extreme, is_integer, narrow, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel

Axes = tuple[int, ...]
Reduction = Callable[[Array, Axes], Array]
"""Reduces along the axes and keeps them as dims of 1; without axes each element is reduced by itself."""


def reduce_sum(x: Array, axes: Axes) -> Array:
    """The sum; 0 of nothing."""
    return np.asarray(np.sum(x, axis=axes, keepdims=True, dtype=x.dtype))


def reduce_prod(x: Array, axes: Axes) -> Array:
    """The product; 1 of nothing."""
    return np.asarray(np.prod(x, axis=axes, keepdims=True, dtype=x.dtype))


def reduce_mean(x: Array, axes: Axes) -> Array:
    """The mean; for integers rounded toward zero, undefined of nothing."""
    if is_integer(x.dtype):
        return np.asarray(np.trunc(np.mean(x, axis=axes, keepdims=True)))
    return np.asarray(np.mean(x, axis=axes, keepdims=True, dtype=x.dtype))


def reduce_max(x: Array, axes: Axes) -> Array:
    """The largest element; of nothing the least that there is."""
    return np.asarray(np.max(x, axis=axes, keepdims=True, initial=extreme(x.dtype, -1)))


def reduce_min(x: Array, axes: Axes) -> Array:
    """The smallest element; of nothing the largest that there is."""
    return np.asarray(np.min(x, axis=axes, keepdims=True, initial=extreme(x.dtype, 1)))


def reduce_l1(x: Array, axes: Axes) -> Array:
    """The sum of the absolute values."""
    return reduce_sum(np.abs(x), axes)


def reduce_l2(x: Array, axes: Axes) -> Array:
    """The square root of the sum of squares."""
    real = _real(x)
    return np.sqrt(reduce_sum(real * real, axes))


def reduce_log_sum(x: Array, axes: Axes) -> Array:
    """The logarithm of the sum."""
    return np.log(reduce_sum(_real(x), axes))


def reduce_log_sum_exp(x: Array, axes: Axes) -> Array:
    """The logarithm of the sum of exponentials, computed relative to the largest element."""
    real = _real(x)
    top = reduce_max(real, axes)
    top = np.where(np.isfinite(top), top, 0)
    return np.log(reduce_sum(np.exp(real - top), axes)) + top


def reduce_sum_square(x: Array, axes: Axes) -> Array:
    """The sum of squares."""
    return reduce_sum(x * x, axes)


def _real(x: Array) -> Array:
    return x.astype(np.float64) if is_integer(x.dtype) else x


def _run(function: Reduction, data: Array, axes: Sequence[int] | None, keepdims: int, noop: int) -> Array:
    along = normalise_axes(axes, data.ndim) if axes else ()
    if not along and not noop:
        along = tuple(range(data.ndim))
    reduced = narrow(np.asarray(function(widen(data), along)), data.dtype)
    if keepdims:
        return reduced
    return reduced.reshape(tuple(size for axis, size in enumerate(data.shape) if axis not in along))


def _register(op: str, function: Reduction, attribute: tuple[int, ...], by_input: tuple[int, ...]) -> None:
    @kernel(op, since=attribute)
    def run_attribute(data: Array, *, axes: Sequence[int] | None = None, keepdims: int) -> Array:
        return _run(function, data, axes, keepdims, 0)

    @kernel(op, since=by_input)
    def run(data: Array, axes: Array | None = None, *, keepdims: int, noop_with_empty_axes: int) -> Array:
        return _run(function, data, None if axes is None else integers(axes, "axes"), keepdims, noop_with_empty_axes)


_register("ReduceSum", reduce_sum, (1, 11), (13,))
_register("ReduceMax", reduce_max, (1, 11, 12, 13), (18, 20))
_register("ReduceMin", reduce_min, (1, 11, 12, 13), (18, 20))
_register("ReduceLogSum", reduce_log_sum, (1, 11, 13), (18, 28))
_register("ReduceLogSumExp", reduce_log_sum_exp, (1, 11, 13), (18, 28))
for _op, _function in (
    ("ReduceMean", reduce_mean),
    ("ReduceProd", reduce_prod),
    ("ReduceL1", reduce_l1),
    ("ReduceL2", reduce_l2),
    ("ReduceSumSquare", reduce_sum_square),
):
    _register(_op, _function, (1, 11, 13), (18,))


@kernel("ArgMax", since=(1, 11, 12, 13))
def arg_max(data: Array, *, axis: int, keepdims: int, select_last_index: int = 0) -> Array:
    """The index of the first, or last, of the largest elements along the axis, as int64."""
    return _arg(np.argmax, data, axis, keepdims, select_last_index)


@kernel("ArgMin", since=(1, 11, 12, 13))
def arg_min(data: Array, *, axis: int, keepdims: int, select_last_index: int = 0) -> Array:
    """The index of the first, or last, of the smallest elements along the axis, as int64."""
    return _arg(np.argmin, data, axis, keepdims, select_last_index)


def _arg(function: Callable[..., Any], data: Array, axis: int, keepdims: int, last: int) -> Array:
    at = normalise_axis(axis, data.ndim)
    size = data.shape[at]
    rest = data.shape[:at] + data.shape[at + 1 :]
    if size == 0 and prod(rest):
        raise KernelError(f"axis {at} is of size 0")
    if size == 0:
        found = np.zeros(rest, dtype=np.int64)
    elif last:
        found = size - 1 - function(np.flip(widen(data), at), axis=at)
    else:
        found = function(widen(data), axis=at)
    result: Array = np.asarray(found).astype(np.int64, copy=False)
    return np.expand_dims(result, at) if keepdims else result
