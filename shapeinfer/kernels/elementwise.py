"""Functions of one number: roots, exponentials, trigonometry, rounding, sign."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shapeinfer.kernels.dtypes import Array, is_float, narrow, widen
from shapeinfer.kernels.erf import erf
from shapeinfer.kernels.registry import kernel

Unary = Callable[[Array], Array]


def reciprocal(x: Array) -> Array:
    """``1 / x``."""
    return np.asarray(np.divide(1, x, dtype=x.dtype))


def sigmoid(x: Array) -> Array:
    """``1 / (1 + exp(-x))``."""
    return np.asarray(np.divide(1, 1 + np.exp(-x), dtype=x.dtype))


def softplus(x: Array) -> Array:
    """``log(1 + exp(x))``, also where ``exp`` overflows."""
    return np.logaddexp(x, np.zeros((), dtype=x.dtype))


def softsign(x: Array) -> Array:
    """``x / (1 + |x|)``."""
    return np.asarray(np.divide(x, 1 + np.abs(x)))


def relu(x: Array) -> Array:
    """``max(0, x)``, for integers too."""
    return np.maximum(x, np.zeros((), dtype=x.dtype))


def _register(op: str, function: Unary, since: tuple[int, ...]) -> None:
    @kernel(op, since=since)
    def run(x: Array) -> Array:
        return narrow(np.asarray(function(widen(x))), x.dtype)


for _op, _function, _since in (
    ("Abs", np.abs, (1, 6, 13)),
    ("Neg", np.negative, (1, 6, 13)),
    ("Sign", np.sign, (9, 13)),
    ("Ceil", np.ceil, (1, 6, 13)),
    ("Floor", np.floor, (1, 6, 13)),
    ("Round", np.rint, (11, 22)),
    ("Sqrt", np.sqrt, (1, 6, 13)),
    ("Reciprocal", reciprocal, (1, 6, 13)),
    ("Exp", np.exp, (1, 6, 13)),
    ("Log", np.log, (1, 6, 13)),
    ("Sin", np.sin, (7, 22)),
    ("Cos", np.cos, (7, 22)),
    ("Tan", np.tan, (7, 22)),
    ("Asin", np.arcsin, (7, 22)),
    ("Acos", np.arccos, (7, 22)),
    ("Atan", np.arctan, (7, 22)),
    ("Sinh", np.sinh, (9, 22)),
    ("Cosh", np.cosh, (9, 22)),
    ("Asinh", np.arcsinh, (9, 22)),
    ("Acosh", np.arccosh, (9, 22)),
    ("Atanh", np.arctanh, (9, 22)),
    ("Tanh", np.tanh, (1, 6, 13)),
    ("Sigmoid", sigmoid, (1, 6, 13)),
    ("Softplus", softplus, (1, 22)),
    ("Softsign", softsign, (1, 22)),
    ("Relu", relu, (1, 6, 13, 14)),
):
    _register(_op, _function, _since)


@kernel("Erf", since=(9, 13))
def error_function(input: Array) -> Array:
    """The error function; integers are rounded toward zero."""
    computed = input if is_float(input.dtype) else input.astype(np.float64)
    return narrow(erf(widen(computed)), input.dtype)
