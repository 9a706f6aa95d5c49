"""Einsum, Unique, ReverseSequence and Det."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from shapeinfer.kernels import KernelError

Agrees = Callable[..., list[Any]]
Run = Callable[..., Any]


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij->ji", [(2, 3)]),
        ("ij", [(2, 3)]),
        ("ii->i", [(3, 3)]),
        ("ij, jk -> ik", [(2, 3), (3, 4)]),
        ("bij,bjk", [(2, 3, 4), (2, 4, 5)]),
        ("...ij,...jk->...ik", [(2, 1, 3, 4), (5, 4, 2)]),
        ("i,j,k->kji", [(2,), (3,), (4,)]),
        ("Ba,aB->", [(2, 3), (3, 2)]),
    ],
)
def test_einsum(agrees: Agrees, rng: np.random.Generator, equation: str, shapes: list[tuple[int, ...]]) -> None:
    inputs = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
    for opset in (12, 28):
        agrees("Einsum", inputs, opset, like=12, rtol=1e-4, equation=equation)


def test_narrow_floats_and_integers(run: Run) -> None:
    x = np.ones((1, 1000), ml_dtypes.bfloat16)
    assert run("Einsum", [x, x], 28, equation="ij,ij->i").tolist() == [1000]
    y = np.full((2, 2), 100, np.uint8)
    assert run("Einsum", [y, y], 12, equation="ij,jk->ik").tolist() == [[20000 % 256] * 2] * 2


@pytest.mark.parametrize("equation", ["ij,jk", "i1", "ij->k", "ijk", "i.j", "i->i->i"])
def test_what_is_no_equation_for_a_matrix(run: Run, equation: str) -> None:
    with pytest.raises(KernelError):
        run("Einsum", [np.ones((2, 3), np.float32)], 12, equation=equation)


@pytest.mark.parametrize("attributes", [{}, {"axis": 0}, {"axis": 1}, {"axis": -1}])
@pytest.mark.parametrize("ordered", [0, 1])
def test_unique(agrees: Agrees, rng: np.random.Generator, attributes: dict[str, int], ordered: int) -> None:
    for dtype in (np.float32, np.int64, np.int8):  # those of ONNX Runtime; onnx.reference takes from the wrong axis
        x = rng.integers(0, 2, (6, 3, 2)).astype(dtype)
        for opset in (11, 28):
            agrees("Unique", [x], opset, 4, like=11, sorted=ordered, **attributes)


def test_unique_strings_and_narrow_floats(run: Run) -> None:
    words = np.array([["b", "a"], ["a", "c"], ["b", "a"]], object)
    assert run("Unique", [words], 11).tolist() == ["a", "b", "c"]
    assert run("Unique", [words], 11, axis=0).tolist() == [["a", "c"], ["b", "a"]]
    assert run("Unique", [words], 11, axis=0, sorted=0).tolist() == [["b", "a"], ["a", "c"]]
    assert run("Unique", [np.array([2, 1, 2], ml_dtypes.bfloat16)], 28).tolist() == [1, 2]


def test_unique_of_nothing(run: Run) -> None:
    assert [each.shape for each in run("Unique", [np.zeros((0, 3), np.int64)], 11, 4)] == [(0,)] * 4
    assert run("Unique", [np.zeros((0, 3), np.int64)], 11, axis=0).shape == (0, 3)
    found, _, inverse, counts = run("Unique", [np.zeros((4, 0), np.int64)], 11, 4, axis=0)
    assert (found.shape, inverse.tolist(), counts.tolist()) == ((1, 0), [0, 0, 0, 0], [4])


@pytest.mark.parametrize("time", [0, 1])
def test_reverse_sequence(agrees: Agrees, run: Run, time: int) -> None:
    x = np.arange(24, dtype=np.float32).reshape(3, 4, 2)
    steps, batch = (3, 4) if time == 0 else (4, 3)
    lengths = np.array([1, steps, 2, steps][:batch], np.int64)
    attributes = {"time_axis": time, "batch_axis": 1 - time}
    y = agrees("ReverseSequence", [x, lengths], 10, **attributes)[0]
    assert run("ReverseSequence", [x.astype(object), lengths], 28, **attributes).tolist() == y.tolist()
    for bad in (lengths[1:], lengths + 9):
        with pytest.raises(KernelError):
            run("ReverseSequence", [x, bad], 10, **attributes)
    with pytest.raises(KernelError, match="must be 0 and 1"):
        run("ReverseSequence", [x, lengths], 10, time_axis=1, batch_axis=1)


def test_det(agrees: Agrees, run: Run, rng: np.random.Generator) -> None:
    for shape in ((3, 3), (2, 4, 2, 2), (0, 2, 2)):
        for opset in (11, 22):
            agrees("Det", [rng.standard_normal(shape).astype(np.float32)], opset, like=11, rtol=1e-4)
    with pytest.raises(KernelError, match="no square"):
        run("Det", [np.ones((2, 3), np.float32)], 11)
