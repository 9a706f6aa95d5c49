from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from shapeinfer.kernels import KernelError

Agrees = Callable[..., list[Any]]
Run = Callable[..., Any]

GEOMETRY: list[dict[str, Any]] = [
    {"kernel_shape": [3]},
    {"kernel_shape": [3, 2]},
    {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]},
    {"kernel_shape": [2, 3], "strides": [2, 1], "pads": [1, 0, 0, 2]},
    {"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "SAME_UPPER"},
    {"kernel_shape": [2, 2], "auto_pad": "SAME_LOWER"},
    {"kernel_shape": [2, 2], "strides": [3, 2], "auto_pad": "VALID"},
    {"kernel_shape": [2, 3, 2], "strides": [2, 2, 2], "pads": [0, 1, 0, 1, 1, 1]},
]
CEIL: list[dict[str, Any]] = [
    {"kernel_shape": [3, 3], "strides": [2, 3], "ceil_mode": 1},
    {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 0, 0], "ceil_mode": 1},
    {"kernel_shape": [2], "strides": [3], "pads": [0, 1], "ceil_mode": 1},
]
DILATED: list[dict[str, Any]] = [
    {"kernel_shape": [2, 2], "dilations": [2, 3]},
    {"kernel_shape": [3, 2], "dilations": [2, 1], "strides": [2, 2], "ceil_mode": 1, "pads": [1, 0, 1, 0]},
]


def image(rng: np.random.Generator, attributes: dict[str, Any], dtype: type = np.float32) -> Any:
    return (rng.standard_normal((2, 3, *(7, 8, 5)[: len(attributes["kernel_shape"])])) * 20).astype(dtype)


@pytest.mark.parametrize("attributes", GEOMETRY)
def test_max_pool(agrees: Agrees, rng: np.random.Generator, attributes: dict[str, Any]) -> None:
    x = image(rng, attributes)
    for opset in (1, 8, 10, 11, 12, 22):
        agrees("MaxPool", [x], opset, like=max(opset, 8), **attributes)
        if opset >= 8:
            agrees("MaxPool", [x], opset, outputs=2, **attributes)
            agrees("MaxPool", [x], opset, outputs=2, storage_order=1, **attributes)


@pytest.mark.parametrize("attributes", CEIL + DILATED)
@pytest.mark.parametrize("opset", [10, 11, 12, 22])
def test_max_pool_with_ceil_and_dilations(
    agrees: Agrees, rng: np.random.Generator, attributes: dict[str, Any], opset: int
) -> None:
    x = image(rng, attributes)
    agrees("MaxPool", [x], opset, **attributes)
    agrees("MaxPool", [x], opset, outputs=2, **attributes)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.float64])
def test_max_pool_of_other_types(agrees: Agrees, rng: np.random.Generator, dtype: type) -> None:
    agrees("MaxPool", [np.abs(image(rng, GEOMETRY[2])).astype(dtype)], 12, **GEOMETRY[2])


def test_max_pool_of_negative_integers_ignores_padding(run: Run) -> None:
    x = np.full((1, 1, 2), -100, np.int8)
    assert run("MaxPool", [x], 12, kernel_shape=[3], pads=[1, 1]).tolist() == [[[-100, -100]]]


@pytest.mark.parametrize("attributes", GEOMETRY)
def test_average_pool(agrees: Agrees, rng: np.random.Generator, attributes: dict[str, Any]) -> None:
    x = image(rng, attributes)
    for opset in (1, 7, 10, 11, 19, 22):
        agrees("AveragePool", [x], opset, like=max(opset, 7), rtol=1e-4, **attributes)
        if opset >= 7:
            agrees("AveragePool", [x], opset, rtol=1e-4, count_include_pad=1, **attributes)


@pytest.mark.parametrize("attributes", CEIL)
@pytest.mark.parametrize("opset", [10, 11, 19, 22])
def test_average_pool_with_ceil(
    agrees: Agrees, rng: np.random.Generator, attributes: dict[str, Any], opset: int
) -> None:
    x = image(rng, attributes)
    agrees("AveragePool", [x], opset, rtol=1e-4, **attributes)


@pytest.mark.parametrize("attributes", DILATED)
@pytest.mark.parametrize("opset", [19, 22])
def test_average_pool_with_dilations(
    agrees: Agrees, rng: np.random.Generator, attributes: dict[str, Any], opset: int
) -> None:
    agrees("AveragePool", [image(rng, attributes)], opset, rtol=1e-4, **attributes)


def test_padding_counts_but_not_what_lies_beyond(run: Run) -> None:
    x = np.array([[[1.0, 2.0, 3.0, 4.0]]], np.float32)
    attributes = {"kernel_shape": [3], "strides": [2], "pads": [0, 0], "ceil_mode": 1}
    assert run("AveragePool", [x], 19, count_include_pad=1, **attributes).tolist() == [[[2.0, 3.5]]]
    padded = {**attributes, "pads": [1, 1], "ceil_mode": 0}
    assert run("AveragePool", [x * 3], 19, count_include_pad=1, **padded).tolist() == [[[3.0, 9.0]]]


@pytest.mark.parametrize("opset", [10, 12, 22])
def test_a_window_does_not_start_in_the_padding_at_the_end(run: Run, opset: int) -> None:
    # Version 22 says so; ONNX Runtime does it in all versions, and without it the window would be empty.
    x = np.zeros((1, 1, 2), np.float32)
    for op in ("MaxPool", "AveragePool"):
        assert run(op, [x], opset, kernel_shape=[2], strides=[3], pads=[0, 1], ceil_mode=1).shape == (1, 1, 1)


@pytest.mark.parametrize("attributes", GEOMETRY)
def test_lp_pool(agrees: Agrees, rng: np.random.Generator, attributes: dict[str, Any]) -> None:
    x = image(rng, attributes)
    for opset in (2, 11, 18, 22):
        for p in (1, 2, 3):
            agrees("LpPool", [x], opset, like=max(opset, 11), rtol=1e-4, p=p, **attributes)
    assert (run_first(agrees, x, attributes) >= 0).all()


def run_first(agrees: Agrees, x: Any, attributes: dict[str, Any]) -> Any:
    return agrees("LpPool", [x], 18, rtol=1e-4, **attributes)[0]


def test_the_first_lp_pool_has_a_real_exponent(run: Run) -> None:
    x = np.array([[[1.0, 4.0]]], np.float32)
    assert run("LpPool", [x], 1, kernel_shape=[2], p=0.5).tolist() == [[[9.0]]]


@pytest.mark.parametrize("op", ["GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"])
def test_global_pools(agrees: Agrees, rng: np.random.Generator, op: str) -> None:
    for shape in ((2, 3, 4), (2, 3, 4, 5), (1, 2, 3, 2, 2)):
        for opset in (1, 22):
            agrees(op, [rng.standard_normal(shape).astype(np.float32)], opset, like=7, rtol=1e-4)


def test_narrow_floats_are_summed_in_float32(run: Run) -> None:
    x = np.ones((1, 1, 1000), ml_dtypes.bfloat16)
    assert run("GlobalAveragePool", [x], 22).tolist() == [[[1.0]]]


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"kernel_shape": [2]}, "kernel_shape"),
        ({"kernel_shape": [2, 0]}, "kernel_shape"),
        ({"kernel_shape": [9, 9]}, "does not fit"),
        ({}, "kernel_shape is required"),
    ],
)
def test_what_does_not_fit(run: Run, attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(KernelError, match=message):
        run("MaxPool", [np.zeros((1, 1, 4, 4), np.float32)], 12, **attributes)
