from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shapeinfer.kernels import KernelError
from tests.kernels.domains import agrees, onnxruntime_gives, run

MS = "com.microsoft"
Array = NDArray[Any]


def floats(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng((seed, *shape)).standard_normal(shape).astype(np.float32)


def codes(*shape: int, dtype: type = np.uint8, seed: int = 0) -> Array:
    low, high = (0, 256) if dtype is np.uint8 else (-128, 128)
    return np.random.default_rng((seed, *shape)).integers(low, high, shape).astype(dtype)


def number(value: float, dtype: type = np.float32) -> Array:
    return np.array(value, dtype=dtype)


def test_activations() -> None:
    x, bias = floats(2, 3, 4), floats(4)
    agrees(MS, "Gelu", [x])
    agrees(MS, "FastGelu", [x])
    agrees(MS, "FastGelu", [x, bias])
    agrees(MS, "BiasGelu", [x, bias])
    agrees(MS, "QuickGelu", [x])
    agrees(MS, "QuickGelu", [x], alpha=0.5)


def test_activations_by_their_parts() -> None:
    x, bias = floats(2, 3, 4), floats(4)
    left, right = np.split(x + bias, 2, axis=-1)
    np.testing.assert_allclose(run(MS, "BiasSplitGelu", [x, bias]), left * run(MS, "Gelu", [right]), rtol=1e-5)
    left, right = np.split(x, 2, axis=-1)
    np.testing.assert_allclose(run(MS, "SwiGLU", [x]), left / (1 + np.exp(-left)) * right, rtol=1e-5)
    np.testing.assert_allclose(run(MS, "BiasAdd", [x, bias, x]), 2 * x + bias, rtol=1e-5)
    with pytest.raises(KernelError, match="bias must be of shape"):
        run(MS, "BiasGelu", [x, floats(3)])


def test_layer_normalisations() -> None:
    x, skip, scale, shift, bias = floats(2, 3, 4), floats(2, 3, 4, seed=1), floats(4), floats(4, seed=1), floats(4)
    agrees("", "SimplifiedLayerNormalization", [x, scale], 2)
    agrees("", "SimplifiedLayerNormalization", [x, floats(3, 4)], axis=1, epsilon=0.1)
    for inputs in ([x, skip, scale], [x, skip, scale, shift], [x, skip, scale, shift, bias], [x, skip[:1], scale]):
        got = run(MS, "SkipLayerNormalization", inputs, 4)
        want = onnxruntime_gives(MS, "SkipLayerNormalization", inputs, 4)
        np.testing.assert_allclose(got[0], want[0], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(got[3], want[3], rtol=1e-4, atol=1e-5)
    agrees(MS, "SkipSimplifiedLayerNormalization", [x, skip, scale, bias])


def test_embeddings() -> None:
    tokens = np.array([[1, 2, 0], [4, 4, 3]], np.int32)
    segments, mask = np.array([[0, 0, 1], [1, 0, 1]], np.int32), np.array([[1, 1, 0], [1, 0, 0]], np.int32)
    tables = [floats(5, 4), floats(3, 4), floats(2, 4), floats(4), floats(4, seed=1)]
    agrees(MS, "EmbedLayerNormalization", [tokens, segments, *tables, mask], 3, mask_index_type=1)
    agrees(MS, "EmbedLayerNormalization", [tokens, None, tables[0], tables[1], None, *tables[3:]], 2)


@pytest.mark.parametrize("last", [0, 1])
def test_group_norm(last: int) -> None:  # only for GPUs in ONNX Runtime
    x = floats(2, 3, 3, 4) if last else floats(2, 4, 3, 3)
    first = np.moveaxis(x, -1, 1) if last else x
    parts = first.reshape(2, 2, -1)
    normal = (parts - parts.mean(2, keepdims=True)) / np.sqrt(parts.var(2, keepdims=True) + 1e-5)
    scale, shift = floats(4), floats(4, seed=1)
    want = normal.reshape(first.shape) * scale[:, None, None] + shift[:, None, None]
    want = want / (1 + np.exp(-want))
    got = run(MS, "GroupNorm", [x, scale, shift], groups=2, activation=1, channels_last=last)
    np.testing.assert_allclose(np.moveaxis(got, -1, 1) if last else got, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("left", [0, 1])
@pytest.mark.parametrize("right", [0, 1])
def test_fused_matmul(left: int, right: int) -> None:
    a, b = floats(2, 3, 4), floats(2, 4, 5)
    a, b = a.swapaxes(1, 2).copy() if left else a, b.swapaxes(1, 2).copy() if right else b
    agrees(MS, "FusedMatMul", [a, b], transA=left, transB=right, alpha=0.5)
    agrees(MS, "TransposeMatMul", [a, b], transA=left, transB=right, alpha=0.5)
    batched = [np.moveaxis(each, -2, 0).copy() for each in (a, b)]
    got = run(MS, "FusedMatMul", batched, transA=left, transB=right, transBatchA=1, transBatchB=1)
    np.testing.assert_allclose(
        got * np.float32(0.5), run(MS, "FusedMatMul", [a, b], transA=left, transB=right, alpha=0.5)
    )


@pytest.mark.parametrize(("name", "parameters"), [
    ("Relu", {}), ("LeakyRelu", {"activation_alpha": 0.2}), ("Tanh", {}), ("Sigmoid", {}), ("Softplus", {}),
    ("HardSigmoid", {"activation_alpha": 0.3, "activation_beta": 0.4}), ("Elu", {"activation_alpha": 0.6}),
])  # fmt: skip
def test_fused_gemm(name: str, parameters: dict[str, float]) -> None:
    agrees(MS, "FusedGemm", [floats(3, 4), floats(4, 2), floats(2)], activation=name, alpha=0.5, **parameters)


def test_integer_products() -> None:
    a, b = codes(2, 3, 4), codes(4, 5, dtype=np.int8)
    scales = [number(0.1), floats(5)]
    zeros = [number(120, np.uint8), codes(5, dtype=np.int8)]
    agrees(MS, "MatMulIntegerToFloat", [a, b, *scales, *zeros, floats(5)], atol=1e-3)
    agrees(MS, "MatMulIntegerToFloat", [a, b, number(0.1), number(0.2)], atol=1e-3)
    wide = [np.array([[300, -5]], np.int16), np.array([[1000], [7]], np.int16)]
    agrees(MS, "MatMulInteger16", wide)
    for zero in (None, number(3, np.int8)):
        agrees(MS, "DynamicQuantizeMatMul", [floats(3, 4), b, number(0.02), zero, floats(5)], atol=1e-3)


@pytest.mark.parametrize("quantised", [False, True])
def test_qgemm(quantised: bool) -> None:
    inputs = [codes(4, 3), number(0.1), number(100, np.uint8), codes(4, 5), number(0.05), number(90, np.uint8)]
    inputs.append(np.arange(5, dtype=np.int32))
    inputs += [number(3.0), number(128, np.uint8)] if quantised else []
    agrees(MS, "QGemm", inputs, transA=1, atol=1e-3, steps=1)


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("zeros", ["none", "packed", "floats"])
def test_matmul_nbits(bits: int, zeros: str) -> None:
    inner, columns, block = 40, 3, 16
    weights, scales = codes(columns, 3, block * bits // 8), floats(columns, 3)
    if zeros == "floats" and bits == 8:
        return  # refused by ONNX Runtime
    zero = {"none": None, "packed": codes(columns, -(-3 * bits // 8)), "floats": floats(columns, 3)}[zeros]
    inputs = [floats(2, 4, inner), weights, scales, zero, None, floats(columns)]
    agrees(MS, "MatMulNBits", inputs, K=inner, N=columns, bits=bits, block_size=block, rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize("kind", [0, 1])
def test_matmul_bnb4(kind: int) -> None:
    inputs = [floats(2, 32), codes(3 * 32 // 2), np.abs(floats(6))]
    agrees(MS, "MatMulBnb4", inputs, K=32, N=3, block_size=16, quant_type=kind)


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_gather_block_quantized(bits: int) -> None:
    data, scales = codes(5, 32 * bits // 8), floats(5, 2)
    indices = np.array([[0, -1], [3, 3]])
    options = {"bits": bits, "block_size": 16, "gather_axis": 0, "quantize_axis": 1}
    agrees(MS, "GatherBlockQuantized", [data, indices, scales], **options)
    agrees(MS, "GatherBlockQuantized", [data, indices, scales, codes(5, -(-2 * bits // 8))], **options)
