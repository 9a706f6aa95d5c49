from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from shapeinfer.kernels import KernelError

Agrees = Callable[..., list[Any]]
Run = Callable[..., Any]
Versions = Callable[[str], list[int]]

FOUR = ("Add", "Sub", "Mul", "Div")
WHOLE = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)


@pytest.mark.parametrize("op", [*FOUR, "Pow"])
def test_two_tensors(agrees: Agrees, versions: Versions, rng: np.random.Generator, op: str) -> None:
    a, b = (rng.random((2, 3)).astype(np.float32) + 0.5 for _ in range(2))
    for opset in versions(op):
        agrees(op, [a, b], opset, like=max(opset, 7))


@pytest.mark.parametrize("op", FOUR)
@pytest.mark.parametrize("shapes", [((2, 3), (3,)), ((3, 1), (1, 4)), ((), (2, 2)), ((2, 0), (1,)), ((1, 0), (3, 1))])
def test_broadcasting(agrees: Agrees, rng: np.random.Generator, op: str, shapes: tuple[Any, Any]) -> None:
    a, b = (rng.random(shape).astype(np.float32) + 0.5 for shape in shapes)
    for opset in (7, 13, 14):
        agrees(op, [a, b], opset)


@pytest.mark.parametrize("op", FOUR)
@pytest.mark.parametrize("opset", [1, 6])
def test_broadcasting_by_attributes(run: Run, op: str, opset: int) -> None:
    a = np.arange(1.0, 121).reshape(2, 3, 4, 5)
    for shape, axis, aligned in (
        ((), None, ()),
        ((1, 1), None, ()),
        ((5,), None, (5,)),
        ((4, 5), None, (4, 5)),
        ((3, 4), 1, (3, 4, 1)),
        ((2,), 0, (2, 1, 1, 1)),
        ((1, 5), None, (1, 5)),
    ):
        b = np.arange(1.0, 1 + np.prod(shape, dtype=int)).reshape(shape)
        attributes = {} if axis is None else {"axis": axis}
        result = run(op, [a, b], opset, broadcast=1, **attributes)
        assert result.tolist() == run(op, [a, b.reshape(aligned)], 7).tolist()


def test_no_broadcasting_without_the_attribute(run: Run) -> None:
    with pytest.raises(KernelError, match="broadcast is not set"):
        run("Add", [np.zeros((2, 3)), np.zeros(3)], 6)
    with pytest.raises(KernelError, match="no run of the sizes"):
        run("Add", [np.zeros((2, 3)), np.zeros(2)], 6, broadcast=1)
    with pytest.raises(KernelError, match="no run of the sizes"):
        run("Add", [np.zeros(3), np.zeros((2, 3))], 6, broadcast=1)


def test_shapes_that_do_not_broadcast(run: Run) -> None:
    with pytest.raises(KernelError, match=r"inputs: float\[2\], float\[3\]"):
        run("Add", [np.zeros(2, np.float32), np.zeros(3, np.float32)], 14)


def test_types_that_differ(run: Run) -> None:
    with pytest.raises(KernelError, match="another of type T is not"):
        run("Add", [np.zeros(2, np.float32), np.zeros(2)], 14)


def test_types_of_the_version(run: Run) -> None:
    assert run("Add", [np.array([100], np.int8)] * 2, 14).tolist() == [-56]
    with pytest.raises(KernelError, match="cannot be int8"):
        run("Add", [np.array([100], np.int8)] * 2, 13)


