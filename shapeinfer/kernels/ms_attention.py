"""com.microsoft: attention with as many heads of keys and values as of queries.

Names used throughout: batch B, query length S, total length T of the keys, heads N, head size H.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.ms_rotary import rotated
from shapeinfer.kernels.ms_shared import MS, check_vector, dequantised
from shapeinfer.kernels.registry import kernel
from shapeinfer.kernels.softmax import softmax

_FILTER = -10000.0


def heads_first(x: Array, heads: int) -> Array:
    """``[B, S, N * H]`` as ``[B, N, S, H]``."""
    if x.ndim != 3 or heads < 1 or x.shape[2] % heads:
        raise KernelError(f"{shape_text(x.shape)} cannot be cut into {heads} heads")
    return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def heads_last(x: Array) -> Array:
    """``[B, N, S, H]`` as ``[B, S, N * H]``."""
    batch, heads, length, size = x.shape
    return x.transpose(0, 2, 1, 3).reshape(batch, length, heads * size)


def _mask(index: Array, batch: int, length: int, total: int, past: int, value: float) -> Array:
    """What the mask adds to the scores, in a shape that broadcasts to ``[B, N, S, T]``.

    It may be a matrix of ones and zeros with or without the axis of the queries, the number of valid keys of each
    sequence, or these ends followed by the starts.
    """
    place = np.arange(total)
    if index.shape == (batch,):
        kept = (place < index[:, None])[:, None]
    elif index.shape == (2 * batch,):
        kept = ((place < index[:batch, None]) & (place >= index[batch:, None]))[:, None]
    elif index.shape == (3 * batch + 2,):
        kept = (place < index[:batch, None])[:, None]
    elif index.shape == (batch, total):
        kept = (index > 0)[:, None]
    elif index.shape == (batch, length, total):
        kept = index > 0
    elif index.ndim == 4 and index.shape[:2] == (batch, 1):
        kept = index[:, 0, past : past + length, :total] > 0
    else:
        raise KernelError(f"a mask {shape_text(index.shape)} for {batch} sequences, {length} queries and {total} keys")
    return np.where(kept, np.float32(0), np.float32(value))[:, None]


def attended(
    query: Array,
    key: Array,
    value: Array,
    *,
    scale: float | None,
    mask: Array | None = None,
    bias: Array | None = None,
    causal_after: int | None = None,
) -> tuple[Array, Array]:
    """``softmax(Q @ K.T * scale + mask + bias) @ V`` with the heads first; and the scores before the softmax.

    Args:
        causal_after: how many keys come before the first query, where a query sees only keys up to its own.
    """
    factor = scale if scale else 1 / math.sqrt(query.shape[-1])
    scores = np.matmul(query * np.asarray(factor, dtype=query.dtype), key.swapaxes(-1, -2))
    if mask is not None:
        scores = scores + mask
    if bias is not None:
        scores = scores + widen(bias)
    if causal_after is not None:
        length, total = scores.shape[-2:]
        later = np.arange(total) > np.arange(length)[:, None] + causal_after
        scores = np.where(later, np.finfo(np.float32).min, scores)
    return np.matmul(softmax(scores, -1), value), scores


def _self_attention(
    projected: Array,
    sizes: Sequence[int] | None,
    mask_index: Array | None,
    past: Array | None,
    bias: Array | None,
    past_length: Array | None,
    heads: int,
    unidirectional: int,
    scale: float | None,
    filter_value: float,
    rotary: int,
    shared: int,
) -> tuple[Array, Array | None]:
    """Output and ``present`` from the projection ``[B, S, hidden + hidden + hidden of V]``.

    Keys and values of different sizes cannot be put into one tensor.
    """
    columns = projected.shape[-1]
    if not sizes and columns % 3:
        raise KernelError(f"{columns} columns of weights do not make three parts")
    widths = tuple(sizes) if sizes else (columns // 3,) * 3
    if len(widths) != 3 or sum(widths) != columns:
        raise KernelError(f"qkv_hidden_sizes {shape_text(widths)} for {columns} columns")
    ends = np.cumsum(widths)[:2].tolist()
    query, key, value = (heads_first(each, heads) for each in np.split(projected, ends, axis=2))
    batch, _, length, size = query.shape
    before = 0
    if past is not None:
        before = past.shape[3] if not shared or past_length is None else int(past_length.reshape(-1)[0])
    if rotary:
        places = np.broadcast_to(np.arange(before, before + length), (batch, length))
        angles = np.arange(before + length)[:, None] / 10000.0 ** (np.arange(0, size, 2) / size)
        cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
        query, key = rotated(query, cos, sin, places), rotated(key, cos, sin, places)
    if past is not None:
        if past.ndim != 5 or past.shape[0] != 2:
            raise KernelError(f"past must be [2, B, N, P, H], not of shape {shape_text(past.shape)}")
        old = widen(past)[:, :, :, :before]
        key, value = np.concatenate([old[0], key], axis=2), np.concatenate([old[1], value], axis=2)
    total = before + length
    mask = None if mask_index is None else _mask(mask_index, batch, length, total, before, filter_value)
    causal = before if unidirectional else None
    result, _ = attended(query, key, value, scale=scale, mask=mask, bias=bias, causal_after=causal)
    if key.shape != value.shape:
        return heads_last(result), None
    present = np.stack([key, value])
    if shared and past is not None:
        buffer = widen(past).copy()
        buffer[:, :, :, :total] = present
        present = buffer
    return heads_last(result), present


def _as_wanted(result: Array, present: Array | None, dtype: np.dtype[Any]) -> tuple[Array, ...]:
    first = narrow(result, dtype)
    return (first,) if present is None else (first, narrow(present, dtype))


@kernel("Attention", since=(1,), domain=MS)
def attention(
    input: Array,
    weights: Array,
    bias: Array | None = None,
    mask_index: Array | None = None,
    past: Array | None = None,
    attention_bias: Array | None = None,
    past_sequence_length: Array | None = None,
    *,
    do_rotary: int = 0,
    mask_filter_value: float = _FILTER,
    num_heads: int,
    past_present_share_buffer: int = 0,
    qkv_hidden_sizes: Sequence[int] | None = None,
    rotary_embedding_dim: int = 0,
    scale: float | None = None,
    unidirectional: int = 0,
) -> tuple[Array, ...]:
    """Self attention with the projections to queries, keys and values in one matrix, and all keys and values so far."""
    if input.ndim != 3 or weights.ndim != 2 or input.shape[2] != weights.shape[0]:
        raise KernelError(f"the input {shape_text(input.shape)} and weights {shape_text(weights.shape)} do not fit")
    projected = np.matmul(widen(input), widen(weights))
    check_vector(bias, weights.shape[1], "the bias")
    if bias is not None:
        projected = projected + widen(bias)
    result, present = _self_attention(
        projected, qkv_hidden_sizes, mask_index, past, attention_bias, past_sequence_length, num_heads,
        unidirectional, scale, mask_filter_value, do_rotary, past_present_share_buffer,
    )  # fmt: skip
    return _as_wanted(result, present, input.dtype)


@kernel("QAttention", since=(1,), domain=MS)
def qattention(
    input: Array,
    weight: Array,
    bias: Array,
    input_scale: Array,
    weight_scale: Array,
    mask_index: Array | None = None,
    input_zero_point: Array | None = None,
    weight_zero_point: Array | None = None,
    past: Array | None = None,
    *,
    do_rotary: int = 0,
    mask_filter_value: float = _FILTER,
    num_heads: int,
    past_present_share_buffer: int = 0,
    scale: float | None = None,
    unidirectional: int = 0,
) -> tuple[Array, ...]:
    """Attention with a quantised input and quantised weights."""
    data = dequantised(input, input_scale, input_zero_point)
    projected = np.matmul(data, dequantised(weight, weight_scale, weight_zero_point)) + widen(bias)
    result, present = _self_attention(
        projected, None, mask_index, past, None, None, num_heads, unidirectional, scale, mask_filter_value,
        do_rotary, past_present_share_buffer,
    )  # fmt: skip
    return _as_wanted(result, present, bias.dtype)


def _parts(query: Array, key: Array | None, value: Array | None, heads: int, bias: Array | None) -> list[Array]:
    """Queries, keys and values with the heads first; keys and values may be packed with each other or the queries."""
    if key is None:
        if query.ndim != 5 or query.shape[3] != 3:
            raise KernelError(f"a packed query must be [B, S, N, 3, H], not of shape {shape_text(query.shape)}")
        parts = [widen(query)[:, :, :, i].transpose(0, 2, 1, 3) for i in range(3)]
    elif value is None:
        if key.ndim != 5 or key.shape[3] != 2:
            raise KernelError(f"a packed key must be [B, S, N, 2, H], not of shape {shape_text(key.shape)}")
        packed = [widen(key)[:, :, :, i].transpose(0, 2, 1, 3) for i in range(2)]
        parts = [heads_first(widen(query), heads), *packed]
    else:
        parts = [each if each.ndim == 4 else heads_first(each, heads) for each in map(widen, (query, key, value))]
    if bias is None:
        return parts
    sizes = [each.shape[1] * each.shape[3] for each in parts]
    check_vector(bias, sum(sizes), "the bias")
    shifts = np.split(widen(bias), np.cumsum(sizes)[:2].tolist())
    given = [True, key is None or key.ndim != 4, value is None or value.ndim != 4]
    return [
        part + shift.reshape(1, heads, 1, -1) if shifted else part
        for part, shift, shifted in zip(parts, shifts, given, strict=True)
    ]


@kernel("MultiHeadAttention", since=(1,), domain=MS)
def multi_head_attention(
    query: Array,
    key: Array | None = None,
    value: Array | None = None,
    bias: Array | None = None,
    key_padding_mask: Array | None = None,
    attention_bias: Array | None = None,
    past_key: Array | None = None,
    past_value: Array | None = None,
    past_sequence_length: Array | None = None,
    cache_indirection: Array | None = None,
    *,
    mask_filter_value: float = _FILTER,
    num_heads: int,
    scale: float | None = None,
    unidirectional: int = 0,
) -> tuple[Array, Array, Array, Array]:
    """Attention of projected queries, keys and values; all keys and values so far; the scores before the softmax."""
    if cache_indirection is not None:
        raise KernelError("caches of beams are not supported")
    queries, keys, values = _parts(query, key, value, num_heads, bias)
    before, old = 0, None
    if past_key is not None and past_value is not None:
        shared = past_sequence_length is not None
        before = past_key.shape[2] if past_sequence_length is None else int(past_sequence_length.reshape(-1)[0])
        old = (widen(past_key), widen(past_value)) if shared else None
        keys = np.concatenate([widen(past_key)[:, :, :before], keys], axis=2)
        values = np.concatenate([widen(past_value)[:, :, :before], values], axis=2)
    batch, _, length, _ = queries.shape
    total = keys.shape[2]
    mask = None
    if key_padding_mask is not None:
        mask = _mask(key_padding_mask, batch, length, total, before, mask_filter_value)
    causal = before if unidirectional else None
    result, scores = attended(queries, keys, values, scale=scale, mask=mask, bias=attention_bias, causal_after=causal)
    if old is not None:
        keys, values = _stored(old[0], keys), _stored(old[1], values)
    outputs = (heads_last(result), keys, values, scores)
    first, second, third, fourth = (narrow(each, query.dtype) for each in outputs)
    return first, second, third, fourth


def _stored(buffer: Array, data: Array) -> Array:
    """A copy of the buffer that begins with the data."""
    result = buffer.copy()
    result[:, :, : data.shape[2]] = data
    return result
