"""Lints about what nothing needs: nodes, inputs, initializers, value_info."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import onnx

from shapeinfer import catalogue as codes
from shapeinfer.diagnostics import type_text
from shapeinfer.lint.edits import on_graph, remove_node, rename_uses
from shapeinfer.lint.registry import Lint, found, lint
from shapeinfer.lint.view import View, inner_graphs, mentioned
from shapeinfer.values import tensor_type


@lint(codes.DEAD_NODE, everywhere=True)
def dead_node(view: View) -> Iterator[Lint]:
    """Nodes on which no output depends."""
    alive = set()
    pending = [name for name in view.outputs if name in view.makers]
    while pending:
        node = view.makers[pending.pop()]
        if node.index in alive:
            continue
        alive.add(node.index)
        names = [*node.inputs, *(name for inner in inner_graphs(node.proto) for name in mentioned(inner))]
        pending.extend(name for name in names if name in view.makers)
    for node in view.nodes:
        if node.index not in alive:
            fix = remove_node(node, f"remove {node}") if view.is_main else None
            yield found(view, codes.DEAD_NODE, node, fix=fix)


@lint(codes.UNUSED_INPUT)
def unused_input(view: View) -> Iterator[Lint]:
    """Graph inputs that no node takes."""
    stored = {tensor.name for tensor in view.graph.initializer}
    for given in view.graph.input:
        if given.name not in stored and given.name not in view.takers and given.name not in view.outputs:
            yield found(view, codes.UNUSED_INPUT, about=given.name, value=given.name)


@lint(codes.UNUSED_INITIALIZER, everywhere=True)
def unused_initializer(view: View) -> Iterator[Lint]:
    """Initializers that no node takes."""
    for tensor in view.graph.initializer:
        name = tensor.name
        if name not in view.takers and name not in view.outputs:
            fix = None
            if view.is_main and name not in view.defaults:
                fix = on_graph(f"remove initializer '{name}'", {name}, _without(name))
            size = type_text(tensor_type(tensor))
            yield found(view, codes.UNUSED_INITIALIZER, about=name, fix=fix, value=name, size=size)


def _without(*names: str) -> Callable[[onnx.GraphProto], None]:
    """Removes initializers, and before IR version 4 the inputs that list them."""

    def change(graph: onnx.GraphProto) -> None:
        for values in (graph.initializer, graph.input, graph.value_info):
            for i in range(len(values) - 1, -1, -1):
                if values[i].name in names:
                    del values[i]

    return change


@lint(codes.DUPLICATE_INITIALIZER)
def duplicate_initializer(view: View) -> Iterator[Lint]:
    """Initializers with the same type, dims and data."""
    groups: dict[object, list[onnx.TensorProto]] = {}
    for tensor in view.graph.initializer:
        if tensor.data_location == onnx.TensorProto.EXTERNAL and not _placed(tensor):
            continue
        key = (tensor.data_type, tuple(tensor.dims), tensor.data_location, tensor.HasField("raw_data"))
        groups.setdefault(key, []).append(tensor)
    for alike in groups.values():
        if len(alike) < 2:
            continue
        same: dict[bytes, list[str]] = {}
        for tensor in alike:
            if tensor.name not in view.outputs and tensor.name not in view.defaults:
                same.setdefault(_digest(tensor), []).append(tensor.name)
        for name, *others in same.values():
            if others:
                told = ", ".join(f"'{each}'" for each in others[:3]) + (" …" if len(others) > 3 else "")
                fix = on_graph(f"keep '{name}' for {told}", {name, *others}, _merged(name, others))
                yield found(view, codes.DUPLICATE_INITIALIZER, about=name, fix=fix, value=name, others=told)


def _placed(tensor: onnx.TensorProto) -> bool:
    """Whether external data says where in the file it lies."""
    return {"offset", "length"} <= {entry.key for entry in tensor.external_data}


def _digest(tensor: onnx.TensorProto) -> bytes:
    """A fingerprint of the data: of external data, of the place where it lies."""
    digest = hashlib.sha256()
    if tensor.HasField("raw_data"):
        digest.update(tensor.raw_data)
    else:
        bare = onnx.TensorProto()
        bare.CopyFrom(tensor)
        bare.ClearField("name")
        bare.ClearField("doc_string")
        digest.update(bare.SerializeToString(deterministic=True))
    return digest.digest()


def _merged(name: str, others: list[str]) -> Callable[[onnx.GraphProto], None]:
    def change(graph: onnx.GraphProto) -> None:
        for other in others:
            rename_uses(graph, other, name)
        _without(*others)(graph)

    return change


@lint(codes.STALE_VALUE_INFO, everywhere=True)
def stale_value_info(view: View) -> Iterator[Lint]:
    """Entries of value_info for values that the graph does not have."""
    there = {*view.makers, *(i.name for i in view.graph.input), *(t.name for t in view.graph.initializer)}
    there.update(sparse.values.name for sparse in view.graph.sparse_initializer)
    for node in view.nodes:  # some tools describe the values of inner graphs in the main one
        for inner in inner_graphs(node.proto):
            there.update(mentioned(inner))
    there.update(view.outputs)
    gone = sorted({each.name for each in view.graph.value_info} - there)
    if gone:
        names = ", ".join(f"'{name}'" for name in gone[:4]) + (" …" if len(gone) > 4 else "")
        fix = on_graph("remove what value_info says of values that are gone", set(gone), _forget(set(gone)))
        fields: dict[str, Any] = {"count": len(gone), "values": "value" if len(gone) == 1 else "values", "names": names}
        yield found(view, codes.STALE_VALUE_INFO, fix=fix if view.is_main else None, **fields)


def _forget(names: set[str]) -> Callable[[onnx.GraphProto], None]:
    def change(graph: onnx.GraphProto) -> None:
        for i in range(len(graph.value_info) - 1, -1, -1):
            if graph.value_info[i].name in names:
                del graph.value_info[i]

    return change
