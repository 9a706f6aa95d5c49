from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shapeinfer.kernels import KernelError
from tests.kernels.domains import agrees, run

MS = "com.microsoft"
Array = NDArray[Any]


def singles(values: Any) -> Array:
    return np.array(values, dtype=np.float32)


def bytes_(dtype: type, values: Any) -> Array:
    return np.array(values, dtype=dtype)


TYPES = [np.uint8, np.int8]


def codes(*shape: int, dtype: type = np.uint8, seed: int = 0) -> Array:
    low, high = (0, 256) if dtype is np.uint8 else (-128, 128)
    return np.random.default_rng((seed, *shape)).integers(low, high, shape).astype(dtype)


def how(scale: float, zero: int, dtype: type) -> list[Array]:
    return [np.array(scale, np.float32), np.array(zero, dtype)]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("op", ["QLinearAdd", "QLinearMul"])
def test_two_tensors(op: str, dtype: type) -> None:
    a, b = codes(2, 3, dtype=dtype), codes(3, dtype=dtype, seed=1)
    inputs = [a, *how(0.1, 5, dtype), b, *how(0.2, 3, dtype), *how(0.7, 9, dtype)]
    agrees(MS, op, inputs, steps=1)
    without: list[Any] = [a, *how(0.1, 0, dtype), b, *how(0.2, 3, dtype), *how(0.7, 9, dtype)]
    expected = run(MS, op, without)
    without[2] = None
    assert run(MS, op, without).tolist() == expected.tolist()


@pytest.mark.parametrize("dtype", TYPES)
def test_one_tensor(dtype: type) -> None:
    x = codes(2, 3, 4, dtype=dtype)
    agrees(MS, "QLinearSigmoid", [x, *how(0.03, 7, dtype), *how(1 / 256, 0, dtype)], steps=1)
    agrees(MS, "QLinearLeakyRelu", [x, *how(0.03, 7, dtype), *how(0.05, 3, dtype)], alpha=0.2, steps=1)
    for axis in (-1, 1):
        inputs = [x, *how(0.03, 7, dtype), *how(1 / 256, 0, dtype)]
        agrees(MS, "QLinearSoftmax", inputs, axis=axis, opset=13, steps=1)
        agrees(MS, "QLinearSoftmax", inputs, axis=axis, opset=11, steps=1)


@pytest.mark.parametrize("dtype", TYPES)
def test_choice_and_concat(dtype: type) -> None:
    a, b = codes(2, 3, dtype=dtype), codes(2, 3, dtype=dtype, seed=1)
    both = [a, *how(0.1, 5, dtype), b, *how(0.2, 3, dtype)]
    condition = np.array([[True], [False]])
    agrees(MS, "QLinearWhere", [condition, *both, *how(0.15, 9, dtype)], steps=1)
    agrees(MS, "QLinearConcat", [*how(0.15, 9, dtype), *both], axis=1, steps=1)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("last", [0, 1])
def test_pools(dtype: type, last: int) -> None:
    x = codes(1, 5, 6, 3, dtype=dtype) if last else codes(1, 3, 5, 6, dtype=dtype)
    between = [*how(0.1, 5, dtype), *how(0.12, 3, dtype)]
    agrees(MS, "QLinearGlobalAveragePool", [x, *between], channels_last=last, steps=1)
    for include in (0, 1):
        options: dict[str, Any] = {"kernel_shape": [2, 3], "strides": [2, 1], "pads": [1, 0, 1, 1]}
        agrees(
            MS, "QLinearAveragePool", [x, *between], channels_last=last, count_include_pad=include, steps=1, **options
        )


@pytest.mark.parametrize("dtype", TYPES)
def test_max_pool_with_channels_last(dtype: type) -> None:
    agrees(MS, "NhwcMaxPool", [codes(1, 5, 6, 3, dtype=dtype)], kernel_shape=[2, 2], strides=[2, 1], pads=[1, 0, 0, 1])


@pytest.mark.parametrize("last", [0, 1])
def test_convolution(last: int) -> None:
    x = codes(1, 5, 6, 4) if last else codes(1, 4, 5, 6)
    w = codes(6, 2, 3, 3, dtype=np.int8)
    scales = np.linspace(0.01, 0.02, 6, dtype=np.float32)
    inputs = [x, *how(0.1, 120, np.uint8), w, scales, np.zeros(6, np.int8), *how(2.0, 128, np.uint8)]
    inputs.append(np.arange(6, dtype=np.int32) * 100)
    agrees(MS, "QLinearConv", inputs, group=2, pads=[1, 1, 0, 0], channels_last=last, steps=1)


def test_fused_convolution() -> None:
    rng = np.random.default_rng(0)
    x, w, b = (rng.standard_normal(s).astype(np.float32) for s in ((1, 2, 5, 5), (3, 2, 3, 3), (3,)))
    z = rng.standard_normal((1, 3, 3, 3)).astype(np.float32)
    agrees(MS, "FusedConv", [x, w, b], activation="Relu")
    agrees(MS, "FusedConv", [x, w, b, z], activation="LeakyRelu", activation_params=[0.1])
    agrees(MS, "FusedConv", [x, w], activation="Clip", activation_params=[-0.2, 0.4], pads=[1, 1, 1, 1])
    plain = run(MS, "FusedConv", [x, w, b], activation="Relu")
    turned = run(MS, "NhwcFusedConv", [np.moveaxis(x, 1, -1), w, b], activation="Relu")
    np.testing.assert_allclose(np.moveaxis(turned, -1, 1), plain, rtol=1e-5)


def test_dynamic_pads() -> None:
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((1, 2, 3, 3)).astype(np.float32), rng.standard_normal((2, 1, 3, 3)).astype(np.float32)
    agrees(MS, "ConvTransposeWithDynamicPads", [x, w, np.array([1, 1, 1, 1])], strides=[2, 2])


def test_quantisation() -> None:
    x = np.linspace(-3, 3, 12, dtype=np.float32).reshape(3, 4)
    agrees(MS, "QuantizeLinear", [x, *how(0.02, 7, np.uint8)])
    agrees(MS, "QuantizeLinear", [x, singles([0.1, 0.2, 0.3]), bytes_(np.int8, [1, 2, 3])], axis=0)
    agrees(MS, "DequantizeLinear", [codes(3, 4), *how(0.02, 7, np.uint8)])
    agrees(MS, "DequantizeLinear", [codes(3, 4), singles([0.1, 0.2, 0.3]), bytes_(np.uint8, [1, 2, 3])], axis=0)


def test_integers_without_a_runtime() -> None:  # ONNX Runtime has no kernel
    data = codes(2, 3)
    assert run(MS, "ReduceSumInteger", [data], axes=[1], keepdims=0).tolist() == data.sum(1).tolist()
    product = run(MS, "MulInteger", [data, np.uint8(1).reshape(()), data])
    assert product.tolist() == ((data.astype(int) - 1) * data).tolist()
    mean = run(MS, "QLinearReduceMean", [data, *how(1, 0, np.uint8), *how(1, 0, np.uint8)], axes=[1], keepdims=1)
    assert mean.tolist() == np.rint(data.mean(1, keepdims=True)).tolist()


def test_what_is_missing() -> None:
    with pytest.raises(KernelError, match="the input B is required"):
        run(MS, "QLinearAdd", [codes(2), *how(1, 0, np.uint8)])
    with pytest.raises(KernelError, match="no tensors with a scale"):
        run(MS, "QLinearConcat", [*how(1, 0, np.uint8), codes(2)], axis=0)
