"""How a size gets from an input to the node that needs a condition on it."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from typing import Any

import onnx

from shapeinfer import dims
from shapeinfer.diagnostics import Where, show, type_text
from shapeinfer.engine import Analysis
from shapeinfer.types import TensorType
from shapeinfer.values import Value, entries

_INDEX = re.compile(r"node (\d+)")
_SHOWN = 8


def chain(analysis: Analysis, where: Where, symbols: Iterable[Any]) -> tuple[str, ...]:
    """The values on the shortest way from an input dim to a node, one line each, from the input on.

    Empty where there is none: the node is in a function, or its size comes from no value that shows the symbols.
    """
    index = main_index(where)
    nodes = analysis.model.graph.node
    if index is None or index >= len(nodes):
        return ()
    wanted = frozenset(symbols)
    makers = {name: node for node in nodes for name in node.output if name}
    before: dict[str, str | None] = {}
    queue: deque[str] = deque()
    _enqueue(nodes[index], None, analysis, wanted, before, queue)
    while queue:
        name = queue.popleft()
        value = analysis.values[name]
        if value.origin == "input":
            return (*_told(analysis, name, before), _node_line(nodes[index], index))
        node = makers.get(name)
        if node is not None:
            _enqueue(node, name, analysis, wanted, before, queue)
    return ()


def main_index(where: Where) -> int | None:
    """The position of the node in the main graph that has the place in it."""
    if not where.path:
        return where.index
    match = _INDEX.match(where.path[0])
    return int(match[1]) if match else None


def _enqueue(
    node: onnx.NodeProto,
    after: str | None,
    analysis: Analysis,
    wanted: frozenset[Any],
    before: dict[str, str | None],
    queue: deque[str],
) -> None:
    for name in [*node.input, *_captured(node)]:
        value = analysis.values.get(name)
        if name and name not in before and value is not None and not wanted.isdisjoint(_symbols(value, analysis)):
            before[name] = after
            queue.append(name)


def _captured(node: onnx.NodeProto) -> Iterable[str]:
    """The names that inner graphs of a node use."""
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            for inner in attribute.g.node:
                yield from inner.input
                yield from _captured(inner)


def _symbols(value: Value, analysis: Analysis) -> set[Any]:
    kind = value.type
    found = [*(kind.shape or ())] if isinstance(kind, TensorType) else []
    found += _entries(value)
    raw = {s for dim in found for s in dims.free_symbols(dim)}
    return raw | {s for symbol in raw for s in dims.free_symbols(analysis.facts.reduce(symbol))}


def _entries(value: Value) -> list[Any]:
    if not value.may_have_elements or value.origin in ("initializer", "input"):
        return []
    array = value.elements
    if array is None or array.dtype != object:
        return []
    return [entry for entry in entries(array) if dims.is_symbolic(entry)]


def _told(analysis: Analysis, name: str | None, before: dict[str, str | None]) -> Iterable[str]:
    while name is not None:
        value = analysis.values[name]
        array = value.elements if _entries(value) else None
        known = "" if array is None else f" = {show(entries(array)[:_SHOWN])}"
        origin = value.origin if isinstance(value.origin, str) else f"from {value.origin}"
        yield f"'{name}': {type_text(value.type)}{known}, {origin}"
        name = before[name]


def _node_line(node: onnx.NodeProto, index: int) -> str:
    name = f" '{node.name}'" if node.name else ""
    return f"node {index}{name} ({node.op_type})"
