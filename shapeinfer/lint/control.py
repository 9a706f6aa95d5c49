"""Lints about the inner graphs of If and Loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shapeinfer import catalogue as codes
from shapeinfer.diagnostics import Severity, type_text
from shapeinfer.lint.registry import Lint, found, lint
from shapeinfer.lint.view import View
from shapeinfer.types import TensorType
from shapeinfer.values import Node, Value
from shapeinfer.walk import InnerGraph


@lint(codes.BRANCH_RANKS, everywhere=True)
def branch_ranks(view: View) -> Iterator[Lint]:
    """Outputs of an If that have another rank in each branch."""
    for node in view.each("If"):
        graphs = [_inner(view, node, branch) for branch in ("then_branch", "else_branch")]
        if not node.inputs or view.constant(node.inputs[0]) is not None or None in graphs:
            continue
        sides = [[_output(graph, i) for i in range(len(node.outputs))] for graph in graphs if graph is not None]
        for name, then, other in zip(node.outputs, *sides, strict=True):
            first, second = _rank(then), _rank(other)
            if first is not None and second is not None and first != second:
                fields: dict[str, Any] = {"value": name, "first": first, "second": second}
                texts: dict[str, Any] = {
                    "then": type_text(then.type if then else None),
                    "other": type_text(other.type if other else None),
                }
                yield found(view, codes.BRANCH_RANKS, node, **fields, **texts)


@lint(codes.CARRIED_SHAPE, everywhere=True)
def carried_shape(view: View) -> Iterator[Lint]:
    """Values that a Loop carries and that change their shape."""
    for node in view.each("Loop"):
        body = _inner(view, node, "body")
        if body is None:
            continue
        for index, name in enumerate(node.inputs[2:]):
            before, after = view.values.get(name), _output(body, index + 1)
            if before is None or after is None:
                continue
            first, second = _shape(before), _shape(after)
            if first is None or second is None:
                continue
            fields: dict[str, Any] = {"index": index, "before": type_text(before.type), "after": type_text(after.type)}
            if len(first) != len(second):
                yield found(view, codes.CARRIED_SHAPE, node, **fields)
            elif any(view.analysis.facts.equal(a, b) is not True for a, b in zip(first, second, strict=True)):
                yield found(view, codes.CARRIED_SHAPE, node, softened=Severity.NOTE, **fields)


def _inner(view: View, node: Node, attribute: str) -> InnerGraph | None:
    path = (*view.path, str(node), attribute)
    return next((inner for inner in view.analysis.inner if inner.path == path), None)


def _output(inner: InnerGraph | None, index: int) -> Value | None:
    if inner is None or index >= len(inner.proto.output):
        return None
    return inner.values.get(inner.proto.output[index].name)


def _shape(value: Value | None) -> tuple[object, ...] | None:
    return value.type.shape if value is not None and isinstance(value.type, TensorType) else None


def _rank(value: Value | None) -> int | None:
    shape = _shape(value)
    return None if shape is None else len(shape)
