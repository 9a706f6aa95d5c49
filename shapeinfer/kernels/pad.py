"""Pad."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shapeinfer.kernels.arguments import integers, normalise_axes, scalar, shape_text
from shapeinfer.kernels.dtypes import STRING, Array
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("Pad", since=(1,))
def pad_paddings(data: Array, *, paddings: Sequence[int], mode: str, value: float) -> Array:
    """The data with ``paddings`` at the begin of each axis and then at the end of each."""
    return _padded(data, paddings, mode, value, range(data.ndim))


@kernel("Pad", since=(2,))
def pad_attribute(data: Array, *, pads: Sequence[int], mode: str, value: float) -> Array:
    """The data with ``pads`` at the begin of each axis and then at the end of each; negative ones remove."""
    return _padded(data, pads, mode, value, range(data.ndim))


@kernel("Pad", since=(11, 13, 18, 19, 21, 23, 24, 25), needs=("version",))
def pad(
    data: Array,
    pads: Array,
    constant_value: Array | None = None,
    axes: Array | None = None,
    *,
    mode: str,
    _version: int,
) -> Array:
    """The data with ``pads`` at the begin of each of ``axes`` and then at the end of each; negative ones remove."""
    if mode == "wrap" and _version < 19:
        raise KernelError("the mode wrap came with version 19")
    fill = _default(data) if constant_value is None else scalar(constant_value, "constant_value")
    along = range(data.ndim) if axes is None else normalise_axes(integers(axes, "axes"), data.ndim)
    return _padded(data, integers(pads, "pads"), mode, fill, along)


def _default(data: Array) -> Any:
    """What is filled in: 0, False, or in a tensor of strings the empty one."""
    return "" if data.dtype == STRING and any(isinstance(each, str) for each in data.flat) else 0


def _padded(data: Array, pads: Sequence[int], mode: str, fill: Any, axes: Sequence[int]) -> Array:
    if len(pads) != 2 * len(axes):
        raise KernelError(f"{len(pads)} pads for {len(axes)} axes")
    ends = list(zip(axes, pads[: len(axes)], pads[len(axes) :], strict=True))
    for axis, begin, end in ends:
        if begin + data.shape[axis] + end < 0:
            raise KernelError(f"pads {shape_text(pads)} remove more than there is at axis {axis}")
    if mode == "constant":
        return _filled(data, ends, fill)
    for axis, begin, end in ends:
        if begin or end:
            data = np.take(data, _source(data.shape[axis], begin, end, mode), axis=axis)
    return data


def _filled(data: Array, ends: Sequence[tuple[int, int, int]], fill: Any) -> Array:
    shape = list(data.shape)
    kept, placed = [slice(None)] * data.ndim, [slice(None)] * data.ndim
    for axis, begin, end in ends:
        size = data.shape[axis]
        shape[axis] = begin + size + end
        first, last = max(-begin, 0), min(size + end, size)
        kept[axis] = slice(first, max(first, last))
        placed[axis] = slice(first + begin, max(first, last) + begin)
    result = np.full(shape, fill, dtype=data.dtype)
    result[tuple(placed)] = data[tuple(kept)]
    return result


def _source(size: int, begin: int, end: int, mode: str) -> Array:
    """For each place along the axis of the output, the place in the input that it is copied from."""
    first, last = max(-begin, 0), size + min(end, 0)  # what is removed is removed before the rest is extended
    left = last - first
    places = np.arange(-max(begin, 0), left + max(end, 0))
    if left <= 0 and places.size:
        raise KernelError(f"there is nothing to extend by mode {mode}")
    if mode == "edge":
        return places.clip(0, left - 1) + first
    if mode == "wrap":
        return places % left + first
    if mode == "reflect":
        period = max(2 * (left - 1), 1)
        around = places % period
        return np.minimum(around, period - around) % left + first
    raise KernelError(f"there is no mode {mode!r}")
