"""Resampling along one axis: where each output element lies in the input, and what it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor

import numpy as np

from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import KernelError


@dataclass(frozen=True, slots=True)
class Axis:
    """How one axis is resized.

    Attributes:
        size: of the input.
        out: of the output.
        scale: output elements per input element; the one that was asked for, so ``size * scale`` may be fractional.
        start: where the region of interest begins, as a part of the input.
        end: where it ends.
    """

    size: int
    out: int
    scale: float
    start: float = 0.0
    end: float = 1.0


def coordinates(axis: Axis, mode: str) -> Array:
    """For each output element its place in the input, by ``coordinate_transformation_mode``.

    Raises:
        KernelError: when there is no such mode.
    """
    x = np.arange(axis.out, dtype=np.float64)
    last = axis.size - 1
    length = axis.size * axis.scale  # of the output, before it is rounded
    if mode == "half_pixel":
        return (x + 0.5) / axis.scale - 0.5
    if mode == "half_pixel_symmetric":
        offset = axis.size / 2 * (1 - axis.out / length)
        return offset + (x + 0.5) / axis.scale - 0.5
    if mode == "pytorch_half_pixel":
        return (x + 0.5) / axis.scale - 0.5 if axis.out > 1 else np.zeros_like(x)
    if mode == "align_corners":
        return x * last / (length - 1) if length != 1 else np.zeros_like(x)
    if mode == "asymmetric":
        return x / axis.scale
    if mode == "tf_half_pixel_for_nn":
        return (x + 0.5) / axis.scale
    if mode == "tf_crop_and_resize":
        if axis.out > 1:
            return axis.start * last + x * (axis.end - axis.start) * last / (axis.out - 1)
        return np.full_like(x, 0.5 * (axis.start + axis.end) * last)
    raise KernelError(f"there is no coordinate_transformation_mode {mode!r}")


def nearest(places: Array, mode: str) -> Array:
    """The whole number nearest to each place, by ``nearest_mode``.

    Raises:
        KernelError: when there is no such mode.
    """
    if mode == "round_prefer_floor":
        found = np.ceil(places - 0.5)
    elif mode == "round_prefer_ceil":
        found = np.floor(places + 0.5)
    elif mode == "floor":
        found = np.floor(places)
    elif mode == "ceil":
        found = np.ceil(places)
    else:
        raise KernelError(f"there is no nearest_mode {mode!r}")
    return found.astype(np.int64)


def weights(
    places: Array, size: int, mode: str, *, scale: float, antialias: bool, exclude_outside: bool, cubic_coeff_a: float
) -> tuple[Array, Array]:
    """The input elements that each output element is made of, and their weights, both ``[out, taps]``.

    Elements outside the input are its first or last one, or have no weight with ``exclude_outside``. ``antialias``
    stretches the filter when the axis shrinks.

    Raises:
        KernelError: when there is no such mode.
    """
    if mode not in ("linear", "cubic"):
        raise KernelError(f"there is no mode {mode!r}")
    reach = 1 if mode == "linear" else 2
    squeeze = min(scale, 1.0) if antialias else 1.0
    first, last = floor(-reach / squeeze) + 1, ceil(reach / squeeze)
    base = np.floor(places).astype(np.int64)
    taps = base[:, None] + np.arange(first, last + 1)
    distance = np.abs(taps - places[:, None]) * squeeze
    found = np.maximum(1 - distance, 0) if mode == "linear" else _cubic(distance, cubic_coeff_a)
    inside = (taps >= 0) & (taps < size)
    if exclude_outside:
        found = np.where(inside, found, 0)
    if exclude_outside or squeeze < 1:
        found = found / found.sum(axis=1, keepdims=True)
    return np.clip(taps, 0, max(size - 1, 0)), found


def _cubic(distance: Array, a: float) -> Array:
    """The cubic convolution kernel of Keys, zero from a distance of 2 on."""
    near = ((a + 2) * distance - (a + 3)) * distance**2 + 1
    far = ((distance - 5) * distance + 8) * distance * a - 4 * a
    return np.where(distance <= 1, near, np.where(distance < 2, far, 0))
