from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from shapeinfer.kernels import KernelError
from shapeinfer.kernels.erf import erf

Agrees = Callable[..., list[Any]]
Run = Callable[..., Any]
Versions = Callable[[str], list[int]]

ANY = (
    "Abs Neg Sign Ceil Floor Round Exp Sin Cos Tan Asinh Atan Sinh Cosh Tanh Sigmoid Softplus Softsign Relu Erf".split()
)
POSITIVE = "Sqrt Reciprocal Log".split()
UNIT = "Asin Acos Atanh".split()
FROM_ONE = ["Acosh"]
ACTIVATIONS: list[tuple[str, dict[str, float]]] = [
    ("LeakyRelu", {"alpha": 0.25}),
    ("Elu", {"alpha": 0.5}),
    ("Selu", {"alpha": 1.5, "gamma": 2.0}),
    ("Celu", {"alpha": 0.5}),
    ("ThresholdedRelu", {"alpha": 0.5}),
    ("HardSigmoid", {"alpha": 0.25, "beta": 0.125}),
    ("HardSwish", {}),
    ("Mish", {}),
    ("Swish", {"alpha": 0.5}),
    ("Shrink", {"lambd": 0.75, "bias": 0.5}),
]


def numbers(rng: np.random.Generator, op: str, dtype: type = np.float32) -> Any:
    x = rng.standard_normal((3, 4, 2)) * 2
    if op in POSITIVE:
        x = np.abs(x) + 0.125
    elif op in UNIT:
        x = np.tanh(x) * 0.99
    elif op in FROM_ONE:
        x = np.abs(x) + 1
    return x.astype(dtype)


@pytest.mark.parametrize("op", ANY + POSITIVE + UNIT + FROM_ONE)
def test_functions_of_one_number(agrees: Agrees, versions: Versions, rng: np.random.Generator, op: str) -> None:
    x = numbers(rng, op)
    for opset in versions(op):
        agrees(op, [x], opset, like=max(opset, 7))
        agrees(op, [x.reshape(-1)[0]], opset, like=max(opset, 7))


@pytest.mark.parametrize("op", [op for op in ANY + POSITIVE + UNIT + FROM_ONE if op != "Erf"])
@pytest.mark.parametrize("dtype", [np.float64, np.float16])
def test_other_floats(run: Run, rng: np.random.Generator, op: str, dtype: type) -> None:
    x = numbers(rng, op, dtype)
    exact = run(op, [x.astype(np.float64)], 22)
    result = run(op, [x], 22)
    assert result.dtype == dtype
    np.testing.assert_allclose(result.astype(np.float64), exact, rtol=1e-3, atol=1e-3)


def test_narrow_floats_are_rounded_once(run: Run) -> None:
    x = np.array([0.1, 1, 3], dtype=ml_dtypes.bfloat16)
    expected = np.tanh(x.astype(np.float32)).astype(ml_dtypes.bfloat16)
    assert run("Tanh", [x], 13).tolist() == expected.tolist()


@pytest.mark.parametrize(("op", "attributes"), ACTIVATIONS)
def test_activations(
    agrees: Agrees, versions: Versions, rng: np.random.Generator, op: str, attributes: dict[str, float]
) -> None:
    x = rng.standard_normal((3, 5)).astype(np.float32) * 2
    for opset in versions(op):
        agrees(op, [x], opset, like=max(opset, 7), **attributes)
        if op != "Selu" or opset > 1:
            agrees(op, [x], opset, like=max(opset, 7))


def test_defaults_are_those_of_the_version(run: Run) -> None:
    x = np.array([-1.0, 1.0], dtype=np.float32)
    # Selu-1 has rounded constants.
    assert run("Selu", [x], 1)[1] == np.float32(1.0507)
    assert run("Selu", [x], 6)[1] == np.float32(1.05070102214813232421875)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu(agrees: Agrees, rng: np.random.Generator, approximate: str) -> None:
    agrees("Gelu", [rng.standard_normal((3, 5)).astype(np.float32)], 20, approximate=approximate)


