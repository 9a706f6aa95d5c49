"""Operators that move elements or make them from nothing: Reshape, Transpose, Concat, Split, Slice and so on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from shapeinfer.kernels import KernelError, call, find

Agrees = Callable[..., list[Any]]
Run = Callable[..., Any]
Versions = Callable[[str], list[int]]
X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def ints(*values: int) -> Any:
    return np.array(values, dtype=np.int64)


def test_identity(run: Run, versions: Versions) -> None:
    assert all(run("Identity", [X], opset) is X for opset in versions("Identity"))


@pytest.mark.parametrize("shape", [(24,), (4, -1), (0, -1), (-1, 0, 2), (0, 0, 0), (2, 3, 4, 1)])
def test_reshape(agrees: Agrees, run: Run, versions: Versions, shape: tuple[int, ...]) -> None:
    expected = agrees("Reshape", [X, ints(*shape)], 14)[0]
    for opset in versions("Reshape")[1:]:
        assert run("Reshape", [X, ints(*shape)], opset).tolist() == expected.tolist()
    assert run("Reshape", [X], 1, shape=list(shape)).tolist() == expected.tolist()


def test_reshape_to_a_scalar(run: Run) -> None:
    assert run("Reshape", [np.ones((1, 1)), ints()], 13).shape == ()


def test_reshape_with_allowzero(run: Run) -> None:
    empty = np.zeros((0, 3))
    assert run("Reshape", [empty, ints(3, 0)], 14, allowzero=1).shape == (3, 0)
    assert run("Reshape", [empty, ints(0, 3)], 14).shape == (0, 3)
    with pytest.raises(KernelError, match="both 0 and -1"):
        run("Reshape", [empty, ints(0, -1)], 14, allowzero=1)
    with pytest.raises(KernelError, match="no attribute allowzero"):
        run("Reshape", [empty, ints(3, 0)], 13, allowzero=1)


@pytest.mark.parametrize("shape", [(-1, -1), (-2, 12), (5, -1), (7,), (0, 0, 0, 0), (2, 3, 4, 0)])
def test_what_cannot_be_reshaped(run: Run, shape: tuple[int, ...]) -> None:
    with pytest.raises(KernelError):
        run("Reshape", [X, ints(*shape)], 13)


def test_an_undetermined_size(run: Run) -> None:
    with pytest.raises(KernelError, match="does not fit"):
        run("Reshape", [np.zeros((0, 3)), ints(0, -1)], 13)


@pytest.mark.parametrize("axis", [0, 1, 2, 3, -1, -3])
def test_flatten(agrees: Agrees, run: Run, versions: Versions, axis: int) -> None:
    expected = agrees("Flatten", [X], 13, axis=axis)[0]
    for opset in versions("Flatten"):
        assert run("Flatten", [X], opset, axis=axis).tolist() == expected.tolist()
    with pytest.raises(KernelError, match="out of range"):
        run("Flatten", [X], 13, axis=4)


@pytest.mark.parametrize("perm", [None, [2, 0, 1], [0, 2, 1]])
def test_transpose(agrees: Agrees, run: Run, versions: Versions, perm: list[int] | None) -> None:
    attributes = {} if perm is None else {"perm": perm}
    expected = agrees("Transpose", [X], 13, **attributes)[0]
    for opset in versions("Transpose"):
        assert run("Transpose", [X], opset, **attributes).tolist() == expected.tolist()


@pytest.mark.parametrize("perm", [[0, 1], [0, 0, 1], [0, 1, 3], [-1, 0, 1]])
def test_what_is_no_permutation(run: Run, perm: list[int]) -> None:
    with pytest.raises(KernelError, match="no permutation"):
        run("Transpose", [X], 13, perm=perm)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_concat(agrees: Agrees, axis: int) -> None:
    for opset in (1, 4, 11, 13):
        agrees("Concat", [X, X + 1, X], opset, like=max(opset, 11), axis=axis)


def test_concat_by_default(run: Run) -> None:
    assert run("Concat", [X, X], 1).shape == (2, 6, 4)
    with pytest.raises(KernelError, match="axis is required"):
        run("Concat", [X, X], 4)


def test_what_cannot_be_concatenated(run: Run) -> None:
    with pytest.raises(KernelError, match="differ beyond axis 1"):
        run("Concat", [X, X[:1]], 13, axis=1)
    with pytest.raises(KernelError, match="differ beyond axis 0"):
        run("Concat", [X, X[0]], 13, axis=0)
    with pytest.raises(KernelError, match="out of range for rank 0"):
        run("Concat", [np.array(1.0)], 13, axis=0)


def test_split(agrees: Agrees, run: Run) -> None:
    for opset in (2, 11):
        agrees("Split", [X], opset, 2, like=11, axis=2)
        agrees("Split", [X], opset, 2, like=11, axis=2, split=[1, 3])
    agrees("Split", [X], 13, 2, axis=-1)
    for opset in (13, 18):
        agrees("Split", [X, ints(1, 0, 2)], opset, 3, axis=1)
    agrees("Split", [X], 18, 3, axis=2, num_outputs=3)
    assert [each.shape for each in run("Split", [X], 1, 2)] == [(1, 3, 4)] * 2
    assert [each.shape[2] for each in run("Split", [X, np.array([1, 3], np.float32)], 1, 2, axis=2)] == [1, 3]
    assert [each.shape[2] for each in run("Split", [X], 1, 2, axis=2, split=[3, 1])] == [3, 1]


def test_what_cannot_be_split(run: Run) -> None:
    with pytest.raises(KernelError, match="4 cannot be cut into 3 equal parts"):
        run("Split", [X], 13, 3, axis=2)
    with pytest.raises(KernelError, match="do not add up to 4"):
        run("Split", [X, ints(1, 2)], 13, 2, axis=2)
    with pytest.raises(KernelError, match="2 parts for 3 outputs"):
        run("Split", [X, ints(2, 2)], 13, 3, axis=2)
    with pytest.raises(KernelError, match="one of split and num_outputs"):
        run("Split", [X], 18, 2)
    with pytest.raises(KernelError, match="one of split and num_outputs"):
        run("Split", [X, ints(1, 1)], 18, 2, num_outputs=2)


def test_an_uneven_split_leaves_one_smaller_part(run: Run) -> None:
    assert [each.size for each in run("Split", [np.arange(7)], 18, 3, num_outputs=3)] == [3, 3, 1]
    # 5 = 2 + 2 + 2 - 1: only the last part may be smaller, so this cannot be.
    with pytest.raises(KernelError, match="leaves -1 for the last"):
        run("Split", [np.arange(5)], 18, 4, num_outputs=4)


def test_shape_and_size(run: Run, versions: Versions) -> None:
    for opset in versions("Shape"):
        assert run("Shape", [X], opset).tolist() == [2, 3, 4]
        assert run("Shape", [X], opset).dtype == np.int64
    for opset in versions("Size"):
        assert run("Size", [X], opset).tolist() == 24


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"start": 1}, [3, 4]),
        ({"end": -1}, [2, 3]),
        ({"start": -2, "end": 2}, [3]),
        ({"start": -9, "end": 9}, [2, 3, 4]),
        ({"start": 2, "end": 1}, []),
    ],
)
def test_parts_of_a_shape(run: Run, attributes: dict[str, int], expected: list[int]) -> None:
    assert run("Shape", [X], 15, **attributes).tolist() == expected


SLICES: list[Sequence[Sequence[int] | None]] = [
    ([0, 1], [1, 3], None, None),
    ([1], [3], [2], None),
    ([-3], [-1], [-1], None),
    ([0, 0], [100, 2], [0, 2], [1, 1]),
    ([3, 1], [0, 0], [2, 1], [-1, -1]),
    ([-1], [-100], [2], [-2]),
    ([-100], [2**63 - 1], [1], [2]),
    ([3], [1], [2], [1]),
    ([100], [200], [2], [1]),
    ([100], [0], [2], [-3]),
]


@pytest.mark.parametrize(("starts", "ends", "axes", "steps"), SLICES)
def test_slice(agrees: Agrees, starts: Any, ends: Any, axes: Any, steps: Any) -> None:
    given = [None if each is None else ints(*each) for each in (starts, ends, axes, steps)]
    while given[-1] is None:
        given.pop()
    for opset in (10, 11, 13):
        agrees("Slice", [X, *given], opset)
    if steps is None or set(steps) == {1}:
        attributes = {"starts": starts, "ends": ends} | ({} if axes is None else {"axes": axes})
        agrees("Slice", [X], 1, like=9, **attributes)


def test_a_start_before_the_first_element_is_the_first_one_going_backwards(run: Run) -> None:
    # numpy's x[-9::-1] is empty; the specification clamps the start to [0, size - 1].
    assert run("Slice", [X[0, 0], ints(-9), ints(-(2**63)), ints(0), ints(-1)], 13).tolist() == [0]


def test_what_cannot_be_sliced(run: Run) -> None:
    with pytest.raises(KernelError, match="a step is 0"):
        run("Slice", [X, ints(0), ints(1), ints(0), ints(0)], 13)
    with pytest.raises(KernelError, match="repeat an axis"):
        run("Slice", [X, ints(0, 0), ints(1, 1), ints(0, -3)], 13)
    with pytest.raises(KernelError, match=r"have the lengths \[1, 2, 1, 1\]"):
        run("Slice", [X, ints(0), ints(1, 1)], 13)
    assert run("Slice", [np.zeros((0, 2)), ints(5), ints(-9), ints(0), ints(-1)], 13).shape == (0, 2)


@pytest.mark.parametrize("shape", [(3, 4), (1,), (5, 1, 1, 1), (2, 1, 1)])
def test_expand(agrees: Agrees, shape: tuple[int, ...]) -> None:
    for opset in (8, 13):
        agrees("Expand", [X, ints(*shape)], opset)


def test_what_cannot_be_expanded(run: Run) -> None:
    assert run("Expand", [np.zeros((1, 3)), ints(0, 1)], 13).shape == (0, 3)
    with pytest.raises(KernelError):
        run("Expand", [X, ints(2)], 13)
    with pytest.raises(KernelError, match="negative size"):
        run("Expand", [X, ints(-1)], 13)


def test_tile(agrees: Agrees, run: Run) -> None:
    for opset in (6, 13):
        agrees("Tile", [X, ints(1, 2, 0)], opset, like=13)
    two, one = np.float32(2), np.float32(1)
    assert run("Tile", [X, np.array(two), np.array(one)], 1).tolist() == np.tile(X, (1, 2, 1)).tolist()
    with pytest.raises(KernelError, match="do not fit rank 3"):
        run("Tile", [X, ints(1, 2)], 13)


def test_where(agrees: Agrees) -> None:
    condition = np.array([[True], [False]])
    for opset in (9, 16):
        agrees("Where", [condition, X[0, 0], np.float32(-1)], opset)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16, np.int32, np.int64])
@pytest.mark.parametrize("bounds", [(3, 9, 3), (10, 4, -2), (0, 10, 3), (5, 5, 1), (5, 0, 1), (-3, 4, 2)])
def test_range(agrees: Agrees, dtype: type, bounds: tuple[int, int, int]) -> None:
    agrees("Range", [np.array(each, dtype) for each in bounds], 11)


def test_range_of_fractions(run: Run) -> None:
    start, limit, delta = (np.array(each, np.float32) for each in (0, 1, 0.1))
    assert run("Range", [start, limit, delta], 11).size == 10
    narrow = [np.array(each, ml_dtypes.bfloat16) for each in (0, 400, 1)]
    assert run("Range", narrow, 27).size == 400
    with pytest.raises(KernelError, match="delta is 0"):
        run("Range", [start, limit, start], 11)


@pytest.mark.parametrize(
    ("attribute", "value", "dtype"),
    [
        ("value_float", 0.5, np.float32),
        ("value_floats", [0.5, 1.5], np.float32),
        ("value_int", 3, np.int64),
        ("value_ints", [3, 4], np.int64),
        ("value_string", "a", object),
        ("value_strings", ["a", "b"], object),
    ],
)
def test_constants_by_value(run: Run, versions: Versions, attribute: str, value: Any, dtype: type) -> None:
    for opset in versions("Constant")[3:]:
        result = run("Constant", [], opset, **{attribute: value})
        assert result.tolist() == value
        assert result.dtype == dtype


def test_constants_by_tensor(run: Run, versions: Versions) -> None:
    for opset in versions("Constant"):
        assert run("Constant", [], opset, value=numpy_helper.from_array(X)).tolist() == X.tolist()
    values, indices = np.array([5.0], np.float32), ints(2)
    sparse = helper.make_sparse_tensor(numpy_helper.from_array(values, "v"), numpy_helper.from_array(indices), [4])
    assert run("Constant", [], 11, sparse_value=sparse).tolist() == [0, 0, 5, 0]


def test_there_is_one_constant(run: Run) -> None:
    with pytest.raises(KernelError, match="0 values are given"):
        run("Constant", [], 13)
    with pytest.raises(KernelError, match="2 values are given"):
        run("Constant", [], 13, value_int=1, value_float=1.0)
    with pytest.raises(KernelError, match="no attribute value_int"):
        run("Constant", [], 11, value_int=1)


def test_constant_of_shape(run: Run, versions: Versions) -> None:
    for opset in versions("ConstantOfShape"):
        value = helper.make_tensor("v", TensorProto.INT32, [1], [7])
        assert run("ConstantOfShape", [ints(2, 0)], opset).shape == (2, 0)
        assert run("ConstantOfShape", [ints()], opset).dtype == np.float32
        assert run("ConstantOfShape", [ints(2)], opset, value=value).tolist() == [7, 7]
    with pytest.raises(KernelError, match="negative size"):
        run("ConstantOfShape", [ints(-1)], 9)


@pytest.mark.parametrize("opset", [1, 11, 13, 28])
def test_blocks_of_depth_and_back(run: Run, opset: int) -> None:
    x = np.arange(48.0).reshape(1, 12, 2, 2)
    space = run("DepthToSpace", [x], opset, blocksize=2)
    assert space.shape == (1, 3, 4, 4)
    assert run("SpaceToDepth", [space], min(opset, 13), blocksize=2).tolist() == x.tolist()
    if opset >= 11:
        other = run("DepthToSpace", [x], opset, blocksize=2, mode="CRD")
        assert other.tolist() != space.tolist()
        assert run("SpaceToDepth", [other], 28, blocksize=2, mode="CRD").tolist() == x.tolist()


def test_blocks_agree(agrees: Agrees, rng: np.random.Generator) -> None:
    x = rng.standard_normal((2, 8, 4, 6)).astype(np.float32)
    agrees("DepthToSpace", [x], 13, blocksize=2, mode="CRD")
    agrees("DepthToSpace", [x], 11, blocksize=2)
    agrees("SpaceToDepth", [x], 13, blocksize=2)


def test_blocks_that_do_not_fit(run: Run) -> None:
    with pytest.raises(KernelError, match="not divisible"):
        run("DepthToSpace", [np.zeros((1, 6, 2, 2))], 13, blocksize=2)
    with pytest.raises(KernelError, match="not divisible"):
        run("SpaceToDepth", [np.zeros((1, 1, 3, 2))], 13, blocksize=2)
    with pytest.raises(KernelError, match=r"must be \[N, C, H, W\]"):
        run("SpaceToDepth", [np.zeros((1, 4, 4))], 13, blocksize=2)


@pytest.mark.parametrize("k", [-3, -1, 0, 1, 5])
@pytest.mark.parametrize("upper", [0, 1])
def test_trilu(agrees: Agrees, k: int, upper: int) -> None:
    agrees("Trilu", [X, np.array(k)], 14, upper=upper)
    agrees("Trilu", [X], 14, upper=upper)


MOVERS: list[tuple[str, int, list[Any], dict[str, Any]]] = [
    ("Identity", 25, [], {}),
    ("Reshape", 25, [ints(3, -1)], {"allowzero": 0}),
    ("Transpose", 25, [], {}),
    ("Expand", 13, [ints(2, 1, 1)], {}),
    ("Tile", 13, [ints(2, 2)], {}),
    ("Gather", 13, [ints(1)], {"axis": 1}),
    ("Gather", 13, [np.array(1)], {"axis": 1}),
    ("GatherElements", 13, [np.zeros((2, 3), np.int64)], {"axis": 0}),
    ("GatherND", 13, [ints(1, 2)], {"batch_dims": 0}),
    ("Slice", 13, [ints(0), ints(1)], {}),
    ("Split", 2, [], {"axis": 0, "split": (1, 1)}),
    ("Pad", 25, [ints(1, 0, 0, 1)], {"mode": "constant"}),
    ("Trilu", 14, [], {"upper": 1}),
    ("Flatten", 25, [], {"axis": 1}),
]


@pytest.mark.parametrize(("op", "version", "inputs", "attributes"), MOVERS)
def test_entries_of_any_kind_are_only_moved(
    op: str, version: int, inputs: list[Any], attributes: dict[str, Any]
) -> None:
    entries = {object() for _ in range(6)}
    data = np.array(list(entries), dtype=object).reshape(2, 3)
    kernel = find("", op, version)
    assert kernel is not None
    for result in call(kernel, [data, *inputs], attributes, outputs=2 if op == "Split" else 1):
        assert result.dtype == object
        assert {each for each in result.flat if each != 0} <= entries


@given(st.permutations(range(4)))
def test_a_permutation_and_its_inverse(perm: list[int]) -> None:
    x = np.arange(120).reshape(2, 3, 4, 5)
    kernel = find("", "Transpose", 25)
    assert kernel is not None
    there = call(kernel, [x], {"perm": tuple(perm)})[0]
    assert (call(kernel, [there], {"perm": tuple(np.argsort(perm).tolist())})[0] == x).all()


@given(st.integers(0, 5), st.integers(-8, 8), st.integers(-8, 8), st.integers(-3, 3).filter(bool))
def test_slices_have_the_length_that_the_specification_says(size: int, start: int, end: int, step: int) -> None:
    kernel = find("", "Slice", 13)
    assert kernel is not None
    low, high = (0, size) if step > 0 else (-1, size - 1)
    first = min(max(start + size if start < 0 else start, 0), high if step < 0 else size)
    last = min(max(end + size if end < 0 else end, low), high)
    expected = len(range(first, last, step)) if size else 0
    assert call(kernel, [np.arange(size), ints(start), ints(end), ints(0), ints(step)], {})[0].size == expected
