"""Models of the ``onnx_ir`` package, which need not be installed: whoever passes one has imported it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

import onnx

from shapeinfer.values import ELEMENT_LIMIT

if TYPE_CHECKING:
    import onnx_ir

_STUB = "weights"
"""The location that stands for data which is not copied."""


def is_ir_model(source: object) -> TypeGuard[onnx_ir.Model]:
    """Whether this is a model of ``onnx_ir``."""
    module = sys.modules.get("onnx_ir")
    return module is not None and isinstance(source, module.Model)


def to_message(model: onnx_ir.Model) -> onnx.ModelProto:
    """The whole model as a message, with its weights."""
    import onnx_ir

    message: onnx.ModelProto = onnx_ir.to_proto(model)
    return message


def to_light_message(model: onnx_ir.Model) -> tuple[onnx.ModelProto, onnx_ir.Model]:
    """The model as a message without its weights, and a copy of it that shares all tensors.

    In the message, tensors of more elements than are followed have a type and no data. ``model`` is not changed.
    """
    import onnx_ir

    copy = model.clone()
    with _without_weights(copy):
        return onnx_ir.to_proto(copy), copy


def base_directory(model: onnx_ir.Model) -> Path | None:
    """The directory that external tensors are relative to, where there is one for all."""
    import onnx_ir

    found = {
        str(value.const_value.base_dir)
        for graph in model.graphs()
        for value in graph.initializers.values()
        if isinstance(value.const_value, onnx_ir.ExternalTensor)
    }
    return Path(found.pop()).resolve() if len(found) == 1 and "" not in found else None


@contextmanager
def _without_weights(model: onnx_ir.Model) -> Iterator[None]:
    """Puts stubs in the place of large tensors for a while."""
    import onnx_ir

    graphs = list(model.graphs())
    values = [
        (value, value.const_value)
        for graph in graphs
        for value in graph.initializers.values()
        if _is_large(value.const_value)
    ]
    nodes = [
        (node, attribute)
        for graph in graphs
        for node in graph
        if (attribute := node.attributes.get("value")) is not None
        and attribute.type == onnx_ir.AttributeType.TENSOR
        and _is_large(attribute.value)
    ]
    try:
        for value, tensor in values:
            value.const_value = _stub(tensor, value.name)
        for node, attribute in nodes:
            node.attributes["value"] = onnx_ir.AttrTensor("value", _stub(attribute.value, attribute.value.name))
        yield
    finally:
        for value, tensor in values:
            value.const_value = tensor
        for node, attribute in nodes:
            node.attributes["value"] = attribute


def _is_large(tensor: Any) -> bool:
    return tensor is not None and tensor.size > ELEMENT_LIMIT


def _stub(tensor: Any, name: str | None) -> Any:
    import onnx_ir

    return onnx_ir.ExternalTensor(_STUB, None, None, tensor.dtype, shape=tensor.shape, name=name or "")


def write_types(message: onnx.ModelProto, model: onnx_ir.Model) -> None:
    """Gives the values of a model the types and shapes that a message of it declares."""
    _write_graph(message.graph, model.graph)


def _write_graph(message: onnx.GraphProto, graph: Any) -> None:
    from onnx_ir import serde

    types = {info.name: info.type for info in (*message.value_info, *message.input, *message.output)}
    for value in (*graph.inputs, *(output for node in graph for output in node.outputs)):
        stated = types.get(value.name)
        if stated is None or stated.WhichOneof("value") is None or stated.HasField("map_type"):
            continue  # onnx_ir has no map types
        value.type = serde.deserialize_type_proto_for_type(stated)
        value.shape = serde.deserialize_type_proto_for_shape(stated)
    for proto, node in zip(message.node, graph, strict=True):
        for attribute in proto.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                _write_graph(attribute.g, node.attributes[attribute.name].value)
