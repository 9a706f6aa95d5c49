"""The inputs of a model: brought into the form that kernels take, and held against what the graph declares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from onnx import TypeProto, ValueInfoProto

from shapeinfer.kernels.arguments import type_text
from shapeinfer.kernels.dtypes import Array, element_type, label, to_dtype
from shapeinfer.kernels.errors import INPUT_MISSING, INPUT_SHAPE, INPUT_TYPE, INPUT_UNKNOWN, KernelError
from shapeinfer.kernels.stored import as_text

_UNNAMED = ("", "?", "-1")


def checked(declared: Mapping[str, ValueInfoProto], inputs: Mapping[str, Any], stored: Iterable[str]) -> dict[str, Any]:
    """The inputs by name: tensors as arrays, sequences as lists, maps as dicts, an absent optional as ``None``.

    Args:
        declared: the graph's inputs.
        inputs: the values given.
        stored: the names of the initializers, which are the defaults of inputs.

    Raises:
        KernelError: when one is missing, unknown or not as declared.
    """
    unknown = [name for name in inputs if name not in declared]
    if unknown:
        names = ", ".join(declared) or "none"
        raise KernelError(f"there is no input {unknown[0]!r}; the inputs are {names}", code=INPUT_UNKNOWN)
    missing = [name for name in declared if name not in inputs and name not in stored]
    if missing:
        raise KernelError(f"the input {missing[0]!r} is missing", code=INPUT_MISSING)
    check = _Check()
    return {name: check.value(f"the input {name!r}", declared[name].type, value) for name, value in inputs.items()}


class _Check:
    """Holds values against declared types; equal dim names stand for equal sizes."""

    def __init__(self) -> None:
        self._bound: dict[str, tuple[int, str]] = {}

    def value(self, what: str, declared: TypeProto, value: Any) -> Any:
        """The value in the form that kernels take."""
        kind = declared.WhichOneof("value")
        if kind == "optional_type":
            return None if value is None else self.value(what, declared.optional_type.elem_type, value)
        if kind == "sequence_type":
            if not isinstance(value, (list, tuple)):
                raise KernelError(f"{what} is {type_text(_plain(value))}, not a sequence", code=INPUT_TYPE)
            inner = declared.sequence_type.elem_type
            # The elements of a sequence may differ in the sizes that one name stands for.
            return [_Check().value(f"element {at} of {what}", inner, each) for at, each in enumerate(value)]
        if kind == "map_type":
            if not isinstance(value, Mapping):
                raise KernelError(f"{what} is {type_text(_plain(value))}, not a map", code=INPUT_TYPE)
            return {_key(key): _entry(each) for key, each in value.items()}
        if kind in ("tensor_type", "sparse_tensor_type"):
            return self._tensor(what, getattr(declared, kind), value)
        return _plain(value)

    def _tensor(self, what: str, declared: TypeProto.Tensor, value: Any) -> Array:
        if value is None or isinstance(value, Mapping):
            raise KernelError(f"{what} is {type_text(value)}, not a tensor", code=INPUT_TYPE)
        try:
            array = np.asarray(value)
        except ValueError as error:
            raise KernelError(f"{what} is no array: {error}", code=INPUT_TYPE) from error
        if array.dtype.kind in "OUST":
            array = as_text(array)
        try:
            elem = element_type(array.dtype)
        except KernelError as error:
            raise KernelError(f"{what} is an array of {array.dtype}: {error.message}", code=INPUT_TYPE) from error
        what = f"{what} is {type_text(array)}"
        if declared.elem_type and elem != declared.elem_type:
            raise KernelError(f"{what}, not of type {label(to_dtype(declared.elem_type))}", code=INPUT_TYPE)
        if declared.HasField("shape"):
            self._shape(what, declared, array)
        return array

    def _shape(self, what: str, declared: TypeProto.Tensor, array: Array) -> None:
        if len(declared.shape.dim) != array.ndim:
            raise KernelError(f"{what}, not of rank {len(declared.shape.dim)}", code=INPUT_SHAPE)
        for axis, (dim, size) in enumerate(zip(declared.shape.dim, array.shape, strict=True)):
            if dim.WhichOneof("value") == "dim_value" and dim.dim_value >= 0 and dim.dim_value != size:
                raise KernelError(f"{what}, but axis {axis} is declared as {dim.dim_value}", code=INPUT_SHAPE)
            if dim.dim_param.strip() not in _UNNAMED:
                before, first = self._bound.setdefault(dim.dim_param, (size, what))
                if before != size:
                    name = first.partition(" is ")[0]
                    message = f"{what}, but {dim.dim_param} at axis {axis} is {before} in {name}"
                    raise KernelError(message, code=INPUT_SHAPE)


def _plain(value: Any) -> Any:
    """A value of a type that is not declared."""
    if value is None or isinstance(value, Mapping):
        return value if value is None else {_key(key): _entry(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    array = np.asarray(value)
    return as_text(array) if array.dtype.kind in "OUST" else array


def _key(key: Any) -> Any:
    return key.item() if isinstance(key, np.generic) else key


def _entry(value: Any) -> Any:
    """The value of a key: a plain number or string stays one."""
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, (int, float, str)) else _plain(value)
