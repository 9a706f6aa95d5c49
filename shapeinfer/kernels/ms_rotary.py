"""com.microsoft: rotary embedding of positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.ms_shared import MS
from shapeinfer.kernels.registry import kernel


def rotated(x: Array, cos: Array, sin: Array, places: Array, *, interleaved: int = 0) -> Array:
    """Pairs of numbers of each head turned by the angle of their position.

    Args:
        x: ``[B, N, S, H]``.
        cos, sin: ``[positions, R / 2]``; the first ``R`` numbers of a head are turned, the others stay.
        places: the positions, ``[B, S]``.
        interleaved: whether pairs are neighbours; else one of each is in the first half, one in the second.

    Raises:
        KernelError: when a position is outside of the tables, or these are too wide.
    """
    if places.size and not (places.min() >= 0 and places.max() < cos.shape[0]):
        raise KernelError(f"the positions {places.min()} to {places.max()} do not lie in {cos.shape[0]} rows")
    size = 2 * cos.shape[1]
    if cos.shape != sin.shape or size > x.shape[-1]:
        raise KernelError(f"tables {shape_text(cos.shape)} and {shape_text(sin.shape)} for heads of {x.shape[-1]}")
    c, s = cos[places][:, None], sin[places][:, None]
    turned, rest = x[..., :size], x[..., size:]
    if interleaved:
        a, b = turned[..., ::2], turned[..., 1::2]
        result = np.stack([a * c - b * s, b * c + a * s], axis=-1).reshape(turned.shape)
    else:
        a, b = np.split(turned, 2, axis=-1)
        result = np.concatenate([a * c - b * s, b * c + a * s], axis=-1)
    return np.concatenate([result, rest], axis=-1) if rest.shape[-1] else result


@kernel("RotaryEmbedding", since=(1,), domain=MS)
def rotary_embedding(
    input: Array,
    position_ids: Array,
    cos_cache: Array,
    sin_cache: Array,
    *,
    interleaved: int = 0,
    is_packed_batching: int = 0,
    num_heads: int = 0,
    rotary_embedding_dim: int = 0,
    scale: float = 1.0,
) -> Array:
    """The input, ``[B, S, N * H]`` or ``[B, N, S, H]``, turned; a single position is that of the first token."""
    x = _heads_first(input, num_heads, cos_cache)
    batch, _, length, _ = x.shape
    if position_ids.ndim < 2:
        position_ids = position_ids.reshape(-1, 1) + np.arange(length)
    places = np.broadcast_to(position_ids, (batch, length))
    result = rotated(x, widen(cos_cache), widen(sin_cache), places, interleaved=interleaved)
    return _as_given(result, input)


def _heads_first(input: Array, num_heads: int, cos_cache: Array) -> Array:
    """The input as ``[B, N, S, H]``."""
    x = widen(input)
    if input.ndim == 3:
        size = input.shape[2] // num_heads if num_heads else 2 * cos_cache.shape[1]
        if not size or input.shape[2] % size:
            raise KernelError(f"{shape_text(input.shape)} cannot be cut into heads of {size}")
        return x.reshape(*input.shape[:2], -1, size).transpose(0, 2, 1, 3)
    if input.ndim != 4:
        raise KernelError(f"the input must be of rank 3 or 4, not of shape {shape_text(input.shape)}")
    return x


def _as_given(x: Array, input: Array) -> Array:
    """The heads where the input has them."""
    return narrow(x.transpose(0, 2, 1, 3).reshape(input.shape) if input.ndim == 3 else x, input.dtype)


@kernel("MRotaryEmbedding", since=(1,), domain=MS)
def m_rotary_embedding(
    input: Array,
    position_ids: Array,
    cos_cache: Array,
    sin_cache: Array,
    *,
    interleaved: int = 0,
    is_packed_batching: int = 0,
    mrope_layout: int = 0,
    mrope_section: Sequence[int],
    num_heads: int = 0,
    rotary_embedding_dim: int = 0,
    scale: float = 1.0,
) -> Array:
    """RotaryEmbedding with three positions for each token, ``[3, B, S]``: in time, height and width.

    Each angle goes by one of them: in sections one behind the other or, with layout 1, taking turns.
    """
    x = _heads_first(input, num_heads, cos_cache)
    batch, _, length, _ = x.shape
    half = cos_cache.shape[1]
    if position_ids.shape != (3, batch, length) or len(mrope_section) != 3 or sum(mrope_section) != half:
        raise KernelError(f"positions {shape_text(position_ids.shape)} and sections {shape_text(mrope_section)}")
    if position_ids.size and not (position_ids.min() >= 0 and position_ids.max() < cos_cache.shape[0]):
        raise KernelError(f"a position is out of range for {cos_cache.shape[0]} rows")
    source = np.repeat(np.arange(3), mrope_section)
    if mrope_layout:
        source = np.zeros(half, dtype=np.intp)
        for which in (1, 2):
            source[which : 3 * mrope_section[which] : 3] = which
    places = np.moveaxis(position_ids[source], 0, -1)
    columns = np.arange(half)
    cos, sin = (widen(table)[places, columns].reshape(-1, half) for table in (cos_cache, sin_cache))
    rows = np.arange(batch * length).reshape(batch, length)
    return _as_given(rotated(x, cos, sin, rows, interleaved=interleaved), input)
