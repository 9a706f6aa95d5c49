"""Det."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("Det", since=(11, 22))
def det(x: Array) -> Array:
    """The determinants of the square matrices in the last two dims."""
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise KernelError(f"{shape_text(x.shape)} are no square matrices")
    return narrow(np.asarray(np.linalg.det(widen(x))), x.dtype)
