"""com.microsoft: dropouts with a bias and with masks of single bits, and a check for numbers that are not finite."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import scalar
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.ms_shared import MS, check_vector
from shapeinfer.kernels.registry import kernel


def _dropped(
    data: Array,
    bias: Array | None,
    residual: Array | None,
    ratio: Array | None,
    training_mode: Array | None,
    seed: int | None,
    rng: np.random.Generator,
) -> tuple[Array, Array]:
    """``dropout(data + bias) + residual`` and which entries are kept; without training mode, all are."""
    total = widen(data)
    if bias is not None:
        check_vector(bias, data.shape[-1] if data.ndim else 0, "the bias")
        total = total + widen(bias)
    share = 0.5 if ratio is None else float(scalar(ratio, "ratio"))
    kept = np.ones(data.shape, dtype=bool)
    if training_mode is not None and scalar(training_mode, "training_mode") and share > 0:
        source = rng if seed is None else np.random.default_rng(seed)
        kept = source.random(data.shape) >= share
        total = np.where(kept, total / np.asarray(1 - share, dtype=total.dtype), 0)
    if residual is not None:
        total = total + widen(residual)
    return narrow(total, data.dtype), kept


def _packed(kept: Array) -> Array:
    """One bit for each entry, 32 to a number, the lowest first."""
    bits = kept.reshape(-1)
    padded = np.zeros(-(-bits.size // 32) * 32, dtype=bool)
    padded[: bits.size] = bits
    return np.packbits(padded, bitorder="little").view("<u4").astype(np.uint32)


@kernel("BiasDropout", since=(1,), domain=MS, needs=("rng",))
def bias_dropout(
    data: Array,
    bias: Array,
    residual: Array | None = None,
    ratio: Array | None = None,
    training_mode: Array | None = None,
    *,
    seed: int | None = None,
    _rng: np.random.Generator,
) -> tuple[Array, Array]:
    """``dropout(data + bias) + residual`` and the mask."""
    return _dropped(data, bias, residual, ratio, training_mode, seed, _rng)


@kernel("BitmaskDropout", since=(1,), domain=MS, needs=("rng",))
def bitmask_dropout(
    data: Array,
    ratio: Array | None = None,
    training_mode: Array | None = None,
    *,
    seed: int | None = None,
    _rng: np.random.Generator,
) -> tuple[Array, Array]:
    """Dropout and the mask, a bit for each entry."""
    result, kept = _dropped(data, None, None, ratio, training_mode, seed, _rng)
    return result, _packed(kept)


@kernel("BitmaskBiasDropout", since=(1,), domain=MS, needs=("rng",))
def bitmask_bias_dropout(
    data: Array,
    bias: Array,
    residual: Array | None = None,
    ratio: Array | None = None,
    training_mode: Array | None = None,
    *,
    seed: int | None = None,
    _rng: np.random.Generator,
) -> tuple[Array, Array]:
    """``dropout(data + bias) + residual`` and the mask, a bit for each entry."""
    result, kept = _dropped(data, bias, residual, ratio, training_mode, seed, _rng)
    return result, _packed(kept)


@kernel("IsAllFinite", since=(1,), domain=MS)
def is_all_finite(*input: Array, isinf_only: int = 0, isnan_only: int = 0) -> Array:
    """Whether no input has an infinite entry or NaN, or none of the one kind."""
    fine = [np.isfinite(widen(each)) for each in input]
    if isinf_only:
        fine = [~np.isinf(widen(each)) for each in input]
    elif isnan_only:
        fine = [~np.isnan(widen(each)) for each in input]
    return np.array(all(each.all() for each in fine))
