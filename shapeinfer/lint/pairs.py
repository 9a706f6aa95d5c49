"""A lint about Squeeze and Unsqueeze that undo each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shapeinfer import catalogue as codes
from shapeinfer.lint.edits import bypass
from shapeinfer.lint.redundant import same_shape
from shapeinfer.lint.registry import Lint, found, lint
from shapeinfer.lint.view import View


@lint(codes.SQUEEZE_PAIR, everywhere=True)
def squeeze_pair(view: View) -> Iterator[Lint]:
    """Squeeze after Unsqueeze of the same axes, or the other way round."""
    for op, other in (("Squeeze", "Unsqueeze"), ("Unsqueeze", "Squeeze")):
        for node in view.each(op):
            before = view.maker(node.inputs[0], other) if node.inputs and node.outputs[0] else None
            if before is None or not before.inputs:
                continue
            ranked = view.shape(node.inputs[0])
            rank = len(ranked) + (op == "Unsqueeze" and len(view.ints(node, "axes", 1) or ())) if ranked else None
            axes, undone = _axes(view.ints(node, "axes", 1), rank), _axes(view.ints(before, "axes", 1), rank)
            source = before.inputs[0]
            if axes and axes == undone and same_shape(view.shape(source), view.shape(node.outputs[0])):
                fix = bypass(view, node, source, f"take '{source}' before the two")
                fields: dict[str, Any] = {"axes": list(axes), "before": str(before)}
                yield found(view, codes.SQUEEZE_PAIR, node, fix=fix, **fields)


def _axes(stated: tuple[int, ...] | None, rank: int | None) -> tuple[int, ...] | None:
    """Axes counted from the front and in order; both operators mean the tensor that has the dims of 1."""
    if stated is None or rank is None:
        return None
    return tuple(sorted(axis % rank for axis in stated)) if rank else None
