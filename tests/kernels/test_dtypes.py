from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper

from shapeinfer.kernels import KernelError
from shapeinfer.kernels.dtypes import (
    DTYPES,
    element_type,
    extreme,
    is_float,
    is_integer,
    label,
    narrow,
    to_dtype,
    widen,
)

NAMED = [number for name, number in TensorProto.DataType.items() if name != "UNDEFINED"]


@pytest.mark.parametrize("elem", NAMED)
def test_every_element_type_has_a_dtype_of_its_own(elem: int) -> None:
    assert element_type(to_dtype(elem)) == elem
    assert label(to_dtype(elem)) == TensorProto.DataType.Name(elem).lower()


@pytest.mark.parametrize("elem", [each for each in NAMED if each != TensorProto.STRING])
def test_dtypes_are_those_of_onnx(elem: int) -> None:
    assert to_dtype(elem) == helper.tensor_dtype_to_np_dtype(elem)


def test_what_is_no_element_type() -> None:
    with pytest.raises(KernelError, match="0 is not an element type"):
        to_dtype(0)
    with pytest.raises(KernelError, match="datetime64"):
        element_type(np.dtype("datetime64[s]"))


def test_floats_and_integers() -> None:
    names = {label(dtype): (is_float(dtype), is_integer(dtype)) for dtype in DTYPES.values()}
    for name, (floating, whole) in names.items():
        assert floating == (name in ("float", "double", "bfloat16") or name.startswith("float"))
        assert whole == name.startswith(("int", "uint"))


def test_narrow_floats_are_computed_in_float32() -> None:
    x = np.array([1.5], dtype=ml_dtypes.bfloat16)
    assert widen(x).dtype == np.float32
    assert narrow(widen(x), x.dtype).dtype == x.dtype
    assert widen(np.zeros(1)).dtype == np.float64


def test_extremes() -> None:
    assert extreme(np.dtype(np.int8), 1) == 127
    assert extreme(np.dtype(ml_dtypes.int4), -1) == -8
    assert extreme(np.dtype(np.float32), -1) == -np.inf
    assert extreme(np.dtype(bool), 1) is True
