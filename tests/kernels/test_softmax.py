from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from shapeinfer.kernels import KernelError

Agrees = Callable[..., list[Any]]
Run = Callable[..., Any]
OPERATORS = ("Softmax", "LogSoftmax", "Hardmax")


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_versions(agrees: Agrees, rng: np.random.Generator, op: str, axis: int) -> None:
    x = rng.standard_normal((2, 3, 4)).astype(np.float32)
    for opset in (1, 11, 13):
        if opset > 1 or axis >= 0:
            agrees(op, [x], opset, like=max(opset, 7), axis=axis)
    agrees(op, [x], 13)
    agrees(op, [x], 11)


def test_before_version_13_all_later_dims_are_one(run: Run) -> None:
    x = np.zeros((2, 3, 4))
    assert run("Softmax", [x], 11)[0, 0, 0] == pytest.approx(1 / 12)
    assert run("Softmax", [x], 13)[0, 0, 0] == pytest.approx(1 / 4)


@pytest.mark.parametrize("op", OPERATORS)
def test_large_numbers(run: Run, op: str) -> None:
    x = np.array([[1000.0, 0.0]], np.float32)
    assert np.isfinite(run(op, [x], 13)).all()


def test_hardmax_marks_the_first(run: Run) -> None:
    assert run("Hardmax", [np.array([[1, 3, 3]], np.float32)], 13).tolist() == [[0, 1, 0]]


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("opset", [11, 13])
def test_nothing(run: Run, op: str, opset: int) -> None:
    assert run(op, [np.zeros((2, 0), np.float32)], opset).shape == (2, 0)


def test_narrow_floats(run: Run) -> None:
    assert run("Softmax", [np.zeros((1, 4), ml_dtypes.bfloat16)], 13).tolist() == [[0.25] * 4]


@pytest.mark.parametrize("opset", [11, 13])
def test_axes_out_of_range(run: Run, opset: int) -> None:
    with pytest.raises(KernelError, match="axis 3 is out of range"):
        run("Softmax", [np.zeros((2, 2))], opset, axis=3)
