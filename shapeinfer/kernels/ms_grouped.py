"""com.microsoft: attention in which groups of query heads share one head of keys and values, over a cache."""

from __future__ import annotations

import math

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array, is_float, narrow, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.ms_attention import heads_first, heads_last
from shapeinfer.kernels.ms_rotary import rotated
from shapeinfer.kernels.ms_shared import MS, required
from shapeinfer.kernels.registry import kernel


def _projections(query: Array, key: Array | None, value: Array | None, heads: int, groups: int) -> list[Array]:
    """Queries, keys and values with the heads first; without keys the query holds all three side by side."""
    if groups < 1 or heads % groups:
        raise KernelError(f"{heads} heads cannot share {groups}")
    if key is not None and value is not None:
        return [heads_first(widen(query), heads), heads_first(widen(key), groups), heads_first(widen(value), groups)]
    if key is not None or value is not None:
        raise KernelError("key and value come together")
    every = heads_first(widen(query), heads + 2 * groups)
    return np.split(every, [heads, heads + groups], axis=1)


def _appended(past: Array | None, new: Array, begins: Array, length: int) -> Array:
    """A cache of at least ``length`` entries, with the new ones of each sequence from its begin on."""
    old = 0 if past is None else past.shape[2]
    batch, groups, count, size = new.shape
    result = np.zeros((batch, groups, max(old, length), size), dtype=new.dtype)
    if past is not None:
        result[:, :, :old] = widen(past)
    places = begins[:, None] + np.arange(count)
    if places.size and (places.min() < 0 or places.max() >= result.shape[2]):
        raise KernelError(f"the new entries {places.min()} to {places.max()} do not fit into {result.shape[2]}")
    result[np.arange(batch)[:, None], :, places] = new.transpose(0, 2, 1, 3)
    return result


def _visible(begins: Array, length: int, total: int, window: int, causal: int, counts: Array) -> Array:
    """Which keys each query sees, ``[B, 1, 1, S, T]``."""
    place = np.arange(total)
    own = (begins[:, None] + np.arange(length))[:, :, None]
    seen = place <= own if causal else np.broadcast_to(place < counts[:, None, None], (own.shape[0], length, total))
    if window >= 0:
        seen = seen & (place > own - window)
    return seen[:, None, None]


def _normalised(x: Array, weight: Array | None, epsilon: float) -> Array:
    if weight is None:
        return x
    return np.asarray(x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + np.float32(epsilon)) * widen(weight))


