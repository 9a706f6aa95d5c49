from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

from shapeinfer.kernels import KernelError, call, find

Run = Callable[..., Any]
A, B, C = (np.full((2, n), n, np.float32) for n in (1, 2, 3))


def at(value: int) -> Any:
    return np.asarray(value, dtype=np.int64)


def widths(sequence: list[Any]) -> list[int]:
    return [each.shape[1] for each in sequence]


def test_made_and_counted(run: Run) -> None:
    assert widths(run("SequenceConstruct", [A, B], 11)) == [1, 2]
    assert run("SequenceEmpty", [], 11) == []
    assert run("SequenceLength", [[A, B, C]], 11).tolist() == 3


@pytest.mark.parametrize(("position", "expected"), [(None, [1, 2, 3]), (0, [3, 1, 2]), (-1, [1, 3, 2]), (2, [1, 2, 3])])
def test_insert(run: Run, position: int | None, expected: list[int]) -> None:
    given = [A, B]
    assert widths(run("SequenceInsert", [given, C, None if position is None else at(position)], 11)) == expected
    assert len(given) == 2


@pytest.mark.parametrize(("position", "expected"), [(None, [1, 2]), (0, [2, 3]), (-2, [1, 3])])
def test_erase(run: Run, position: int | None, expected: list[int]) -> None:
    assert widths(run("SequenceErase", [[A, B, C], None if position is None else at(position)], 11)) == expected


def test_positions(run: Run) -> None:
    assert run("SequenceAt", [[A, B, C], at(-1)], 11) is C
    for op, inputs in (
        ("SequenceAt", [[A], at(1)]),
        ("SequenceAt", [[A], at(-2)]),
        ("SequenceErase", [[], None]),
        ("SequenceInsert", [[A], B, at(2)]),
    ):
        with pytest.raises(KernelError, match="position"):
            run(op, inputs, 11)
    with pytest.raises(KernelError, match="into a sequence"):
        run("SequenceInsert", [[A], B.astype(np.float64)], 11)


@pytest.mark.parametrize("opset", [11, 24])
def test_split(run: Run, opset: int) -> None:
    x = np.arange(10).reshape(2, 5)
    assert widths(run("SplitToSequence", [x, at(2)], opset, axis=1)) == [2, 2, 1]
    assert widths(run("SplitToSequence", [x, np.array([4, 0, 1])], opset, axis=-1, keepdims=0)) == [4, 0, 1]
    assert [each.shape for each in run("SplitToSequence", [x], opset, axis=1)] == [(2, 1)] * 5
    assert [each.tolist() for each in run("SplitToSequence", [x], opset, keepdims=0)] == x.tolist()
    for bad in (at(0), np.array([1, 1]), np.array([6, -1])):
        with pytest.raises(KernelError):
            run("SplitToSequence", [x, bad], opset, axis=1)


def test_concatenated(run: Run) -> None:
    assert run("ConcatFromSequence", [[A, B]], 11, axis=-1).shape == (2, 3)
    assert run("ConcatFromSequence", [[A, A + 1]], 11, axis=2, new_axis=1).shape == (2, 1, 2)
    for bad in ([], [A, A[0]], [A, B]):
        with pytest.raises(KernelError):
            run("ConcatFromSequence", [bad], 11, axis=0, new_axis=1)


def test_optionals(run: Run) -> None:
    kind = helper.make_tensor_type_proto(TensorProto.FLOAT, None)
    for opset in (15, 28):
        assert run("Optional", [A], opset) is A
        assert run("Optional", [], opset, type=kind) is None
    for opset in (15, 18, 28):
        assert run("OptionalGetElement", [[A]] if opset == 15 else [A], opset)[0] is not None
        has = find("", "OptionalHasElement", opset)
        assert has is not None
        assert call(has, [A], {})[0].tolist() is True
        assert call(has, [None], {})[0].tolist() is False
    with pytest.raises(KernelError, match="no element"):
        run("OptionalGetElement", [None], 18)
    with pytest.raises(KernelError, match="type"):
        run("Optional", [], 15)
