"""GridSample and AffineGrid."""

from __future__ import annotations

from math import prod

import numpy as np

from shapeinfer.kernels.arguments import integers, shape_text
from shapeinfer.kernels.dtypes import Array, is_float, narrow, widen
from shapeinfer.kernels.errors import ATTRIBUTES, KernelError
from shapeinfer.kernels.registry import kernel
from shapeinfer.kernels.sampling import Tap, cubic_taps, gathered, inside, linear_taps, nearest_taps

_EARLY_MODES = {"bilinear": "linear", "nearest": "nearest", "bicubic": "cubic"}
_FAR = 1 << 20
_TAPS = {"linear": linear_taps, "nearest": nearest_taps, "cubic": cubic_taps}


@kernel("GridSample", since=(16,))
def grid_sample_2d(x: Array, grid: Array, *, align_corners: int, mode: str, padding_mode: str) -> Array:
    """As :func:`grid_sample`, in two dims and with other names of the modes."""
    if mode not in _EARLY_MODES:
        raise KernelError(f"there is no mode {mode!r}", code=ATTRIBUTES)
    if x.ndim != 4:
        raise KernelError(f"the input must be [N, C, H, W], not of shape {shape_text(x.shape)}")
    return grid_sample(x, grid, align_corners=align_corners, mode=_EARLY_MODES[mode], padding_mode=padding_mode)


@kernel("GridSample", since=(20, 22))
def grid_sample(x: Array, grid: Array, *, align_corners: int, mode: str, padding_mode: str) -> Array:
    """``[N, C, *D]`` at the locations ``[N, *out, r]``, from -1 to 1, innermost axis first: ``[N, C, *out]``."""
    if mode not in _TAPS or padding_mode not in ("zeros", "border", "reflection"):
        raise KernelError(f"there is no mode {mode!r} or no padding_mode {padding_mode!r}", code=ATTRIBUTES)
    size = x.shape[2:]
    rank = len(size)
    if rank < 1 or grid.ndim != x.ndim or grid.shape[0] != x.shape[0] or grid.shape[-1] != rank:
        raise KernelError(f"a grid {shape_text(grid.shape)} for {shape_text(x.shape)}")
    if mode != "nearest" and (x.dtype == object or x.dtype == np.bool_):
        raise KernelError(f"mode {mode} computes, which cannot be done with these elements")
    points = widen(grid).reshape(x.shape[0], -1, rank)
    aligned = bool(align_corners)
    taps: list[list[Tap]] = []
    for axis, n in enumerate(size):
        at = points[..., rank - 1 - axis]
        at = (at + 1) / 2 * (n - 1) if aligned else ((at + 1) * n - 1) / 2
        taps.append(_TAPS[mode](_finite(at, n) if mode == "cubic" else _brought_in(at, n, padding_mode, aligned)))

    def place(at: Array, n: int) -> Tap:
        if padding_mode == "zeros":
            return inside(at, n)
        if padding_mode == "reflection":
            at = np.rint(_reflected(at.astype(np.float64), n, aligned)).astype(np.int64)
        return np.clip(at, 0, n - 1), None

    if not prod(size) or not points.shape[1]:
        return np.zeros((*x.shape[:2], *grid.shape[1:-1]), x.dtype)
    whole = x if mode == "nearest" else _computed(x)
    data = np.ascontiguousarray(whole.reshape(*x.shape[:2], -1).swapaxes(1, 2))
    found = gathered(data, size, taps, place).swapaxes(1, 2)
    return narrow(found, x.dtype).reshape(*x.shape[:2], *grid.shape[1:-1])


def _computed(x: Array) -> Array:
    return widen(x) if is_float(x.dtype) or x.dtype.kind == "c" else x.astype(np.float64)


def _finite(at: Array, n: int) -> Array:
    """Coordinates that integers can hold: what lies very far outside is taken as just far outside."""
    return np.clip(np.where(np.isnan(at), 0, at), -_FAR * n, _FAR * n)


def _brought_in(at: Array, n: int, mode: str, aligned: bool) -> Array:
    """Coordinates outside of the image replaced by those at its border, or reflected there."""
    if mode == "zeros":
        return np.clip(np.where(np.isnan(at), -10, at), -10, n + 10)  # zero beyond; small enough for integers
    low, high = (0.0, n - 1.0) if aligned else (-0.5, n - 0.5)
    outside = ~((at >= low) & (at <= high))
    other = np.clip(at, 0, n - 1) if mode == "border" else _reflected(at, n, aligned)
    result = np.where(outside, other, at)
    return np.where(np.isfinite(result), result, 0)


def _reflected(at: Array, n: int, aligned: bool) -> Array:
    """Reflected at the centres of the outermost elements, or at their outer edges."""
    low, span = (0.0, n - 1.0) if aligned else (-0.5, float(n))
    if span <= 0:
        return np.zeros_like(at)
    around = np.mod(at - low, 2 * span)
    return np.asarray(low + np.minimum(around, 2 * span - around), dtype=at.dtype)


@kernel("AffineGrid", since=(20,))
def affine_grid(theta: Array, size: Array, *, align_corners: int) -> Array:
    """Evenly spaced positions from -1 to 1 in an image of this size, mapped by the matrices: ``[N, *D, 2 or 3]``."""
    shape = integers(size, "size")
    rank = len(shape) - 2
    if rank not in (2, 3) or theta.shape != (shape[0], rank, rank + 1):
        raise KernelError(f"theta {shape_text(theta.shape)} for the size {shape_text(shape)}")
    matrices = widen(theta)
    axes = [_positions(n, bool(align_corners), matrices.dtype) for n in shape[2:]]
    grid = np.stack([*np.meshgrid(*axes, indexing="ij")][::-1], axis=-1).reshape(-1, rank)
    result = np.matmul(grid, matrices[:, :, :rank].swapaxes(1, 2)) + matrices[:, None, :, rank]
    return narrow(result.reshape(shape[0], *shape[2:], rank), theta.dtype)


def _positions(n: int, aligned: bool, dtype: np.dtype[np.generic]) -> Array:
    if n < 1:
        raise KernelError(f"an image of size {n}")
    if aligned:
        return np.linspace(-1, 1, n, dtype=dtype) if n > 1 else np.zeros(1, dtype)
    return ((2 * np.arange(n) + 1) / n - 1).astype(dtype)
