"""Model-local functions: what their attribute references stand for in a call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import onnx

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
