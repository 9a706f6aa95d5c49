"""Normalisations: batch, instance, layer, group, RMS, local response, mean-variance and Lp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shapeinfer.kernels.arguments import normalise_axes, normalise_axis, shape_text
from shapeinfer.kernels.broadcasting import check_onto
from shapeinfer.kernels.dtypes import Array, narrow, to_dtype, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("InstanceNormalization", since=(1, 6, 22))
def instance_normalization(input: Array, scale: Array, b: Array, *, epsilon: float) -> Array:
    """Each channel of each instance with mean 0 and variance 1, then scaled and shifted by channel."""
    if input.ndim < 3:
        raise KernelError(f"the input must be [N, C, D1, ...], not of shape {shape_text(input.shape)}")
    x = widen(input)
    spread = _per_channel(x, input.shape[1], scale, b)
    axes = tuple(range(2, x.ndim))
    normal, _, _ = _standardised(x, axes, epsilon)
    return narrow(normal * spread[0] + spread[1], input.dtype)


@kernel("GroupNormalization", since=(18, 21), needs=("version",))
def group_normalization(
    x: Array, scale: Array, bias: Array, *, epsilon: float, num_groups: int, stash_type: int = 1, _version: int
) -> Array:
    """Each group of channels with mean 0 and variance 1, then scaled and shifted by channel; by group in version 18."""
    if x.ndim < 2 or num_groups < 1 or x.shape[1] % num_groups:
        raise KernelError(f"the channels of {shape_text(x.shape)} do not make {num_groups} groups")
    computed = widen(x) if _version < 21 else x.astype(to_dtype(stash_type))
    groups = computed.reshape(x.shape[0], num_groups, -1)
    normal = _standardised(groups, (2,), epsilon)[0]
    if _version < 21:
        factor, shift = _per_channel(groups, num_groups, scale, bias)
        return narrow((normal * factor + shift).reshape(x.shape), x.dtype)
    rounded = widen(narrow(normal.reshape(x.shape), x.dtype))
    factor, shift = _per_channel(x, x.shape[1], scale, bias)
    return narrow(rounded * factor + shift, x.dtype)


def _per_channel(x: Array, channels: int, *values: Array) -> list[Array]:
    """The values, one per channel, in a shape that broadcasts to ``x``."""
    for each in values:
        if each.shape != (channels,):
            raise KernelError(f"{shape_text(each.shape)} for {channels} channels")
    return [widen(each).reshape((-1,) + (1,) * (x.ndim - 2)) for each in values]


def _standardised(x: Array, axes: tuple[int, ...], epsilon: float) -> tuple[Array, Array, Array]:
    """The array with mean 0 and variance 1 along the axes; the mean; the inverse of the standard deviation."""
    mean = x.mean(axis=axes, keepdims=True)
    centred = x - mean
    inverse = 1 / np.sqrt((centred * centred).mean(axis=axes, keepdims=True) + np.asarray(epsilon, dtype=x.dtype))
    return centred * inverse, mean, inverse


@kernel("LayerNormalization", since=(17,))
def layer_normalization(
    x: Array, scale: Array, b: Array | None = None, *, axis: int, epsilon: float, stash_type: int
) -> tuple[Array, Array, Array]:
    """The dims from ``axis`` on with mean 0 and variance 1, scaled and shifted; the mean; the inverse deviation."""
    axes = tuple(range(normalise_axis(axis, x.ndim), x.ndim))
    stash: np.dtype[Any] = to_dtype(stash_type)
    normal, mean, inverse = _standardised(widen(x.astype(stash)), axes, epsilon)
    result = widen(narrow(normal, x.dtype)) * _onto(scale, x, "the scale")
    if b is not None:
        result = result + _onto(b, x, "the bias")
    return narrow(result, x.dtype), narrow(mean, stash), narrow(inverse, stash)


@kernel("RMSNormalization", since=(23,))
def rms_normalization(x: Array, scale: Array, *, axis: int, epsilon: float, stash_type: int) -> Array:
    """The dims from ``axis`` on divided by their root mean square, then scaled."""
    axes = tuple(range(normalise_axis(axis, x.ndim), x.ndim))
    computed = widen(x.astype(to_dtype(stash_type)))
    square = (computed * computed).mean(axis=axes, keepdims=True)
    normal = computed / np.sqrt(square + np.asarray(epsilon, dtype=square.dtype))
    return narrow(widen(narrow(normal, x.dtype)) * _onto(scale, x, "the scale"), scale.dtype)


def _onto(value: Array, x: Array, what: str) -> Array:
    check_onto(value.shape, x.shape, what)
    return widen(value)


@kernel("MeanVarianceNormalization", since=(9, 13))
def mean_variance_normalization(x: Array, *, axes: Sequence[int]) -> Array:
    """``(x - mean) / sqrt(variance)`` along the axes, with 1e-9 added to the deviation as in the function's body."""
    wide = widen(x)
    along = normalise_axes(axes, x.ndim)
    centred = wide - wide.mean(axis=along, keepdims=True)
    deviation = np.sqrt((centred * centred).mean(axis=along, keepdims=True))
    return narrow(centred / (deviation + np.asarray(1e-9, dtype=wide.dtype)), x.dtype)


@kernel("LpNormalization", since=(1, 22))
def lp_normalization(input: Array, *, axis: int, p: int) -> Array:
    """The input divided by its p-norm along the axis; 0 where that is 0."""
    if p not in (1, 2):
        raise KernelError(f"p is {p}, not 1 or 2")
    x = widen(input)
    norm = (np.abs(x) ** p).sum(axis=normalise_axis(axis, x.ndim), keepdims=True) ** (1 / p)
    return narrow(np.where(norm == 0, 0, x / np.where(norm == 0, 1, norm)), input.dtype)


@kernel("LRN", since=(1, 13))
def lrn(x: Array, *, size: int, alpha: float, beta: float, bias: float) -> Array:
    """Each element divided by ``(bias + alpha / size * sum of squares of size channels around it) ** beta``."""
    if x.ndim < 2 or size < 1:
        raise KernelError(f"size {size} for an input of shape {shape_text(x.shape)}")
    wide = widen(x)
    channels = x.shape[1]
    before = (size - 1) // 2
    padded = np.zeros((x.shape[0], channels + size - 1, *x.shape[2:]), dtype=wide.dtype)
    np.square(wide, out=padded[:, before : before + channels])
    total = padded[:, :channels].copy()
    for offset in range(1, size):
        total += padded[:, offset : offset + channels]
    total *= alpha / size
    total += bias
    return narrow(wide / _power(total, beta), x.dtype)


def _power(base: Array, exponent: float) -> Array:
    """``base ** exponent``, by roots where these do it."""
    if exponent == 0.75:
        root = np.sqrt(base)
        return np.asarray(root * np.sqrt(root))
    return np.asarray(base**exponent)
