"""The bodies of functions: those that a model defines, and those that define an operator in its schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from onnx import AttributeProto, FunctionProto, NodeProto, TypeProto, defs

from shapeinfer.kernels.nodes import Attributes, Signature

Type: TypeAlias = tuple[int, tuple[int, ...]]
"""A tensor's element type and shape."""


def declared(function: FunctionProto) -> dict[str, AttributeProto | None]:
    """The attributes of a function: their defaults, ``None`` where there is none."""
    found: dict[str, AttributeProto | None] = dict.fromkeys(function.attribute)
    found.update((each.name, each) for each in function.attribute_proto)
    return found


def _schema(found: Signature) -> defs.OpSchema | None:
    try:
        return defs.get_schema(found.op, max_inclusive_version=found.version, domain=found.domain)
    except defs.SchemaError:
        return None


def available(found: Signature) -> bool:
    """Whether the schema defines the operator by a function."""
    schema: Any = _schema(found)
    return schema is not None and bool(schema.has_function or schema.has_context_dependent_function)


def of_schema(
    node: NodeProto, found: Signature, stated: Mapping[str, AttributeProto], types: tuple[Type | None, ...]
) -> tuple[FunctionProto, Attributes] | None:
    """The function that defines the operator for this node, and the attributes that its body can refer to.

    Args:
        node: the node.
        found: its operator.
        stated: its attributes, none of them a reference.
        types: those of its inputs; ``None`` for one that is left out or is no tensor.

    Returns:
        The function with its inputs named as the schema names them; ``None`` when there is none for these.
    """
    schema: Any = _schema(found)  # the stubs of onnx lack what is asked of it here
    if schema is None:
        return None
    known: dict[str, AttributeProto | None] = dict.fromkeys(schema.attributes)
    known.update((n, a.default_value) for n, a in schema.attributes.items() if a.default_value.type)
    attributes = {**known, **stated}
    if schema.has_function:
        version = max(schema.function_opset_versions)
        return FunctionProto.FromString(schema.get_function_with_opset_version(version)), attributes
    if not schema.has_context_dependent_function:
        return None
    plain = NodeProto()
    plain.CopyFrom(node)
    del plain.attribute[:]
    for name, each in stated.items():
        plain.attribute.add().CopyFrom(each)
        plain.attribute[-1].name = name
    version = max(schema.context_dependent_function_opset_versions)
    kinds = [_proto(each).SerializeToString() for each in types]
    try:
        body = schema.get_context_dependent_function_with_opset_version(version, plain.SerializeToString(), kinds)
    except Exception:  # onnx refuses nodes that it has no body for in ways of its own
        return None
    function = FunctionProto.FromString(body)
    return (function, attributes) if function.output else None


def _proto(kind: Type | None) -> TypeProto:
    found = TypeProto()
    if kind is not None:
        found.tensor_type.elem_type = kind[0]
        found.tensor_type.shape.SetInParent()
        for size in kind[1]:
            found.tensor_type.shape.dim.add(dim_value=size)
    return found
