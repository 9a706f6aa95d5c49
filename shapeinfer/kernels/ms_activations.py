"""com.microsoft: activations, alone or fused with a bias."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import normalise_axis, shape_text
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.ms_shared import MS, check_vector, gelu, gelu_tanh, silu
from shapeinfer.kernels.registry import kernel
from shapeinfer.kernels.softmax import softmax


@kernel("Gelu", since=(1,), domain=MS)
def plain_gelu(x: Array) -> Array:
    """``0.5 * x * (1 + erf(x / sqrt(2)))``."""
    return narrow(gelu(widen(x)), x.dtype)


@kernel("FastGelu", since=(1,), domain=MS)
def fast_gelu(x: Array, bias: Array | None = None) -> Array:
    """Gelu by tanh, after a bias along the last axis."""
    return narrow(gelu_tanh(_biased(x, bias)), x.dtype)


@kernel("BiasGelu", since=(1,), domain=MS)
def bias_gelu(a: Array, b: Array) -> Array:
    """Gelu of ``A + B``, where ``B`` lies along the last axis."""
    return narrow(gelu(_biased(a, b)), a.dtype)


@kernel("QuickGelu", since=(1,), domain=MS)
def quick_gelu(x: Array, *, alpha: float = 1.702) -> Array:
    """``x * sigmoid(alpha * x)``."""
    return narrow(silu(widen(x), alpha), x.dtype)


@kernel("BiasSplitGelu", since=(1,), domain=MS)
def bias_split_gelu(x: Array, bias: Array) -> Array:
    """The first half of the last axis times Gelu of the second, after a bias."""
    both = _biased(x, bias)
    if both.shape[-1] % 2:
        raise KernelError(f"the last dim of {shape_text(x.shape)} is not even")
    left, right = np.split(both, 2, axis=-1)
    return narrow(left * gelu(right), x.dtype)


@kernel("SwiGLU", since=(1,), domain=MS)
def swiglu(
    gate: Array,
    up: Array | None = None,
    *,
    activation_alpha: float = 1.0,
    activation_beta: float = 0.0,
    limit: float = 0.0,
    round_activation: int = 0,
) -> Array:
    """``gate * sigmoid(alpha * gate) * (up + beta)``; without ``up``, ``gate`` holds both halves.

    With a limit, the gate is cut to at most that, and ``up`` to between its negative and that.
    """
    if up is None:
        if gate.ndim == 0 or gate.shape[-1] % 2:
            raise KernelError(f"the last dim of {shape_text(gate.shape)} is not even")
        gate, up = np.split(gate, 2, axis=-1)
    if gate.shape != up.shape:
        raise KernelError(f"{shape_text(gate.shape)} and {shape_text(up.shape)} differ")
    left, right = widen(gate), widen(up)
    if limit > 0:
        left, right = np.minimum(left, limit), np.clip(right, -limit, limit)
    part = silu(left, activation_alpha)
    if round_activation:
        part = widen(narrow(part, gate.dtype))
    return narrow(part * (right + activation_beta), gate.dtype)


@kernel("BiasAdd", since=(1,), domain=MS)
def bias_add(x: Array, bias: Array, skip: Array) -> Array:
    """``X + bias + skip``."""
    if x.shape != skip.shape:
        raise KernelError(f"{shape_text(x.shape)} and {shape_text(skip.shape)} differ")
    return narrow(_biased(x, bias) + widen(skip), x.dtype)


@kernel("BiasSoftmax", since=(1,), domain=MS)
def bias_softmax(data: Array, bias: Array, *, axis: int = 1, is_inner_broadcast: int) -> Array:
    """Softmax of ``data + bias`` over the axes from ``axis`` on.

    The bias has the last axes of the data; its outer ones are broadcast as in NumPy or, without
    ``is_inner_broadcast``, each of its rows serves a run of outer entries.
    """
    at = normalise_axis(axis, data.ndim)
    inner = data.shape[at:]
    x = widen(data).reshape(-1, int(np.prod(inner)))
    if not is_inner_broadcast:
        rows = widen(bias).reshape(-1, x.shape[1])
        if not rows.shape[0] or x.shape[0] % rows.shape[0]:
            raise KernelError(f"a bias {shape_text(bias.shape)} for {shape_text(data.shape)}")
        x = x + np.repeat(rows, x.shape[0] // rows.shape[0], axis=0)
    else:
        rows = widen(bias).reshape(-1, x.shape[1])
        if not rows.shape[0] or x.shape[0] % rows.shape[0]:
            raise KernelError(f"a bias {shape_text(bias.shape)} for {shape_text(data.shape)}")
        x = x + np.tile(rows, (x.shape[0] // rows.shape[0], 1))
    return narrow(softmax(x, 1).reshape(data.shape), data.dtype)


def _biased(x: Array, bias: Array | None) -> Array:
    if bias is None:
        return widen(x)
    check_vector(bias, x.shape[-1] if x.ndim else 0, "the bias")
    return np.asarray(widen(x) + widen(bias))