@kernel("GroupQueryAttention", since=(1,), domain=MS)
def group_query_attention(
    query: Array,
    key: Array | None = None,
    value: Array | None = None,
    past_key: Array | None = None,
    past_value: Array | None = None,
    seqlens_k: Array | None = None,
    total_sequence_length: Array | None = None,
    cos_cache: Array | None = None,
    sin_cache: Array | None = None,
    position_ids: Array | None = None,
    attention_bias: Array | None = None,
    head_sink: Array | None = None,
    k_scale: Array | None = None,
    v_scale: Array | None = None,
    q_norm_weight: Array | None = None,
    k_norm_weight: Array | None = None,
    query_seqlens: Array | None = None,
    *,
    causal: int = 1,
    do_rotary: int = 0,
    k_norm_epsilon: float | None = None,
    k_quant_type: str = "NONE",
    kv_cache_bit_width: int = 0,
    kv_num_heads: int,
    local_window_size: int = -1,
    num_heads: int,
    q_norm_epsilon: float | None = None,
    qk_norm_epsilon: float = 1e-6,
    qk_output: int = 0,
    rotary_interleaved: int = 0,
    scale: float | None = None,
    sliding_window_cache: int = 0,
    smooth_softmax: int = -1,
    softcap: float = 0.0,
    v_quant_type: str = "NONE",
) -> tuple[Array, Array, Array, Array]:
    """``[B, S, hidden]``, the caches with the new keys and values in them, and with ``qk_output`` the scores.

    ``seqlens_k`` holds, for each sequence, how many tokens there are then, minus 1. Where the query is as long as the
    total length it is a prompt, which begins at 0 whatever the sequence's length.
    """
    quantised = any(each is not None and not is_float(each.dtype) for each in (past_key, past_value))
    if (
        quantised
        or k_quant_type != "NONE"
        or v_quant_type != "NONE"
        or sliding_window_cache
        or query_seqlens is not None
    ):
        raise KernelError("caches that are quantised or a sliding window, and padded chunks, are not supported")
    queries, keys, values = _projections(query, key, value, num_heads, kv_num_heads)
    batch, _, length, size = queries.shape
    total = int(required(total_sequence_length, "total_sequence_length").reshape(-1)[0])
    counts = required(seqlens_k, "seqlens_k").reshape(-1).astype(np.int64) + 1
    if counts.shape != (batch,):
        raise KernelError(f"seqlens_k has the shape {shape_text(counts.shape)} for {batch} sequences")
    begins = np.zeros_like(counts) if length == total else counts - length
    queries = _normalised(queries, q_norm_weight, qk_norm_epsilon if q_norm_epsilon is None else q_norm_epsilon)
    keys = _normalised(keys, k_norm_weight, qk_norm_epsilon if k_norm_epsilon is None else k_norm_epsilon)
    if do_rotary:
        if cos_cache is None or sin_cache is None:
            raise KernelError("cos_cache and sin_cache are required with do_rotary")
        own = begins[:, None] + np.arange(length)
        places = own if position_ids is None else np.broadcast_to(position_ids, (batch, length))
        tables = (widen(cos_cache), widen(sin_cache))
        queries = rotated(queries, *tables, places, interleaved=rotary_interleaved)
        keys = rotated(keys, *tables, places, interleaved=rotary_interleaved)
    present_key, present_value = _appended(past_key, keys, begins, total), _appended(past_value, values, begins, total)
    grouped = queries.reshape(batch, kv_num_heads, num_heads // kv_num_heads, length, size)
    factor = np.float32(scale or 1 / math.sqrt(size))
    scores = np.matmul(grouped, present_key[:, :, None, :total].swapaxes(-1, -2)) * factor
    if softcap > 0:
        scores = np.tanh(scores / np.float32(softcap)) * np.float32(softcap)
    if attention_bias is not None:
        shift = np.broadcast_to(widen(attention_bias), (batch, num_heads, *attention_bias.shape[2:]))
        scores = scores + shift[..., :total].reshape(*scores.shape[:4], -1)
    scores = np.where(_visible(begins, length, total, local_window_size, causal, counts), scores, -np.inf)
    sink = None
    if head_sink is not None:
        sink = widen(head_sink).reshape(1, kv_num_heads, -1, 1, 1)
    elif smooth_softmax > 0:
        sink = np.zeros((1, 1, 1, 1, 1), dtype=scores.dtype)
    weights = _softmax(scores, sink)
    result = np.matmul(weights, present_value[:, :, None, :total]).reshape(batch, num_heads, length, -1)
    shown = (scores if qk_output == 1 else weights).reshape(batch, num_heads, length, total)
    dtype = query.dtype
    return (
        narrow(heads_last(result), dtype),
        narrow(present_key, dtype),
        narrow(present_value, dtype),
        narrow(shown, dtype),
    )


def _softmax(scores: Array, sink: Array | None) -> Array:
    """Softmax along the last axis, with one more entry in the sum that gets lost."""
    highest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    if sink is not None:
        highest = np.maximum(highest, sink)
    highest = np.where(np.isinf(highest), 0, highest)
    parts = np.exp(scores - highest)
    total = parts.sum(axis=-1, keepdims=True)
    if sink is not None:
        total = total + np.exp(sink - highest)
    return np.asarray(parts / np.where(total == 0, 1, total))
