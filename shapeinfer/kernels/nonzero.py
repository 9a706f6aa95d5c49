"""NonZero."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.registry import kernel


@kernel("NonZero", since=(9, 13))
def non_zero(x: Array) -> Array:
    """One column of indices per element that is not zero, in row-major order; of a scalar, columns without rows."""
    if x.ndim == 0:
        return np.zeros((0, int(bool(x))), dtype=np.int64)
    return np.stack(np.nonzero(x)).astype(np.int64, copy=False)
