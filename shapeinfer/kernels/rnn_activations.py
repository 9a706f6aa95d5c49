"""The activation functions of recurrent cells, with their ``alpha`` and ``beta`` and the clipping before them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np

from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.elementwise import relu, sigmoid, softplus, softsign
from shapeinfer.kernels.errors import KernelError

Activation: TypeAlias = Callable[[Array], Array]

_PLAIN: Final[Mapping[str, Activation]] = {
    "Relu": relu,
    "Tanh": np.tanh,
    "Sigmoid": sigmoid,
    "Softsign": softsign,
    "Softplus": softplus,
}
_SCALED: Final[Mapping[str, tuple[Callable[[Array, float, float], Array], tuple[float, ...]]]] = {
    "Affine": (lambda x, a, b: a * x + b, (1.0, 0.0)),
    "LeakyRelu": (lambda x, a, b: np.where(x >= 0, x, a * x), (0.01,)),
    "ThresholdedRelu": (lambda x, a, b: np.where(x >= a, x, 0), (1.0,)),
    "ScaledTanh": (lambda x, a, b: a * np.tanh(b * x), (1.0, 1.0)),
    "HardSigmoid": (lambda x, a, b: np.clip(a * x + b, 0, 1), (0.2, 0.5)),
    "Elu": (lambda x, a, b: np.where(x >= 0, x, a * np.expm1(x)), (1.0,)),
}
"""Those with parameters: ``alpha``, or ``alpha`` and ``beta``, and their defaults."""


def activations_of(
    names: Sequence[str], alpha: Sequence[float], beta: Sequence[float], clip: float | None
) -> list[Activation]:
    """The activations by name, their arguments clipped to ``[-clip, clip]``.

    The values of ``alpha`` and ``beta`` go, in order, to the activations that have such a parameter.

    Raises:
        KernelError: when there is no activation of a name.
    """
    alphas, betas = list(alpha), list(beta)
    found = []
    for name in names:
        if name in _PLAIN:
            found.append(_clipped(_PLAIN[name], clip))
            continue
        if name not in _SCALED:
            raise KernelError(f"there is no activation {name!r}")
        function, defaults = _SCALED[name]
        a = alphas.pop(0) if alphas else defaults[0]
        b = 0.0
        if len(defaults) > 1:
            b = betas.pop(0) if betas else defaults[1]
        found.append(_clipped(_scaled(function, a, b), clip))
    return found


def _scaled(function: Callable[[Array, float, float], Array], a: float, b: float) -> Activation:
    return lambda x: np.asarray(function(x, a, b), dtype=x.dtype)


def _clipped(function: Activation, clip: float | None) -> Activation:
    return function if clip is None else lambda x: function(np.clip(x, -clip, clip))
