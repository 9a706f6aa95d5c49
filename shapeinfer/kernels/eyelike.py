"""EyeLike."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import BFLOAT16, Array, label, to_dtype
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel

_TYPES = {np.dtype(code) for code in "?bhiqBHIQefd"}


@kernel("EyeLike", since=(9, 22), needs=("version",))
def eye_like(input: Array, *, k: int, dtype: int | None = None, _version: int) -> Array:
    """A matrix of the input's shape: ones at ``[i, i + k]``, zeros elsewhere, in the input's type or ``dtype``."""
    if input.ndim != 2:
        raise KernelError(f"the input must be a matrix, not of shape {shape_text(input.shape)}")
    made = input.dtype if dtype is None else to_dtype(dtype)
    if made not in _TYPES and not (made == BFLOAT16 and _version >= 22):
        raise KernelError(f"the output cannot be of type {label(made)}")
    rows, columns = input.shape
    result = np.zeros((rows, columns), dtype=made)
    first, end = max(0, -k), min(rows, columns - k)
    if first < end:
        diagonal = np.arange(first, end)
        result[diagonal, diagonal + k] = 1
    return result
