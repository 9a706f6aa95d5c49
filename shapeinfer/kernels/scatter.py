"""Scatter, ScatterElements and ScatterND."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from shapeinfer.kernels.arguments import normalise_axis, shape_text
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.gather import element_index, tuple_index
from shapeinfer.kernels.registry import kernel

_REDUCTIONS: Mapping[str, Callable[..., None]] = {
    "add": np.add.at,
    "mul": np.multiply.at,
    "max": np.maximum.at,
    "min": np.minimum.at,
}


@kernel("ScatterElements", since=(11, 13, 16, 18))
@kernel("Scatter", since=(9, 11))
def scatter_elements(data: Array, indices: Array, updates: Array, *, axis: int, reduction: str = "none") -> Array:
    """``data`` with each update written at its own place, but at its index along ``axis``."""
    at = normalise_axis(axis, data.ndim)
    if updates.shape != indices.shape:
        raise KernelError(f"updates {shape_text(updates.shape)} for indices {shape_text(indices.shape)}")
    return _written(data, element_index(data, indices, at), updates, reduction)


@kernel("ScatterND", since=(11, 13, 16, 18))
def scatter_nd(data: Array, indices: Array, updates: Array, *, reduction: str = "none") -> Array:
    """``data`` with each update written at the index tuple in the last dim of ``indices``."""
    index = tuple_index(data, indices)
    wanted = indices.shape[:-1] + data.shape[indices.shape[-1] :]
    if updates.shape != wanted:
        raise KernelError(f"updates {shape_text(updates.shape)}, where {shape_text(wanted)} are needed")
    return _written(data, index, updates, reduction)


def _written(data: Array, index: tuple[Any, ...], updates: Array, reduction: str) -> Array:
    if reduction == "none":
        result = data.copy()
        result[index] = updates
        return result
    if reduction not in _REDUCTIONS:
        raise KernelError(f"there is no reduction {reduction!r}")
    result = widen(data)
    result = result.copy() if result is data else result
    _REDUCTIONS[reduction](result, index, widen(updates))
    return narrow(result, data.dtype)
