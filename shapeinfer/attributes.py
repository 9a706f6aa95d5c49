"""Attributes of nodes: their plain values, and what references to them stand for in a model-local function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import onnx
import onnx.helper
import onnx.numpy_helper

from shapeinfer.types import MapType, OptionalType, SequenceType, SparseTensorType, TensorType, ValueType

Bound: TypeAlias = "Mapping[str, onnx.AttributeProto]"
"""The attributes of a call by name, with the defaults that the function states."""


def arguments(stated: Mapping[str, onnx.AttributeProto], function: onnx.FunctionProto) -> Bound:
    """The attributes that the body of a function can refer to in a call that states these."""
    return {**{attribute.name: attribute for attribute in function.attribute_proto}, **stated}


def bind(attributes: Iterable[onnx.AttributeProto], bound: Bound) -> dict[str, onnx.AttributeProto]:
    """The attributes of a node in a function, with references replaced; one that refers to nothing is not stated."""
    found = {}
    for attribute in attributes:
        if not attribute.ref_attr_name:
            found[attribute.name] = attribute
        elif attribute.ref_attr_name in bound:
            value = onnx.AttributeProto()
            value.CopyFrom(bound[attribute.ref_attr_name])
            value.name = attribute.name
            found[attribute.name] = value
    return found


def decode_attribute(attribute: onnx.AttributeProto) -> Any:
    """An attribute as a plain Python value: numbers, text, tuples of these, arrays for tensors."""
    value = onnx.helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, onnx.TensorProto):
        return onnx.numpy_helper.to_array(value)
    if attribute.type == onnx.AttributeProto.STRINGS:
        return tuple(text.decode("utf-8", "replace") for text in value)
    return tuple(value) if isinstance(value, Sequence) else value


def stated_type(proto: onnx.TypeProto) -> ValueType | None:
    """A type as an attribute states it, without shapes: of nothing there is none."""
    match proto.WhichOneof("value"):
        case "tensor_type":
            return TensorType(proto.tensor_type.elem_type)
        case "sparse_tensor_type":
            return SparseTensorType(proto.sparse_tensor_type.elem_type)
        case "sequence_type":
            return SequenceType(stated_type(proto.sequence_type.elem_type))
        case "optional_type":
            return OptionalType(stated_type(proto.optional_type.elem_type))
        case "map_type":
            return MapType(proto.map_type.key_type, stated_type(proto.map_type.value_type))
    return None
