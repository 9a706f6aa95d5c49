"""What goes with attention: rotary embeddings, caches that are written at an index, and recurrent forms."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import normalise_axis, shape_text
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.elementwise import sigmoid
from shapeinfer.kernels.errors import OUT_OF_RANGE, KernelError
from shapeinfer.kernels.registry import kernel


@kernel("RotaryEmbedding", since=(23,))
def rotary_embedding(
    x: Array,
    cos_cache: Array,
    sin_cache: Array,
    position_ids: Array | None = None,
    *,
    interleaved: int,
    rotary_embedding_dim: int,
    num_heads: int | None = None,
) -> Array:
    """The first ``rotary_embedding_dim`` elements of each head, as pairs, turned by the angle of their position.

    Pairs are halves, or neighbours if ``interleaved``.
    """
    heads = _by_heads(x, num_heads)
    count = rotary_embedding_dim or heads.shape[3]
    if count % 2 or not 0 <= count <= heads.shape[3]:
        raise KernelError(f"{count} of {heads.shape[3]} elements of a head are to be rotated")
    cos, sin = (_angles(each, position_ids, heads, count // 2) for each in (cos_cache, sin_cache))
    data = widen(heads)
    result = data.copy()
    first, second = (
        (slice(0, count, 2), slice(1, count, 2)) if interleaved else (slice(count // 2), slice(count // 2, count))
    )
    result[..., first] = cos * data[..., first] - sin * data[..., second]
    result[..., second] = sin * data[..., first] + cos * data[..., second]
    rotated = result.reshape(x.shape) if x.ndim == 3 else result.swapaxes(1, 2)
    return narrow(rotated, x.dtype)


def _by_heads(x: Array, num_heads: int | None) -> Array:
    """``[batch, sequence, heads, size]``."""
    if x.ndim == 4:
        return x.swapaxes(1, 2)
    if x.ndim != 3 or not num_heads or num_heads < 0 or x.shape[2] % num_heads:
        raise KernelError(f"the input {shape_text(x.shape)} with num_heads {num_heads}")
    return x.reshape(*x.shape[:2], num_heads, x.shape[2] // num_heads)


def _angles(cache: Array, positions: Array | None, heads: Array, half: int) -> Array:
    """``[batch, sequence, 1, half]``."""
    wanted = (*heads.shape[:2], half)
    found = cache
    if positions is not None:
        if cache.ndim != 2 or positions.ndim != 2:
            raise KernelError(f"a cache {shape_text(cache.shape)} for positions {shape_text(positions.shape)}")
        if ((positions < 0) | (positions >= cache.shape[0])).any():
            raise KernelError(f"a position is not in the {cache.shape[0]} rows of the cache", code=OUT_OF_RANGE)
        found = cache[positions]
    if found.ndim != 3 or found.shape[2] != half or np.broadcast_shapes(found.shape, wanted) != wanted:
        raise KernelError(f"a cache {shape_text(cache.shape)}, where angles {shape_text(wanted)} are needed")
    return widen(found)[:, :, None, :]


@kernel("TensorScatter", since=(24,))
def tensor_scatter(
    past_cache: Array, update: Array, write_indices: Array | None = None, *, axis: int, mode: str
) -> Array:
    """The cache with the update written from each sample's index on, around its end if ``circular``."""
    at = normalise_axis(axis, past_cache.ndim)
    if not at:
        raise KernelError("axis cannot be that of the batch")
    if update.ndim != past_cache.ndim or any(
        a != b for i, (a, b) in enumerate(zip(update.shape, past_cache.shape, strict=True)) if i != at
    ):
        raise KernelError(f"an update {shape_text(update.shape)} of {shape_text(past_cache.shape)} along axis {at}")
    size, length, batch = past_cache.shape[at], update.shape[at], past_cache.shape[0]
    starts = np.zeros(batch, np.int64) if write_indices is None else write_indices
    if starts.shape != (batch,) or length > size:
        raise KernelError(f"write_indices {shape_text(starts.shape)} to write {length} of {size} in {batch} samples")
    places = starts[:, None] + np.arange(length)
    if mode == "circular":
        places = places % max(size, 1)
    elif mode != "linear":
        raise KernelError(f"there is no mode {mode!r}")
    elif ((starts < 0) | (starts + length > size)).any():
        raise KernelError(f"{length} cannot be written at {starts.tolist()} of {size}", code=OUT_OF_RANGE)
    result = past_cache.copy()
    np.moveaxis(result, at, 1)[np.arange(batch)[:, None], places] = np.moveaxis(update, at, 1)
    return result


