"""Lints about axes: those that are left to the sizes, and those that are given and empty."""

from __future__ import annotations

from collections.abc import Iterator

from shapeinfer import catalogue as codes
from shapeinfer.lint.edits import attribute_value, ints_input
from shapeinfer.lint.registry import Lint, found, lint
from shapeinfer.lint.view import View, attribute

REDUCTIONS = (
    "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare"
).split()


@lint(codes.SQUEEZE_WITHOUT_AXES, everywhere=True)
def squeeze_without_axes(view: View) -> Iterator[Lint]:
    """Squeeze nodes without axes whose sizes tell all the same which axes go."""
    for node in view.each("Squeeze"):
        if attribute(node, "axes") is not None or (len(node.inputs) > 1 and node.inputs[1]) or not node.inputs:
            continue
        shape = view.shape(node.inputs[0])
        if shape is None:
            continue
        answers = [view.analysis.facts.is_one(dim) for dim in shape]
        if None in answers:
            continue  # told by check: S422
        axes = [axis for axis, answer in enumerate(answers) if answer]
        fix = None
        if view.is_main and axes and node.outputs[0]:
            title = f"give Squeeze the axes {axes}"
            if view.opsets.get("", 0) >= 13:
                fix = ints_input(view, node, 1, axes, "axes", title)
            else:
                fix = attribute_value(node, title, "axes", axes)
        yield found(view, codes.SQUEEZE_WITHOUT_AXES, node, fix=fix, axes=axes, shape=shape)


@lint(codes.EMPTY_AXES, everywhere=True)
def empty_axes(view: View) -> Iterator[Lint]:
    """Reductions over an empty list of axes that do not say what they mean by it."""
    for node in view.each(*REDUCTIONS):
        noop = attribute(node, "noop_with_empty_axes")
        if (noop is None or noop.i == 0) and view.ints(node, "axes", 1) == ():
            yield found(view, codes.EMPTY_AXES, node, meaning="reduces every axis, not none")
