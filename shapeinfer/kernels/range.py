"""Range."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np

from shapeinfer.kernels.arguments import scalar
from shapeinfer.kernels.dtypes import LOW_PRECISION, Array, to_dtype
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("Range", since=(11, 27))
def range_(start: Array, limit: Array, delta: Array, *, stash_type: int = 1) -> Array:
    """``start + i * delta`` for ``i`` up to ``ceil((limit - start) / delta)``, exclusive.

    16-bit floats are computed in ``stash_type``.
    """
    first, last, step = (scalar(each, name) for each, name in ((start, "start"), (limit, "limit"), (delta, "delta")))
    if step == 0:
        raise KernelError("delta is 0")
    computed: np.dtype[Any] = to_dtype(stash_type) if start.dtype in LOW_PRECISION else start.dtype
    whole = isinstance(first, int)
    count = max(-((first - last) // step) if whole else ceil((last - first) / step), 0)
    steps = np.arange(count).astype(computed)
    result: Array = (steps * np.asarray(step, dtype=computed) + np.asarray(first, dtype=computed)).astype(start.dtype)
    return result