@pytest.mark.parametrize("dtype", WHOLE)
def test_whole_division_rounds_toward_zero(run: Run, dtype: type) -> None:
    a: Any = np.array([7, -7, 7, -7, 6, 0]).astype(dtype)
    b: Any = np.array([2, 2, -2, -2, 3, 5]).astype(dtype)
    expected = [int(int(x) / int(y)) if abs(int(x)) < 2**31 else int(x) // int(y) for x, y in zip(a, b, strict=True)]
    assert run("Div", [a, b], 14).tolist() == expected


def test_whole_division_of_large_numbers_is_exact(run: Run) -> None:
    a = np.array([2**62 + 1, -(2**62) - 1])
    assert run("Div", [a, np.array([3, 3])], 14).tolist() == [(2**62 + 1) // 3, -((2**62 + 1) // 3)]


def test_whole_division_by_zero(run: Run) -> None:
    with pytest.raises(KernelError, match="divided by 0"):
        run("Div", [np.array([1]), np.array([0])], 14)
    with pytest.raises(KernelError, match="divided by 0"):
        run("Mod", [np.array([1]), np.array([0])], 13)
    assert run("Div", [np.array([1.0]), np.array([0.0])], 14).tolist() == [np.inf]


@pytest.mark.parametrize("opset", [12, 13, 15])
def test_power_of_mixed_types(agrees: Agrees, opset: int) -> None:
    agrees("Pow", [np.array([1, 2, 3], np.int64), np.array([2, 3, 0], np.int64)], opset)
    agrees("Pow", [np.array([1, 2, 3], np.float32), np.array([2, 3, -1], np.int64)], opset)
    agrees("Pow", [np.array([1, 2, 3], np.int32), np.array([2, 0.5, 0], np.float32)], opset)


def test_whole_powers(run: Run) -> None:
    assert run("Pow", [np.array([3]), np.array([39])], 15).tolist() == [3**39]
    assert run("Pow", [np.array([2, 1]), np.array([-1, -1])], 15).tolist() == [0, 1]


@pytest.mark.parametrize("opset", [10, 13])
def test_mod(agrees: Agrees, opset: int) -> None:
    a = np.array([-4, 7, 5, 4, -7, 8], np.int64)
    b = np.array([2, -3, 8, -2, 3, 5], np.int64)
    agrees("Mod", [a, b], opset)
    agrees("Mod", [a, b], opset, fmod=1)
    agrees("Mod", [a.astype(np.float32) / 3, b.astype(np.float32)], opset, fmod=1)


def test_mod_of_floats(run: Run) -> None:
    a, b = np.array([-4.5, 7.0]), np.array([2.0, -3.0])
    assert run("Mod", [a, b], 28).tolist() == [1.5, -2.0]
    assert run("Mod", [np.array([1.0]), np.array([-np.inf])], 28).tolist() == [-np.inf]
    with pytest.raises(KernelError, match="fmod must be 1"):
        run("Mod", [a, b], 13)


@pytest.mark.parametrize("op", ["Sum", "Mean", "Max", "Min"])
def test_many_tensors(agrees: Agrees, versions: Versions, rng: np.random.Generator, op: str) -> None:
    inputs = [rng.standard_normal((2, 3)).astype(np.float32) for _ in range(3)]
    for opset in versions(op):
        agrees(op, inputs, opset, like=max(opset, 8))
        agrees(op, inputs[:1], opset, like=max(opset, 8))
        if opset >= 8:
            agrees(op, [inputs[0], inputs[1][0], inputs[2][:, :1]], opset)


def test_many_tensors_were_alike_before_version_8(run: Run) -> None:
    with pytest.raises(KernelError, match="differ in shape"):
        run("Sum", [np.zeros((2, 3)), np.zeros(3)], 6)


def test_at_least_one_tensor(run: Run) -> None:
    with pytest.raises(KernelError, match="1 inputs are required"):
        run("Sum", [], 13)


def test_whole_maximum_and_narrow_floats(run: Run) -> None:
    assert run("Max", [np.array([1, 5], np.uint8), np.array([3, 2], np.uint8)], 12).tolist() == [3, 5]
    half = np.array([1.5], ml_dtypes.bfloat16)
    assert run("Add", [half, half], 14).dtype == ml_dtypes.bfloat16
