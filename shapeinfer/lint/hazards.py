"""Lints about sizes of 0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shapeinfer import catalogue as codes
from shapeinfer import dims
from shapeinfer.dims import Dim
from shapeinfer.lint.registry import Lint, found, lint
from shapeinfer.lint.view import View, attribute
from shapeinfer.values import Node

_OUTCOMES = {
    "ReduceMax": "is minus infinity or fails",
    "ReduceMin": "is infinity or fails",
    "ReduceMean": "is 0/0",
    "ArgMax": "has no answer",
    "ArgMin": "has no answer",
}


@lint(codes.EMPTY_REDUCTION)
def empty_reduction(view: View) -> Iterator[Lint]:
    """Reductions that have no result over nothing, on axes that may have size 0."""
    facts = view.analysis.facts
    for node in view.each(*_OUTCOMES):
        shape = view.shape(node.inputs[0]) if node.inputs else None
        for axis in _axes(view, node, len(shape)) if shape is not None else ():
            if shape is not None and -len(shape) <= axis < len(shape) and facts.at_least(shape[axis], 1) is None:
                fields: dict[str, Any] = {"axis": axis % len(shape), "dim": shape[axis], "outcome": _OUTCOMES[node.op]}
                yield found(view, codes.EMPTY_REDUCTION, node, **fields)


def _axes(view: View, node: Node, rank: int) -> tuple[int, ...]:
    if node.op.startswith("Arg"):
        stated = attribute(node, "axis")
        return (stated.i if stated is not None else 0,)
    given = attribute(node, "axes") is not None or (len(node.inputs) > 1 and bool(node.inputs[1]))
    axes = view.ints(node, "axes", 1) if given else None
    return axes if axes else (() if given and axes is None else tuple(range(rank)))


@lint(codes.ZERO_COPIES)
def zero_copies(view: View) -> Iterator[Lint]:
    """Reshapes to computed entries that mean something else where they are 0."""
    for node in view.each("Reshape"):
        allow = attribute(node, "allowzero")
        if len(node.inputs) != 2 or (allow is not None and allow.i):
            continue
        shape, target = view.shape(node.inputs[0]), view.elements(node.inputs[1])
        if shape is None or target is None or target.dtype != object:
            continue
        for i, entry in enumerate(target.ravel().tolist()):
            if entry is None or type(entry) is int or i >= len(shape):
                continue
            if view.analysis.facts.at_least(entry, 1) is None and _copies_other(entry, shape[i]):
                yield found(view, codes.ZERO_COPIES, node, entry=i, dim=entry, copied=shape[i])


def _copies_other(entry: Dim, there: Dim) -> bool:
    """Whether some name being 0 makes the entry 0 and leaves the input's dim at its place another number."""
    for symbol in dims.free_symbols(entry):
        if dims.substitute(entry, {symbol: 0}) == 0 and dims.substitute(there, {symbol: 0}) != 0:
            return True
    return False
