"""com.microsoft: mixtures of experts, of which each token goes through a few."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.ms_nbits import unpacked
from shapeinfer.kernels.ms_shared import MS, gelu_tanh, required, silu
from shapeinfer.kernels.registry import kernel
from shapeinfer.kernels.softmax import softmax


def _routes(router: Array, k: int, normalised: int, weights: Array | None = None) -> tuple[Array, Array]:
    """The experts of each token, ``[tokens, k]``, and how much each counts.

    Those with the highest scores; they count by the softmax over all experts or, when normalised, over the chosen.
    """
    if not 1 <= k <= router.shape[1]:
        raise KernelError(f"{k} of {router.shape[1]} experts cannot be chosen")
    chosen = np.argsort(-router, axis=1, kind="stable")[:, :k]
    source = softmax(router, 1) if weights is None else weights
    shares = np.take_along_axis(source, chosen, 1)
    if normalised:
        total = shares.sum(axis=1, keepdims=True)
        shares = shares / np.where(total == 0, 1, total)
    return chosen, shares


def _activated(x: Array, kind: str) -> Array:
    """The activations without a gate; Gelu is its approximation by tanh."""
    if kind in ("relu", "relu2"):
        return np.maximum(x, 0) ** (2 if kind == "relu2" else 1)
    if kind == "gelu":
        return gelu_tanh(x)
    if kind == "silu":
        return silu(x)
    if kind == "identity":
        return x
    raise KernelError(f"there is no activation {kind!r}")


def _through(
    rows: Array,
    first: Array,
    first_bias: Array | None,
    third: Array | None,
    third_bias: Array | None,
    kind: str,
    fusion: int,
    alpha: float,
    beta: float,
    limit: float,
) -> Array:
    """The inner activations of one expert."""
    inner = rows @ first.T
    if first_bias is not None:
        inner = inner + first_bias
    if kind in ("swiglu", "geglu"):
        if fusion == 1:
            gate, up = inner[:, ::2], inner[:, 1::2]
        elif fusion == 2:
            gate, up = np.split(inner, 2, axis=1)
        else:
            gate, up = inner, rows @ required(third, "fc3_experts_weights").T
            if third_bias is not None:
                up = up + third_bias
        if kind == "geglu":
            return np.asarray(gelu_tanh(gate) * up)
        gate, up = np.minimum(gate, limit), np.clip(up, -limit, limit)
        return np.asarray(silu(gate, alpha) * (up + np.asarray(beta, dtype=up.dtype)))
    result = _activated(inner, kind)
    if third is not None:
        gate = rows @ third.T
        result = result * (gate if third_bias is None else gate + third_bias)
    return result


@kernel("MoE", since=(1,), domain=MS)
def mixture_of_experts(
    input: Array,
    router_probs: Array,
    fc1_experts_weights: Array,
    fc1_experts_bias: Array | None = None,
    fc2_experts_weights: Array | None = None,
    fc2_experts_bias: Array | None = None,
    fc3_experts_weights: Array | None = None,
    fc3_experts_bias: Array | None = None,
    *,
    activation_alpha: float = 1.0,
    activation_beta: float = 0.0,
    activation_type: str = "relu",
    k: int = 1,
    normalize_routing_weights: int = 0,
    swiglu_fusion: int = 0,
    swiglu_limit: float = float("inf"),
    swiglu_limit_after_activation: int = 0,
    use_sparse_mixer: int = 0,
) -> Array:
    """Each token through the ``k`` experts that the router scores highest, added up by their weights."""
    if use_sparse_mixer or swiglu_limit_after_activation:
        raise KernelError("the sparse mixer, and a limit after the activation, are not supported")
    if input.ndim not in (2, 3):
        raise KernelError(f"the input must be of rank 2 or 3, not of shape {shape_text(input.shape)}")
    tokens = widen(input).reshape(-1, input.shape[-1])
    first, second = widen(fc1_experts_weights), widen(required(fc2_experts_weights, "fc2_experts_weights"))
    experts = first.shape[0]
    if router_probs.shape != (tokens.shape[0], experts):
        raise KernelError(
            f"router_probs {shape_text(router_probs.shape)} for {tokens.shape[0]} tokens, {experts} experts"
        )
    third = None if fc3_experts_weights is None else widen(fc3_experts_weights)
    biases = [None if each is None else widen(each) for each in (fc1_experts_bias, fc2_experts_bias, fc3_experts_bias)]
    chosen, shares = _routes(widen(router_probs), k, normalize_routing_weights)
    result = np.zeros((tokens.shape[0], second.shape[1]), dtype=tokens.dtype)
    for expert in np.unique(chosen).tolist():
        lines, at = np.nonzero(chosen == expert)
        own = [None if each is None else each[expert] for each in biases]
        inner = _through(
            tokens[lines], first[expert], own[0], None if third is None else third[expert], own[2], activation_type,
            swiglu_fusion, activation_alpha, activation_beta, swiglu_limit,
        )  # fmt: skip
        outer = inner @ second[expert].T
        result[lines] += (outer if own[1] is None else outer + own[1]) * shares[lines, at][:, None]
    return narrow(result.reshape(input.shape), input.dtype)


def _plain(weights: Array, scales: Array | None, zeros: Array | None, bits: int, block: int) -> Array:
    """Packed weights ``[experts, N, bytes]`` as floats, with a scale and a zero point for each row or block of it."""
    factors = widen(required(scales, "a scale"))
    inner = weights.shape[2] * 8 // bits
    whole = unpacked(weights, bits, inner).astype(np.float32)
    if factors.ndim == 2:
        factors = factors[..., None]
    size = block if block > 0 else inner
    places = np.minimum(np.arange(inner) // size, factors.shape[2] - 1)
    offset: Array = np.full((1, 1, factors.shape[2]), 1 << (bits - 1), dtype=np.float32)
    if zeros is not None:
        packed = zeros if zeros.ndim == 3 else zeros[..., None]
        offset = unpacked(packed, bits, factors.shape[2]).astype(np.float32)
    return np.asarray((whole - offset[..., places]) * factors[..., places])


@kernel("QMoE", since=(1,), domain=MS)
def quantised_mixture_of_experts(
    input: Array,
    router_probs: Array,
    fc1_experts_weights: Array,
    fc1_scales: Array | None = None,
    fc1_experts_bias: Array | None = None,
    fc2_experts_weights: Array | None = None,
    fc2_scales: Array | None = None,
    fc2_experts_bias: Array | None = None,
    fc3_experts_weights: Array | None = None,
    fc3_scales: Array | None = None,
    fc3_experts_bias: Array | None = None,
    fc1_zero_points: Array | None = None,
    fc2_zero_points: Array | None = None,
    fc3_zero_points: Array | None = None,
    *,
    accuracy_level: int = 0,
    activation_alpha: float = 1.0,
    activation_beta: float = 0.0,
    activation_type: str = "relu",
    block_size: int = 0,
    expert_weight_bits: int = 4,
    fc1_expert_weight_bits: int | None = None,
    fc2_expert_weight_bits: int | None = None,
    fc3_expert_weight_bits: int | None = None,
    k: int = 1,
    normalize_routing_weights: int = 0,
    quant_type: str = "int",
    swiglu_fusion: int = 0,
    swiglu_limit: float = float("inf"),
    swiglu_limit_after_activation: int = 0,
    use_sparse_mixer: int = 0,
    weights_prepacked: int = -1,
) -> Array:
    """MoE with weights packed into integers of few bits."""
    if quant_type != "int" or weights_prepacked > 0:
        raise KernelError(f"weights of type {quant_type!r}, or packed for one kind of hardware, are not supported")
    bits = [
        each or expert_weight_bits for each in (fc1_expert_weight_bits, fc2_expert_weight_bits, fc3_expert_weight_bits)
    ]
    first = _plain(fc1_experts_weights, fc1_scales, fc1_zero_points, bits[0], block_size)
    packed = required(fc2_experts_weights, "fc2_experts_weights")
    second = _plain(packed, fc2_scales, fc2_zero_points, bits[1], block_size)
    third = None
    if fc3_experts_weights is not None:
        third = _plain(fc3_experts_weights, fc3_scales, fc3_zero_points, bits[2], block_size)
    return mixture_of_experts(
        input, router_probs, first, fc1_experts_bias, second, fc2_experts_bias, third, fc3_experts_bias,
        activation_alpha=activation_alpha, activation_beta=activation_beta, activation_type=activation_type, k=k,
        normalize_routing_weights=normalize_routing_weights, swiglu_fusion=swiglu_fusion, swiglu_limit=swiglu_limit,
        swiglu_limit_after_activation=swiglu_limit_after_activation, use_sparse_mixer=use_sparse_mixer,
    )  # fmt: skip
