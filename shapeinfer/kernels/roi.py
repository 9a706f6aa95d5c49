"""RoiAlign and MaxRoiPool."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.errors import ATTRIBUTES, OUT_OF_RANGE, KernelError
from shapeinfer.kernels.registry import kernel

SAMPLES = 1 << 22
"""So many values are read at a time."""


@kernel("RoiAlign", since=(10, 16, 22))
def roi_align(
    x: Array,
    rois: Array,
    batch_indices: Array,
    *,
    mode: str,
    output_height: int,
    output_width: int,
    sampling_ratio: int,
    spatial_scale: float,
    coordinate_transformation_mode: str = "output_half_pixel",
) -> Array:
    """``[rois, C, height, width]``: the mean, or the largest, of samples in each bin of each region.

    Between pixels samples are bilinear. Version 10 shifts nothing by half a pixel. The largest is that of the weighted
    neighbours of the samples, as in the operator's test and in ONNX Runtime, where the text has that of the samples.
    """
    if mode not in ("avg", "max") or coordinate_transformation_mode not in ("half_pixel", "output_half_pixel"):
        raise KernelError(f"there is no mode {mode!r} or {coordinate_transformation_mode!r}", code=ATTRIBUTES)
    if x.ndim != 4 or rois.ndim != 2 or rois.shape[1] != 4 or batch_indices.shape != rois.shape[:1]:
        raise KernelError("X must be [N, C, H, W], rois [rois, 4] and batch_indices [rois]")
    if output_height < 1 or output_width < 1 or sampling_ratio < 0:
        raise KernelError(f"{output_height} by {output_width} bins of {sampling_ratio} samples")
    _check_images(batch_indices, x)
    image = np.ascontiguousarray(widen(x).transpose(0, 2, 3, 1))
    half = coordinate_transformation_mode == "half_pixel"
    corners = widen(rois) * np.float32(spatial_scale) - np.float32(0.5 if half else 0)
    start, extent = corners[:, :2], corners[:, 2:] - corners[:, :2]
    if not half:
        extent = np.maximum(extent, 1)
    bins = extent / np.array([output_width, output_height], image.dtype)
    counts = np.full(bins.shape, sampling_ratio) if sampling_ratio else np.maximum(np.ceil(bins), 1).astype(np.int64)
    result = np.zeros((len(rois), output_height, output_width, x.shape[1]), image.dtype)
    for across, down in np.unique(counts, axis=0).tolist():
        same = np.flatnonzero((counts == (across, down)).all(axis=1))
        reads = output_height * output_width * across * down * max(x.shape[1], 1)
        for part in np.array_split(same, max(1, min(len(same), len(same) * reads // SAMPLES))):
            columns = _samples(start[part, 0], bins[part, 0], output_width, across, x.shape[3])
            lines = _samples(start[part, 1], bins[part, 1], output_height, down, x.shape[2])
            result[part] = _bins(image, batch_indices[part], lines, columns, (down, across), mode)
    return narrow(result.transpose(0, 3, 1, 2), x.dtype)


def _check_images(indices: Array, x: Array) -> None:
    if ((indices < 0) | (indices >= x.shape[0])).any():
        raise KernelError(f"a region is of an image that is not one of {x.shape[0]}", code=OUT_OF_RANGE)


_Samples = tuple[Array, Array, Array, Array]
"""Of each sample along an axis the places before and after it, and the weights of both, ``[rois, samples]``."""


def _samples(start: Array, step: Array, bins: int, count: int, size: int) -> _Samples:
    offsets = (np.arange(bins * count, dtype=start.dtype) + np.asarray(0.5, start.dtype)) / count
    at = start[:, None] + offsets * step[:, None]
    valid = (at >= -1) & (at <= size)
    at = np.clip(at, 0, size - 1)
    low = np.floor(at).astype(np.int64)
    rest = at - low
    return low, np.minimum(low + 1, size - 1), (1 - rest) * valid, rest * valid


def _bins(image: Array, which: Array, lines: _Samples, columns: _Samples, counts: tuple[int, int], mode: str) -> Array:
    b = which[:, None, None]
    combined = np.add if mode == "avg" else np.maximum
    result: Array | None = None
    for line, line_weight in ((lines[0], lines[2]), (lines[1], lines[3])):
        for column, column_weight in ((columns[0], columns[2]), (columns[1], columns[3])):
            weight = line_weight[:, :, None] * column_weight[:, None, :]
            term = image[b, line[:, :, None], column[:, None, :]] * weight[..., None]
            result = term if result is None else combined(result, term)
    assert result is not None
    n, height, width, channels = result.shape
    parts = result.reshape(n, height // counts[0], counts[0], width // counts[1], counts[1], channels)
    return np.asarray(parts.mean(axis=(2, 4)) if mode == "avg" else parts.max(axis=(2, 4)))


@kernel("MaxRoiPool", since=(1, 22))
def max_roi_pool(x: Array, rois: Array, *, pooled_shape: Sequence[int], spatial_scale: float) -> Array:
    """``[rois, C, *pooled_shape]``: the largest element in each bin of each region ``[image, x1, y1, x2, y2]``.

    Ends are rounded to pixels and belong to the region; bins are rounded outwards; an empty one is 0.
    """
    if x.ndim != 4 or rois.ndim != 2 or rois.shape[1] != 5:
        raise KernelError(f"X {shape_text(x.shape)} must be [N, C, H, W], rois {shape_text(rois.shape)} [rois, 5]")
    if len(pooled_shape) != 2 or min(pooled_shape) < 1:
        raise KernelError(f"pooled_shape is {shape_text(pooled_shape)}")
    image, regions = widen(x), widen(rois)
    which = regions[:, 0].astype(np.int64)
    _check_images(which, x)
    scaled = regions[:, 1:] * np.float32(spatial_scale)
    corners = (np.sign(scaled) * np.floor(np.abs(scaled) + 0.5)).astype(np.int64)
    result = np.zeros((len(rois), x.shape[1], *pooled_shape), image.dtype)
    for at, (left, top, right, bottom) in enumerate(corners.tolist()):
        lines = _edges(top, bottom, pooled_shape[0], x.shape[2])
        columns = _edges(left, right, pooled_shape[1], x.shape[3])
        result[at] = _largest(_largest(image[which[at]], *lines, 1), *columns, 2)
    return narrow(np.where(np.isneginf(result), 0, result), x.dtype)


def _edges(first: int, last: int, bins: int, size: int) -> tuple[Array, Array]:
    """Where each bin begins and ends in the image."""
    step = max(last - first + 1, 1) / bins
    at = np.arange(bins)
    low = np.clip(np.floor(at * step).astype(np.int64) + first, 0, size)
    return low, np.clip(np.ceil((at + 1) * step).astype(np.int64) + first, 0, size)


def _largest(data: Array, low: Array, high: Array, axis: int) -> Array:
    """The largest from ``low`` to ``high`` along the axis; ``-inf`` where there is none."""
    shape = list(data.shape)
    shape[axis] = 1
    padded = np.concatenate((data, np.full(shape, -np.inf, data.dtype)), axis=axis)
    bounds = np.stack((low, high), axis=1).reshape(-1)
    found = np.maximum.reduceat(padded, bounds, axis=axis)[(slice(None),) * axis + (slice(None, None, 2),)]
    empty = (high <= low).reshape([-1 if i == axis else 1 for i in range(data.ndim)])
    return np.where(empty, np.asarray(-np.inf, data.dtype), found)
