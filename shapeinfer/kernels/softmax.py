"""Softmax, LogSoftmax and Hardmax."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from shapeinfer.kernels.arguments import normalise_axis
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.registry import kernel

Along = Callable[[Array, int], Array]


def softmax(x: Array, axis: int) -> Array:
    """``exp(x) / sum(exp(x))`` along the axis."""
    if not x.size:
        return x
    result: Array = np.exp(x - x.max(axis=axis, keepdims=True))
    result /= result.sum(axis=axis, keepdims=True)
    return result


def log_softmax(x: Array, axis: int) -> Array:
    """The logarithm of :func:`softmax`, also where that is too small to be seen."""
    if not x.size:
        return x
    shifted = x - x.max(axis=axis, keepdims=True)
    result: Array = shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))
    return result


def hardmax(x: Array, axis: int) -> Array:
    """1 at the first of the largest elements along the axis, else 0."""
    result = np.zeros_like(x)
    if x.size:
        np.put_along_axis(result, np.expand_dims(x.argmax(axis=axis), axis), 1, axis)
    return result


def _register(op: str, function: Along) -> None:
    @kernel(op, since=(1, 11))
    def run_coerced(input: Array, *, axis: int) -> Array:
        at = axis if axis == input.ndim else normalise_axis(axis, input.ndim)
        rows = widen(input).reshape(prod(input.shape[:at]), prod(input.shape[at:]))
        return narrow(function(rows, 1).reshape(input.shape), input.dtype)

    @kernel(op, since=(13,))
    def run(input: Array, *, axis: int) -> Array:
        return narrow(function(widen(input), normalise_axis(axis, input.ndim)), input.dtype)


_register("Softmax", softmax)
_register("LogSoftmax", log_softmax)
_register("Hardmax", hardmax)
