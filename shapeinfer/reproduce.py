"""Small models that show what a large one showed: one node with the values that reached it, or what it depends on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

from shapeinfer.engine import Analysis
from shapeinfer.kernels.dtypes import element_type
from shapeinfer.types import TensorType, ValueType
from shapeinfer.values import Node
from shapeinfer.write import write_type

Feeds = dict[str, Any]


def read_names(node: onnx.NodeProto) -> list[str]:
    """The values that a node reads, those that its graphs take from around it included."""
    found = dict.fromkeys(name for name in node.input if name)
    for attribute in node.attribute:
        for graph in [attribute.g] if attribute.type == onnx.AttributeProto.GRAPH else attribute.graphs:
            found.update(dict.fromkeys(_captured(graph)))
    return list(found)


def _captured(graph: onnx.GraphProto) -> Iterator[str]:
    own = {each.name for each in (*graph.input, *graph.initializer)}
    own.update(each.values.name for each in graph.sparse_initializer)
    own.update(name for node in graph.node for name in node.output)
    for node in graph.node:
        yield from (name for name in read_names(node) if name not in own)
    yield from (each.name for each in graph.output if each.name not in own)


def maker(analysis: Analysis, value: str) -> Node | None:
    """The node of the main graph that makes a value."""
    origin = analysis.values[value].origin if value in analysis.values else None
    return origin if isinstance(origin, Node) else None


def single_node(analysis: Analysis, node: Node, values: Mapping[str, Any], *, symbolic: bool) -> onnx.ModelProto:
    """A model of the node alone.

    Args:
        analysis: of the whole model.
        node: of its main graph.
        values: what reached the node in a run.
        symbolic: declare inputs as they were inferred, not with their sizes in the run.
    """
    model = _frame(analysis.model)
    model.graph.node.add().CopyFrom(node.proto)
    for name, value in values.items():
        known = analysis.values.get(name)
        elements = known.elements if known is not None else None
        if isinstance(value, np.ndarray) and elements is not None and elements.dtype.kind in "biuf":
            model.graph.initializer.append(numpy_helper.from_array(value, name))
            continue
        kind: ValueType | None = known.type if known is not None else None
        if isinstance(value, np.ndarray) and not symbolic:
            kind = TensorType(element_type(value.dtype), value.shape)
        declared = model.graph.input.add(name=name)
        write_type(declared.type, kind)
    for name in node.proto.output:
        if name:
            model.graph.output.add(name=name)
    return model


def ancestors(model: onnx.ModelProto, value: str) -> onnx.ModelProto:
    """The model without the nodes that a value does not depend on."""
    wanted, kept = {value}, []
    for node in reversed(model.graph.node):
        if not wanted.isdisjoint(node.output):
            wanted.update(read_names(node))
            kept.append(node)
    smaller = _frame(model)
    smaller.graph.node.extend(kept[::-1])
    smaller.graph.input.extend(each for each in model.graph.input if each.name in wanted)
    smaller.graph.initializer.extend(each for each in model.graph.initializer if each.name in wanted)
    smaller.graph.sparse_initializer.extend(s for s in model.graph.sparse_initializer if s.values.name in wanted)
    smaller.graph.output.add(name=value)
    return smaller


def _frame(model: onnx.ModelProto) -> onnx.ModelProto:
    frame = onnx.ModelProto(ir_version=model.ir_version, producer_name="shapeinfer verify")
    frame.opset_import.extend(model.opset_import)
    frame.functions.extend(model.functions)
    frame.graph.name = "reproducer"
    return frame
