from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shapeinfer.kernels import KernelError
from tests.kernels.domains import agrees, run

MS = "com.microsoft"
Array = NDArray[Any]
TOKENS, WIDTH, INNER, EXPERTS = 5, 4, 6, 3


def floats(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng((seed, *shape)).standard_normal(shape).astype(np.float32)


def mixture(fused: int = 1) -> list[Any]:
    return [
        floats(TOKENS, WIDTH),
        floats(TOKENS, EXPERTS),
        floats(EXPERTS, fused * INNER, WIDTH),
        floats(EXPERTS, fused * INNER),
        floats(EXPERTS, WIDTH, INNER),
        floats(EXPERTS, WIDTH),
    ]


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("normalised", [0, 1])
@pytest.mark.parametrize("activation", ["relu", "gelu", "silu", "identity"])
def test_mixture(k: int, normalised: int, activation: str) -> None:
    agrees(MS, "MoE", mixture(), k=k, normalize_routing_weights=normalised, activation_type=activation, atol=1e-3)


def test_gated_mixture() -> None:
    options = {"k": 2, "activation_type": "swiglu", "activation_alpha": 1.7, "activation_beta": 1.0}
    agrees(MS, "MoE", mixture(2), swiglu_fusion=1, swiglu_limit=0.8, **options)


def test_packed_weights() -> None:
    rng = np.random.default_rng(0)
    packed = [rng.integers(0, 256, (EXPERTS, n, k // 2)).astype(np.uint8) for n, k in ((16, 16), (16, 16))]
    scales = [np.abs(floats(EXPERTS, 16, seed=i)) for i in range(2)]
    inputs = [floats(TOKENS, 16), floats(TOKENS, EXPERTS), packed[0], scales[0], None, packed[1], scales[1]]
    # ONNX Runtime normalises the weights of the experts always, whatever the attribute says.
    agrees(MS, "QMoE", inputs, k=2, activation_type="silu", normalize_routing_weights=1, atol=1e-2, rtol=1e-2)


def test_what_does_not_fit() -> None:
    with pytest.raises(KernelError, match="4 of 3 experts"):
        run(MS, "MoE", mixture(), k=4)
    with pytest.raises(KernelError, match="router_probs"):
        run(MS, "MoE", [floats(2, WIDTH), *mixture()[1:]])
