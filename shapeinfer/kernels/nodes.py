"""What a node needs to be run: its kernel, its decoded attributes, and the types that its operator allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import onnx
from onnx import AttributeProto, NodeProto, TensorProto, defs

from shapeinfer.kernels.arguments import type_text
from shapeinfer.kernels.dtypes import element_type
from shapeinfer.kernels.errors import ATTRIBUTES, NO_KERNEL, NODE_TYPES, KernelError
from shapeinfer.kernels.registry import Kernel, find, newest
from shapeinfer.kernels.stored import to_array, to_dense


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
        kinds: the kind of each attribute, as ``AttributeProto.type`` numbers them; ``None`` where nothing states them.
        defaults: the attributes' defaults, decoded.
    """

    domain: str
    op: str
    version: int
    parameters: tuple[Parameter, ...]
    variadic: bool
    least: int
    kinds: Mapping[str, int] | None
    defaults: Mapping[str, Any]

    @property
    def title(self) -> str:
        """The operator and its version: ``Squeeze-13``."""
        return f"{self.op}-{self.version}"


LARGEST: Final = 2**31 - 1


@cache
def signature(domain: str, op: str, opset: int) -> Signature:
    """The operator in the version that this operator set has.

    Of an operator that ``onnx`` has no schema for, only its kernel is known.

    Raises:
        KernelError: when there is none, or it is deprecated.
    """
    name = f"{domain}.{op}" if domain else op
    try:
        schema = defs.get_schema(op, max_inclusive_version=max(0, min(opset, LARGEST)), domain=domain)
    except defs.SchemaError:
        version = newest(domain, op, opset)
        if version is None:
            message = f"there is no operator {name} in version {opset} of the operator set"
            raise KernelError(message, code=NO_KERNEL) from None
        return Signature(domain, op, version, (), True, 0, None, {})
    if schema.deprecated:
        message = f"the operator {name} is deprecated in version {opset} of the operator set"
        raise KernelError(message, code=NO_KERNEL)
    parameters = tuple(_parameter(schema, each) for each in schema.inputs)
    variadic = bool(schema.inputs) and schema.inputs[-1].option == defs.OpSchema.FormalParameterOption.Variadic
    defaults = {n: decode(a.default_value) for n, a in schema.attributes.items() if a.default_value.type}
    types: dict[str, Any] = {n: a.type for n, a in schema.attributes.items()}
    kinds = {n: int(kind.value) for n, kind in types.items()}
    return Signature(domain, op, schema.since_version, parameters, variadic, schema.min_input, kinds, defaults)


def _parameter(schema: defs.OpSchema, formal: defs.OpSchema.FormalParameter) -> Parameter:
    tensors = {f"tensor({name.lower()})": number for name, number in TensorProto.DataType.items()}
    inner = [text[len("optional(") : -1] if text.startswith("optional(") else text for text in formal.types]
    elements = {tensors[text] for text in (each.removeprefix("sparse_") for each in inner) if text in tensors}
    tensor_only = all(text.startswith(("tensor(", "sparse_tensor(")) for text in formal.types)
    return Parameter(formal.name, formal.type_str, frozenset(elements), tensor_only, formal.is_homogeneous)


def find_kernel(domain: str, op: str, opset: int) -> tuple[Kernel, Signature]:
    """The kernel of the operator in the version that this operator set has.

    Raises:
        KernelError: when there is no such operator, or no kernel for it.
    """
    found = signature("" if domain == "ai.onnx" else domain, op, opset)
    kernel = find(found.domain, op, found.version)
    if kernel is None:
        raise KernelError(f"the operator {found.domain or 'ai.onnx'} {found.title} has no kernel", code=NO_KERNEL)
    return kernel, found


