"""What a rule's view of a node needs of the walk behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from shapeinfer.diagnostics import Code
from shapeinfer.dims import Dim, Facts
from shapeinfer.values import Array, GraphResult, Value

if TYPE_CHECKING:
    from shapeinfer.context import Context


class Recorder(Protocol):
    """What the engine does with what a rule says."""

    facts: Facts

    def report(self, ctx: Context, code: Code, fields: dict[str, object]) -> None:
        """Keeps a finding at the node."""

    def require(
        self, ctx: Context, relation: str, left: Dim, right: Dim, code: Code, fields: dict[str, object]
    ) -> None:
        """Keeps a requirement of the node, and from here on uses it."""

    def kernel_result(self, ctx: Context, arrays: list[Array | None]) -> list[Array] | None:
        """The node's kernel on these inputs; ``None`` when there is no kernel or it fails."""

    def run_graph(
        self,
        ctx: Context,
        attribute: str,
        given: Sequence[Value],
        *,
        certain: bool,
        quiet: bool = False,
        at_least: Sequence[tuple[Dim, Dim]] = (),
    ) -> GraphResult:
        """Walks a graph attribute of the node."""

    def graph_inputs(self, ctx: Context, attribute: str) -> list[Value]:
        """What a graph attribute declares of its inputs."""

    def fresh(self, ctx: Context, output: int, axis: int) -> Dim:
        """A new symbol that remembers the node."""
