"""A lint about sizes that depend on data: where they are made, and how far they reach."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from shapeinfer import catalogue as codes
from shapeinfer import dims
from shapeinfer.lint.registry import Lint, found, lint
from shapeinfer.lint.view import View, plural
from shapeinfer.values import Node


@dataclass(slots=True)
class _Reach:
    node: Node
    sizes: list[str] = field(default_factory=list)
    values: set[str] = field(default_factory=set)


@lint(codes.DATA_DEPENDENT)
def data_dependent_size(view: View) -> Iterator[Lint]:
    """Nodes that make sizes which only a run can tell."""
    origins = view.analysis.symbols.origins
    makers: dict[str, _Reach] = {}
    reaches: dict[int, _Reach] = {}
    for name, value in view.values.items():
        for axis, dim in enumerate(view.shape(name) or ()):
            if type(dim) is int:
                continue
            for symbol in dims.free_symbols(dim):
                text = symbol.name
                if text not in makers:
                    if "made by" not in origins.get(text, "") or not isinstance(value.origin, Node):
                        continue
                    node = value.origin
                    makers[text] = reaches.setdefault(node.index, _Reach(node))
                    makers[text].sizes.append(f"{text} (axis {axis} of '{name}')")
                makers[text].values.add(name)
    for reach in reaches.values():
        count = len(reach.values)
        one = len(reach.sizes) == 1
        text = f"{'it is' if one else 'they are'} in the shape of {plural(count, 'value')}"
        ends = sorted(reach.values & view.outputs)
        text += f" and {'reaches' if one else 'reach'} "
        text += f"the graph output{'' if len(ends) == 1 else 's'} {', '.join(ends)}" if ends else "no graph output"
        told = ", ".join(reach.sizes[:4]) + (", …" if len(reach.sizes) > 4 else "")
        verb = "is a size that" if one else "are sizes that"
        yield found(view, codes.DATA_DEPENDENT, reach.node, sizes=f"{told} {verb}", reach=text)
