"""TopK."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import normalise_axis, scalar
from shapeinfer.kernels.dtypes import Array, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("TopK", since=(1,))
def top_k_attribute(x: Array, *, k: int, axis: int) -> tuple[Array, Array]:
    """The ``k`` largest elements along the axis, sorted, and their indices."""
    return _top(x, k, axis, largest=True)


@kernel("TopK", since=(10, 11, 24))
def top_k(x: Array, k: Array, *, axis: int, largest: int = 1, sorted: int = 1) -> tuple[Array, Array]:
    """The ``k`` largest or smallest elements along the axis, and their indices; they are sorted in any case."""
    return _top(x, int(scalar(k, "K")), axis, largest=bool(largest))


def _top(x: Array, k: int, axis: int, *, largest: bool) -> tuple[Array, Array]:
    at = normalise_axis(axis, x.ndim)
    size = x.shape[at]
    if not 0 <= k <= size:
        raise KernelError(f"K is {k}, for axis {at} of size {size}")
    first = (slice(None),) * at + (slice(k),)
    if largest:  # sorted from the end, so that of equal elements the first one still comes first
        order = size - 1 - np.flip(np.argsort(np.flip(widen(x), at), axis=at, kind="stable"), at)
    else:
        order = np.argsort(widen(x), axis=at, kind="stable")
    chosen = order[first].astype(np.int64, copy=False)
    return np.take_along_axis(x, chosen, at), chosen
