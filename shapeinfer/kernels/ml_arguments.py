"""What the kernels of ai.onnx.ml share: rows of features, lists of which one is stated, and transforms of scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import STRING, Array, is_integer
from shapeinfer.kernels.erf import erf
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.softmax import softmax

ML: Final = "ai.onnx.ml"

_T = TypeVar("_T")
_KEPT: Final = 64
_prepared: dict[tuple[int, ...], tuple[tuple[Any, ...], Any]] = {}


def prepared(make: Callable[..., _T], *attributes: Any) -> _T:
    """``make(*attributes)``, made once for the same attribute objects, which a prepared model passes in every run."""
    key = (id(make), *(each if isinstance(each, int) else id(each) for each in attributes))
    found = _prepared.get(key)
    if found is None:
        if len(_prepared) >= _KEPT:
            _prepared.pop(next(iter(_prepared)), None)
        found = _prepared[key] = ((make, *attributes), make(*attributes))
    result: _T = found[1]
    return result


def rows(x: Array) -> Array:
    """The input as ``[N, F]``; one of rank 1 is a single row.

    Raises:
        KernelError: for any other rank.
    """
    if x.ndim not in (1, 2):
        raise KernelError(f"the input must be [N, F] or [F], not of shape {shape_text(x.shape)}")
    return x if x.ndim == 2 else x[None]


def floats(x: Array) -> Array:
    """Floats as they are, integers as float32."""
    return x.astype(np.float32) if is_integer(x.dtype) else x


def stated(**lists: _T | None) -> tuple[str, _T]:
    """The one of these attributes that is stated, with its name.

    Raises:
        KernelError: when none is, or more than one.
    """
    found = [(name, value) for name, value in lists.items() if value is not None]
    if len(found) != 1:
        raise KernelError(f"exactly one of {', '.join(lists)} must be stated, not {len(found)}")
    return found[0]


def labels(integers: Sequence[int] | None, strings: Sequence[str] | None) -> Array:
    """The class labels, whichever list of them is stated."""
    _, values = stated(integers=integers or None, strings=strings or None)
    return np.array(values, dtype=STRING if strings else np.int64)


def transformed(scores: Array, transform: str) -> Array:
    """Scores ``[N, E]`` after ``post_transform``.

    Raises:
        KernelError: when there is no such transform.
    """
    if transform == "NONE":
        return scores
    if transform == "SOFTMAX":
        return softmax(scores, 1)
    if transform == "LOGISTIC":
        return logistic(scores)
    if transform == "SOFTMAX_ZERO":
        return _softmax_zero(scores)
    if transform == "PROBIT":
        return probit(scores)
    raise KernelError(f"there is no transform {transform!r}")


def logistic(x: Array) -> Array:
    """``1 / (1 + exp(-x))``."""
    return np.asarray(1 / (1 + np.exp(-x)), dtype=x.dtype)


def _softmax_zero(x: Array) -> Array:
    """Softmax of the scores that are not 0; those that are stay 0."""
    if not x.size:
        return x
    parts = np.where(x == 0, 0, np.exp(x - x.max(axis=1, keepdims=True)))
    total = parts.sum(axis=1, keepdims=True)
    return np.asarray(parts / np.where(total == 0, 1, total), dtype=x.dtype)


def probit(p: Array) -> Array:
    """The inverse of the standard normal distribution's cumulative function."""
    y = 2 * p.astype(np.float64) - 1
    inside = np.clip(y, -1 + 1e-16, 1 - 1e-16)
    x = _inverse_erf_guess(inside)
    for _ in range(3):  # Halley's method
        step = (erf(x) - inside) / (2 / math.sqrt(math.pi) * np.exp(-x * x))
        x = x - step / (1 + x * step)
    x = np.where(np.abs(y) == 1, np.copysign(np.inf, y), np.where(np.abs(y) > 1, np.nan, x))
    return np.asarray(math.sqrt(2) * x, dtype=p.dtype)


def _inverse_erf_guess(y: Array) -> Array:
    """Winitzki's approximation, good to three digits."""
    logarithm = np.log((1 - y) * (1 + y))
    half = 2 / (math.pi * 0.147) + logarithm / 2
    return np.asarray(np.copysign(np.sqrt(np.sqrt(half * half - logarithm / 0.147) - half), y))
