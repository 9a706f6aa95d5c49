"""Constant and ConstantOfShape."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shapeinfer.kernels.arguments import sizes
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("Constant", since=(1, 9, 11, 12, 13, 19, 21, 23, 24, 25))
def constant(
    *,
    value: Array | None = None,
    sparse_value: Array | None = None,
    value_float: float | None = None,
    value_floats: Sequence[float] | None = None,
    value_int: int | None = None,
    value_ints: Sequence[int] | None = None,
    value_string: str | None = None,
    value_strings: Sequence[str] | None = None,
) -> Array:
    """The value of the one attribute that is given, a sparse one made dense."""
    numbers = (
        (value_float, np.float32), (value_floats, np.float32), (value_int, np.int64), (value_ints, np.int64),
        (value_string, object), (value_strings, object),
    )  # fmt: skip
    found = [tensor for tensor in (value, sparse_value) if tensor is not None]
    found += [np.array(number, dtype=dtype) for number, dtype in numbers if number is not None]
    if len(found) != 1:
        raise KernelError(f"{len(found)} values are given, not one")
    return found[0]


@kernel("ConstantOfShape", since=(9, 20, 21, 23, 24, 25))
def constant_of_shape(input: Array, *, value: Array | None = None) -> Array:
    """A tensor of the shape in ``input``, filled with the one element of ``value`` or else with 0.0."""
    shape = sizes(input, "the shape")
    if value is None:
        return np.zeros(shape, dtype=np.float32)
    if value.size != 1:
        raise KernelError(f"value must have one element, not {value.size}")
    return np.full(shape, value.reshape(()), dtype=value.dtype)