@kernel("CausalConvWithState", since=(27,))
def causal_conv(
    input: Array, weight: Array, bias: Array | None = None, past_state: Array | None = None, *, activation: str
) -> tuple[Array, Array]:
    """Each channel convolved with its own filter over itself and its past; and the end of both, as the next past."""
    if input.ndim != 3 or weight.ndim != 3 or weight.shape[:2] != (input.shape[1], 1) or not weight.shape[2]:
        raise KernelError(f"weights {shape_text(weight.shape)} for an input {shape_text(input.shape)}")
    batch, channels, length = input.shape
    keep = weight.shape[2] - 1
    past = np.zeros((batch, channels, keep), input.dtype) if past_state is None else past_state
    if past.shape != (batch, channels, keep) or (bias is not None and bias.shape != (channels,)):
        raise KernelError(f"a past {shape_text(past.shape)} or the bias does not fit {shape_text(input.shape)}")
    whole = np.concatenate((past, input), axis=2)
    data, filters = widen(whole), widen(weight)
    result = np.zeros((batch, channels, length), data.dtype)
    for tap in range(keep + 1):
        result += data[:, :, tap : tap + length] * filters[:, 0, tap, None]
    if bias is not None:
        result += widen(bias)[:, None]
    if activation in ("silu", "swish"):
        result = result * sigmoid(result)
    elif activation != "none":
        raise KernelError(f"there is no activation {activation!r}")
    return narrow(result, input.dtype), whole[:, :, length:]


_RULES = {"linear": (False, False), "gated": (True, False), "delta": (False, True), "gated_delta": (True, True)}
"""Whether each rule has a decay, and whether it has an update rate."""


@kernel("LinearAttention", since=(27,))
def linear_attention(
    query: Array,
    key: Array,
    value: Array,
    past_state: Array | None = None,
    decay: Array | None = None,
    beta: Array | None = None,
    *,
    q_num_heads: int,
    kv_num_heads: int,
    scale: float,
    update_rule: str,
    chunk_size: int = 64,
) -> tuple[Array, Array]:
    """A state of keys by values that decays and grows step by step, read by each step's query; and the last state."""
    if update_rule not in _RULES:
        raise KernelError(f"there is no update_rule {update_rule!r}")
    gated, corrected = _RULES[update_rule]
    q, k, v = (
        _unpacked(each, heads) for each, heads in ((query, q_num_heads), (key, kv_num_heads), (value, kv_num_heads))
    )
    if q_num_heads % kv_num_heads or k.shape[3] != q.shape[3] or not q.shape[:2] == k.shape[:2] == v.shape[:2]:
        raise KernelError(f"by heads, query, key and value are {', '.join(shape_text(e.shape) for e in (q, k, v))}")
    batch, steps, groups, size = k.shape
    shape = (batch, groups, size, v.shape[3])
    state = np.zeros(shape, np.float32) if past_state is None else widen(past_state)
    if state.shape != shape:
        raise KernelError(f"a past state {shape_text(state.shape)}, not {shape_text(shape)}")
    factors = np.exp(_per_key(decay, k, "decay")) if gated else None
    rates = _rate(beta, k) if corrected else None
    queries = q.reshape(batch, steps, groups, -1, size) * np.float32(scale or size**-0.5)
    result = np.empty((batch, steps, groups, queries.shape[3], v.shape[3]), np.float32)
    for t in range(steps):
        if factors is not None:
            state = factors[:, t] * state
        change = v[:, t]
        if rates is not None:
            change = rates[:, t] * (change - np.matmul(k[:, t, :, None, :], state)[:, :, 0])
        state = state + k[:, t, :, :, None] * change[:, :, None, :]
        result[:, t] = np.matmul(queries[:, t], state)
    final = query.dtype if past_state is None else past_state.dtype
    return narrow(result.reshape(batch, steps, -1), query.dtype), narrow(state, final)


def _unpacked(x: Array, heads: int) -> Array:
    """``[batch, steps, heads, size]``."""
    if x.ndim != 3 or heads < 1 or x.shape[2] % heads:
        raise KernelError(f"an input {shape_text(x.shape)} of {heads} heads")
    return widen(x).reshape(*x.shape[:2], heads, x.shape[2] // heads)


def _per_key(decay: Array | None, k: Array, what: str) -> Array:
    """``[batch, steps, heads, size or 1, 1]``."""
    batch, steps, heads, size = k.shape
    if decay is None or decay.shape not in ((batch, steps, heads), (batch, steps, heads * size)):
        given = "none" if decay is None else shape_text(decay.shape)
        raise KernelError(f"{what} is {given} for keys of {heads} heads of {size}")
    return widen(decay).reshape(batch, steps, heads, -1, 1)


def _rate(beta: Array | None, k: Array) -> Array:
    """``[batch, steps, heads or 1, 1]``."""
    if beta is None or beta.shape not in ((*k.shape[:2], k.shape[2]), (*k.shape[:2], 1)):
        given = "none" if beta is None else shape_text(beta.shape)
        raise KernelError(f"beta is {given} for keys of {k.shape[2]} heads")
    return widen(beta)[..., None]
