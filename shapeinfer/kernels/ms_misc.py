"""com.microsoft: early forms of what ONNX has now, slices, embeddings and distances."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import normalise_axis, scalar, shape_text
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.ms_shared import MS, standard
from shapeinfer.kernels.registry import kernel


@kernel("Inverse", since=(1,), domain=MS)
def inverse(x: Array) -> Array:
    """The inverse of each matrix."""
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise KernelError(f"{shape_text(x.shape)} holds no square matrices")
    try:
        return narrow(np.linalg.inv(widen(x)), x.dtype)
    except np.linalg.LinAlgError:
        raise KernelError("a matrix is singular") from None


@kernel("Trilu", since=(1,), domain=MS)
def trilu(x: Array, k: Array | None = None, *, upper: int = 1) -> Array:
    """The upper or lower triangle of each matrix, and zeros."""
    return np.asarray(standard("Trilu", 14, x, k, upper=upper))


@kernel("Unique", since=(1,), domain=MS)
def unique(x: Array) -> tuple[Array, Array, Array]:
    """The values in the order in which they first occur, which of them each entry is, and how often each occurs."""
    if x.ndim != 1:
        raise KernelError(f"the input must be 1-D, not of shape {shape_text(x.shape)}")
    values, firsts, which, counts = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(firsts)
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = np.arange(order.size)
    return values[order], rank[which.reshape(-1)], counts[order].astype(np.int64)


@kernel("CDist", since=(1,), domain=MS)
def cdist(a: Array, b: Array, *, metric: str = "sqeuclidean") -> Array:
    """The distance of each row of ``A`` from each of ``B``, or its square."""
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[1]:
        raise KernelError(f"{shape_text(a.shape)} and {shape_text(b.shape)} have no rows to compare")
    left, right = a.astype(np.float64), b.astype(np.float64)
    lengths = (left * left).sum(axis=1)[:, None] + (right * right).sum(axis=1)
    squares = np.maximum(lengths - 2 * (left @ right.T), 0)
    if metric not in ("euclidean", "sqeuclidean"):
        raise KernelError(f"there is no metric {metric!r}")
    return narrow(np.sqrt(squares) if metric == "euclidean" else squares, a.dtype)


@kernel("ExpandDims", since=(1,), domain=MS)
def expand_dims(x: Array, axis: Array) -> Array:
    """A dim of 1 at ``axis``, which counts in the result."""
    return np.expand_dims(x, normalise_axis(int(scalar(axis, "axis")), x.ndim + 1))


@kernel("GatherND", since=(1,), domain=MS)
def gather_nd(data: Array, indices: Array) -> Array:
    """The slices at the positions that lie along the last axis of the indices."""
    count = indices.shape[-1] if indices.ndim else 0
    if not 1 <= count <= data.ndim:
        raise KernelError(f"indices {shape_text(indices.shape)} for {shape_text(data.shape)}")
    sizes = np.array(data.shape[:count])
    if ((indices < -sizes) | (indices >= sizes)).any():
        raise KernelError(f"an index is out of range for {shape_text(data.shape)}")
    return np.asarray(data[tuple(np.moveaxis(indices, -1, 0))])


@kernel("GridSample", since=(1,), domain=MS)
def grid_sample(
    x: Array, grid: Array, *, align_corners: int = 0, mode: str = "bilinear", padding_mode: str = "zeros"
) -> Array:
    """The image at the places of the grid."""
    return np.asarray(
        standard("GridSample", 16, x, grid, align_corners=align_corners, mode=mode, padding_mode=padding_mode)
    )


@kernel("Pad", since=(1,), domain=MS)
def pad(data: Array, pads: Array, value: Array | None = None, *, mode: str = "constant") -> Array:
    """More entries at both ends of each axis: all begins, then all ends, in one row or as ``[1, 2 * rank]``."""
    if pads.size != 2 * data.ndim or pads.ndim not in (1, 2):
        raise KernelError(f"pads {shape_text(pads.shape)} for {shape_text(data.shape)}")
    return np.asarray(standard("Pad", 19, data, pads.reshape(-1), value, mode=mode))


@kernel("Range", since=(1,), domain=MS)
def number_range(start: Array, limit: Array, delta: Array | None = None) -> Array:
    """Numbers from ``start`` up to ``limit``, without it."""
    first, end = scalar(start, "start"), scalar(limit, "limit")
    step = 1 if delta is None else scalar(delta, "delta")
    if step == 0:
        raise KernelError("delta is 0")
    count = max(int(np.ceil((end - first) / step)), 0)
    return np.asarray(first + np.arange(count) * step, dtype=start.dtype)


@kernel("UnfoldTensor", since=(1,), domain=MS)
def unfold_tensor(input: Array, *, dim: int = -1, size: int, step: int = 1) -> Array:
    """All slices of ``size`` entries of an axis, every ``step``; each lies along a new last axis."""
    axis = normalise_axis(dim, input.ndim)
    if not 1 <= size <= input.shape[axis] or step < 1:
        raise KernelError(f"slices of {size} with step {step} from axis {axis} of {shape_text(input.shape)}")
    every = np.lib.stride_tricks.sliding_window_view(input, size, axis=axis)
    chosen: Array = every[(slice(None),) * axis + (slice(None, None, step),)].copy()
    return chosen


@kernel("TorchEmbedding", since=(1,), domain=MS)
def torch_embedding(
    weight: Array, indices: Array, padding_idx: Array | None = None, scale_grad_by_freq: Array | None = None
) -> Array:
    """The row of ``weight`` for each index."""
    if indices.size and not (indices.min() >= 0 and indices.max() < weight.shape[0]):
        raise KernelError(f"an index is out of range for {weight.shape[0]} rows")
    return weight[indices]


@kernel("ComplexMul", since=(1,), domain=MS)
def complex_mul(a: Array, b: Array) -> Array:
    """The product of complex numbers, whose two parts lie along the last axis."""
    return _product(a, b, 1)


@kernel("ComplexMulConj", since=(1,), domain=MS)
def complex_mul_conj(a: Array, b: Array) -> Array:
    """The product with the conjugate of the second factor."""
    return _product(a, b, -1)


def _product(a: Array, b: Array, sign: int) -> Array:
    if a.shape[-1:] != (2,) or b.shape[-1:] != (2,):
        raise KernelError(f"{shape_text(a.shape)} and {shape_text(b.shape)} do not end in two parts")
    left, right = widen(a), widen(b)
    real, imaginary = right[..., 0], sign * right[..., 1]
    parts = (left[..., 0] * real - left[..., 1] * imaginary, left[..., 0] * imaginary + left[..., 1] * real)
    return narrow(np.stack(parts, axis=-1), a.dtype)


@kernel("CropAndResize", since=(1,), domain=MS)
def crop_and_resize(
    x: Array,
    rois: Array,
    batch_indices: Array,
    crop_size: Array,
    *,
    extrapolation_value: float = 0.0,
    mode: str = "bilinear",
) -> Array:
    """Regions ``[y1, x1, y2, x2]``, from 0 to 1 across the image, resized to one size with their corners aligned."""
    if x.ndim != 4 or rois.ndim != 2 or rois.shape[1] != 4 or crop_size.shape != (2,):
        raise KernelError(f"regions {shape_text(rois.shape)} of {shape_text(x.shape)} to {shape_text(crop_size.shape)}")
    if batch_indices.shape != rois.shape[:1]:
        raise KernelError(f"batch_indices are {shape_text(batch_indices.shape)} for {rois.shape[0]} regions")
    if ((batch_indices < 0) | (batch_indices >= x.shape[0])).any():
        raise KernelError(f"an index is out of range for a batch of {x.shape[0]}")
    images = widen(x)[batch_indices]
    corners = widen(rois)
    height, width = crop_size.tolist()
    rows = _spaced(corners[:, 0], corners[:, 2], height, x.shape[2])
    columns = _spaced(corners[:, 1], corners[:, 3], width, x.shape[3])
    if mode == "nearest":
        taps = [(np.floor(rows + 0.5), np.floor(columns + 0.5), np.ones((1, 1, 1)))]
    elif mode == "bilinear":
        up, left = np.floor(rows), np.floor(columns)
        low, right = (rows - up)[:, :, None], (columns - left)[:, None]
        taps = [
            (up, left, (1 - low) * (1 - right)),
            (up, left + 1, (1 - low) * right),
            (up + 1, left, low * (1 - right)),
            (up + 1, left + 1, low * right),
        ]
    else:
        raise KernelError(f"there is no mode {mode!r}")
    inside = _within(rows, x.shape[2])[:, :, None] & _within(columns, x.shape[3])[:, None]
    regions = np.arange(rois.shape[0])[:, None, None]
    result = np.zeros((rois.shape[0], height, width, x.shape[1]))
    for down, across, weight in taps:
        at = np.clip(down, 0, x.shape[2] - 1).astype(np.intp)[:, :, None]
        to = np.clip(across, 0, x.shape[3] - 1).astype(np.intp)[:, None]
        result += images[regions, :, at, to] * weight[..., None]
    result = np.where(inside[..., None], result, extrapolation_value)
    return narrow(np.moveaxis(result, -1, 1), x.dtype)


def _spaced(begin: Array, end: Array, count: int, size: int) -> Array:
    """Where the samples of each region lie on an axis, ``[regions, count]``."""
    last = begin.dtype.type(size - 1)
    if count == 1:
        return np.asarray((begin + end) / 2 * last)[:, None]
    step = (end - begin) * last / begin.dtype.type(count - 1)
    return np.asarray((begin * last)[:, None] + np.arange(count, dtype=begin.dtype) * step[:, None])


def _within(places: Array, size: int) -> Array:
    return np.asarray((places >= 0) & (places <= size - 1))
