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
TEN = [f"Reduce{name}" for name in "Sum Prod Mean Max Min L1 L2 LogSum LogSumExp SumSquare".split()]


def by_input(op: str, opset: int) -> bool:
    return opset >= (13 if op == "ReduceSum" else 18)


@pytest.mark.parametrize("op", TEN)
@pytest.mark.parametrize("axes", [None, [1], [0, -1], [0, 1, 2]])
@pytest.mark.parametrize("keepdims", [0, 1])
def test_versions(
    agrees: Agrees, versions: Versions, rng: np.random.Generator, op: str, axes: list[int] | None, keepdims: int
) -> None:
    x = rng.random((2, 3, 4)).astype(np.float32) + 0.1
    for opset in versions(op):
        inputs, attributes = [x], {} if axes is None else {"axes": axes}
        if by_input(op, opset):
            inputs, attributes = [x] if axes is None else [x, np.array(axes)], {}
        agrees(op, inputs, opset, rtol=1e-4, like=max(opset, 11), keepdims=keepdims, **attributes)


@pytest.mark.parametrize("op", TEN)
def test_no_axes_with_noop(agrees: Agrees, rng: np.random.Generator, op: str) -> None:
    x = rng.random((2, 3)).astype(np.float32) + 0.1
    opset = 13 if op == "ReduceSum" else 18
    empty = np.array([], np.int64)
    expected = {"ReduceL1": np.abs, "ReduceL2": np.abs, "ReduceLogSum": np.log, "ReduceSumSquare": np.square}
    for inputs in ([x], [x, empty]):
        agrees(op, inputs, opset, rtol=1e-4)
        result = run_noop(agrees, op, inputs, opset)
        np.testing.assert_allclose(result, expected.get(op, lambda each: each)(x), rtol=1e-5)


def run_noop(agrees: Agrees, op: str, inputs: list[Any], opset: int) -> Any:
    from onnx import helper

    from shapeinfer.kernels import run_node

    node = helper.make_node(op, ["x", "axes"][: len(inputs)], ["y"], noop_with_empty_axes=1)
    return run_node(node, opset, inputs)[0]


@pytest.mark.parametrize(
    ("op", "expected"),
    [("ReduceSum", 0), ("ReduceProd", 1), ("ReduceMax", -np.inf), ("ReduceMin", np.inf), ("ReduceL1", 0),
     ("ReduceL2", 0), ("ReduceLogSum", -np.inf), ("ReduceLogSumExp", -np.inf), ("ReduceSumSquare", 0)],
)  # fmt: skip
def test_nothing(run: Run, op: str, expected: float) -> None:
    x, axes = np.zeros((2, 0), np.float32), np.array([1])
    assert run(op, [x, axes], 18, keepdims=0).tolist() == [expected] * 2


def test_nothing_of_whole_numbers(run: Run) -> None:
    x, axes = np.zeros((0,), np.int32), np.array([0])
    assert run("ReduceMax", [x, axes], 18, keepdims=0) == -(2**31)
    assert run("ReduceMin", [x, axes], 18, keepdims=0) == 2**31 - 1


