"""Lints about the inputs: dims that are not as dynamic as declared, dims without names, replaceable initializers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import onnx

from shapeinfer import catalogue as codes
from shapeinfer import dims
from shapeinfer.dims import Dim
from shapeinfer.lint.edits import on_graph
from shapeinfer.lint.literals import fixed_side, source_of
from shapeinfer.lint.registry import Fix, Lint, found, lint
from shapeinfer.lint.view import View
from shapeinfer.requirements import Requirement

STEERING = {
    "Reshape": (1,),
    "Expand": (1,),
    "Tile": (1,),
    "ConstantOfShape": (0,),
    "Slice": (1, 2, 3, 4),
    "Pad": (1, 3),
    "Resize": (2, 3),
    "Upsample": (1,),
    "Squeeze": (1,),
    "Unsqueeze": (1,),
    "TopK": (1,),
    "Range": (0, 1, 2),
    "OneHot": (1,),
    "Split": (1,),
    "Loop": (0,),
    "CenterCropPad": (1,),
}
"""The inputs whose values decide the shape of an output, by operator."""


@lint(codes.SPECIALISED_DIM)
def specialised_dim(view: View) -> Iterator[Lint]:
    """Input dims that are declared dynamic and that the graph fixes to a number, or to that number and 1."""
    facts = view.analysis.facts
    for name, axis, dim in dynamic_dims(view):
        if type(facts.reduce(dim)) is int:
            cause = next((r for r in view.analysis.requirements if _about(r, dim) and r.relation == "=="), None)
            if cause is None:  # fixed by way of other symbols, or by what the user said
                cause = next((r for r in view.analysis.requirements if _about(r, dim)), None)
            if cause is not None:
                number = facts.reduce(dim)
                yield _specialised(view, name, axis, dim, cause, f"{dims.text(dim)} == {number}")
            continue
        for cause in view.analysis.requirements:
            sides = (cause.left, cause.right)
            if cause.relation == "broadcast" and dim in sides and fixed_side(cause) is not None:
                number = cause.right if cause.left == dim else cause.left
                if facts.is_one(dim) is not True:
                    yield _specialised(view, name, axis, dim, cause, cause.text)
                    break


def dynamic_dims(view: View) -> Iterator[tuple[str, int, Dim]]:
    """The input dims that are symbols, each symbol once: input, axis, symbol."""
    told = set()
    for given in view.graph.input:
        for axis, dim in enumerate(view.shape(given.name) or ()):
            if dims.is_symbolic(dim) and dims.size(dim) == 0 and dim not in told:
                told.add(dim)
                yield given.name, axis, dim


def _about(requirement: Requirement, dim: Any) -> bool:
    return dim in dims.free_symbols(requirement.left) or dim in dims.free_symbols(requirement.right)


def _specialised(view: View, name: str, axis: int, dim: Dim, cause: Requirement, condition: str) -> Lint:
    size, index = fixed_side(cause), cause.where.index
    source = None
    if size is not None and index is not None and not cause.where.path:
        source = source_of(view, view.nodes[index], size)
    because = f", because of the constant of {source}" if source is not None else ""
    fields: dict[str, Any] = {
        "axis": axis,
        "name": dim,
        "where": str(cause.where),
        "condition": condition,
        "because": because,
    }
    return found(view, codes.SPECIALISED_DIM, about=name, value=name, **fields)


@lint(codes.UNNAMED_DIM)
def unnamed_dim(view: View) -> Iterator[Lint]:
    """Dynamic dims of inputs that have no name."""
    for given in view.graph.input:
        tensor = given.type.tensor_type
        shape = view.shape(given.name)
        if shape is None or len(shape) != len(tensor.shape.dim):
            continue
        for axis, (declared, dim) in enumerate(zip(tensor.shape.dim, shape, strict=True)):
            text = dims.text(dim) if dims.is_symbolic(dim) else ""
            unnamed = not declared.HasField("dim_value") or declared.dim_value < 0
            if text and unnamed and declared.dim_param != text and _made_up(view, text):
                fix = _name(given.name, axis, text)
                yield found(view, codes.UNNAMED_DIM, about=given.name, fix=fix, axis=axis, value=given.name, name=text)


def _made_up(view: View, name: str) -> bool:
    return view.analysis.symbols.origins.get(name, "").endswith("unnamed in the model")


def _name(value: str, axis: int, text: str) -> Fix:
    def change(graph: onnx.GraphProto) -> None:
        given = next(each for each in graph.input if each.name == value)
        given.type.tensor_type.shape.dim[axis].dim_param = text

    return on_graph(f"call axis {axis} of input '{value}' {text}", {f"{value} {axis}"}, change)


@lint(codes.OVERRIDABLE)
def overridable_shape(view: View) -> Iterator[Lint]:
    """Initializers that steer shapes and that callers may replace."""
    for name in sorted(view.defaults):
        for node in view.takers.get(name, ()):
            for position in STEERING.get(node.op, ()) if not node.domain else ():
                if position < len(node.inputs) and node.inputs[position] == name:
                    yield found(view, codes.OVERRIDABLE, about=name, input=position, user=str(node), value=name)
