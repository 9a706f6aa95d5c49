"""Resize and Upsample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor

import numpy as np

from shapeinfer.kernels.arguments import integers, normalise_axes, shape_text
from shapeinfer.kernels.dtypes import Array, is_float, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.interpolation import Axis, coordinates, nearest, weights
from shapeinfer.kernels.registry import kernel

_CROP = "tf_crop_and_resize"


@dataclass(frozen=True, slots=True)
class Method:
    """The attributes that say how elements are computed, named as in the specification."""

    mode: str = "nearest"
    coordinate_transformation_mode: str = "asymmetric"
    nearest_mode: str = "floor"
    cubic_coeff_a: float = -0.75
    exclude_outside: int = 0
    extrapolation_value: float = 0.0
    antialias: int = 0


@kernel("Upsample", since=(1,))
def upsample_image(x: Array, *, height_scale: float, width_scale: float, mode: str) -> Array:
    """An image ``[N, C, H, W]`` enlarged by two scales."""
    if x.ndim != 4:
        raise KernelError(f"the input must be [N, C, H, W], not of shape {shape_text(x.shape)}")
    axes = _by_scales(x, (2, 3), (height_scale, width_scale), None)
    return _resampled(x, axes, Method(mode="linear" if mode == "bilinear" else mode))


@kernel("Upsample", since=(7,))
def upsample_attribute(x: Array, *, scales: Sequence[float], mode: str) -> Array:
    """The input enlarged by a scale for each axis."""
    return _resampled(x, _by_scales(x, range(x.ndim), scales, None), Method(mode=mode))


@kernel("Upsample", since=(9,))
@kernel("Resize", since=(10,))
def resize_by_scales(x: Array, scales: Array, *, mode: str) -> Array:
    """The input resized by a scale for each axis; output element ``i`` lies at ``i / scale``."""
    return _resampled(x, _by_scales(x, range(x.ndim), scales.tolist(), None), Method(mode=mode))


@kernel("Resize", since=(11, 13, 18, 19))
def resize(
    x: Array,
    roi: Array | None = None,
    scales: Array | None = None,
    sizes: Array | None = None,
    *,
    mode: str,
    coordinate_transformation_mode: str,
    nearest_mode: str,
    cubic_coeff_a: float,
    exclude_outside: int,
    extrapolation_value: float,
    antialias: int = 0,
    axes: Sequence[int] | None = None,
    keep_aspect_ratio_policy: str = "stretch",
) -> Array:
    """The input resized by scales or to sizes, along ``axes``; an empty tensor counts as left out.

    The scales that are given place the elements, also where the sizes had to be rounded.
    """
    along = range(x.ndim) if axes is None else normalise_axes(axes, x.ndim)
    scales, sizes = (None if each is None or (each.size == 0 and x.ndim) else each for each in (scales, sizes))
    if (scales is None) == (sizes is None):
        raise KernelError("one of scales and sizes must be given")
    regions = None
    if coordinate_transformation_mode == _CROP:
        if roi is None or roi.shape != (2 * len(along),):
            raise KernelError(f"{_CROP} needs a roi of {2 * len(along)} numbers")
        bounds = roi.astype(np.float64).tolist()
        regions = list(zip(bounds[: len(along)], bounds[len(along) :], strict=True))
    if scales is not None:
        resized = _by_scales(x, along, scales.tolist(), regions)
    else:
        assert sizes is not None
        resized = _by_sizes(x, along, integers(sizes, "sizes"), keep_aspect_ratio_policy, regions)
    method = Method(
        mode=mode,
        coordinate_transformation_mode=coordinate_transformation_mode,
        nearest_mode=nearest_mode,
        cubic_coeff_a=cubic_coeff_a,
        exclude_outside=exclude_outside,
        extrapolation_value=extrapolation_value,
        antialias=antialias,
    )
    return _resampled(x, resized, method)


def _by_scales(
    x: Array, axes: Sequence[int], scales: Sequence[float], regions: Sequence[tuple[float, float]] | None
) -> dict[int, Axis]:
    """The sizes are rounded down, in float32 as scales are."""
    if len(scales) != len(axes) or any(not scale > 0 for scale in scales):
        raise KernelError(f"scales {list(scales)} must be {len(axes)} positive numbers")
    found = {}
    for place, (axis, scale) in enumerate(zip(axes, scales, strict=True)):
        start, end = regions[place] if regions is not None else (0.0, 1.0)
        out = np.float32(x.shape[axis]) * np.float32(scale)
        if regions is not None:
            out = np.float32(x.shape[axis]) * (np.float32(end) - np.float32(start)) * np.float32(scale)
        found[axis] = Axis(x.shape[axis], max(floor(out), 0), float(scale), start, end)
    return found


def _by_sizes(
    x: Array, axes: Sequence[int], sizes: Sequence[int], policy: str, regions: Sequence[tuple[float, float]] | None
) -> dict[int, Axis]:
    if len(sizes) != len(axes) or any(size < 0 for size in sizes):
        raise KernelError(f"sizes {shape_text(sizes)} must be {len(axes)} sizes")
    before = [x.shape[axis] for axis in axes]
    scales = [out / size if size else 1.0 for out, size in zip(sizes, before, strict=True)]
    outs = list(sizes)
    if policy in ("not_larger", "not_smaller"):
        common = (min if policy == "not_larger" else max)(scales, default=1.0)
        scales = [common] * len(scales)
        outs = [floor(common * size + 0.5) for size in before]
    elif policy != "stretch":
        raise KernelError(f"there is no keep_aspect_ratio_policy {policy!r}")
    return {
        axis: Axis(x.shape[axis], out, scale, *(regions[place] if regions is not None else (0.0, 1.0)))
        for place, (axis, out, scale) in enumerate(zip(axes, outs, scales, strict=True))
    }


def _resampled(x: Array, axes: Mapping[int, Axis], method: Method) -> Array:
    crop = method.coordinate_transformation_mode == _CROP
    outside: list[tuple[int, Array]] = []
    is_nearest = method.mode == "nearest"
    result = x if is_nearest else widen(x)
    if not is_nearest and not is_float(result.dtype):
        result = result.astype(np.float64)
    for number, axis in axes.items():
        if axis.size == 0 and axis.out:
            raise KernelError(f"axis {number} of size 0 cannot be resized to {axis.out}")
        places = coordinates(axis, method.coordinate_transformation_mode)
        if crop:
            outside.append((number, (places < 0) | (places > axis.size - 1)))
        result = _along(result, number, axis, places, method)
    result = result.astype(x.dtype, copy=False)
    return _extrapolated(result, outside, method.extrapolation_value) if crop else result


def _along(data: Array, number: int, axis: Axis, places: Array, method: Method) -> Array:
    if method.mode == "nearest":
        taps = np.clip(nearest(places, method.nearest_mode), 0, max(axis.size - 1, 0))
        return data if _is_identity(taps, axis) else np.take(data, taps, axis=number)
    if axis.size == axis.out and np.array_equal(places, np.arange(axis.size)):
        return data
    taps, parts = weights(
        places,
        axis.size,
        method.mode,
        scale=axis.scale,
        antialias=bool(method.antialias),
        exclude_outside=bool(method.exclude_outside),
        cubic_coeff_a=method.cubic_coeff_a,
    )
    spread = [axis.out if i == number else 1 for i in range(data.ndim)]
    result: Array | None = None
    for tap, part in zip(taps.T, parts.T.astype(data.dtype), strict=True):
        if not part.any():
            continue
        term = np.take(data, tap, axis=number) * part.reshape(spread)
        result = term if result is None else np.add(result, term, out=result)
    if result is None:
        shape = tuple(axis.out if i == number else size for i, size in enumerate(data.shape))
        return np.zeros(shape, dtype=data.dtype)
    return result


def _is_identity(taps: Array, axis: Axis) -> bool:
    return axis.size == axis.out and np.array_equal(taps, np.arange(axis.size))


def _extrapolated(result: Array, outside: Sequence[tuple[int, Array]], value: float) -> Array:
    mask = np.zeros((1,) * result.ndim, dtype=bool)
    for number, beyond in outside:
        mask = mask | beyond.reshape([-1 if i == number else 1 for i in range(result.ndim)])
    return np.where(mask, np.asarray(value).astype(result.dtype), result)