@pytest.mark.parametrize("op", ["ReduceSum", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceSumSquare"])
def test_whole_numbers_keep_their_type(agrees: Agrees, op: str) -> None:
    agrees(op, [np.array([[1, -2, 3], [4, 5, 6]], np.int32)], 11, axes=[1])


def test_mean_and_norm_of_whole_numbers(run: Run) -> None:
    assert run("ReduceMean", [np.array([1, 2, 4])], 13).tolist() == [2]
    assert run("ReduceL2", [np.array([3, 4])], 13).tolist() == [5]


def test_truth(run: Run) -> None:
    x = np.array([[True, False], [True, True]])
    assert run("ReduceMin", [x, np.array([1])], 20, keepdims=0).tolist() == [False, True]
    assert run("ReduceMax", [x[:0], np.array([0])], 20, keepdims=0).tolist() == [False, False]


def test_sums_of_large_exponentials(run: Run) -> None:
    x = np.array([1000.0, 1000.0])
    assert run("ReduceLogSumExp", [x], 18).tolist() == pytest.approx([1000 + np.log(2)])
    assert run("ReduceLogSumExp", [np.array([-np.inf, -np.inf])], 18).tolist() == [-np.inf]
    assert run("ReduceLogSumExp", [np.array([np.inf, 0])], 18).tolist() == [np.inf]


def test_narrow_floats_are_summed_in_float32(run: Run) -> None:
    assert run("ReduceSum", [np.ones(1000, ml_dtypes.bfloat16)], 13).tolist() == [1000]


def test_scalars(run: Run) -> None:
    assert run("ReduceSum", [np.array(3.0)], 13).shape == ()


def test_axes_that_do_not_fit(run: Run) -> None:
    x = np.zeros((2, 3))
    with pytest.raises(KernelError, match="axis 2 is out of range"):
        run("ReduceSum", [x, np.array([2])], 13)
    with pytest.raises(KernelError, match="repeat an axis"):
        run("ReduceSum", [x, np.array([0, -2])], 13)
    with pytest.raises(KernelError, match="no attribute axes"):
        run("ReduceSum", [x], 13, axes=[0])


@pytest.mark.parametrize("op", ["ArgMax", "ArgMin"])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("keepdims", [0, 1])
def test_arg(agrees: Agrees, op: str, axis: int, keepdims: int) -> None:
    x = np.array([[2, 1, 2, 1], [3, 3, 0, 0]], np.float32)
    for opset in (1, 11, 12, 13):
        agrees(op, [x], opset, like=max(opset, 11), axis=axis, keepdims=keepdims)
        if opset >= 12:
            agrees(op, [x], opset, axis=axis, keepdims=keepdims, select_last_index=1)


def test_arg_of_nothing(run: Run) -> None:
    with pytest.raises(KernelError, match="axis 0 is of size 0"):
        run("ArgMax", [np.zeros((0, 2))], 13)
    assert run("ArgMax", [np.zeros((0, 0))], 13, keepdims=0).shape == (0,)


@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
def test_cumulative(agrees: Agrees, run: Run, rng: np.random.Generator, exclusive: int, reverse: int) -> None:
    x = rng.random((2, 3, 4)).astype(np.float32)
    for axis in (0, -1):
        for opset in (11, 14):
            agrees("CumSum", [x, np.array(axis)], opset, exclusive=exclusive, reverse=reverse)
    product = run("CumProd", [np.array([2, 3, 4]), np.array(0)], 26, exclusive=exclusive, reverse=reverse)
    expected = {(0, 0): [2, 6, 24], (1, 0): [1, 2, 6], (0, 1): [24, 12, 4], (1, 1): [12, 4, 1]}
    assert product.tolist() == expected[exclusive, reverse]


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_top_k(agrees: Agrees, run: Run, axis: int) -> None:
    x = np.array([[1, 3, 3, 0], [2, 3, 2, 2], [5, 1, 1, 5]], np.float32)
    for k in (1, 2, 3):
        expected = agrees("TopK", [x, np.array([k])], 10, 2, axis=axis)
        for opset in (11, 24):
            agrees("TopK", [x, np.array([k])], opset, 2, like=11, axis=axis)
            agrees("TopK", [x, np.array([k])], opset, 2, like=11, axis=axis, largest=0)
        for each, same in zip(run("TopK", [x], 1, 2, axis=axis, k=k), expected, strict=True):
            assert each.tolist() == same.tolist()


def test_top_k_of_unsigned_numbers(run: Run) -> None:
    values, indices = run("TopK", [np.array([0, 255, 3], np.uint8), np.array([2])], 24, 2)
    assert (values.tolist(), indices.tolist()) == ([255, 3], [1, 2])


@pytest.mark.parametrize("k", [4, -1])
def test_more_than_there_are(run: Run, k: int) -> None:
    with pytest.raises(KernelError, match=f"K is {k}"):
        run("TopK", [np.zeros(3), np.array([k])], 11, 2)
