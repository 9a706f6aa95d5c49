"""What kernels ask of their arguments: axes in range, lists of integers, scalars; errors in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from shapeinfer.kernels.dtypes import Array, label
from shapeinfer.kernels.errors import OUT_OF_RANGE, KernelError


def type_text(value: Any) -> str:
    """Type and shape of a value as text: ``float[1, 3]``."""
    if isinstance(value, np.ndarray):
        return f"{label(value.dtype)}[{', '.join(map(str, value.shape))}]"
    if value is None:
        return "none"
    if isinstance(value, list):
        return f"sequence of {len(value)}"
    return f"map of {len(value)}" if isinstance(value, dict) else type(value).__name__


def shape_text(shape: Iterable[int]) -> str:
    """A shape as text: ``[1, 3]``."""
    return f"[{', '.join(map(str, shape))}]"


def normalise_axis(axis: int, rank: int, what: str = "axis") -> int:
    """The axis counted from the front.

    Raises:
        KernelError: when it is not in ``[-rank, rank-1]``.
    """
    if not -rank <= axis < rank:
        raise KernelError(f"{what} {axis} is out of range for rank {rank}", code=OUT_OF_RANGE)
    return axis + rank if axis < 0 else axis


def normalise_axes(axes: Iterable[int], rank: int) -> tuple[int, ...]:
    """Axes counted from the front.

    Raises:
        KernelError: when one is out of range or, after normalising, repeated.
    """
    found = tuple(normalise_axis(axis, rank) for axis in axes)
    if len(set(found)) != len(found):
        raise KernelError(f"axes {shape_text(found)} repeat an axis")
    return found


def integers(values: Array | Sequence[int], what: str) -> tuple[int, ...]:
    """A 1-D tensor of integers, or an attribute, as Python ints.

    Raises:
        KernelError: when a tensor is not 1-D.
    """
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise KernelError(f"{what} must be 1-D, not of shape {shape_text(values.shape)}")
        return tuple(values.tolist())
    return tuple(values)


def scalar(value: Array, what: str) -> Any:
    """The one element of a tensor, as a Python object.

    Raises:
        KernelError: when there is not exactly one.
    """
    if value.size != 1:
        raise KernelError(f"{what} must have one element, not the shape {shape_text(value.shape)}")
    return value.reshape(()).item()


def sizes(values: Array | Sequence[int], what: str) -> tuple[int, ...]:
    """As :func:`integers`, for sizes, which cannot be negative."""
    found = integers(values, what)
    if any(size < 0 for size in found):
        raise KernelError(f"{what} {shape_text(found)} has a negative size")
    return found
