"""Attention: scaled dot products of queries and keys, masked, as weights of values."""

from __future__ import annotations

from typing import Any

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.broadcasting import check_onto
from shapeinfer.kernels.dtypes import Array, narrow, to_dtype, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("Attention", since=(23, 24, 25), needs=("outputs", "version"))
def attention(
    q: Array,
    k: Array,
    v: Array,
    attn_mask: Array | None = None,
    past_key: Array | None = None,
    past_value: Array | None = None,
    nonpad_kv_seqlen: Array | None = None,
    *,
    is_causal: int,
    qk_matmul_output_mode: int,
    softcap: float,
    q_num_heads: int | None = None,
    kv_num_heads: int | None = None,
    scale: float | None = None,
    softmax_precision: int | None = None,
    left_window_size: int = -1,
    right_window_size: int = -1,
    _outputs: int,
    _version: int,
) -> tuple[Array, ...]:
    """``softmax(softcap(scale * Q * K^T) + bias) * V``, the keys and values with those of the past, and the scores.

    Heads of queries share those of keys in groups. A query that may attend no key gives zeros.
    """
    if not q.ndim == k.ndim == v.ndim:
        raise KernelError("Q, K and V differ in rank")
    packed = q.ndim == 3
    queries, keys, values = _heads(q, q_num_heads, "q"), _heads(k, kv_num_heads, "kv"), _heads(v, kv_num_heads, "kv")
    if (past_key is None) != (past_value is None):
        raise KernelError("past_key and past_value must be used together")
    past = 0
    if past_key is not None and past_value is not None:
        if nonpad_kv_seqlen is not None:
            raise KernelError("nonpad_kv_seqlen and a past exclude each other")
        past = past_key.shape[2] if past_key.ndim == 4 else 0
        keys, values = np.concatenate((past_key, keys), axis=2), np.concatenate((past_value, values), axis=2)
    scores = _scores(queries, keys, values, scale)
    result_type = q.dtype
    stages = [narrow(scores, result_type)] if _outputs > 3 else []
    if softcap:
        scores = np.tanh(scores / softcap) * softcap
    if stages:
        stages.append(narrow(scores, result_type))
    lengths = _lengths(nonpad_kv_seqlen, scores.shape)
    offset = np.asarray(past).reshape(1, 1, 1, 1) if lengths is None else lengths - scores.shape[2]
    if is_causal:
        right_window_size = 0 if right_window_size < 0 else min(right_window_size, 0)
    bias = _bias(attn_mask, scores.shape, lengths, offset, left_window_size, right_window_size, pad=_version >= 24)
    dead: Array | None = None
    if bias is not None:
        scores = scores + bias.astype(scores.dtype, copy=False)
        dead = np.asarray(np.isneginf(bias).all(axis=-1, keepdims=True))
    weights = _softmax(scores, dead, softmax_precision, result_type)
    if stages:
        stages += [narrow(scores, result_type), narrow(weights, result_type)]
    result = narrow(_weighted(weights, values), result_type)
    if packed:
        result = result.swapaxes(1, 2).reshape(q.shape[0], q.shape[1], -1)
    if not stages:
        return result, keys, values
    if not 0 <= qk_matmul_output_mode <= 3:
        raise KernelError(f"there is no qk_matmul_output_mode {qk_matmul_output_mode}")
    return result, keys, values, stages[qk_matmul_output_mode]


