from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper

from shapeinfer.kernels import KernelError

Run = Callable[..., Any]
TYPES = "FLOAT DOUBLE FLOAT16 INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64 BOOL".split()


@pytest.mark.parametrize("opset", [9, 22])
@pytest.mark.parametrize("name", TYPES)
def test_every_type_by_attribute_and_by_input(run: Run, opset: int, name: str) -> None:
    elem = TensorProto.DataType.Value(name)
    dtype = helper.tensor_dtype_to_np_dtype(elem)
    by_attribute = run("EyeLike", [np.zeros((2, 3), dtype=np.int32)], opset, dtype=elem)
    by_input = run("EyeLike", [np.full((2, 3), 7).astype(dtype)], opset)
    for result in (by_attribute, by_input):
        assert result.dtype == dtype
        assert result.tolist() == np.eye(2, 3).tolist()


def test_bfloat16_came_with_version_22(run: Run) -> None:
    x = np.zeros((2, 2), dtype=ml_dtypes.bfloat16)
    assert run("EyeLike", [x], 22).dtype == ml_dtypes.bfloat16
    assert run("EyeLike", [np.zeros((2, 2))], 22, dtype=TensorProto.BFLOAT16).dtype == ml_dtypes.bfloat16
    with pytest.raises(KernelError, match="input input cannot be bfloat16"):
        run("EyeLike", [x], 21)
    with pytest.raises(KernelError, match="output cannot be of type bfloat16"):
        run("EyeLike", [np.zeros((2, 2))], 21, dtype=TensorProto.BFLOAT16)


@pytest.mark.parametrize("name", ["STRING", "COMPLEX64", "FLOAT8E5M2", "INT4"])
def test_types_that_it_never_has(run: Run, name: str) -> None:
    with pytest.raises(KernelError, match="output cannot be of type"):
        run("EyeLike", [np.zeros((2, 2))], 22, dtype=TensorProto.DataType.Value(name))


@pytest.mark.parametrize("dtype", [0, 99, -1])
def test_what_is_no_element_type(run: Run, dtype: int) -> None:
    with pytest.raises(KernelError, match=f"{dtype} is not an element type"):
        run("EyeLike", [np.zeros((2, 2))], 22, dtype=dtype)


@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (4, 2), (1, 1), (0, 3), (3, 0), (0, 0)])
@pytest.mark.parametrize("k", [0, 1, 2, 3, 4, -1, -2, -3, -4, 9])
def test_diagonals(run: Run, shape: tuple[int, int], k: int) -> None:
    assert run("EyeLike", [np.zeros(shape)], 9, k=k).tolist() == np.eye(*shape, k=k).tolist()


@pytest.mark.parametrize("k", [2**63 - 1, -(2**63)])
def test_diagonals_far_out(run: Run, k: int) -> None:
    assert not run("EyeLike", [np.zeros((2, 2))], 22, k=k).any()


@pytest.mark.parametrize("shape", [(), (2,), (2, 2, 2)])
def test_the_rank_is_two(run: Run, shape: tuple[int, ...]) -> None:
    with pytest.raises(KernelError, match="must be a matrix"):
        run("EyeLike", [np.zeros(shape)], 9)
