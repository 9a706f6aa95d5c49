from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from shapeinfer.kernels import KernelError

Agrees = Callable[..., list[Any]]
Run = Callable[..., Any]
Versions = Callable[[str], list[int]]


@pytest.mark.parametrize("op", ["And", "Or", "Xor"])
def test_truth_tables(agrees: Agrees, versions: Versions, op: str) -> None:
    a, b = np.array([[False, False, True, True]]), np.array([[False, True, False, True]])
    for opset in versions(op):
        agrees(op, [a, b], opset, like=max(opset, 7))
    agrees(op, [a, b[0, :1]], 7)


@pytest.mark.parametrize("op", ["Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"])
def test_comparisons(agrees: Agrees, versions: Versions, op: str) -> None:
    dtypes = {1: np.int32 if op == "Equal" else np.float32, 7: np.int32 if op == "Equal" else np.float32}
    for opset in versions(op):
        dtype = dtypes.get(opset, np.float32)
        a, b = np.array([[1, 2, 3], [3, 2, 1]], dtype), np.array([2, 2, 2], dtype)
        agrees(op, [a, a[::-1].copy()], opset, like=max(opset, 9))
        if opset >= 7:
            agrees(op, [a, b], opset, like=max(opset, 9))


def test_comparisons_broadcast_by_attributes(run: Run) -> None:
    a = np.arange(6).reshape(2, 3).astype(np.int32)
    assert run("Equal", [a, np.array([1, 3], np.int32)], 1, broadcast=1, axis=0).tolist() == [
        [False, True, False],
        [True, False, False],
    ]
    with pytest.raises(KernelError, match="broadcast is not set"):
        run("Less", [a.astype(np.float32), np.zeros(3, np.float32)], 1)


def test_equal_strings(run: Run) -> None:
    a, b = np.array(["x", "y"], object), np.array(["x", "z"], object)
    assert run("Equal", [a, b], 19).tolist() == [True, False]
    with pytest.raises(KernelError, match="cannot be string"):
        run("Equal", [a, b], 13)


def test_not(run: Run) -> None:
    assert run("Not", [np.array([True, False])], 1).tolist() == [False, True]


@pytest.mark.parametrize(("op", "expected"), [("BitwiseAnd", 8), ("BitwiseOr", 14), ("BitwiseXor", 6)])
def test_bits(run: Run, op: str, expected: int) -> None:
    assert run(op, [np.array([12], np.uint8), np.array([10], np.uint8)], 18).tolist() == [expected]


def test_bits_the_other_way(run: Run) -> None:
    assert run("BitwiseNot", [np.array([0, 5], np.int16)], 18).tolist() == [-1, -6]


@pytest.mark.parametrize("opset", [11, 28])
def test_shifts(run: Run, opset: int) -> None:
    x, y = np.array([1, 129, 255], np.uint8), np.array([1, 7, 8], np.uint8)
    assert run("BitShift", [x, y], opset, direction="LEFT").tolist() == [2, 128, 0]
    assert run("BitShift", [x, y], opset, direction="RIGHT").tolist() == [0, 1, 0]


def test_shifts_with_a_sign(run: Run) -> None:
    x, y = np.array([-8, -8, -8, 8], np.int32), np.array([1, 40, -1, 40], np.int32)
    assert run("BitShift", [x, y], 28, direction="RIGHT").tolist() == [-4, -1, -1, 0]
    assert run("BitShift", [x, y], 28, direction="LEFT").tolist() == [-16, 0, 0, 0]
    with pytest.raises(KernelError, match="no direction 'UP'"):
        run("BitShift", [x, y], 28, direction="UP")


@pytest.mark.parametrize("opset", [9, 13, 20])
def test_is_nan(run: Run, opset: int) -> None:
    assert run("IsNaN", [np.array([np.nan, np.inf, 1])], opset).tolist() == [True, False, False]


@pytest.mark.parametrize("opset", [10, 20])
@pytest.mark.parametrize(("negative", "positive"), [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_is_inf(run: Run, opset: int, negative: int, positive: int) -> None:
    x = np.array([np.inf, -np.inf, np.nan, 1], np.float32)
    result = run("IsInf", [x], opset, detect_negative=negative, detect_positive=positive)
    assert result.tolist() == [bool(positive), bool(negative), False, False]
