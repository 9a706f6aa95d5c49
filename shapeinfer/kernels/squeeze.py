"""Squeeze."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.kernels.arguments import integers, normalise_axis, shape_text
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("Squeeze", since=(1, 11), needs=("version",))
def squeeze_attribute(data: Array, *, axes: Sequence[int] | None = None, _version: int) -> Array:
    """``data`` without the dims that the attribute names, or without every dim of 1. 1 counts from the front."""
    if axes is not None and _version < 11 and any(axis < 0 for axis in axes):
        raise KernelError(f"axes {shape_text(axes)} must not be negative before version 11")
    return _without(data, axes)


@kernel("Squeeze", since=(13, 21, 23, 24, 25))
def squeeze(data: Array, axes: Array | None = None) -> Array:
    """``data`` without the dims that the input names, or without every dim of 1."""
    return _without(data, None if axes is None else integers(axes, "axes"))


def _without(data: Array, axes: Sequence[int] | None) -> Array:
    if axes is None:
        return data.reshape(tuple(size for size in data.shape if size != 1))
    dropped = {normalise_axis(axis, data.ndim) for axis in axes}  # a repeated axis is one axis
    for axis in sorted(dropped):
        if data.shape[axis] != 1:
            raise KernelError(f"axis {axis} has size {data.shape[axis]}, not 1")
    return data.reshape(tuple(size for axis, size in enumerate(data.shape) if axis not in dropped))