def check_types(found: Signature, inputs: Sequence[Any]) -> None:
    """Refuses inputs whose types the operator does not allow, alone or together.

    Raises:
        KernelError: with the input's name and type.
    """
    if len(inputs) < found.least:
        raise KernelError(f"{found.least} inputs are required", op=found.title)
    if not found.parameters:
        if inputs and not found.variadic:
            raise KernelError(f"{len(inputs)} inputs are too many", op=found.title)
        return
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
                message = f"input {parameter.name} must be a tensor, not a {type_text(value)}"
                raise KernelError(message, op=found.title, code=NODE_TYPES)
            continue
        elem = element_type(value.dtype)
        if elem not in parameter.elements:
            message = f"input {parameter.name} cannot be {type_text(value)}"
            raise KernelError(message, op=found.title, code=NODE_TYPES)
        if parameter.alike and bound.setdefault(parameter.variable, elem) != elem:
            message = f"input {parameter.name} is {type_text(value)}, another of type {parameter.variable} is not"
            raise KernelError(message, op=found.title, code=NODE_TYPES)


Attributes: TypeAlias = "Mapping[str, AttributeProto | None]"
"""The attributes of the function whose body is read, by name; ``None`` for one that the call leaves out."""


def attributes_of(node: NodeProto, outer: Attributes) -> dict[str, AttributeProto]:
    """The node's attributes by name, references to those of the function around it followed.

    One that refers to an attribute that the function's call leaves out is left out too.

    Raises:
        KernelError: when one is stated twice, or refers to what there is not.
    """
    found: dict[str, AttributeProto] = {}
    seen = set()
    for attribute in node.attribute:
        if attribute.name in seen:
            raise KernelError(f"the attribute {attribute.name} is given twice", code=ATTRIBUTES)
        seen.add(attribute.name)
        reference = attribute.ref_attr_name
        if not reference:
            found[attribute.name] = attribute
        elif reference not in outer:
            message = f"the attribute {attribute.name} refers to {reference} of a function, which there is not"
            raise KernelError(message, code=ATTRIBUTES)
        elif (given := outer[reference]) is not None:
            found[attribute.name] = given
    return found


def decode_attributes(
    node: NodeProto, found: Signature, base_dir: str | Path | None = None, outer: Attributes | None = None
) -> dict[str, Any]:
    """The attributes that the node states, as plain values, and the defaults of the others.

    Raises:
        KernelError: when this version has no such attribute, or one is stated twice, refers to an attribute that the
            function around it lacks, is of a wrong kind or cannot be read.
    """
    decoded: dict[str, Any] = {}
    for name, attribute in attributes_of(node, outer or {}).items():
        if found.kinds is not None:
            if name not in found.kinds:
                raise KernelError(f"there is no attribute {name}", code=ATTRIBUTES)
            if attribute.type != found.kinds[name]:
                kind = AttributeProto.AttributeType.Name(found.kinds[name])
                raise KernelError(f"the attribute {name} must be of kind {kind}", code=ATTRIBUTES)
        decoded[name] = decode(attribute, base_dir)
    return {**found.defaults, **decoded}


def decode(attribute: AttributeProto, base_dir: str | Path | None = None) -> Any:
    """The attribute as a plain value: int, float, str, a tuple of these, an array, or a graph or type as it is.

    Raises:
        KernelError: when it cannot be read.
    """
    a, kinds = attribute, AttributeProto
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
    if a.type == kinds.TENSORS:
        return tuple(to_array(each, base_dir) for each in a.tensors)
    if a.type == kinds.SPARSE_TENSOR:
        return to_dense(a.sparse_tensor, base_dir)
    if a.type == kinds.GRAPH:
        return a.g
    if a.type == kinds.TYPE_PROTO:
        return a.tp
    raise KernelError(f"the attribute {a.name} is of a kind that is not supported", code=ATTRIBUTES)


def opsets(model: onnx.ModelProto) -> dict[str, int]:
    """The version of each domain's operator set that a model imports.

    Raises:
        KernelError: when it is newer than the installed ``onnx`` knows.
    """
    found = {("" if each.domain == "ai.onnx" else each.domain): each.version for each in model.opset_import}
    if not found:
        found[""] = 1  # operator sets came with IR version 3
    if found.get("", 1) > defs.onnx_opset_version():
        message = f"version {found['']} of the operator set is newer than {defs.onnx_opset_version()}"
        raise KernelError(message, code=NO_KERNEL)
    return found
