"""Lints about constants that fix a size where the rest of the graph follows the inputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shapeinfer import catalogue as codes
from shapeinfer import dims
from shapeinfer.dims import Dim
from shapeinfer.lint.registry import Lint, found, lint
from shapeinfer.lint.view import View, attribute
from shapeinfer.requirements import Requirement
from shapeinfer.values import Node

_STEPS = 30
_STEERED = {"Expand": 1, "Tile": 1, "Pad": 1, "ConstantOfShape": 0, "Resize": 3, "Slice": 2}
"""Operators whose output sizes a constant may fix, and the input that does."""
_KEEP = frozenset(
    "Cast Identity Relu Neg Abs Sigmoid Tanh Exp Sqrt Erf Clip Dropout LayerNormalization Softmax".split()
)
_MEET = frozenset("Add Sub Mul Div Pow Where Max Min And Or Equal Less Greater".split())


@lint(codes.LITERAL_SIZE)
def literal_size(view: View) -> Iterator[Lint]:
    """Constants of Expand, Tile, Slice, Pad, Resize and ConstantOfShape that a dynamic dim has to match."""
    told = set()
    for requirement in view.analysis.requirements:
        size = fixed_side(requirement)
        if size is None or requirement.where.path or requirement.where.index is None:
            continue
        user = view.nodes[requirement.where.index]
        source = source_of(view, user, size)
        if source is not None and source.index not in told:
            told.add(source.index)
            yield found(view, codes.LITERAL_SIZE, source, size=size, user=str(user), condition=requirement.text)


def fixed_side(requirement: Requirement) -> int | None:
    """The number that a requirement ties a symbolic dim to, if it is of that kind."""
    if requirement.relation not in ("==", "broadcast"):
        return None
    left, right = requirement.left, requirement.right
    for number, dim in ((left, right), (right, left)):
        if type(number) is int and dims.is_symbolic(dim) and not (number == 1 and requirement.relation == "broadcast"):
            return number
    return None


def source_of(view: View, user: Node, size: int) -> Node | None:
    """The node whose constant made the size, going back from the inputs of the node that needs it."""
    for name in user.inputs:
        shape = view.shape(name) if name else None
        for axis, dim in enumerate(shape or ()):
            if dim == size and shape is not None:
                source = _trace(view, name, axis - len(shape), size, _STEPS)
                if source is not None:
                    return source
    return None


def _trace(view: View, name: str, axis: int, size: Dim, steps: int) -> Node | None:
    """Follows a dim, counted from the back, to the node whose constant made it."""
    node = view.maker(name)
    if node is None or steps == 0 or not node.inputs:
        return None
    if node.op in _STEERED:
        position = _STEERED[node.op]
        steering = node.inputs[position] if position < len(node.inputs) else ""
        if steering and view.literal(steering) is not None and _made_here(view, node, axis, size):
            return node
    if node.op in _KEEP or node.op in _MEET or node.op in ("Expand", "Pad", "Slice"):
        for each in node.inputs if node.op in _MEET else node.inputs[:1]:
            shape = view.shape(each) if each else None
            if shape is not None and -axis <= len(shape) and shape[axis] == size:
                return _trace(view, each, axis, size, steps - 1)
    if node.op == "Transpose":
        perm = attribute(node, "perm")
        shape = view.shape(node.inputs[0])
        if perm is not None and shape is not None and len(perm.ints) == len(shape):
            return _trace(view, node.inputs[0], perm.ints[axis] - len(shape), size, steps - 1)
    return None


def _made_here(view: View, node: Node, axis: int, size: Dim) -> bool:
    if node.op == "ConstantOfShape":
        return True
    shape = view.shape(node.inputs[0])
    return shape is None or -axis > len(shape) or shape[axis] != size


@lint(codes.SLICE_CUTS)
def slice_cuts(view: View) -> Iterator[Lint]:
    """Slices of a dynamic axis whose constant end drops what lies beyond it."""
    facts = view.analysis.facts
    for node in view.each("Slice"):
        shape, result = view.shape(node.inputs[0] if node.inputs else ""), view.shape(node.outputs[0])
        ends = view.ints(node, "ends", 2)
        if shape is None or result is None or ends is None or len(result) != len(shape):
            continue
        axes = view.ints(node, "axes", 3) or tuple(range(len(ends)))
        steps = view.ints(node, "steps", 4) or (1,) * len(ends)
        for axis, end, step in zip(axes, ends, steps, strict=False):
            dim = shape[axis] if -len(shape) <= axis < len(shape) else 0
            literal = 1 < end < 2**31 - 1 and step > 0
            if literal and dims.is_symbolic(facts.reduce(dim)) and facts.at_least(end, dim) is not True:
                fields: dict[str, Any] = {"axis": axis % len(shape), "dim": dim, "end": end, "size": result[axis]}
                yield found(view, codes.SLICE_CUTS, node, **fields)


@lint(codes.FIXED_RESIZE)
def fixed_resize(view: View) -> Iterator[Lint]:
    """Resizes of a dynamic axis to a constant size."""
    for node in view.each("Resize"):
        shape = view.shape(node.inputs[0] if node.inputs else "")
        sizes = view.literal(node.inputs[3]) if len(node.inputs) > 3 and node.inputs[3] else None
        if shape is None or sizes is None:
            continue
        stated = attribute(node, "axes")
        axes = tuple(stated.ints) if stated is not None else tuple(range(len(shape)))
        for axis, size in zip(axes, sizes.ravel().tolist(), strict=False):
            if -len(shape) <= axis < len(shape) and dims.is_symbolic(shape[axis]):
                yield found(view, codes.FIXED_RESIZE, node, axis=axis % len(shape), dim=shape[axis], size=int(size))
