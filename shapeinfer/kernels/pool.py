"""MaxPool, AveragePool and LpPool, and their global forms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod
from typing import Any

import numpy as np

from shapeinfer.kernels.dtypes import Array, extreme, narrow, widen
from shapeinfer.kernels.registry import kernel
from shapeinfer.kernels.windows import Windows, spatial, windows

Attribute = Sequence[int] | None


@kernel("MaxPool", since=(1, 8, 10, 11, 12, 22), needs=("outputs",))
def max_pool(
    x: Array,
    *,
    kernel_shape: Sequence[int],
    auto_pad: str,
    pads: Attribute = None,
    strides: Attribute = None,
    dilations: Attribute = None,
    ceil_mode: int = 0,
    storage_order: int = 0,
    _outputs: int,
) -> tuple[Array, ...]:
    """The largest element under each window and, if wanted, its index in the flattened input.

    ``storage_order`` 1 numbers the spatial elements of each channel in column-major order.
    """
    over = windows(
        spatial(x),
        kernel_shape,
        strides=strides,
        dilations=dilations,
        pads=pads,
        auto_pad=auto_pad,
        ceil_mode=ceil_mode,
    )
    padded = over.padded(widen(x), extreme(x.dtype, -1))
    if _outputs < 2:
        return (narrow(_along_axes(padded, over, np.maximum), x.dtype),)
    values, places = _largest(padded, over)
    numbers = np.arange(prod(over.size), dtype=np.int64).reshape(over.size, order="F" if storage_order else "C")
    first = np.arange(prod(x.shape[:2]), dtype=np.int64) * prod(over.size)
    offsets = first.reshape(*x.shape[:2], *(1 for _ in over.out))
    return narrow(values, x.dtype), numbers[tuple(places)] + offsets


def _along_axes(padded: Array, over: Windows, function: Any) -> Array:
    """Combines the elements under each window, one spatial axis after the other."""
    result = padded
    for axis in range(len(over.out)):
        every = (slice(None),) * (2 + axis)
        parts = [result[(*every, over.axis_slice(axis, tap))] for tap in range(over.kernel[axis])]
        combined = parts[0].copy()
        for part in parts[1:]:
            function(combined, part, out=combined)
        result = combined
    return result


def _largest(padded: Array, over: Windows) -> tuple[Array, list[Array]]:
    """The first of the largest elements under each window, and its spatial coordinates in the input."""
    values: Array | None = None
    places: list[Array] = []
    shape = (*padded.shape[:2], *over.out)
    for tap, place in over.taps():
        candidate = padded[(slice(None), slice(None), *place)]
        where = [_coordinates(over, axis, each) for axis, each in enumerate(tap)]
        inside = reduce(np.logical_and, [(c >= 0) & (c < n) for c, n in zip(where, over.size, strict=True)])
        if values is None:
            values = candidate.copy()
            places = [np.broadcast_to(np.where(inside, c, 0), shape).copy() for c in where]
            found = np.broadcast_to(inside, shape).copy()
            continue
        better = inside & ((candidate > values) | ~found)
        np.copyto(values, candidate, where=better)
        for kept, new in zip(places, where, strict=True):
            np.copyto(kept, np.broadcast_to(new, shape), where=better)
        found |= inside
    assert values is not None
    return values, places


def _coordinates(over: Windows, axis: int, tap: int) -> Array:
    """Along one spatial axis, where in the input the ``tap``-th element of each window lies."""
    found = np.arange(over.out[axis]) * over.strides[axis] + tap * over.dilations[axis] - over.begin[axis]
    return found.reshape([-1 if i == axis else 1 for i in range(len(over.out))])


@kernel("AveragePool", since=(1, 7, 10, 11, 19, 22))
def average_pool(
    x: Array,
    *,
    kernel_shape: Sequence[int],
    auto_pad: str,
    pads: Attribute = None,
    strides: Attribute = None,
    dilations: Attribute = None,
    ceil_mode: int = 0,
    count_include_pad: int = 0,
) -> Array:
    """The mean of the elements under each window.

    Padding counts only if ``count_include_pad``, what a last window covers beyond it never.
    """
    over = windows(
        spatial(x),
        kernel_shape,
        strides=strides,
        dilations=dilations,
        pads=pads,
        auto_pad=auto_pad,
        ceil_mode=ceil_mode,
    )
    total = _along_axes(over.padded(widen(x), 0), over, np.add)
    counts: Array = np.ones((1, 1), dtype=total.dtype)
    for axis in range(len(over.out)):
        low, high = (-over.begin[axis], over.size[axis] + over.end[axis]) if count_include_pad else (0, over.size[axis])
        places = [_coordinates(over, axis, tap).reshape(-1) for tap in range(over.kernel[axis])]
        along = sum(((place >= low) & (place < high)).astype(total.dtype) for place in places)
        counts = counts[..., None] * along
    return narrow(total / counts, x.dtype)


@kernel("LpPool", since=(1, 2, 11, 18, 22))
def lp_pool(
    x: Array,
    *,
    kernel_shape: Sequence[int],
    auto_pad: str,
    p: float,
    pads: Attribute = None,
    strides: Attribute = None,
    dilations: Attribute = None,
    ceil_mode: int = 0,
) -> Array:
    """The p-norm of the elements under each window."""
    over = windows(
        spatial(x),
        kernel_shape,
        strides=strides,
        dilations=dilations,
        pads=pads,
        auto_pad=auto_pad,
        ceil_mode=ceil_mode,
    )
    powers = np.abs(over.padded(widen(x), 0)) ** p
    return narrow(_along_axes(powers, over, np.add) ** (1 / p), x.dtype)


@kernel("GlobalAveragePool", since=(1, 22))
def global_average_pool(x: Array) -> Array:
    """The mean of each channel, with spatial dims of 1."""
    return narrow(np.mean(widen(x), axis=_spatial_axes(x), keepdims=True), x.dtype)


@kernel("GlobalMaxPool", since=(1, 22))
def global_max_pool(x: Array) -> Array:
    """The largest element of each channel, with spatial dims of 1."""
    return narrow(np.max(widen(x), axis=_spatial_axes(x), keepdims=True), x.dtype)


@kernel("GlobalLpPool", since=(1, 2, 22))
def global_lp_pool(x: Array, *, p: float) -> Array:
    """The p-norm of each channel, with spatial dims of 1."""
    return narrow(np.sum(np.abs(widen(x)) ** p, axis=_spatial_axes(x), keepdims=True) ** (1 / p), x.dtype)


def _spatial_axes(x: Array) -> tuple[int, ...]:
    return tuple(range(2, 2 + len(spatial(x))))
