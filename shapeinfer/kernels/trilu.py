"""Trilu."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import scalar
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("Trilu", since=(14,))
def trilu(input: Array, k: Array | None = None, *, upper: int) -> Array:
    """The part of each matrix on and above the ``k``-th diagonal, or on and below it; zeros elsewhere."""
    if input.ndim < 2:
        raise KernelError(f"rank {input.ndim} is below 2")
    offset = 0 if k is None else int(scalar(k, "k"))
    rows, columns = input.shape[-2:]
    distance = np.arange(columns) - np.arange(rows)[:, None]
    kept = distance >= offset if upper else distance <= offset
    return np.where(kept, input, np.zeros((), dtype=input.dtype))