def test_swiglu(run: Run) -> None:
    a, b = np.array([1.0, -2.0]), np.array([3.0, 4.0])
    expected = a / (1 + np.exp(-a)) * b
    assert run("SwiGLU", [a, b], 28).tolist() == pytest.approx(expected.tolist())
    with pytest.raises(KernelError, match="differ"):
        run("SwiGLU", [a, b[:1]], 28)


def test_relu_of_integers(run: Run) -> None:
    assert run("Relu", [np.array([-3, 3], dtype=np.int8)], 14).tolist() == [0, 3]
    with pytest.raises(KernelError, match="cannot be int8"):
        run("Relu", [np.array([-3, 3], dtype=np.int8)], 13)


@pytest.mark.parametrize("opset", [7, 9, 16])
def test_prelu_broadcasts_the_slope(agrees: Agrees, rng: np.random.Generator, opset: int) -> None:
    x = rng.standard_normal((2, 3, 4)).astype(np.float32)
    for shape in ((3, 1), (4,), (), (1, 3, 4)):
        agrees("PRelu", [x, rng.random(shape).astype(np.float32)], opset)


@pytest.mark.parametrize("opset", [1, 6])
def test_prelu_by_channel(run: Run, rng: np.random.Generator, opset: int) -> None:
    x = rng.standard_normal((2, 3, 4))
    slope = np.array([0.0, 1.0, 2.0])
    assert run("PRelu", [x, slope], opset).tolist() == np.where(x < 0, x * slope[:, None], x).tolist()
    assert run("PRelu", [x, slope[1:2]], opset).tolist() == x.tolist()
    with pytest.raises(KernelError, match="slopes"):
        run("PRelu", [x, np.zeros(4)], opset)


def test_prelu_does_not_broadcast_the_input(run: Run) -> None:
    with pytest.raises(KernelError, match="does not broadcast"):
        run("PRelu", [np.zeros((1, 3)), np.zeros((2, 3))], 16)


@pytest.mark.parametrize("opset", [1, 6])
def test_clip_by_attributes(run: Run, opset: int) -> None:
    x = np.array([-2.0, 0.0, 2.0], dtype=np.float32)
    assert run("Clip", [x], opset, min=-1.0, max=1.0).tolist() == [-1, 0, 1]
    assert run("Clip", [x], opset, max=1.0).tolist() == [-2, 0, 1]
    assert run("Clip", [x], opset).tolist() == x.tolist()


@pytest.mark.parametrize("opset", [11, 12, 13])
def test_clip_by_inputs(agrees: Agrees, rng: np.random.Generator, opset: int) -> None:
    x = rng.standard_normal((3, 4)).astype(np.float32)
    low, high = np.float32(-0.5), np.float32(0.5)
    for bounds in ([low, high], [low], [None, high], []):
        agrees("Clip", [x, *(None if each is None else np.asarray(each) for each in bounds)], opset)


def test_clip_with_bounds_the_wrong_way_round(run: Run) -> None:
    x = np.array([0, 5, 9], dtype=np.int32)
    # From 13 on the specification says so: all elements become max.
    assert run("Clip", [x, np.array(7, np.int32), np.array(3, np.int32)], 13).tolist() == [3, 3, 3]
    with pytest.raises(KernelError, match="a bound must be a scalar"):
        run("Clip", [x, np.zeros(3, np.int32)], 13)


def test_erf_is_exact_to_the_last_bits() -> None:
    x = np.concatenate((np.linspace(-7, 7, 2801), [0.0, -0.0, 1e-300, np.inf, -np.inf]))
    expected = np.array([math.erf(each) for each in x.tolist()])
    np.testing.assert_allclose(erf(x), expected, rtol=3e-15, atol=1e-300)
    assert math.copysign(1, erf(np.array([-0.0]))[0]) == -1
    assert np.isnan(erf(np.array([np.nan]))[0])


def test_erf_of_integers(run: Run) -> None:
    assert run("Erf", [np.array([-9, 0, 1, 9])], 9).tolist() == [-1, 0, 0, 1]


def test_round_halves_to_even(run: Run) -> None:
    assert run("Round", [np.array([0.5, 1.5, 2.5, -0.5, -4.5])], 11).tolist() == [0, 2, 2, 0, -4]
