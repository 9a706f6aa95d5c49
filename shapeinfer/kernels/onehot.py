"""OneHot."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import normalise_axis, scalar
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("OneHot", since=(9, 11, 28), needs=("version",))
def one_hot(indices: Array, depth: Array, values: Array, *, axis: int, _version: int) -> Array:
    """``values[1]`` where the new axis equals the index, else ``values[0]``; from 11 on negative indices count back."""
    if values.shape != (2,):
        raise KernelError("values must be [off_value, on_value]")
    count = int(scalar(depth, "depth"))
    if count < 0:
        raise KernelError(f"depth is {count}")
    at = normalise_axis(axis, indices.ndim + 1)
    hot = np.expand_dims(indices.astype(np.int64), at)
    if _version >= 11:
        hot = np.where(hot < 0, hot + count, hot)
    places = np.arange(count).reshape([count if i == at else 1 for i in range(hot.ndim)])
    return np.where(hot == places, values[1:], values[:1]).astype(values.dtype, copy=False)
