from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from shapeinfer.kernels import KernelError

Agrees = Callable[..., list[Any]]
Run = Callable[..., Any]
X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("indices", [0, -1, [0, 1], [[1, 0], [-1, -2]], []])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_gather(agrees: Agrees, axis: int, indices: Any, dtype: type) -> None:
    for opset in (1, 11, 13):
        agrees("Gather", [X, np.array(indices, dtype)], opset, like=max(opset, 11), axis=axis)


@pytest.mark.parametrize("index", [3, -4])
def test_indices_out_of_bounds(run: Run, index: int) -> None:
    with pytest.raises(KernelError, match=f"index {index} is out of bounds for axis 1 of size 3"):
        run("Gather", [X, np.array([0, index])], 13, axis=1)
    with pytest.raises(KernelError, match="out of bounds for axis 1"):
        run("GatherND", [X, np.array([0, index])], 13)


def test_a_scalar_has_nothing_to_gather(run: Run) -> None:
    with pytest.raises(KernelError, match="out of range for rank 0"):
        run("Gather", [np.array(1.0), np.array(0)], 13)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_gather_elements(agrees: Agrees, rng: np.random.Generator, axis: int) -> None:
    for shape in ((2, 3, 4), (1, 2, 3), (2, 3, 0)):
        indices = rng.integers(-2, 2, shape)
        for opset in (11, 13):
            agrees("GatherElements", [X, indices], opset, axis=axis)


def test_gather_elements_along_a_longer_axis(run: Run) -> None:
    assert run("GatherElements", [X[0], np.zeros((5, 2), np.int64)], 13, axis=0).shape == (5, 2)
    with pytest.raises(KernelError, match="exceed"):
        run("GatherElements", [X[0], np.zeros((5, 2), np.int64)], 13, axis=1)
    with pytest.raises(KernelError, match="indices of rank 1 for data of rank 2"):
        run("GatherElements", [X[0], np.zeros(2, np.int64)], 13)


@pytest.mark.parametrize("indices", [[0, 1, 2], [[0, 1, 2], [1, -1, -1]], [[0, 1]], [[[1]], [[0]]]])
def test_gather_nd(agrees: Agrees, indices: Any) -> None:
    for opset in (11, 12, 13):
        agrees("GatherND", [X, np.array(indices)], opset)


@pytest.mark.parametrize(
    ("shape", "batch_dims", "last"), [((2, 1), 1, 1), ((2, 5, 2), 1, 2), ((2, 3, 1), 2, 1), ((2, 3, 2, 1), 2, 1)]
)
def test_gather_nd_by_batch(
    agrees: Agrees, rng: np.random.Generator, shape: tuple[int, ...], batch_dims: int, last: int
) -> None:
    assert shape[-1] == last
    agrees("GatherND", [X, rng.integers(-2, 2, shape)], 13, batch_dims=batch_dims)


@pytest.mark.parametrize(
    ("shape", "batch_dims", "message"),
    [((1, 4), 0, "do not fit"), ((3, 1), 1, "differ in the batch dims"), ((2,), 1, "out of range"), ((2, 0), 0, "fit")],
)
def test_tuples_that_do_not_fit(run: Run, shape: tuple[int, ...], batch_dims: int, message: str) -> None:
    with pytest.raises(KernelError, match=message):
        run("GatherND", [X, np.zeros(shape, np.int64)], 13, batch_dims=batch_dims)


@pytest.mark.parametrize("opset", [9, 11])
@pytest.mark.parametrize("axis", [None, 1, -1])
def test_compress(agrees: Agrees, opset: int, axis: int | None) -> None:
    condition = np.array([True, False, True])
    agrees("Compress", [X, condition], opset, like=11, **({} if axis is None else {"axis": axis}))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_scatter_elements(agrees: Agrees, rng: np.random.Generator, axis: int) -> None:
    indices = np.argsort(rng.random((2, 2, 2)), axis=axis)
    updates = rng.standard_normal((2, 2, 2)).astype(np.float32)
    agrees("Scatter", [X, indices, updates], 9, axis=axis)
    for opset in (11, 13, 16, 18):
        agrees("ScatterElements", [X, indices, updates], opset, axis=axis)


