"""Expand and Tile."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import normalise_axis, scalar, shape_text, sizes
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("Expand", since=(8, 13))
def expand(input: Array, shape: Array) -> Array:
    """The input broadcast with ``shape``, in both directions; a read-only view."""
    wanted = np.broadcast_shapes(input.shape, sizes(shape, "shape"))
    return np.broadcast_to(input, wanted)


@kernel("Tile", since=(1,))
def tile_axis(input: Array, tiles: Array, axis: Array) -> Array:
    """``tiles`` copies of the input along ``axis``; both are scalars of the input's own type."""
    repeats = [1] * input.ndim
    repeats[normalise_axis(int(scalar(axis, "axis")), input.ndim)] = int(scalar(tiles, "tiles"))
    return _tiled(input, tuple(repeats))


@kernel("Tile", since=(6, 13))
def tile(input: Array, repeats: Array) -> Array:
    """``repeats[i]`` copies of the input along each axis ``i``."""
    return _tiled(input, sizes(repeats, "repeats"))


def _tiled(data: Array, repeats: tuple[int, ...]) -> Array:
    if len(repeats) != data.ndim or any(count < 0 for count in repeats):
        raise KernelError(f"repeats {shape_text(repeats)} do not fit rank {data.ndim}")
    return np.tile(data, repeats)
