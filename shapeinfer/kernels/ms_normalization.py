"""com.microsoft: normalisations of layers and groups, fused with additions and embeddings."""

from __future__ import annotations

from math import prod

import numpy as np

from shapeinfer.kernels.arguments import normalise_axis, shape_text
from shapeinfer.kernels.broadcasting import check_onto
from shapeinfer.kernels.dtypes import Array, narrow, to_dtype, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.ms_shared import MS, check_vector, required, silu
from shapeinfer.kernels.registry import kernel


@kernel("SimplifiedLayerNormalization", since=(1,))
def simplified_layer_normalization(
    x: Array, scale: Array, *, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
) -> tuple[Array, Array]:
    """The dims from ``axis`` on divided by their root mean square, then scaled; the inverse of that root."""
    axes = tuple(range(normalise_axis(axis, x.ndim), x.ndim))
    wide = x if x.dtype == np.float64 else x.astype(to_dtype(stash_type))
    result, inverse = _by_root_mean_square(widen(wide), axes, epsilon)
    check_onto(scale.shape, x.shape, "the scale")
    return narrow(widen(narrow(result, x.dtype)) * widen(scale), scale.dtype), inverse


def _by_root_mean_square(x: Array, axes: tuple[int, ...], epsilon: float) -> tuple[Array, Array]:
    inverse = 1 / np.sqrt((x * x).mean(axis=axes, keepdims=True) + np.asarray(epsilon, dtype=x.dtype))
    return x * inverse, inverse


def _standardised(x: Array, axes: tuple[int, ...], epsilon: float) -> tuple[Array, Array, Array]:
    mean = x.mean(axis=axes, keepdims=True)
    result, inverse = _by_root_mean_square(x - mean, axes, epsilon)
    return result, mean, inverse


@kernel("SkipLayerNormalization", since=(1,), domain=MS)
def skip_layer_normalization(
    input: Array,
    skip: Array,
    gamma: Array,
    beta: Array | None = None,
    bias: Array | None = None,
    *,
    epsilon: float = 1e-12,
) -> tuple[Array, Array, Array, Array]:
    """The sum of input, skip and bias with mean 0 and variance 1 along the last axis, scaled and shifted.

    Also the means, the inverse deviations and the sum.
    """
    total = _skipped(input, skip, bias)
    for value, what in ((gamma, "gamma"), (beta, "beta")):
        check_vector(value, input.shape[-1], what)
    result, mean, inverse = _standardised(total, (-1,), epsilon)
    result = result * widen(gamma)
    if beta is not None:
        result = result + widen(beta)
    floats = np.dtype(np.float32)
    return narrow(result, input.dtype), narrow(mean, floats), narrow(inverse, floats), narrow(total, input.dtype)


@kernel("SkipSimplifiedLayerNormalization", since=(1,), domain=MS)
def skip_simplified_layer_normalization(
    input: Array, skip: Array, gamma: Array, bias: Array | None = None, *, epsilon: float = 1e-12
) -> tuple[Array, Array, Array, Array]:
    """The sum of input, skip and bias divided by its root mean square along the last axis, and scaled."""
    total = _skipped(input, skip, bias)
    check_vector(gamma, input.shape[-1], "gamma")
    result, inverse = _by_root_mean_square(total, (-1,), epsilon)
    mean = total.mean(axis=-1, keepdims=True).astype(np.float32)
    scaled = narrow(result * widen(gamma), input.dtype)
    return scaled, mean, narrow(inverse, np.dtype(np.float32)), narrow(total, input.dtype)


def _skipped(input: Array, skip: Array, bias: Array | None) -> Array:
    """``input + skip + bias``; the skip may lack the batch, or have 1 there."""
    if input.ndim not in (2, 3):
        raise KernelError(f"the input must be of rank 2 or 3, not of shape {shape_text(input.shape)}")
    if skip.shape[-2:] != input.shape[-2:]:
        raise KernelError(f"a skip {shape_text(skip.shape)} for {shape_text(input.shape)}")
    check_onto(skip.shape, input.shape, "the skip")
    check_vector(bias, input.shape[-1], "the bias")
    total = widen(input) + widen(skip)
    return total if bias is None else total + widen(bias)


@kernel("EmbedLayerNormalization", since=(1,), domain=MS)
def embed_layer_normalization(
    input_ids: Array,
    segment_ids: Array | None = None,
    word_embedding: Array | None = None,
    position_embedding: Array | None = None,
    segment_embedding: Array | None = None,
    gamma: Array | None = None,
    beta: Array | None = None,
    mask: Array | None = None,
    position_ids: Array | None = None,
    *,
    epsilon: float = 1e-12,
    mask_index_type: int = 0,
) -> tuple[Array, Array, Array]:
    """The embeddings of words, positions and segments, added and normalised; how many words the mask keeps.

    Without a mask that is 0. The third output is the sum of the embeddings.
    """
    if input_ids.ndim != 2:
        raise KernelError(f"input_ids must be [B, S], not of shape {shape_text(input_ids.shape)}")
    batch, length = input_ids.shape
    places = np.arange(length)[None] if position_ids is None else position_ids
    words = required(word_embedding, "word_embedding")
    total = _looked_up(words, input_ids) + _looked_up(required(position_embedding, "position_embedding"), places)
    if segment_embedding is not None:
        segments = np.zeros_like(input_ids) if segment_ids is None else segment_ids
        total = total + _looked_up(segment_embedding, segments)
    result = _standardised(total, (-1,), epsilon)[0]
    result = result * widen(required(gamma, "gamma")) + widen(required(beta, "beta"))
    kept = np.zeros(batch, dtype=np.int32) if mask is None else (mask == 1).sum(axis=1, dtype=np.int32)
    return narrow(result, words.dtype), kept, narrow(total, words.dtype)


