"""Shape and Size."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.registry import kernel


@kernel("Shape", since=(1, 13, 15, 19, 21, 23, 24, 25))
def shape(data: Array, *, start: int = 0, end: int | None = None) -> Array:
    """The sizes from axis ``start`` up to axis ``end``, as int64; axes are clamped to the rank."""
    return np.array(data.shape[start:end], dtype=np.int64)


@kernel("Size", since=(1, 13, 19, 21, 23, 24, 25))
def size(data: Array) -> Array:
    """How many elements there are, as an int64 scalar."""
    return np.array(data.size, dtype=np.int64)
