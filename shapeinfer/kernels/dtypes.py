"""ONNX element types and the NumPy dtypes that hold them, with ``ml_dtypes`` for those that NumPy lacks.

Strings are held as ``object`` arrays of ``str``. Source: ``TensorProto.DataType`` of the ONNX specification.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import ml_dtypes
import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto

from shapeinfer.kernels.errors import KernelError

Array: TypeAlias = NDArray[Any]

_NAMES: Final = {
    "FLOAT": "float32", "DOUBLE": "float64", "FLOAT16": "float16", "BOOL": "bool", "STRING": "object",
    "INT8": "int8", "INT16": "int16", "INT32": "int32", "INT64": "int64",
    "UINT8": "uint8", "UINT16": "uint16", "UINT32": "uint32", "UINT64": "uint64",
    "COMPLEX64": "complex64", "COMPLEX128": "complex128",
}  # fmt: skip
_ML_NAMES: Final = {
    "BFLOAT16": "bfloat16",
    "FLOAT8E4M3FN": "float8_e4m3fn", "FLOAT8E4M3FNUZ": "float8_e4m3fnuz",
    "FLOAT8E5M2": "float8_e5m2", "FLOAT8E5M2FNUZ": "float8_e5m2fnuz", "FLOAT8E8M0": "float8_e8m0fnu",
    "FLOAT6E2M3": "float6_e2m3fn", "FLOAT6E3M2": "float6_e3m2fn", "FLOAT4E2M1": "float4_e2m1fn",
    "INT4": "int4", "UINT4": "uint4", "INT2": "int2", "UINT2": "uint2",
}  # fmt: skip


def _table() -> dict[int, np.dtype[Any]]:
    known = dict(TensorProto.DataType.items())
    found = {known[name]: np.dtype(dtype) for name, dtype in _NAMES.items()}
    for name, dtype in _ML_NAMES.items():
        if name in known and hasattr(ml_dtypes, dtype):  # the newest types are in neither of the older releases
            found[known[name]] = np.dtype(getattr(ml_dtypes, dtype))
    return found


DTYPES: Final[Mapping[int, np.dtype[Any]]] = _table()
"""The NumPy dtype of each element type."""
ELEMENT_TYPES: Final[Mapping[np.dtype[Any], int]] = {dtype: elem for elem, dtype in DTYPES.items()}
"""The element type of each NumPy dtype."""

STRING: Final = np.dtype(object)
BFLOAT16: Final = np.dtype(ml_dtypes.bfloat16)
FLOAT8E8M0: Final = np.dtype(ml_dtypes.float8_e8m0fnu)
SATURATING: Final = tuple(
    np.dtype(t) for t in (
        ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2, ml_dtypes.float8_e5m2fnuz
    )
)  # fmt: skip
"""The float8 types to which ``saturate`` applies."""
LOW_PRECISION: Final = frozenset(
    np.dtype(t)
    for t in (np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e8m0fnu, ml_dtypes.float4_e2m1fn, *SATURATING)
)
"""Float types in which nothing is computed: kernels compute in float32 and round once, at the end."""


def to_dtype(elem: int) -> np.dtype[Any]:
    """The NumPy dtype of an element type.

    Raises:
        KernelError: when ``elem`` is no element type, or none that the installed packages know.
    """
    dtype = DTYPES.get(elem)
    if dtype is None:
        raise KernelError(f"{elem} is not an element type of tensors that can be run")
    return dtype


def element_type(dtype: np.dtype[Any]) -> int:
    """The element type of a NumPy dtype.

    Raises:
        KernelError: when no element type has this dtype.
    """
    if dtype.kind in "UST":
        return int(TensorProto.STRING)
    elem = ELEMENT_TYPES.get(dtype)
    if elem is None:
        raise KernelError(f"no element type of tensors is held as {dtype}")
    return elem


def label(dtype: np.dtype[Any]) -> str:
    """The element type's name as type strings write it; the dtype's own name where it holds no element type."""
    if dtype.kind in "OUST":
        return "string"
    elem = ELEMENT_TYPES.get(dtype)
    return str(dtype) if elem is None else str(TensorProto.DataType.Name(elem)).lower()


def is_float(dtype: np.dtype[Any]) -> bool:
    """Whether the elements are real floating-point numbers of any width."""
    return dtype.kind == "f" or dtype in LOW_PRECISION or label(dtype).startswith("float6")


def is_integer(dtype: np.dtype[Any]) -> bool:
    """Whether the elements are integers of any width."""
    return dtype.kind in "iu" or label(dtype) in ("int4", "uint4", "int2", "uint2")


def extreme(dtype: np.dtype[Any], sign: int) -> Any:
    """The largest (``sign`` 1) or the smallest (-1) number of a type; infinite for floats."""
    if dtype == np.bool_:
        return sign > 0
    if not is_integer(dtype):
        return sign * np.inf
    info: Any = ml_dtypes.iinfo(dtype)  # type: ignore[no-untyped-call]
    return info.max if sign > 0 else info.min


def widen(data: Array) -> Array:
    """The array in a type to compute in: float32 for narrower floats, else as it is."""
    return data.astype(np.float32) if data.dtype in LOW_PRECISION else data


def narrow(data: Array, dtype: np.dtype[Any]) -> Array:
    """The array in its own type again, without a copy when it is already."""
    return data.astype(dtype, copy=False)
