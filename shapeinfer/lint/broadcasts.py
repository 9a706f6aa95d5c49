"""A lint about two symbols that broadcast without anybody having said how."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shapeinfer import catalogue as codes
from shapeinfer import dims
from shapeinfer.lint.registry import Lint, found, lint
from shapeinfer.lint.view import View


@lint(codes.AMBIGUOUS_BROADCAST)
def ambiguous_broadcast(view: View) -> Iterator[Lint]:
    """Broadcasts of two dims over the inputs' names that may be equal or 1."""
    facts, origins = view.analysis.facts, view.analysis.symbols.origins
    told = set()
    for requirement in view.analysis.requirements:
        left, right = requirement.left, requirement.right
        index = requirement.where.index
        if requirement.relation != "broadcast" or requirement.where.path or index is None:
            continue
        if not (dims.is_symbolic(left) and dims.is_symbolic(right)) or (left, right) in told:
            continue
        first, second = ({s.name for s in dims.free_symbols(side)} for side in (left, right))
        names = first | second
        if names in (first, second):
            continue  # two expressions over the same names are a condition on these
        if any("made by" in origins.get(name, "made by") for name in names):
            continue  # what only a run can tell is no matter of names
        left, right = facts.reduce(left), facts.reduce(right)
        if facts.equal(left, right) is None and facts.is_one(left) is None and facts.is_one(right) is None:
            told.add((requirement.left, requirement.right))
            fields: dict[str, Any] = {"left": left, "right": right, "result": dims.broadcast(left, right)}
            yield found(view, codes.AMBIGUOUS_BROADCAST, view.nodes[index], **fields)
