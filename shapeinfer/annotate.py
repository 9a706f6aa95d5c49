"""Writes what an analysis found into a model: ``value_info``, graph outputs, and the input shapes asked for."""

from __future__ import annotations

import onnx

from shapeinfer import dims
from shapeinfer.engine import Analysis
from shapeinfer.types import MapType, OptionalType, SequenceType, SparseTensorType, TensorType, ValueType
from shapeinfer.values import Node

_GRAPH_VALUE_INFO = 13 << 3 | 2  # field numbers of GraphProto.value_info, ValueInfoProto.name and .type
_NAME = 1 << 3 | 2
_TYPE = 2 << 3 | 2
_MOST = 2**63


def annotate(analysis: Analysis, model: onnx.ModelProto) -> None:
    """Fills ``model``, which is the analysed model or a copy of it.

    What is not known is left as the file has it.
    """
    graph = model.graph
    for given in graph.input:
        value = analysis.values.get(given.name)
        if value is not None and value.origin == "input" and isinstance(value.type, TensorType):
            _write_dims(given.type.tensor_type, value.type, asked=given.name in analysis.options.input_shapes)
    outputs = set()
    for output in graph.output:
        outputs.add(output.name)
        value = analysis.values.get(output.name)
        if value is not None and value.type is not None:
            _write_output(output.type, value.type)
    _write_value_info(analysis, graph, outputs)


def _write_dims(tensor: onnx.TypeProto.Tensor, kind: TensorType, *, asked: bool) -> None:
    """Writes what options make of an input's dims; what is unnamed stays so unless a shape was asked for."""
    if kind.shape is None or not (asked or tensor.HasField("shape")):
        return
    if not tensor.HasField("shape"):
        tensor.shape.SetInParent()
        for _ in kind.shape:
            tensor.shape.dim.add()
    if len(tensor.shape.dim) != len(kind.shape):
        return  # a second input of the same name
    for declared, dim in zip(tensor.shape.dim, kind.shape, strict=True):
        if asked or declared.dim_param:
            _write_dim(declared, dim)


def _write_output(declared: onnx.TypeProto, kind: ValueType) -> None:
    """Replaces a declared type, unless it says more where nothing was found out."""
    if type(kind) is TensorType and declared.HasField("tensor_type"):
        if kind.elem:
            declared.tensor_type.elem_type = kind.elem
        if kind.shape is not None:
            declared.tensor_type.ClearField("shape")
            _add_shape(declared.tensor_type, kind.shape)
        return
    if type(kind) is not TensorType and declared.WhichOneof("value") is not None and kind.elem is None:  # type: ignore[union-attr]
        return
    declared.Clear()
    write_type(declared, kind)


def write_type(proto: onnx.TypeProto, kind: ValueType | None) -> None:
    """Writes a type into an empty message; dims as numbers or text, unknown parts left out."""
    match kind:
        case TensorType(elem=elem, shape=shape):
            proto.tensor_type.elem_type = elem
            if shape is not None:
                _add_shape(proto.tensor_type, shape)
        case SparseTensorType(elem=elem, shape=shape):
            proto.sparse_tensor_type.elem_type = elem
            if shape is not None:
                _add_shape(proto.sparse_tensor_type, shape)
        case SequenceType(elem=inner):
            proto.sequence_type.SetInParent()
            write_type(proto.sequence_type.elem_type, inner)
        case OptionalType(elem=inner):
            proto.optional_type.SetInParent()
            write_type(proto.optional_type.elem_type, inner)
        case MapType(key=key, value=inner):
            proto.map_type.key_type = key
            write_type(proto.map_type.value_type, inner)


def _add_shape(tensor: onnx.TypeProto.Tensor | onnx.TypeProto.SparseTensor, shape: tuple[dims.Dim, ...]) -> None:
    tensor.shape.SetInParent()
    for dim in shape:
        _write_dim(tensor.shape.dim.add(), dim)


def _write_dim(proto: onnx.TensorShapeProto.Dimension, dim: dims.Dim) -> None:
    """Writes a dim; a number that the field cannot hold is left out."""
    if type(dim) is not int:
        proto.dim_param = dims.text(dim)
    elif dim < _MOST:
        proto.dim_value = dim


def _write_value_info(analysis: Analysis, graph: onnx.GraphProto, outputs: set[str]) -> None:
    """Serialises each distinct type once and frames the entries by hand: many values share few types."""
    types: dict[ValueType, bytes] = {}
    parts: list[bytes] = []
    written = set()
    for name, value in analysis.values.items():
        kind = value.type
        if kind is None or type(value.origin) is not Node or name in outputs:
            continue
        body = types.get(kind)
        if body is None:
            proto = onnx.TypeProto()
            write_type(proto, kind)
            data = proto.SerializeToString()
            body = types[kind] = bytes((_TYPE,)) + _varint(len(data)) + data
        text = name.encode()
        entry = bytes((_NAME,)) + _varint(len(text)) + text + body
        parts.append(bytes((_GRAPH_VALUE_INFO,)) + _varint(len(entry)) + entry)
        written.add(name)
    kept = [v for v in graph.value_info if v.name not in written and v.name not in outputs]
    if len(kept) != len(graph.value_info):
        copies = [onnx.ValueInfoProto.FromString(v.SerializeToString()) for v in kept]
        del graph.value_info[:]
        graph.value_info.extend(copies)
    graph.MergeFromString(b"".join(parts))


def _varint(number: int) -> bytes:
    if number < 128:
        return bytes((number,))
    out = bytearray()
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)
