"""Concat."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import normalise_axis, type_text
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("Concat", since=(1,))
def concat_default(*inputs: Array, axis: int = 1) -> Array:
    """The inputs one after another along ``axis``."""
    return concat(*inputs, axis=axis)


@kernel("Concat", since=(4, 11, 13))
def concat(*inputs: Array, axis: int) -> Array:
    """The inputs one after another along ``axis``; all other dims are equal."""
    if not inputs:
        raise KernelError("there is nothing to concatenate")
    at = normalise_axis(axis, inputs[0].ndim)
    first = inputs[0]
    for each in inputs[1:]:
        alike = each.ndim == first.ndim and all(
            d == e for i, (d, e) in enumerate(zip(first.shape, each.shape, strict=True)) if i != at
        )
        if not alike:
            raise KernelError(f"{type_text(first)} and {type_text(each)} differ beyond axis {at}")
    return np.concatenate(inputs, axis=at)