def _looked_up(table: Array, indices: Array) -> Array:
    outside = (indices < 0) | (indices >= table.shape[0])
    if outside.any():
        raise KernelError(f"the index {indices[outside][0]} is out of range for {table.shape[0]} embeddings")
    return widen(table)[indices]


@kernel("QEmbedLayerNormalization", since=(1,), domain=MS)
def q_embed_layer_normalization(
    input_ids: Array, segment_ids: Array | None = None, *rest: Array | None, epsilon: float = 1e-12
) -> tuple[Array, Array]:
    """As EmbedLayerNormalization, with tables that each have a scale and a zero point."""
    if len(rest) != 16:
        raise KernelError(f"18 inputs are required, not {len(rest) + 2}")
    tables, mask, scales, zeros = rest[:5], rest[5], rest[6:11], rest[11:]
    plain = [
        None if each is None or scale is None or zero is None else (each.astype(np.float32) - zero.item()) * scale
        for each, scale, zero in zip(tables, scales, zeros, strict=True)
    ]
    word, position, segment, gamma, beta = plain
    return embed_layer_normalization(
        input_ids, segment_ids, word, position, segment, gamma, beta, mask, epsilon=epsilon
    )[:2]


def _grouped(x: Array, gamma: Array, beta: Array, groups: int, epsilon: float, activation: int, last: int) -> Array:
    wide = np.moveaxis(widen(x), -1, 1) if last else widen(x)
    channels = wide.shape[1]
    if groups < 1 or channels % groups:
        raise KernelError(f"{channels} channels do not make {groups} groups")
    check_vector(gamma, channels, "gamma")
    check_vector(beta, channels, "beta")
    parts = wide.reshape(wide.shape[0], groups, channels // groups * prod(wide.shape[2:]))
    normal = _standardised(parts, (2,), epsilon)[0].reshape(wide.shape)
    spread = (-1,) + (1,) * (wide.ndim - 2)
    result = normal * widen(gamma).reshape(spread) + widen(beta).reshape(spread)
    if activation:
        result = silu(result)
    return narrow(np.moveaxis(result, 1, -1) if last else result, x.dtype)


@kernel("GroupNorm", since=(1,), domain=MS)
def group_norm(
    x: Array,
    gamma: Array,
    beta: Array,
    *,
    activation: int,
    channels_last: int = 1,
    epsilon: float = 1e-5,
    groups: int,
) -> Array:
    """Each group of channels with mean 0 and variance 1, scaled and shifted by channel; SiLU with ``activation``."""
    return _grouped(x, gamma, beta, groups, epsilon, activation, channels_last)


@kernel("SkipGroupNorm", since=(1,), domain=MS)
def skip_group_norm(
    x: Array,
    gamma: Array,
    beta: Array,
    skip: Array,
    bias: Array | None = None,
    *,
    activation: int,
    channels_last: int = 1,
    epsilon: float = 1e-5,
    groups: int,
) -> tuple[Array, Array]:
    """GroupNorm of the sum of input, skip and bias, and that sum; the skip may lack the spatial dims."""
    axis = -1 if channels_last else 1
    if skip.ndim == 2:
        skip = skip[:, None, None, :] if channels_last else skip[:, :, None, None]
    total = widen(x) + widen(skip)
    if bias is not None:
        check_vector(bias, x.shape[axis], "the bias")
        total = total + widen(bias).reshape((-1,) if channels_last else (-1,) + (1,) * (x.ndim - 2))
    summed = narrow(total, x.dtype)
    return _grouped(summed, gamma, beta, groups, epsilon, activation, channels_last), summed


@kernel("GatedRMSNorm", since=(1,), domain=MS)
def gated_rms_norm(x: Array, scale: Array, gate: Array, *, activation: str = "silu", epsilon: float = 1e-5) -> Array:
    """The last axis divided by its root mean square and scaled, times the activation of the gate."""
    if x.shape != gate.shape:
        raise KernelError(f"{shape_text(x.shape)} and {shape_text(gate.shape)} differ")
    wide = widen(gate)
    if activation in ("silu", "swish"):
        factor = silu(wide)
    elif activation == "sigmoid":
        factor = np.asarray(1 / (1 + np.exp(-wide)))
    else:
        raise KernelError(f"there is no activation {activation!r}")
    return narrow(_by_root_mean_square(widen(x), (-1,), epsilon)[0] * widen(scale) * factor, x.dtype)
