"""Repairs of a model, as small steps on its message; nodes are found by what they make, since indices move."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
from onnx import numpy_helper

from shapeinfer.lint.registry import Fix
from shapeinfer.lint.view import View, inner_graphs
from shapeinfer.values import Node


def find(model: onnx.ModelProto, output: str) -> onnx.NodeProto:
    """The node of the main graph that makes a value."""
    found: onnx.NodeProto = next(node for node in model.graph.node if output in node.output)
    return found


def first_output(node: Node) -> str:
    """The first output that has a name."""
    return next(name for name in node.outputs if name)


def set_input(node: onnx.NodeProto, position: int, name: str) -> None:
    """Gives a node an input, filling up with left-out ones before it."""
    while len(node.input) <= position:
        node.input.append("")
    node.input[position] = name


def drop_attribute(node: onnx.NodeProto, name: str) -> None:
    """Removes an attribute of a node, where it is stated."""
    kept = [each for each in node.attribute if each.name != name]
    del node.attribute[:]
    node.attribute.extend(kept)


def ints_input(view: View, node: Node, position: int, numbers: list[int], wish: str, title: str) -> Fix:
    """A repair that gives a node a new constant list of integers."""
    output = first_output(node)
    name = view.free_name(f"{output}_{wish}")

    def apply(model: onnx.ModelProto) -> None:
        model.graph.initializer.append(numpy_helper.from_array(np.array(numbers, np.int64), name))
        if model.ir_version < 4:
            _list_as_input(model, name, len(numbers))
        set_input(find(model, output), position, name)

    return Fix(title, apply, frozenset({output}))


def _list_as_input(model: onnx.ModelProto, name: str, length: int) -> None:
    # before IR version 4 every initializer had to be a graph input too
    model.graph.input.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.INT64, [length]))


def attribute_value(node: Node, title: str, name: str, value: object) -> Fix:
    """A repair that states an attribute."""
    output = first_output(node)

    def apply(model: onnx.ModelProto) -> None:
        target = find(model, output)
        drop_attribute(target, name)
        target.attribute.append(onnx.helper.make_attribute(name, value))

    return Fix(title, apply, frozenset({output}))


def bypass(view: View, node: Node, source: str, title: str) -> Fix | None:
    """A repair that leaves a node out: whoever took its output takes ``source``.

    A graph output keeps its name, so a node that makes one can go only where the node before it can make it instead.
    """
    output = first_output(node)
    if not view.is_main or sum(map(bool, node.outputs)) != 1:
        return None
    if output not in view.outputs:
        return Fix(title, lambda model: _bypass(model, output, source), frozenset({output, source}))
    maker = view.makers.get(source)
    shared = len(view.takers.get(source, ())) > 1 or source in view.outputs
    if maker is None or shared or _inside_uses(view, source):
        return None
    return Fix(title, lambda model: _take_over(model, output, source), frozenset({output, source}))


def _inside_uses(view: View, name: str) -> bool:
    return any(name not in taker.inputs for taker in view.takers.get(name, ()))


def _bypass(model: onnx.ModelProto, output: str, source: str) -> None:
    node = find(model, output)
    model.graph.node.remove(node)
    rename_uses(model.graph, output, source)
    _forget(model.graph, output)


def _take_over(model: onnx.ModelProto, output: str, source: str) -> None:
    model.graph.node.remove(find(model, output))
    maker = find(model, source)
    for i, name in enumerate(maker.output):
        if name == source:
            maker.output[i] = output
    _forget(model.graph, source)


def rename_uses(graph: onnx.GraphProto, old: str, new: str) -> None:
    """Makes all that take ``old`` take ``new``; inner graphs that define ``old`` themselves are left alone."""
    for node in graph.node:
        for i, name in enumerate(node.input):
            if name == old:
                node.input[i] = new
        for inner in inner_graphs(node):
            own = {each.name for each in (*inner.input, *inner.initializer)} | {n for d in inner.node for n in d.output}
            if old not in own:
                rename_uses(inner, old, new)
                for each in inner.output:
                    if each.name == old:
                        each.name = new


def _forget(graph: onnx.GraphProto, name: str) -> None:
    for i in range(len(graph.value_info) - 1, -1, -1):
        if graph.value_info[i].name == name:
            del graph.value_info[i]


def remove_node(node: Node, title: str) -> Fix | None:
    """A repair that removes a node that nothing depends on."""
    names = [name for name in node.outputs if name]
    if not names:
        return None

    def apply(model: onnx.ModelProto) -> None:
        model.graph.node.remove(find(model, names[0]))
        for name in names:
            _forget(model.graph, name)

    return Fix(title, apply, frozenset(names))


def on_graph(title: str, names: set[str], change: Callable[[onnx.GraphProto], None]) -> Fix:
    """A repair of anything else in the main graph."""
    return Fix(title, lambda model: change(model.graph), frozenset(names))
