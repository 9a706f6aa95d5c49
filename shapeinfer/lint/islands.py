"""A lint about parts of a model that compute in double."""

from __future__ import annotations

from collections.abc import Iterator

from shapeinfer import catalogue as codes
from shapeinfer.lint.registry import Lint, found, lint
from shapeinfer.lint.view import View, plural
from shapeinfer.types import ElementType
from shapeinfer.values import Node

_BORDER = frozenset(("Cast", "Constant", "CastLike", "ConstantOfShape"))


@lint(codes.DOUBLE_ISLAND)
def double_island(view: View) -> Iterator[Lint]:
    """Connected nodes that compute in double while nothing at the model's border is double."""
    border = (*(i.name for i in view.graph.input), *view.outputs)
    if any(view.elem(name) == ElementType.DOUBLE for name in border):
        return
    inside = [n for n in view.nodes if any(view.elem(name) == ElementType.DOUBLE for name in n.outputs if name)]
    if not inside:
        return
    leader: dict[str, str] = {}

    def root(name: str) -> str:
        while leader.setdefault(name, name) != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    for node in inside:
        names = [n for n in (*node.inputs, *node.outputs) if n and view.elem(n) == ElementType.DOUBLE]
        for name in names[1:]:
            leader[root(name)] = root(names[0])
    islands: dict[str, list[Node]] = {}
    for node in inside:
        name = next(n for n in node.outputs if n and view.elem(n) == ElementType.DOUBLE)
        islands.setdefault(root(name), []).append(node)
    for nodes in islands.values():
        computing = [node for node in nodes if node.op not in _BORDER]
        if computing:
            yield found(view, codes.DOUBLE_ISLAND, computing[0], count=plural(len(computing), "node"))
