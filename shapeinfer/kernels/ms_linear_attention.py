"""com.microsoft: attention by a recurrent state instead of a cache, and the convolution that goes before it."""

from __future__ import annotations

import math

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.elementwise import sigmoid, softplus
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.ms_attention import heads_first, heads_last
from shapeinfer.kernels.ms_shared import MS, check_vector, required, silu
from shapeinfer.kernels.registry import kernel


@kernel("LinearAttentionGate", since=(1,), domain=MS)
def linear_attention_gate(a: Array, dt_bias: Array, decay_scale: Array, b: Array | None = None) -> tuple[Array, ...]:
    """``decay_scale * softplus(a + dt_bias)`` and the sigmoid of ``b``."""
    check_vector(dt_bias, a.shape[-1], "dt_bias")
    check_vector(decay_scale, a.shape[-1], "decay_scale")
    decay = narrow(softplus(a.astype(np.float32) + dt_bias) * decay_scale, a.dtype)
    return (decay,) if b is None else (decay, narrow(sigmoid(widen(b)), a.dtype))


@kernel("LinearAttention", since=(1,), domain=MS)
def linear_attention(
    query: Array,
    key: Array,
    value: Array,
    past_state: Array | None = None,
    decay: Array | None = None,
    beta: Array | None = None,
    *,
    chunk_size: int = 64,
    kv_num_heads: int,
    q_num_heads: int,
    scale: float = 0.0,
    state_window: int = 0,
    update_rule: str = "gated_delta",
) -> tuple[Array, Array]:
    """For each token the query times a state ``[keys, values]``, to which key and value are added before.

    The rules differ in what else happens to the state: it decays (gated), or what it holds for the key is replaced
    (delta). With a window, the states after the last tokens go out.
    """
    rules = ("linear", "gated", "delta", "gated_delta")
    if update_rule not in rules:
        raise KernelError(f"there is no update rule {update_rule!r}")
    queries, keys = heads_first(widen(query), q_num_heads), heads_first(widen(key), kv_num_heads)
    values = heads_first(widen(value), kv_num_heads)
    batch, _, steps, size = keys.shape
    many = max(q_num_heads, kv_num_heads)
    if many % q_num_heads or many % kv_num_heads:
        raise KernelError(f"{q_num_heads} and {kv_num_heads} heads cannot be matched")
    factor = np.float32(scale or 1 / math.sqrt(queries.shape[3]))
    state: Array = np.zeros((batch, kv_num_heads, size, values.shape[3]), dtype=np.float32)
    if past_state is not None:
        state = widen(past_state[-1] if state_window else past_state)
    kept = None
    if "gated" in update_rule:
        gates = heads_first(widen(required(decay, "decay")), kv_num_heads)
        kept = np.exp(gates)[..., None]
    rates = None
    if "delta" in update_rule:
        given = widen(required(beta, "beta"))
        rates = np.broadcast_to(given, (batch, steps, kv_num_heads)).transpose(0, 2, 1)[..., None, None]
    results, states = [], []
    for t in range(steps):
        if kept is not None:
            state = state * kept[:, :, t]
        column, row = keys[:, :, t, :, None], values[:, :, t, None, :]
        if rates is not None:
            row = (row - (state * column).sum(axis=2, keepdims=True)) * rates[:, :, t]
        state = state + column * row
        states.append(state)
        asked = np.repeat(queries[:, :, t], many // q_num_heads, axis=1)[:, :, None]
        results.append(np.matmul(asked, np.repeat(state, many // kv_num_heads, axis=1)) * factor)
    result = np.concatenate(results, axis=2) if results else np.zeros((batch, many, 0, values.shape[3]), np.float32)
    if state_window:
        window = np.zeros((state_window, *state.shape), dtype=state.dtype)
        for slot, each in enumerate(reversed(states[-state_window:])):
            window[state_window - 1 - slot] = each
        state = window
    dtype = query.dtype if past_state is None else past_state.dtype
    return narrow(heads_last(result), query.dtype), narrow(state, dtype)


@kernel("CausalConvWithState", since=(1,), domain=MS)
def causal_conv_with_state(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    past_state: Array | None = None,
    *,
    activation: str = "none",
    channels_last: int = 0,
    dilation: int = 1,
    input_channel_offset: int = 0,
    input_channels: int = 0,
    ndim: int = 1,
    state_channels_last: int = -1,
    state_length: int = 0,
    state_update_capacity: int = 0,
    state_window: int = 0,
) -> tuple[Array, Array]:
    """Each channel of ``[B, C, L]`` convolved with its own filter over the current and earlier entries.

    Also the last entries, which the next step needs.
    """
    if channels_last or input_channels or ndim != 1 or state_length or state_update_capacity or state_window:
        raise KernelError("only one axis, channels first and a plain state are supported")
    if input.ndim != 3 or weight.ndim != 3 or weight.shape[:2] != (input.shape[1], 1):
        raise KernelError(f"filters {shape_text(weight.shape)} for {shape_text(input.shape)}")
    batch, channels, length = input.shape
    taps = weight.shape[2]
    before = (taps - 1) * dilation
    past = np.zeros((batch, channels, before), dtype=input.dtype) if past_state is None else past_state
    if past.shape != (batch, channels, before):
        raise KernelError(f"past_state is {shape_text(past.shape)}, not {shape_text((batch, channels, before))}")
    whole = np.concatenate([past, input], axis=2)
    wide, filters = widen(whole), widen(weight)
    result = sum(
        (wide[:, :, tap * dilation : tap * dilation + length] * filters[:, 0, tap, None] for tap in range(taps)),
        np.zeros(input.shape, dtype=wide.dtype),
    )
    if bias is not None:
        check_vector(bias, channels, "the bias")
        result = result + widen(bias)[:, None]
    if activation in ("silu", "swish"):
        result = silu(result)
    elif activation != "none":
        raise KernelError(f"there is no activation {activation!r}")
    return narrow(result, input.dtype), whole[:, :, length:]
