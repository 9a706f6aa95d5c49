"""Writes what an analysis found into a model: ``value_info``, graph outputs, and the input shapes asked for."""

from __future__ import annotations

import onnx

from shapeinfer.annotate_inner import annotate_inner
from shapeinfer.engine import Analysis
from shapeinfer.types import TensorType, ValueType
from shapeinfer.values import Node
from shapeinfer.write import Writer, add_shape, write_dim, write_type


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
    annotate_inner(analysis, model)


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
            write_dim(declared, dim)


def _write_output(declared: onnx.TypeProto, kind: ValueType) -> None:
    """Replaces a declared type, unless it says more where nothing was found out."""
    if type(kind) is TensorType and declared.HasField("tensor_type"):
        if kind.elem:
            declared.tensor_type.elem_type = kind.elem
        if kind.shape is not None:
            declared.tensor_type.ClearField("shape")
            add_shape(declared.tensor_type, kind.shape)
        return
    if type(kind) is not TensorType and declared.WhichOneof("value") is not None and kind.elem is None:  # type: ignore[union-attr]
        return
    declared.Clear()
    write_type(declared, kind)


def _write_value_info(analysis: Analysis, graph: onnx.GraphProto, outputs: set[str]) -> None:
    writer = Writer()
    written = set()
    for name, value in analysis.values.items():
        kind = value.type
        if kind is not None and type(value.origin) is Node and name not in outputs:
            writer.add(name, kind)
            written.add(name)
    kept = [v for v in graph.value_info if v.name not in written and v.name not in outputs]
    if len(kept) != len(graph.value_info):
        copies = [onnx.ValueInfoProto.FromString(v.SerializeToString()) for v in kept]
        del graph.value_info[:]
        graph.value_info.extend(copies)
    writer.put(graph)
