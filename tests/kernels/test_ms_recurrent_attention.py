from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shapeinfer.kernels import KernelError
from tests.kernels.domains import agrees, run

MS = "com.microsoft"
Array = NDArray[Any]
B, T, H, K, V = 2, 5, 2, 4, 3


def floats(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng((seed, *shape)).standard_normal(shape).astype(np.float32) * np.float32(0.5)


@pytest.mark.parametrize("rule", ["linear", "gated", "delta", "gated_delta"])
@pytest.mark.parametrize("past", [False, True])
def test_linear_attention(rule: str, past: bool) -> None:
    inputs: list[Any] = [floats(B, T, H * K), floats(B, T, H * K, seed=1), floats(B, T, H * V)]
    inputs.append(floats(B, H, K, V) if past else None)
    inputs.append(-np.abs(floats(B, T, H)) if "gated" in rule else None)
    inputs.append(np.abs(floats(B, T, H)) if "delta" in rule else None)
    while inputs[-1] is None:
        inputs.pop()
    agrees(MS, "LinearAttention", inputs, 2, q_num_heads=H, kv_num_heads=H, update_rule=rule)


def test_gates() -> None:
    agrees(MS, "LinearAttentionGate", [floats(B, T, H), floats(H), floats(H, seed=1), floats(B, T, H)], 2)


@pytest.mark.parametrize("activation", ["none", "silu"])
def test_causal_convolution(activation: str) -> None:
    inputs = [floats(B, H, T), floats(H, 1, 3), floats(H)]
    agrees(MS, "CausalConvWithState", inputs, 2, activation=activation)
    agrees(MS, "CausalConvWithState", [*inputs, floats(B, H, 4)], 2, activation=activation, dilation=2)
    with pytest.raises(KernelError, match="past_state is"):
        run(MS, "CausalConvWithState", [*inputs, floats(B, H, 4)])


@pytest.mark.parametrize("layout", [0, 1])
@pytest.mark.parametrize("interleaved", [0, 1])
def test_three_positions(layout: int, interleaved: int) -> None:
    places = np.random.default_rng(0).integers(0, 9, (3, B, T))
    inputs = [floats(B, 2, T, 12), places, floats(9, 6), floats(9, 6, seed=1)]
    options = {"mrope_section": [2, 2, 2], "mrope_layout": layout, "interleaved": interleaved}
    agrees(MS, "MRotaryEmbedding", inputs, **options)


def test_fused_packed_products() -> None:
    rng = np.random.default_rng(0)
    weights = [rng.integers(0, 256, (3, 1, 8)).astype(np.uint8) for _ in range(3)]
    scales = [floats(3, 1, seed=i) for i in range(3)]
    x, scale = floats(2, 16), floats(16)
    pairs = [each for pair in zip(weights, scales, [None] * 3, strict=True) for each in pair]
    size = {"K": 16, "block_size": 16}
    parts = run(MS, "MatMulNBitsQkv", [x, None, scale, *pairs], 3, Nq=3, Nkv=3, epsilon=1e-5, **size)
    plain = run("", "SimplifiedLayerNormalization", [x, scale])
    singles = [run(MS, "MatMulNBits", [plain, w, s], N=3, **size) for w, s in zip(weights, scales, strict=True)]
    for part, single in zip(parts, singles, strict=True):
        np.testing.assert_allclose(part, single, rtol=1e-5)
    gated = run(MS, "MatMulNBitsMlp", [x, None, scale, *pairs[:6]], N=3, activation="silu", **size)
    np.testing.assert_allclose(gated, singles[0] / (1 + np.exp(-singles[0])) * singles[1], rtol=1e-4)
