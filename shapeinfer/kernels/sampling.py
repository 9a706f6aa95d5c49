"""Values between the elements of an image: linear, nearest and cubic, in any number of spatial dims."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any, TypeAlias

import numpy as np

from shapeinfer.kernels.dtypes import Array

Tap: TypeAlias = tuple[Array, Array | None]
"""Along one axis a place in the image (an integer, maybe outside of it) and its weight; ``None`` for 1."""
Place: TypeAlias = Callable[[Array, int], tuple[Array, Array | None]]
"""From places along the axis of a number to places inside of the image, and where they count; ``None`` everywhere."""


def linear_taps(at: Array) -> list[Tap]:
    """The two places around each coordinate."""
    low = np.floor(at)
    high_weight = at - low
    first = low.astype(np.int64)
    return [(first, 1 - high_weight), (first + 1, high_weight)]


def nearest_taps(at: Array) -> list[Tap]:
    """The nearest place, the even one of two."""
    return [(np.rint(at).astype(np.int64), None)]


def cubic_taps(at: Array, a: float = -0.75) -> list[Tap]:
    """The four places around each coordinate, weighted by the cubic convolution of Keys."""
    low = np.floor(at)
    t = at - low
    first = low.astype(np.int64)
    found: list[Tap] = []
    for offset in (-1, 0, 1, 2):
        d = np.abs(t - offset)
        near = ((a + 2) * d - (a + 3)) * d * d + 1
        far = ((d - 5) * d + 8) * d * a - 4 * a
        found.append((first + offset, near if offset in (0, 1) else far))
    return found


def inside(places: Array, size: int) -> tuple[Array, Array]:
    """Places that are not in the image count as zero."""
    kept = (places >= 0) & (places < size)
    return np.where(kept, places, 0), kept


def gathered(data: Array, size: Sequence[int], taps: Sequence[list[Tap]], place: Callable[[Array, int], Tap]) -> Array:
    """The sum over all combinations of taps of the axes of their elements times their weights.

    Args:
        data: ``[batch, prod(size), channels]``.
        size: of the spatial axes.
        taps: of each spatial axis, arrays ``[batch, points]``.
        place: see :data:`Place`; takes the size of the axis.

    Returns:
        ``[batch, points, channels]``.
    """
    steps = [prod(size[axis + 1 :]) for axis in range(len(size))]
    placed = [[(*place(at, n), weight) for at, weight in of_axis] for of_axis, n in zip(taps, size, strict=True)]
    batch = np.arange(data.shape[0])[:, None]
    result: Array | None = None
    for chosen in product(*placed):
        index = sum(at * step for (at, _, _), step in zip(chosen, steps, strict=True))
        term = data[batch, index]
        factor: Array | None = None
        for _, kept, weight in chosen:
            for each in (kept, weight):
                if each is not None:
                    factor = each if factor is None else factor * each
        if factor is not None:
            term = (
                term * factor[..., None] if factor.dtype != np.bool_ else np.where(factor[..., None], term, zero(data))
            )
        result = term if result is None else result + term
    assert result is not None
    return result


def zero(data: Array) -> Any:
    """What stands for nothing among such elements."""
    return "" if data.dtype == object else np.zeros((), data.dtype)
