from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from shapeinfer.kernels import KernelError

Agrees = Callable[..., list[Any]]
Run = Callable[..., Any]


def batch(rng: np.random.Generator, shape: tuple[int, ...], channels: int) -> list[Any]:
    values = [rng.standard_normal(shape), rng.random(channels), rng.random(channels), rng.random(channels)]
    return [each.astype(np.float32) for each in (*values, rng.random(channels) + 0.5)]


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 4), (2, 3, 4, 5), (2, 3, 2, 2, 2)])
def test_batch_normalization(agrees: Agrees, rng: np.random.Generator, shape: tuple[int, ...]) -> None:
    inputs = batch(rng, shape, 3)
    for opset in (7, 9, 14, 15):
        agrees("BatchNormalization", inputs, opset, rtol=1e-4, atol=1e-5, epsilon=1e-3)
    for opset in (1, 6):
        hints = {"consumed_inputs": [0, 0, 0, 1, 1]} if opset == 1 else {}
        first = agrees("BatchNormalization", inputs, 9, rtol=1e-4, atol=1e-5)[0]
        assert_same(agrees, inputs, opset, first, hints)


def assert_same(agrees: Agrees, inputs: list[Any], opset: int, expected: Any, hints: dict[str, Any]) -> None:
    from onnx import helper

    from shapeinfer.kernels import run_node

    node = helper.make_node("BatchNormalization", ["x", "s", "b", "m", "v"], ["y"], is_test=1, **hints)
    assert run_node(node, opset, inputs)[0].tolist() == expected.tolist()


def test_batch_normalization_of_one_dim_has_one_channel(run: Run) -> None:
    one = np.ones(1)
    x = np.array([1.0, 3.0])
    assert run("BatchNormalization", [x, one, one, one, one], 9, epsilon=0.0).tolist() == [1.0, 3.0]


@pytest.mark.parametrize("opset", [1, 6, 7])
def test_batch_normalization_by_place(run: Run, rng: np.random.Generator, opset: int) -> None:
    x = rng.standard_normal((4, 2, 3))
    scale, b, mean, var = (rng.random((2, 3)) + 0.5 for _ in range(4))
    hints = {"consumed_inputs": [0, 0, 0, 1, 1]} if opset == 1 else {}
    result = run("BatchNormalization", [x, scale, b, mean, var], opset, spatial=0, epsilon=0.0, **hints)
    np.testing.assert_allclose(result, (x - mean) / np.sqrt(var) * scale + b)


@pytest.mark.parametrize("opset", [14, 15])
def test_batch_normalization_in_training(agrees: Agrees, rng: np.random.Generator, opset: int) -> None:
    inputs = batch(rng, (4, 3, 5), 3)
    agrees("BatchNormalization", inputs, opset, outputs=3, rtol=1e-4, atol=1e-5, training_mode=1, momentum=0.75)


@pytest.mark.parametrize("opset", [6, 7, 9])
def test_batch_normalization_is_training_when_more_outputs_are_wanted(
    run: Run, rng: np.random.Generator, opset: int
) -> None:
    inputs = batch(rng, (4, 3, 5), 3)
    y, mean, var, saved_mean, saved_var = run("BatchNormalization", inputs, opset, outputs=5, momentum=0.75)
    expected = run("BatchNormalization", inputs, 15, outputs=3, momentum=0.75, training_mode=1)
    for got, wanted in zip((y, mean, var), expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5)
    np.testing.assert_allclose(saved_mean, inputs[0].mean(axis=(0, 2)), rtol=1e-5)
    np.testing.assert_allclose(saved_var, inputs[0].var(axis=(0, 2)), rtol=1e-5)


def test_further_outputs_need_training(run: Run, rng: np.random.Generator) -> None:
    with pytest.raises(KernelError, match="without training_mode"):
        run("BatchNormalization", batch(rng, (4, 3, 5), 3), 15, outputs=3)


def test_batch_normalization_of_mixed_types(run: Run, rng: np.random.Generator) -> None:
    x, scale, b, mean, var = batch(rng, (4, 3, 5), 3)
    result = run("BatchNormalization", [x.astype(np.float16), scale, b, mean, var], 15)
    assert result.dtype == np.float16


def test_parameters_by_channel(run: Run) -> None:
    with pytest.raises(KernelError, match=r"\[2\], where \[3\] is needed"):
        run("BatchNormalization", [np.zeros((1, 3, 4)), *(np.ones(2) for _ in range(4))], 15)


