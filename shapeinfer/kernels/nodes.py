"""What a node needs to be run: its kernel, its decoded attributes, and the types that its operator allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
from onnx import AttributeProto, NodeProto, SparseTensorProto, TensorProto, defs, numpy_helper

from shapeinfer.kernels.arguments import type_text
from shapeinfer.kernels.dtypes import STRING, Array, element_type, to_dtype
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import Kernel, find


@dataclass(frozen=True, slots=True)
class Parameter:
    """An input of an operator.

    Attributes:
        name: as the schema calls it.
        variable: the type variable, or type, that it has.
        elements: the element types of tensors that are allowed.
        tensor_only: whether only tensors are allowed, no sequences or optionals.
        alike: whether all inputs of this type variable have the same type.
    """

    name: str
    variable: str
    elements: frozenset[int]
    tensor_only: bool
    alike: bool


@dataclass(frozen=True, slots=True)
class Signature:
    """One operator version.

    Attributes:
        variadic: whether the last input may be repeated.
        least: how many inputs a node names at least.
        kinds: the kind of each attribute, as ``AttributeProto.type`` numbers them.
        defaults: the attributes' defaults, decoded.
    """

    domain: str
    op: str
    version: int
    parameters: tuple[Parameter, ...]
    variadic: bool
    least: int
    kinds: Mapping[str, int]
    defaults: Mapping[str, Any]

    @property
    def title(self) -> str:
        """The operator and its version: ``Squeeze-13``."""
        return f"{self.op}-{self.version}"


_LARGEST: Final = 2**31 - 1


@cache
def signature(domain: str, op: str, opset: int) -> Signature:
    """The operator in the version that this operator set has.

    Raises:
        KernelError: when there is none, or it is deprecated.
    """
    name = f"{domain}.{op}" if domain else op
    try:
        schema = defs.get_schema(op, max_inclusive_version=max(0, min(opset, _LARGEST)), domain=domain)
    except defs.SchemaError:
        raise KernelError(f"there is no operator {name} in version {opset} of the operator set") from None
    if schema.deprecated:
        raise KernelError(f"the operator {name} is deprecated in version {opset} of the operator set")
    parameters = tuple(_parameter(schema, each) for each in schema.inputs)
    variadic = bool(schema.inputs) and schema.inputs[-1].option == defs.OpSchema.FormalParameterOption.Variadic
    defaults = {n: decode(a.default_value) for n, a in schema.attributes.items() if a.default_value.type}
    types: dict[str, Any] = {n: a.type for n, a in schema.attributes.items()}
    kinds = {n: int(kind.value) for n, kind in types.items()}
    return Signature(domain, op, schema.since_version, parameters, variadic, schema.min_input, kinds, defaults)


def _parameter(schema: defs.OpSchema, formal: defs.OpSchema.FormalParameter) -> Parameter:
    tensors = {f"tensor({name.lower()})": number for name, number in TensorProto.DataType.items()}
    elements = frozenset(tensors[text] for text in formal.types if text in tensors)
    tensor_only = all(text.startswith("tensor(") for text in formal.types)
    return Parameter(formal.name, formal.type_str, elements, tensor_only, formal.is_homogeneous)


def find_kernel(domain: str, op: str, opset: int) -> tuple[Kernel, Signature]:
    """The kernel of the operator in the version that this operator set has.

    Raises:
        KernelError: when there is no such operator, or no kernel for it.
    """
    found = signature("" if domain == "ai.onnx" else domain, op, opset)
    kernel = find(found.domain, op, found.version)
    if kernel is None:
        raise KernelError(f"the operator {found.domain or 'ai.onnx'} {found.title} has no kernel")
    return kernel, found


def check_types(found: Signature, inputs: Sequence[Any]) -> None:
    """Refuses inputs whose types the operator does not allow, alone or together.

    Raises:
        KernelError: with the input's name and type.
    """
    if len(inputs) < found.least:
        raise KernelError(f"{found.least} inputs are required", op=found.title)
    bound: dict[str, int] = {}
    last = len(found.parameters) - 1
    for position, value in enumerate(inputs):
        if position > last and not found.variadic:
            raise KernelError(f"{len(inputs)} inputs are too many", op=found.title)
        if value is None:
            continue
        parameter = found.parameters[min(position, last)]
        if not isinstance(value, np.ndarray):
            if parameter.tensor_only:
                raise KernelError(f"input {parameter.name} must be a tensor, not a {type_text(value)}", op=found.title)
            continue
        elem = element_type(value.dtype)
        if elem not in parameter.elements:
            raise KernelError(f"input {parameter.name} cannot be {type_text(value)}", op=found.title)
        if parameter.alike and bound.setdefault(parameter.variable, elem) != elem:
            raise KernelError(
                f"input {parameter.name} is {type_text(value)}, another of type {parameter.variable} is not",
                op=found.title,
            )


def decode_attributes(node: NodeProto, found: Signature, base_dir: str | Path | None = None) -> dict[str, Any]:
    """The attributes that the node states, as plain values, and the defaults of the others.

    Raises:
        KernelError: when this version has no such attribute, or one is stated twice, refers to a function's attribute,
            is of a wrong kind or cannot be read.
    """
    decoded: dict[str, Any] = {}
    for attribute in node.attribute:
        if attribute.name in decoded:
            raise KernelError(f"the attribute {attribute.name} is given twice")
        if attribute.name not in found.kinds:
            raise KernelError(f"there is no attribute {attribute.name}")
        if attribute.type != found.kinds[attribute.name]:
            kind = AttributeProto.AttributeType.Name(found.kinds[attribute.name])
            raise KernelError(f"the attribute {attribute.name} must be of kind {kind}")
        decoded[attribute.name] = decode(attribute, base_dir)
    return {**found.defaults, **decoded}


def decode(attribute: AttributeProto, base_dir: str | Path | None = None) -> Any:
    """The attribute as a plain value: int, float, str, a tuple of these, an array, or a graph as it is.

    Raises:
        KernelError: when it cannot be read.
    """
    a, kinds = attribute, AttributeProto
    if a.ref_attr_name:
        raise KernelError(f"the attribute {a.name} refers to {a.ref_attr_name} of a function")
    if a.type == kinds.INT:
        return a.i
    if a.type == kinds.INTS:
        return tuple(a.ints)
    if a.type == kinds.FLOAT:
        return a.f
    if a.type == kinds.FLOATS:
        return tuple(a.floats)
    if a.type == kinds.STRING:
        return a.s.decode("utf-8", "replace")
    if a.type == kinds.STRINGS:
        return tuple(each.decode("utf-8", "replace") for each in a.strings)
    if a.type == kinds.TENSOR:
        return to_array(a.t, base_dir)
    if a.type == kinds.SPARSE_TENSOR:
        return to_dense(a.sparse_tensor, base_dir)
    if a.type == kinds.GRAPH:
        return a.g
    raise KernelError(f"the attribute {a.name} is of a kind that is not supported")


def to_array(tensor: TensorProto, base_dir: str | Path | None = None) -> Array:
    """The elements of a stored tensor, external ones relative to ``base_dir``; strings as ``str``.

    Raises:
        KernelError: when they cannot be read.
    """
    try:
        array: Array = numpy_helper.to_array(tensor, "" if base_dir is None else str(base_dir))
    except Exception as error:  # onnx raises many kinds for what is malformed or missing
        raise KernelError(f"the tensor {tensor.name!r} cannot be read: {error}") from error
    if array.dtype.kind in "OUS":
        return as_text(array)
    return array.astype(to_dtype(tensor.data_type), copy=False)


def as_text(array: Array) -> Array:
    """An array of strings as ``str`` objects."""
    result = np.empty(array.shape, dtype=STRING)
    result.reshape(-1)[:] = [
        each.decode("utf-8", "replace") if isinstance(each, bytes) else str(each) for each in array.reshape(-1).tolist()
    ]
    return result


def to_dense(sparse: SparseTensorProto, base_dir: str | Path | None = None) -> Array:
    """A stored sparse tensor with all its elements."""
    values, indices = to_array(sparse.values, base_dir), to_array(sparse.indices, base_dir)
    shape = tuple(sparse.dims)
    dense = np.zeros(shape, dtype=values.dtype)
    if indices.ndim == 1:
        dense.reshape(-1)[indices] = values
    else:
        dense[tuple(indices.T)] = values
    return dense


def opsets(model: onnx.ModelProto) -> dict[str, int]:
    """The version of each domain's operator set that a model imports.

    Raises:
        KernelError: when it is newer than the installed ``onnx`` knows.
    """
    found = {("" if each.domain == "ai.onnx" else each.domain): each.version for each in model.opset_import}
    if not found:
        found[""] = 1  # operator sets came with IR version 3
    if found.get("", 1) > defs.onnx_opset_version():
        raise KernelError(f"version {found['']} of the operator set is newer than {defs.onnx_opset_version()}")
    return found
