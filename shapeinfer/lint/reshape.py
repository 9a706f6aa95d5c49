"""A lint about shapes that were written down where they should follow the input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from shapeinfer import catalogue as codes
from shapeinfer import dims
from shapeinfer.diagnostics import type_text
from shapeinfer.dims import Dim, Facts, Shape
from shapeinfer.lint.edits import ints_input
from shapeinfer.lint.registry import Lint, found, lint
from shapeinfer.lint.view import View, attribute
from shapeinfer.values import Node


@lint(codes.HARD_CODED_RESHAPE)
def hard_coded_reshape(view: View) -> Iterator[Lint]:
    """Reshapes of a dynamic value to a literal shape that only some sizes fit."""
    for node in view.each("Reshape"):
        if len(node.inputs) != 2:
            continue
        shape, target = view.shape(node.inputs[0]), view.literal(node.inputs[1])
        if shape is None or target is None or not any(map(dims.is_symbolic, shape)):
            continue
        literal = [int(n) for n in target.ravel().tolist()]
        entries = _resolved(node, shape, literal)
        if entries is None:
            continue
        total = dims.mul(*shape)
        if dims.is_symbolic(total):
            yield from _judge(view, node, shape, literal, entries, total)


def _resolved(node: Node, shape: Shape, literal: Sequence[int]) -> list[Dim] | None:
    """The entries with the input's dims where they say 'copy'; ``None`` for what check tells."""
    allow = attribute(node, "allowzero")
    entries: list[Dim] = []
    for i, entry in enumerate(literal):
        if entry == 0 and ((allow is not None and allow.i) or i >= len(shape)):
            return None
        entries.append(shape[i] if entry == 0 else entry)
    return entries if literal.count(-1) <= 1 else None


def _judge(view: View, node: Node, shape: Shape, literal: list[int], entries: list[Dim], total: Dim) -> Iterator[Lint]:
    rest = dims.mul(*(entry for entry in entries if entry != -1))
    repaired = _follow_one(view, literal, entries, shape, total)
    if -1 not in literal:
        if Facts().equal(total, rest) is not None:
            return  # always fits, or never: then check tells
        trouble = f"fits only where {dims.text(total)} == {dims.text(rest)}"
    elif dims.divide_exact(total, rest) is None:
        if type(rest) is not int or Facts().divisible(total, rest):
            return
        trouble = f"fits only where {rest} divides {dims.text(total)}"
    elif repaired is not None:
        trouble = f"folds {repaired[1]} into another dim unless it is {literal[repaired[2]]}"
    else:
        return
    fix = ints_input(view, node, 1, repaired[0], "shape", f"reshape to {repaired[0]}") if repaired else None
    advice = f"reshape to {repaired[0]} instead" if repaired else "let an entry of -1 follow the input"
    given = type_text(view.values[node.inputs[0]].type)
    fields: dict[str, Any] = {
        "given": given,
        "shape": literal,
        "trouble": trouble,
        "advice": advice,
    }
    yield found(view, codes.HARD_CODED_RESHAPE, node, fix=fix, **fields)


def _follow_one(
    view: View, literal: list[int], entries: list[Dim], shape: Shape, total: Dim
) -> tuple[list[int], str, int] | None:
    """The literal with one entry that follows a dim of the input instead, that dim, and the entry's place.

    That is provable where the total size is that dim times all the other entries: then -1 stands for the dim, or for
    what is left when the dim is copied.
    """
    facts = view.analysis.facts
    for axis, dim in enumerate(shape):
        if not dims.is_symbolic(dim) or dims.size(dim) > 0 or type(facts.reduce(dim)) is not int:
            continue
        for i, entry in enumerate(literal):
            if entry <= 0 or facts.reduce(dim) != entry:
                continue
            others = dims.mul(*(e for j, e in enumerate(entries) if j != i and e != -1))
            left = dims.divide_exact(total, dims.mul(dim, others))
            if left == 1 and -1 not in literal:
                numbers = [-1 if j == i else n for j, n in enumerate(literal)]
            elif -1 not in literal or left is None or left == 0:
                continue
            elif type(left) is int:
                numbers = [-1 if j == i else left if n == -1 else n for j, n in enumerate(literal)]
            elif axis == i:
                numbers = [0 if j == i else n for j, n in enumerate(literal)]
            else:
                continue
            return numbers, dims.text(dim), i
    return None