def _heads(x: Array, heads: int | None, whose: str) -> Array:
    """``[batch, heads, sequence, size]``."""
    if x.ndim == 4:
        return x
    if x.ndim != 3:
        raise KernelError(f"an input is {shape_text(x.shape)}, not of rank 3 or 4")
    if not heads or heads < 0 or x.shape[2] % heads:
        raise KernelError(f"{whose}_num_heads is {heads} for the last dim of {shape_text(x.shape)}")
    return x.reshape(x.shape[0], x.shape[1], heads, x.shape[2] // heads).swapaxes(1, 2)


def _scores(q: Array, k: Array, v: Array, scale: float | None) -> Array:
    """``scale * Q * K^T``, ``[batch, heads of Q, sequence of Q, sequence of K]``."""
    b, heads, length, size = q.shape
    groups = k.shape[1]
    if k.shape[0] != b or k.shape[3] != size or v.shape[:3] != k.shape[:3] or not groups or heads % groups:
        shapes = ", ".join(shape_text(each.shape) for each in (q, k, v))
        raise KernelError(f"by heads, Q, K and V are {shapes}")
    factor = 1 / np.sqrt(size) if scale is None else scale
    together = widen(q) * np.asarray(factor, dtype=widen(q).dtype)
    rows = together.reshape(b, groups, heads // groups * length, size)
    product: Array = np.matmul(rows, widen(k).swapaxes(2, 3))
    return product.reshape(b, heads, length, k.shape[2])


def _weighted(weights: Array, v: Array) -> Array:
    b, heads, length, total = weights.shape
    groups = v.shape[1]
    values = widen(v).astype(weights.dtype, copy=False)
    rows = weights.reshape(b, groups, heads // groups * length, total)
    product: Array = np.matmul(rows, values)
    return product.reshape(b, heads, length, v.shape[3])


def _lengths(given: Array | None, shape: tuple[int, ...]) -> Array | None:
    """How many keys of each sample are no padding, ``[batch, 1, 1, 1]``."""
    if given is None:
        return None
    if given.shape != shape[:1] or ((given < 0) | (given > shape[3])).any():
        raise KernelError(f"nonpad_kv_seqlen {given.tolist()} for {shape[0]} samples of {shape[3]} keys")
    return given.reshape(-1, 1, 1, 1)


def _bias(
    mask: Array | None,
    shape: tuple[int, ...],
    lengths: Array | None,
    offset: Array,
    left: int,
    right: int,
    *,
    pad: bool,
) -> Array | None:
    """What is added to the scores, ``-inf`` where a query may not attend a key; ``None`` for nothing."""
    j = np.arange(shape[3])
    position = np.arange(shape[2])[:, None] + offset
    allowed: list[Array] = []
    if lengths is not None:
        allowed.append(j < lengths)
    if left >= 0:
        allowed.append(j >= position - left)
    if right >= 0:
        allowed.append(j <= position + right)
    bias: Array | None = None
    if mask is not None:
        full = _padded(mask, shape[3]) if pad else mask
        check_onto(full.shape, shape, "attn_mask")
        if full.dtype == np.bool_:
            allowed.append(full)
        else:
            bias = widen(full)
    if not allowed:
        return bias
    open_ = allowed[0]
    for each in allowed[1:]:
        open_ = open_ & each
    return np.where(open_, np.float32(0) if bias is None else bias, np.float32(-np.inf))


def _padded(mask: Array, total: int) -> Array:
    """The mask with further keys disallowed where it is too short."""
    if not mask.ndim or mask.shape[-1] >= total:
        return mask
    wide = mask if mask.dtype == np.bool_ else widen(mask)
    rest: Any = False if mask.dtype == np.bool_ else -np.inf
    widths = [(0, 0)] * (mask.ndim - 1) + [(0, total - mask.shape[-1])]
    return np.pad(wide, widths, constant_values=rest)


def _softmax(scores: Array, dead: Array | None, precision: int | None, result_type: np.dtype[Any]) -> Array:
    """Along the last axis, in the given precision; rows of zeros where ``dead``."""
    if not scores.shape[-1]:
        return scores
    wide = scores if precision is None else widen(scores.astype(to_dtype(precision)))
    top = wide.max(axis=-1, keepdims=True)
    if dead is not None:
        top = np.where(dead, 0, top)
    powers = np.exp(wide - top)
    total = powers.sum(axis=-1, keepdims=True)
    if dead is not None:
        powers, total = np.where(dead, 0, powers), np.where(dead, 1, total)
    result: Array = powers / total
    if precision is not None:
        result = widen(narrow(narrow(result, to_dtype(precision)), result_type))
    return result
