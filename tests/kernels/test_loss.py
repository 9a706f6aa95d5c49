"""Losses, optimizers and random numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from shapeinfer.kernels import KernelError, call, find

Agrees = Callable[..., list[Any]]
Run = Callable[..., Any]
F32 = np.float32


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("ignored", [None, 1, -5])
def test_losses(agrees: Agrees, rng: np.random.Generator, reduction: str, ignored: int | None) -> None:
    for more in ((), (4,), (2, 3)):
        x, classes = rng.standard_normal((3, 5, *more)).astype(F32), rng.integers(0, 5, (3, *more))
        weights = rng.uniform(0.5, 2, 5).astype(F32)
        if ignored is not None:
            classes.flat[0] = ignored
        attributes = {"reduction": reduction} | ({} if ignored is None else {"ignore_index": ignored})
        for given in ([x, classes], [x, classes, weights]):
            for opset in (12, 13):
                agrees("NegativeLogLikelihoodLoss", given, opset, like=13, rtol=1e-4, **attributes)
                agrees("SoftmaxCrossEntropyLoss", given, opset, 2, like=13, rtol=1e-4, **attributes)


def test_what_losses_refuse(run: Run) -> None:
    x = np.zeros((2, 3), F32)
    for op in ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"):
        for bad in ([x, np.array([0])], [x, np.array([0, 3])], [x, np.array([0, 1]), np.ones(2, F32)]):
            with pytest.raises(KernelError):
                run(op, bad, 13)
        with pytest.raises(KernelError, match="reduction"):
            run(op, [x, np.array([0, 1])], 13, reduction="max")


def train(op: str, inputs: list[Any], outputs: int, **attributes: Any) -> list[Any]:
    kernel = find("ai.onnx.preview.training", op, 1)
    assert kernel is not None
    return call(kernel, inputs, attributes, outputs=outputs)


def test_adagrad(rng: np.random.Generator) -> None:
    xs, gs, hs = ([np.abs(rng.standard_normal(n)).astype(F32) for n in (2, 3)] for _ in range(3))
    given = {"decay_factor": 0.1, "epsilon": 1e-3, "norm_coefficient": 0.01}
    results = train("Adagrad", [np.array(0.1, F32), np.array(2), *xs, *gs, *hs], 4, **given)
    for x, g, h, moved, total in zip(xs, gs, hs, results[:2], results[2:], strict=True):
        full = 0.01 * x + g
        np.testing.assert_allclose(total, h + full**2, rtol=1e-5)
        np.testing.assert_allclose(moved, x - 0.1 / 1.2 * full / (np.sqrt(total) + 1e-3), rtol=1e-5)


@pytest.mark.parametrize("count", [0, 3])
def test_adam(rng: np.random.Generator, count: int) -> None:
    x, g, v, h = (np.abs(rng.standard_normal(3)).astype(F32) for _ in range(4))
    given = {"alpha": 0.9, "beta": 0.99, "epsilon": 1e-3, "norm_coefficient": 0.01, "norm_coefficient_post": 0.1}
    moved, v2, h2 = train("Adam", [np.array(0.1, F32), np.array(count), x, g, v, h], 3, **given)
    full = 0.01 * x + g
    np.testing.assert_allclose(v2, 0.9 * v + 0.1 * full, rtol=1e-5)
    np.testing.assert_allclose(h2, 0.99 * h + 0.01 * full**2, rtol=1e-5)
    rate = 0.1 * np.sqrt(1 - 0.99**count) / (1 - 0.9**count) if count else 0.1
    np.testing.assert_allclose(moved, 0.9 * (x - rate * v2 / (np.sqrt(h2) + 1e-3)), rtol=1e-4)


@pytest.mark.parametrize("mode", ["standard", "nesterov"])
@pytest.mark.parametrize("count", [0, 1])
def test_momentum(rng: np.random.Generator, mode: str, count: int) -> None:
    x, g, v = (rng.standard_normal(3).astype(F32) for _ in range(3))
    given = {"alpha": 0.9, "beta": 0.5, "mode": mode, "norm_coefficient": 0.01}
    moved, v2 = train("Momentum", [np.array(0.1, F32), np.array(count), x, g, v], 2, **given)
    full = 0.01 * x + g
    np.testing.assert_allclose(v2, 0.9 * v + (0.5 if count else 1) * full, rtol=1e-5)
    np.testing.assert_allclose(moved, x - 0.1 * (v2 if mode == "standard" else full + 0.9 * v2), rtol=1e-5)
    with pytest.raises(KernelError, match="not 3 of each"):
        train("Momentum", [np.array(0.1, F32), np.array(count), x, g], 2, **given)


@pytest.mark.parametrize("opset", [1, 22])
def test_distributions(run: Run, opset: int) -> None:
    shape = [100, 100]
    normal = run("RandomNormal", [], opset, shape=shape, mean=3.0, scale=2.0, seed=1.0)
    assert (abs(normal.mean() - 3) < 0.1, abs(normal.std() - 2) < 0.1, normal.dtype) == (True, True, F32)
    uniform = run("RandomUniform", [], opset, shape=shape, low=-1.0, high=5.0, dtype=11, seed=1.0)
    assert (abs(uniform.mean() - 2) < 0.1, uniform.min() >= -1, uniform.max() < 5) == (True, True, True)
    assert uniform.dtype == np.float64
    like = np.zeros((2, 3), np.float16)
    for op in ("RandomNormalLike", "RandomUniformLike"):
        assert run(op, [like], opset).dtype == np.float16
        assert run(op, [like.astype(np.int32)], opset, dtype=1).shape == (2, 3)
        with pytest.raises(KernelError, match="int32"):
            run(op, [like.astype(np.int32)], opset)


def test_seeds(run: Run) -> None:
    given = {"shape": [4], "seed": 1.5}
    assert run("RandomNormal", [], 22, **given).tolist() == run("RandomNormal", [], 22, **given).tolist()
    assert run("RandomNormal", [], 22, **given).tolist() != run("RandomNormal", [], 22, shape=[4], seed=2.5).tolist()
    assert run("RandomNormal", [], 22, shape=[4]).tolist() != run("RandomNormal", [], 22, shape=[4]).tolist()


def test_bernoulli(run: Run) -> None:
    drawn = run("Bernoulli", [np.full(10000, 0.3, F32)], 22, dtype=9, seed=1.0)
    assert (drawn.dtype, abs(drawn.mean() - 0.3) < 0.02) == (np.bool_, True)
    assert run("Bernoulli", [np.array([0.0, 1.0])], 15).tolist() == [0, 1]
    with pytest.raises(KernelError, match="probability"):
        run("Bernoulli", [np.array([1.5])], 15)


def test_multinomial(run: Run) -> None:
    chances = np.array([[0.2, 0.0, 0.8], [0.5, 0.5, 0.0]])
    drawn = run("Multinomial", [np.log(np.maximum(chances, 1e-30)) + 7], 22, sample_size=5000, dtype=7, seed=3.0)
    assert (drawn.shape, drawn.dtype) == ((2, 5000), np.int64)
    counts = np.stack([np.bincount(row, minlength=3) for row in drawn]) / 5000
    np.testing.assert_allclose(counts, chances, atol=0.03)
