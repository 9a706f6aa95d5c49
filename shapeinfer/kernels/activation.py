"""Activations with parameters, and bounds: LeakyRelu, Elu, Selu, Gelu, PRelu, Clip and the like."""

from __future__ import annotations

import math

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.broadcasting import check_onto
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.elementwise import sigmoid, softplus
from shapeinfer.kernels.erf import erf
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("LeakyRelu", since=(1, 6, 16))
def leaky_relu(x: Array, *, alpha: float) -> Array:
    """``alpha * x`` below 0, else ``x``."""
    wide = widen(x)
    return narrow(np.where(wide < 0, wide * alpha, wide), x.dtype)


@kernel("Elu", since=(1, 6, 22))
def elu(x: Array, *, alpha: float) -> Array:
    """``alpha * (exp(x) - 1)`` below 0, else ``x``."""
    wide = widen(x)
    return narrow(np.where(wide < 0, np.expm1(wide) * alpha, wide), x.dtype)


@kernel("Selu", since=(1, 6, 22))
def selu(x: Array, *, alpha: float, gamma: float) -> Array:
    """``gamma * alpha * (exp(x) - 1)`` up to 0, else ``gamma * x``."""
    wide = widen(x)
    return narrow(np.where(wide <= 0, np.expm1(wide) * alpha, wide) * gamma, x.dtype)


@kernel("Celu", since=(12, 28))
def celu(x: Array, *, alpha: float) -> Array:
    """``max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``."""
    wide = widen(x)
    return narrow(np.maximum(wide, 0) + np.minimum(0, np.expm1(wide / alpha) * alpha), x.dtype)


@kernel("ThresholdedRelu", since=(10, 22))
def thresholded_relu(x: Array, *, alpha: float) -> Array:
    """``x`` above ``alpha``, else 0."""
    wide = widen(x)
    return narrow(np.where(wide > alpha, wide, np.zeros((), dtype=wide.dtype)), x.dtype)


@kernel("HardSigmoid", since=(1, 6, 22))
def hard_sigmoid(x: Array, *, alpha: float, beta: float) -> Array:
    """``max(0, min(1, alpha * x + beta))``."""
    return narrow(np.clip(widen(x) * alpha + beta, 0, 1), x.dtype)


@kernel("HardSwish", since=(14, 22))
def hard_swish(x: Array) -> Array:
    """``x * max(0, min(1, x / 6 + 0.5))``."""
    wide = widen(x)
    return narrow(wide * np.clip(wide / 6 + 0.5, 0, 1), x.dtype)


@kernel("Gelu", since=(20,))
def gelu(x: Array, *, approximate: str) -> Array:
    """``0.5 * x * (1 + erf(x / sqrt(2)))``, or its approximation by tanh."""
    wide = widen(x)
    if approximate == "none":
        part = erf(wide / math.sqrt(2))
    elif approximate == "tanh":
        part = np.tanh(math.sqrt(2 / math.pi) * (wide + 0.044715 * wide**3))
    else:
        raise KernelError(f"there is no approximation {approximate!r}")
    return narrow(0.5 * wide * (1 + part), x.dtype)


@kernel("Mish", since=(18, 22))
def mish(x: Array) -> Array:
    """``x * tanh(softplus(x))``."""
    wide = widen(x)
    return narrow(wide * np.tanh(softplus(wide)), x.dtype)


@kernel("Swish", since=(24,))
def swish(x: Array, *, alpha: float) -> Array:
    """``x * sigmoid(alpha * x)``."""
    wide = widen(x)
    return narrow(wide * sigmoid(wide * alpha), x.dtype)


@kernel("SwiGLU", since=(28,))
def swiglu(a: Array, b: Array, *, alpha: float) -> Array:
    """``a * sigmoid(alpha * a) * b``, for shapes that are equal."""
    if a.shape != b.shape:
        raise KernelError(f"{shape_text(a.shape)} and {shape_text(b.shape)} differ")
    gate = widen(a)
    return narrow(gate * sigmoid(gate * alpha) * widen(b), a.dtype)


@kernel("Shrink", since=(9,))
def shrink(input: Array, *, bias: float, lambd: float) -> Array:
    """``x + bias`` below ``-lambd``, ``x - bias`` above ``lambd``, else 0."""
    x = widen(input)
    above = np.where(x > lambd, x - bias, 0)
    return narrow(np.where(x < -lambd, x + bias, above), input.dtype)


@kernel("PRelu", since=(1, 6))
def prelu_channels(x: Array, slope: Array) -> Array:
    """``slope * x`` below 0, else ``x``, with one slope for all or one for each channel (axis 1)."""
    if slope.size == 1:
        return _prelu(x, slope.reshape(()))
    if x.ndim < 2 or slope.shape != (x.shape[1],):
        raise KernelError(f"slopes {shape_text(slope.shape)} for the channels of {shape_text(x.shape)}")
    return _prelu(x, slope.reshape((-1,) + (1,) * (x.ndim - 2)))


@kernel("PRelu", since=(7, 9, 16))
def prelu(x: Array, slope: Array) -> Array:
    """``slope * x`` below 0, else ``x``; the slope is broadcast to ``x``."""
    check_onto(slope.shape, x.shape, "the slope")
    return _prelu(x, slope)


def _prelu(x: Array, slope: Array) -> Array:
    wide = widen(x)
    return narrow(np.where(wide < 0, wide * widen(slope), wide), x.dtype)


@kernel("Clip", since=(1, 6))
def clip_attribute(input: Array, *, min: float | None = None, max: float | None = None) -> Array:
    """The elements, raised to the attribute ``min`` and then lowered to ``max``."""
    x = widen(input)
    return narrow(_clipped(x, _number(x, min), _number(x, max)), input.dtype)


@kernel("Clip", since=(11, 12, 13))
def clip(input: Array, min: Array | None = None, max: Array | None = None) -> Array:
    """The elements, raised to the input ``min`` and then lowered to ``max``; both are scalars."""
    for bound in (min, max):
        if bound is not None and bound.size != 1:
            raise KernelError(f"a bound must be a scalar, not of shape {shape_text(bound.shape)}")
    low, high = (None if bound is None else widen(bound.reshape(())) for bound in (min, max))
    return narrow(_clipped(widen(input), low, high), input.dtype)


def _number(like: Array, value: float | None) -> Array | None:
    return None if value is None else np.asarray(value, dtype=like.dtype)


def _clipped(x: Array, low: Array | None, high: Array | None) -> Array:
    if low is not None:
        x = np.maximum(x, low)
    return x if high is None else np.minimum(x, high)
