"""Where."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.registry import kernel


@kernel("Where", since=(9, 16))
def where(condition: Array, x: Array, y: Array) -> Array:
    """The elements of ``x`` where the condition is true, else of ``y``; the three are broadcast."""
    return np.where(condition, x, y)
