"""Gather, GatherElements and GatherND; and Compress."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import normalise_axis, shape_text
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import OUT_OF_RANGE, KernelError
from shapeinfer.kernels.registry import kernel


@kernel("Gather", since=(1, 11, 13))
def gather(data: Array, indices: Array, *, axis: int) -> Array:
    """The entries of ``axis`` that ``indices`` names, in the shape of ``indices``."""
    at = normalise_axis(axis, data.ndim)
    check_bounds(indices, data.shape[at], at)
    result: Array = np.take(data, indices, axis=at)
    return result


@kernel("GatherElements", since=(11, 13))
def gather_elements(data: Array, indices: Array, *, axis: int) -> Array:
    """For each entry of ``indices``, the element at its own place, but at the entry along ``axis``."""
    at = normalise_axis(axis, data.ndim)
    return data[element_index(data, indices, at)]


@kernel("GatherND", since=(11, 12, 13))
def gather_nd(data: Array, indices: Array, *, batch_dims: int = 0) -> Array:
    """The element or slice at each index tuple in the last dim of ``indices``, batch by batch."""
    if not 0 <= batch_dims < min(data.ndim, indices.ndim):
        raise KernelError(f"batch_dims {batch_dims} is out of range for ranks {data.ndim} and {indices.ndim}")
    if data.shape[:batch_dims] != indices.shape[:batch_dims]:
        raise KernelError(f"{shape_text(data.shape)} and {shape_text(indices.shape)} differ in the batch dims")
    outer = indices.shape[:-1]
    batch = np.ogrid[tuple(slice(size) for size in outer)][:batch_dims] if batch_dims else ()
    result: Array = data[(*batch, *tuple_index(data, indices, batch_dims))]
    return result


@kernel("Compress", since=(9, 11, 28))
def compress(input: Array, condition: Array, *, axis: int | None = None) -> Array:
    """The slices of ``axis`` (elements of the flattened input without it) for which the condition is true."""
    data = input.reshape(-1) if axis is None else input
    at = 0 if axis is None else normalise_axis(axis, input.ndim)
    if condition.ndim != 1 or condition.size > data.shape[at]:
        raise KernelError(f"a condition of shape {shape_text(condition.shape)} does not fit {shape_text(data.shape)}")
    result: Array = np.take(data, np.flatnonzero(condition), axis=at)
    return result


def check_bounds(indices: Array, size: int, axis: int) -> None:
    """Refuses indices outside of ``[-size, size-1]``.

    Raises:
        KernelError: with the first bad index.
    """
    bad = (indices < -size) | (indices >= size)
    if bad.any():
        message = f"index {indices[bad].flat[0]} is out of bounds for axis {axis} of size {size}"
        raise KernelError(message, code=OUT_OF_RANGE)


def element_index(data: Array, indices: Array, axis: int) -> tuple[Array, ...]:
    """The index arrays of GatherElements and ScatterElements.

    Raises:
        KernelError: when the ranks differ, an index is out of bounds, or ``indices`` are larger than the data.
    """
    if indices.ndim != data.ndim:
        raise KernelError(f"indices of rank {indices.ndim} for data of rank {data.ndim}")
    check_bounds(indices, data.shape[axis], axis)
    for other, size in enumerate(indices.shape):
        if other != axis and size > data.shape[other]:
            raise KernelError(f"indices {shape_text(indices.shape)} exceed {shape_text(data.shape)} at axis {other}")
    grids = list(np.ogrid[tuple(slice(size) for size in indices.shape)])
    grids[axis] = indices
    return tuple(grids)


def tuple_index(data: Array, indices: Array, skip: int = 0) -> tuple[Array, ...]:
    """The index arrays of GatherND and ScatterND, for the axes from ``skip`` on.

    Raises:
        KernelError: when the tuples are empty or longer than the rank, or an index is out of bounds.
    """
    if indices.ndim < 1 or not 1 <= indices.shape[-1] <= data.ndim - skip:
        raise KernelError(f"indices {shape_text(indices.shape)} do not fit data {shape_text(data.shape)}")
    found = tuple(np.moveaxis(indices, -1, 0))
    for offset, each in enumerate(found):
        check_bounds(np.asarray(each), data.shape[skip + offset], skip + offset)
    return found