@pytest.mark.parametrize("opset", [1, 6, 22])
def test_instance_normalization(agrees: Agrees, rng: np.random.Generator, opset: int) -> None:
    x, scale, b, _, _ = batch(rng, (2, 3, 4, 5), 3)
    agrees("InstanceNormalization", [x, scale, b], opset, like=max(opset, 7), rtol=1e-4, atol=1e-5, epsilon=1e-2)


@pytest.mark.parametrize("axis", [-1, 1, 2, -3])
def test_layer_normalization(agrees: Agrees, rng: np.random.Generator, axis: int) -> None:
    x = rng.standard_normal((2, 3, 4)).astype(np.float32)
    shape = x.shape[axis % 3 :]
    scale, b = rng.random(shape).astype(np.float32), rng.random(shape).astype(np.float32)
    agrees("LayerNormalization", [x, scale, b], 17, outputs=3, rtol=1e-4, atol=1e-5, axis=axis)
    agrees("LayerNormalization", [x, scale], 17, rtol=1e-4, atol=1e-5, axis=axis)


def test_layer_normalization_in_the_stashed_type(run: Run, rng: np.random.Generator) -> None:
    x = rng.standard_normal((2, 8)).astype(np.float16)
    ones = np.ones(8, np.float16)
    y, mean, inverse = run("LayerNormalization", [x, ones, ones], 17, outputs=3)
    assert [each.dtype for each in (y, mean, inverse)] == [np.float16, np.float32, np.float32]


@pytest.mark.parametrize("axis", [-1, 1])
def test_rms_normalization(agrees: Agrees, rng: np.random.Generator, axis: int) -> None:
    x = rng.standard_normal((2, 3, 4)).astype(np.float32)
    scale = rng.random(x.shape[axis % 3 :]).astype(np.float32)
    agrees("RMSNormalization", [x, scale], 23, rtol=1e-4, atol=1e-5, axis=axis)


def test_group_normalization(agrees: Agrees, rng: np.random.Generator) -> None:
    x = rng.standard_normal((2, 6, 3, 2)).astype(np.float32)
    per_channel = [rng.random(6).astype(np.float32) for _ in range(2)]
    agrees("GroupNormalization", [x, *per_channel], 21, rtol=1e-4, atol=1e-5, num_groups=3)
    with pytest.raises(KernelError, match="do not make 4 groups"):
        agrees("GroupNormalization", [x, *per_channel], 21, num_groups=4)


@pytest.mark.parametrize("opset", [9, 13])
def test_mean_variance_normalization(agrees: Agrees, rng: np.random.Generator, opset: int) -> None:
    x = rng.standard_normal((2, 3, 4, 5)).astype(np.float32)
    agrees("MeanVarianceNormalization", [x], opset, rtol=1e-4, atol=1e-5)
    agrees("MeanVarianceNormalization", [x], opset, rtol=1e-4, atol=1e-5, axes=[1, -1])


@pytest.mark.parametrize("opset", [1, 22])
@pytest.mark.parametrize("p", [1, 2])
def test_lp_normalization(agrees: Agrees, rng: np.random.Generator, opset: int, p: int) -> None:
    x = rng.standard_normal((2, 3, 4)).astype(np.float32)
    agrees("LpNormalization", [x], opset, like=max(opset, 7), p=p, axis=1)


def test_lp_normalization_of_zeros(run: Run) -> None:
    assert run("LpNormalization", [np.zeros((2, 2))], 22).tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("opset", [1, 13])
@pytest.mark.parametrize("size", [1, 3, 5])
def test_lrn(agrees: Agrees, rng: np.random.Generator, opset: int, size: int) -> None:
    x = rng.standard_normal((2, 7, 3, 3)).astype(np.float32)
    agrees("LRN", [x], opset, like=max(opset, 7), rtol=1e-4, size=size, alpha=0.5, beta=0.75, bias=2.0)


@pytest.mark.parametrize("size", [2, 4])
def test_lrn_of_an_even_size(run: Run, size: int) -> None:
    # ONNX Runtime refuses even sizes. The region reaches floor((size - 1) / 2) back and ceil((size - 1) / 2) on.
    x = np.ones((1, 5, 1))
    counts = [min(4, c + size // 2) - max(0, c - (size - 1) // 2) + 1 for c in range(5)]
    result = run("LRN", [x], 13, size=size, alpha=float(size), beta=1.0, bias=0.0)
    assert result.reshape(-1).tolist() == [1 / count for count in counts]


def test_narrow_floats(run: Run) -> None:
    x = np.ones((1, 3, 4), ml_dtypes.bfloat16)
    assert run("LRN", [x], 13, size=3).dtype == ml_dtypes.bfloat16
