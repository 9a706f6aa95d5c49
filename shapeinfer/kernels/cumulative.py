"""CumSum and CumProd."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from shapeinfer.kernels.arguments import normalise_axis, scalar
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.registry import kernel


def _register(op: str, since: tuple[int, ...], function: Callable[..., Any], neutral: int) -> None:
    @kernel(op, since=since)
    def run(x: Array, axis: Array, *, exclusive: int, reverse: int) -> Array:
        at = normalise_axis(int(scalar(axis, "axis")), x.ndim)
        data = np.flip(widen(x), at) if reverse else widen(x)
        if exclusive and data.shape[at]:
            shape = (*data.shape[:at], 1, *data.shape[at + 1 :])
            before = (slice(None),) * at + (slice(-1),)
            data = np.concatenate((np.full(shape, neutral, dtype=data.dtype), data[before]), axis=at)
        result = function(data, axis=at, dtype=data.dtype)
        return narrow(np.flip(result, at) if reverse else result, x.dtype)


_register("CumSum", (11, 14), np.cumsum, 0)
_register("CumProd", (26,), np.cumprod, 1)
