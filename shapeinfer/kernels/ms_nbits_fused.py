"""com.microsoft: several products with packed weights, after a normalisation that they share."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.ms_nbits import matmul_nbits
from shapeinfer.kernels.ms_normalization import simplified_layer_normalization, skip_simplified_layer_normalization
from shapeinfer.kernels.ms_shared import MS, gelu, required, silu
from shapeinfer.kernels.registry import kernel

# ruff: noqa: N803  (attributes have the names of the specification)


def _normalised(a: Array, skip: Array | None, scale: Array | None, epsilon: float) -> tuple[Array, Array]:
    """The input divided by its root mean square, after the skip is added; and the sum of both."""
    if scale is None:
        return a, a
    if skip is None:
        return simplified_layer_normalization(a, scale, epsilon=epsilon)[0], a
    result, _, _, total = skip_simplified_layer_normalization(a, skip, scale, epsilon=epsilon)
    return result, total


@kernel("MatMulNBitsMlp", since=(1,), domain=MS)
def matmul_nbits_mlp(
    a: Array,
    skip: Array | None = None,
    norm_scale: Array | None = None,
    gate_b: Array | None = None,
    gate_scales: Array | None = None,
    gate_bias: Array | None = None,
    up_b: Array | None = None,
    up_scales: Array | None = None,
    up_bias: Array | None = None,
    *,
    K: int,
    N: int,
    accuracy_level: int = 0,
    activation: str,
    bits: int = 4,
    block_size: int,
    epsilon: float = 1e-5,
) -> tuple[Array, Array]:
    """The activation of one product times another."""
    data, total = _normalised(a, skip, norm_scale, epsilon)
    gate, up = (
        widen(
            matmul_nbits(
                data, required(b, "B"), required(scales, "scales"), bias=bias, K=K, N=N, bits=bits,
                block_size=block_size,
            )
        )
        for b, scales, bias in ((gate_b, gate_scales, gate_bias), (up_b, up_scales, up_bias))
    )  # fmt: skip
    if activation == "silu":
        gate = silu(gate)
    elif activation == "gelu":
        gate = gelu(gate)
    elif activation == "relu":
        gate = np.maximum(gate, 0)
    else:
        raise KernelError(f"there is no activation {activation!r}")
    return narrow(gate * up, a.dtype), total


@kernel("MatMulNBitsQkv", since=(1,), domain=MS)
def matmul_nbits_qkv(
    a: Array,
    skip: Array | None = None,
    norm_scale: Array | None = None,
    q_b: Array | None = None,
    q_scales: Array | None = None,
    q_bias: Array | None = None,
    k_b: Array | None = None,
    k_scales: Array | None = None,
    k_bias: Array | None = None,
    v_b: Array | None = None,
    v_scales: Array | None = None,
    v_bias: Array | None = None,
    *,
    K: int,
    Nkv: int,
    Nq: int,
    accuracy_level: int = 0,
    bits: int = 4,
    block_size: int,
    epsilon: float = 1e-6,
) -> tuple[Array, Array, Array, Array]:
    """The projections to queries, keys and values."""
    data, total = _normalised(a, skip, required(norm_scale, "norm_scale"), epsilon)
    query, key, value = (
        matmul_nbits(
            data, required(b, "B"), required(scales, "scales"), bias=bias, K=K, N=count, bits=bits,
            block_size=block_size,
        )
        for b, scales, bias, count in (
            (q_b, q_scales, q_bias, Nq), (k_b, k_scales, k_bias, Nkv), (v_b, v_scales, v_bias, Nkv),
        )
    )  # fmt: skip
    return query, key, value, total
