"""Random numbers: normal, uniform, Bernoulli and multinomial. A seed gives the same numbers each time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shapeinfer.kernels.arguments import shape_text, sizes
from shapeinfer.kernels.dtypes import Array, is_float, label, to_dtype
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


def _source(seed: float | None, rng: np.random.Generator) -> np.random.Generator:
    return rng if seed is None else np.random.default_rng(int(np.float32(seed).view(np.uint32)))


def _float_type(dtype: int | None, like: Array | None = None) -> np.dtype[np.generic]:
    found = to_dtype(1 if dtype is None else dtype) if dtype is not None or like is None else like.dtype
    if not is_float(found):
        raise KernelError(f"random numbers of type {label(found)} cannot be made")
    return found


@kernel("RandomNormal", since=(1, 22), needs=("rng",))
def random_normal(
    *,
    shape: Sequence[int],
    dtype: int = 1,
    mean: float,
    scale: float,
    seed: float | None = None,
    _rng: np.random.Generator,
) -> Array:
    """Normally distributed numbers of this mean and standard deviation."""
    drawn = _source(seed, _rng).normal(mean, scale, sizes(shape, "shape"))
    return np.asarray(drawn).astype(_float_type(dtype))


@kernel("RandomNormalLike", since=(1, 22), needs=("rng",))
def random_normal_like(
    input: Array,
    *,
    mean: float,
    scale: float,
    dtype: int | None = None,
    seed: float | None = None,
    _rng: np.random.Generator,
) -> Array:
    """Normally distributed numbers in the shape of the input, and of its type unless another is given."""
    drawn = _source(seed, _rng).normal(mean, scale, input.shape)
    return np.asarray(drawn).astype(_float_type(dtype, input))


@kernel("RandomUniform", since=(1, 22), needs=("rng",))
def random_uniform(
    *,
    shape: Sequence[int],
    dtype: int = 1,
    high: float,
    low: float,
    seed: float | None = None,
    _rng: np.random.Generator,
) -> Array:
    """Uniformly distributed numbers from ``low`` to ``high``."""
    drawn = _source(seed, _rng).uniform(low, high, sizes(shape, "shape"))
    return np.asarray(drawn).astype(_float_type(dtype))


@kernel("RandomUniformLike", since=(1, 22), needs=("rng",))
def random_uniform_like(
    input: Array,
    *,
    high: float,
    low: float,
    dtype: int | None = None,
    seed: float | None = None,
    _rng: np.random.Generator,
) -> Array:
    """Uniformly distributed numbers in the shape of the input, and of its type unless another is given."""
    drawn = _source(seed, _rng).uniform(low, high, input.shape)
    return np.asarray(drawn).astype(_float_type(dtype, input))


@kernel("Bernoulli", since=(15, 22), needs=("rng",))
def bernoulli(input: Array, *, dtype: int | None = None, seed: float | None = None, _rng: np.random.Generator) -> Array:
    """1 with the probability that the input has at this place, else 0."""
    chances = input.astype(np.float64)
    if ((chances < 0) | (chances > 1)).any():
        raise KernelError("a probability is not in [0, 1]")
    target = input.dtype if dtype is None else to_dtype(dtype)
    return np.asarray(_source(seed, _rng).random(input.shape) < chances).astype(target)


@kernel("Multinomial", since=(7, 22), needs=("rng",))
def multinomial(
    input: Array, *, dtype: int, sample_size: int, seed: float | None = None, _rng: np.random.Generator
) -> Array:
    """``[batch, sample_size]`` classes, drawn by the unnormalized log probabilities ``[batch, classes]``."""
    if input.ndim != 2 or not input.shape[1] or sample_size < 0:
        raise KernelError(f"{sample_size} samples of {shape_text(input.shape)}")
    logs = input.astype(np.float64)
    ends = np.cumsum(np.exp(logs - logs.max(axis=1, keepdims=True)), axis=1)
    batch, classes = input.shape
    rows = np.arange(batch)[:, None]
    draws = _source(seed, _rng).random((batch, sample_size))
    found = np.searchsorted((ends / ends[:, -1:] + rows).reshape(-1), draws + rows, side="right")
    return np.asarray(np.clip(found - rows * classes, 0, classes - 1)).astype(to_dtype(dtype))
