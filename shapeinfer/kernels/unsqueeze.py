"""Unsqueeze."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shapeinfer.kernels.arguments import integers, normalise_axes, shape_text
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("Unsqueeze", since=(1, 11), needs=("version",))
def unsqueeze_attribute(data: Array, *, axes: Sequence[int], _version: int) -> Array:
    """``data`` with a dim of 1 at each place in the output that the attribute names. 1 counts from the front."""
    if _version < 11 and any(axis < 0 for axis in axes):
        raise KernelError(f"axes {shape_text(axes)} must not be negative before version 11")
    return _with_ones(data, axes)


@kernel("Unsqueeze", since=(13, 21, 23, 24, 25))
def unsqueeze(data: Array, axes: Array) -> Array:
    """``data`` with a dim of 1 at each place in the output that the input names.

    ``axes`` may be a scalar, as in the specification's own function body of AffineGrid.
    """
    return _with_ones(data, integers(np.atleast_1d(axes), "axes"))


def _with_ones(data: Array, axes: Sequence[int]) -> Array:
    rank = data.ndim + len(axes)
    ones = set(normalise_axes(axes, rank))
    rest = iter(data.shape)
    return data.reshape(tuple(1 if axis in ones else next(rest) for axis in range(rank)))