@pytest.mark.parametrize("reduction", ["add", "mul", "max", "min"])
def test_scatter_with_a_reduction(agrees: Agrees, rng: np.random.Generator, reduction: str) -> None:
    indices = rng.integers(-3, 3, (2, 5, 4))
    updates = rng.standard_normal((2, 5, 4)).astype(np.float32)
    tuples = rng.integers(-2, 2, (6, 2))
    for opset in (16, 18):
        if opset == 18 or reduction in ("add", "mul"):
            agrees("ScatterElements", [X, indices, updates], opset, axis=1, reduction=reduction)
            agrees("ScatterND", [X, tuples, np.resize(updates, (6, 4))], opset, reduction=reduction)


def test_scatter_does_not_change_its_input(run: Run) -> None:
    before = X.copy()
    run("ScatterElements", [X, np.zeros((1, 1, 1), np.int64), np.full((1, 1, 1), 9, np.float32)], 18, reduction="add")
    run("ScatterND", [X, np.zeros((1, 3), np.int64), np.full(1, 9, np.float32)], 18)
    assert (before == X).all()


def test_scatter_nd(agrees: Agrees, rng: np.random.Generator) -> None:
    for opset in (11, 13, 16, 18):
        agrees("ScatterND", [X, np.array([[1], [0]]), rng.random((2, 3, 4)).astype(np.float32)], opset)
        agrees("ScatterND", [X, np.array([[[1, -1, 0]]]), rng.random((1, 1)).astype(np.float32)], opset)


def test_narrow_floats_are_added_in_float32(run: Run) -> None:
    updates = np.full(300, 1, ml_dtypes.bfloat16)
    result = run(
        "ScatterND", [np.zeros(1, ml_dtypes.bfloat16), np.zeros((300, 1), np.int64), updates], 18, reduction="add"
    )
    assert result.tolist() == [300]


def test_updates_that_do_not_fit(run: Run) -> None:
    index = np.zeros((1, 1, 1), np.int64)
    with pytest.raises(KernelError, match="updates"):
        run("ScatterElements", [X, index, np.zeros((1, 1, 2), np.float32)], 18)
    with pytest.raises(KernelError, match=r"where \[1, 1, 3, 4\] are needed"):
        run("ScatterND", [X, index, np.zeros((1, 1), np.float32)], 18)
    with pytest.raises(KernelError, match="no reduction 'avg'"):
        run("ScatterElements", [X, index, np.zeros((1, 1, 1), np.float32)], 18, reduction="avg")


@pytest.mark.parametrize("opset", [9, 13])
def test_non_zero(agrees: Agrees, run: Run, opset: int) -> None:
    agrees("NonZero", [np.array([[1, 0, 2], [0, 0, 3]])], opset)
    agrees("NonZero", [np.zeros((2, 2), np.float32)], opset)
    # For a scalar the specification departs from numpy: no rows.
    assert run("NonZero", [np.array(5)], opset).shape == (0, 1)
    assert run("NonZero", [np.array(0)], opset).shape == (0, 0)


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_one_hot(agrees: Agrees, run: Run, axis: int) -> None:
    indices, values = np.array([[0, 2], [-1, 9]]), np.array([-1, 5], np.float32)
    agrees("OneHot", [indices, np.array(3), values], 11, axis=axis)
    assert (run("OneHot", [indices, np.array([3]), values], 28, axis=axis) == 5).sum() == 3
    # Version 9 has non-negative indices only: the others are out of range.
    assert (run("OneHot", [indices, np.array(3), values], 9, axis=axis) == 5).sum() == 2
