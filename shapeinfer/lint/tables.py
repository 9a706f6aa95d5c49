"""A lint about tables, mostly of positions, that are shorter than the sizes that a model declares."""

from __future__ import annotations

from collections.abc import Iterator

from shapeinfer import catalogue as codes
from shapeinfer import dims
from shapeinfer.dims import Dim
from shapeinfer.lint.registry import Lint, found, lint
from shapeinfer.lint.view import View, attribute
from shapeinfer.requirements import Requirement
from shapeinfer.values import Node

_STEPS = 30
_MOVES = frozenset("Unsqueeze Squeeze Reshape Cast Expand Identity Transpose Tile Flatten".split())


@lint(codes.BEYOND_TABLE)
def beyond_table(view: View) -> Iterator[Lint]:
    """Positions that are counted up to a dynamic size and looked up in a table of fixed size, and the like."""
    told = set()
    for node in view.each("Gather"):
        rows = _rows(view, node)
        last = _greatest(view, node.inputs[1], _STEPS) if rows is not None else None
        if rows is None or last is None or not dims.is_symbolic(last):
            continue
        facts = view.analysis.facts
        if facts.at_least(rows - 1, last) is not True:
            size = dims.add(last, 1)
            told.add(dims.text(size))
            what = f"the table '{node.inputs[0]}'"
            yield found(view, codes.BEYOND_TABLE, node, what=what, limit=rows, condition=f"{dims.text(size)} <= {rows}")
    yield from _limits(view, told)


def _limits(view: View, told: set[str]) -> Iterator[Lint]:
    """Requirements that a size of the inputs stays below a number that is stored in the model."""
    origins = view.analysis.symbols.origins
    for requirement in view.analysis.requirements:
        index, bound = requirement.where.index, _bound(requirement)
        if bound is None or index is None:
            continue
        size, limit = bound
        names = [s.name for s in dims.free_symbols(size)]
        inputs_only = all("made by" not in origins.get(name, "made by") for name in names)
        if inputs_only and requirement.code is not codes.FLOAT_INEXACT and dims.text(size) not in told:
            told.add(dims.text(size))
            node = view.nodes[index] if not requirement.where.path else None
            what = "this node" if node is not None else str(requirement.where)
            condition = f"{dims.text(size)} <= {limit}"
            yield found(view, codes.BEYOND_TABLE, node, what=what, limit=limit, condition=condition)


def _bound(requirement: Requirement) -> tuple[Dim, int] | None:
    """The size and its greatest allowed number, for requirements that say just that: ``4 >= S``, ``S == min(S, 4)``."""
    left, right = requirement.left, requirement.right
    if requirement.relation == ">=" and type(left) is int and dims.is_symbolic(right):
        return right, left
    if requirement.relation == "==":
        for size, capped in ((left, right), (right, left)):
            least = [each for each in dims.caps(size, capped) or () if type(each) is int]
            if len(least) == 1:
                return size, least[0]
    return None


def _rows(view: View, node: Node) -> int | None:
    """The fixed number of rows that a Gather looks up in."""
    if len(node.inputs) != 2:
        return None
    shape = view.shape(node.inputs[0])
    stated = attribute(node, "axis")
    axis = stated.i if stated is not None else 0
    if not shape or not -len(shape) <= axis < len(shape):
        return None
    rows = shape[axis]
    return rows if type(rows) is int else None


def _greatest(view: View, name: str, steps: int) -> Dim | None:
    """The greatest of the indices, where they are counted by a Range of step 1 on the way."""
    node = view.maker(name)
    if node is None or not node.inputs or steps == 0:
        return None
    if node.op == "Range":
        limit, step = view.elements(node.inputs[1]), view.elements(node.inputs[2])
        if limit is None or step is None or limit.size != 1 or step.ravel().tolist() != [1]:
            return None
        last = limit.ravel().tolist()[0]
        return dims.sub(last, 1) if type(last) is int or dims.is_symbolic(last) else None
    if node.op in _MOVES:
        return _greatest(view, node.inputs[0], steps - 1)
    if node.op == "Add":
        for one, other in (node.inputs, reversed(node.inputs)):
            added = view.constant(other)
            if added is not None and added.size and added.dtype.kind in "iu":
                base = _greatest(view, one, steps - 1)
                return None if base is None else dims.add(base, int(added.min()))
    return None
