"""Identity and Dropout."""

from __future__ import annotations

from typing import Any

import numpy as np

from shapeinfer.kernels.arguments import scalar
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("Identity", since=(1, 13, 14, 16, 19, 21, 23, 24, 25))
def identity(input: Any = None) -> Any:
    """The input itself, which may also be a sequence or an optional, even one without an element."""
    return input


@kernel("Dropout", since=(1, 6, 7, 10), needs=("version",))
def dropout_attribute(data: Array, *, ratio: float, is_test: int = 0, _version: int) -> tuple[Array, Array]:
    """Inference: the data itself and a mask of ones, of the data's type before version 10. Nothing is ever dropped."""
    return data, np.ones(data.shape, dtype=bool if _version >= 10 else data.dtype)


@kernel("Dropout", since=(12, 13, 22), needs=("rng",))
def dropout(
    data: Array,
    ratio: Array | None = None,
    training_mode: Array | None = None,
    *,
    seed: int | None = None,
    _rng: np.random.Generator,
) -> tuple[Array, Array]:
    """The data itself and a mask of ones; with ``training_mode``, elements dropped at random and the rest scaled."""
    rate = 0.5 if ratio is None else float(scalar(ratio, "ratio"))
    if training_mode is None or not scalar(training_mode, "training_mode") or rate == 0:
        return data, np.ones(data.shape, dtype=bool)
    if not 0 <= rate < 1:
        raise KernelError(f"ratio {rate} is not in [0, 1)")
    draws = _rng if seed is None else np.random.default_rng(abs(seed))
    mask = draws.random(data.shape) >= rate
    return narrow(widen(data) * mask / (1 - rate), data.dtype), mask
