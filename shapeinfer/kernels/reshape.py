"""Reshape and Flatten."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from shapeinfer.kernels.arguments import integers, shape_text
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("Reshape", since=(1,))
def reshape_attribute(data: Array, *, shape: Sequence[int] = ()) -> Array:
    """``data`` in the attribute's shape: 0 copies a dim of the input, -1 is inferred."""
    return _reshaped(data, shape, allow_zero=False)


@kernel("Reshape", since=(5, 13, 14, 19, 21, 23, 24, 25))
def reshape(data: Array, shape: Array, *, allowzero: int = 0) -> Array:
    """``data`` in the given shape: -1 is inferred, 0 copies a dim of the input unless ``allowzero``."""
    return _reshaped(data, integers(shape, "shape"), allow_zero=bool(allowzero))


def _reshaped(data: Array, shape: Sequence[int], *, allow_zero: bool) -> Array:
    if shape.count(-1) > 1 or any(size < -1 for size in shape):
        raise KernelError(f"shape {shape_text(shape)} has a size below -1, or more than one -1")
    if allow_zero and 0 in shape and -1 in shape:
        raise KernelError(f"shape {shape_text(shape)} has both 0 and -1, with allowzero")
    wanted = list(shape)
    for axis, size in enumerate(shape):
        if size == 0 and not allow_zero:
            if axis >= data.ndim:
                raise KernelError(f"shape {shape_text(shape)} copies axis {axis} of rank {data.ndim}")
            wanted[axis] = data.shape[axis]
    if -1 in wanted:
        rest = -prod(wanted)
        if rest == 0 or data.size % rest:
            raise KernelError(f"{shape_text(data.shape)} does not fit shape {shape_text(shape)}")
        wanted[wanted.index(-1)] = data.size // rest
    if prod(wanted) != data.size:
        raise KernelError(f"{shape_text(data.shape)} does not fit shape {shape_text(wanted)}")
    return data.reshape(wanted)


@kernel("Flatten", since=(1, 9, 11, 13, 21, 23, 24, 25))
def flatten(input: Array, *, axis: int) -> Array:
    """The input as a matrix: the dims before ``axis`` as rows, the others as columns."""
    if not -input.ndim <= axis <= input.ndim:
        raise KernelError(f"axis {axis} is out of range for rank {input.ndim}")
    split = axis + input.ndim if axis < 0 else axis
    return input.reshape(prod(input.shape[:split]), prod(input.shape[split:]))
