"""Unique."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import normalise_axis
from shapeinfer.kernels.dtypes import Array, widen
from shapeinfer.kernels.registry import kernel


@kernel("Unique", since=(11, 28))
def unique(x: Array, *, sorted: int, axis: int | None = None) -> tuple[Array, Array, Array, Array]:
    """The unique elements, or slices along the axis; where each occurs first, which each element is, how often each is.

    In ascending order, slices compared element by element, or in the order of their first occurrence.
    """
    at = None if axis is None else normalise_axis(axis, x.ndim)
    data = x.reshape(-1) if at is None else x
    first, inverse, counts = _places(np.moveaxis(data, at or 0, 0))
    if not sorted:
        order = np.argsort(first)
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        first, inverse, counts = first[order], place[inverse], counts[order]
    found = np.take(data, first, axis=at or 0)
    return found, first.astype(np.int64), inverse.astype(np.int64), counts.astype(np.int64)


def _places(rows: Array) -> tuple[Array, Array, Array]:
    """Of the unique rows in ascending order the first places, of each row which it is, and how often each occurs."""
    count = rows.shape[0]
    if rows.size:
        ranks = np.unique(widen(rows).reshape(-1), return_inverse=True)[1].reshape(count, -1)
    else:
        ranks = np.zeros((count, 0), np.int64)
    order = np.lexsort(ranks.T[::-1]) if ranks.shape[1] else np.arange(count)
    lined = ranks[order]
    new = np.ones(count, bool)
    new[1:] = (lined[1:] != lined[:-1]).any(axis=1)
    which = np.cumsum(new) - 1
    inverse = np.empty(count, np.int64)
    inverse[order] = which
    return order[new], inverse, np.bincount(which, minlength=int(new.sum()))
