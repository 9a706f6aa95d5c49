"""What a lint looks at: one graph with its nodes, who makes and who takes each value, and what is known of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import onnx

from shapeinfer import schema
from shapeinfer.diagnostics import Where
from shapeinfer.dims import Shape
from shapeinfer.engine import Analysis
from shapeinfer.types import TensorType
from shapeinfer.values import Array, Node, Value


class View:
    """A graph of the model.

    Attributes:
        analysis: what was found out about the model.
        path: the way from the main graph to this one; empty for the main graph.
        graph: its message.
        values: what is known of the values that it sees.
    """

    def __init__(
        self, analysis: Analysis, path: tuple[str, ...], graph: onnx.GraphProto, values: Mapping[str, Value]
    ) -> None:
        self.analysis = analysis
        self.path = path
        self.graph = graph
        self.values = values
        self.nodes = [Node(i, proto) for i, proto in enumerate(graph.node)]
        self.opsets = {("" if o.domain == "ai.onnx" else o.domain): o.version for o in analysis.model.opset_import}

    @property
    def is_main(self) -> bool:
        """Whether this is the main graph."""
        return not self.path

    @cached_property
    def by_op(self) -> dict[str, list[Node]]:
        """The nodes of the standard domain by operator."""
        found: dict[str, list[Node]] = {}
        for node in self.nodes:
            if not node.domain:
                found.setdefault(node.op, []).append(node)
        return found

    def each(self, *ops: str) -> Iterator[Node]:
        """The nodes of these operators of the standard domain."""
        for op in ops:
            yield from self.by_op.get(op, ())

    @cached_property
    def makers(self) -> dict[str, Node]:
        """The node that makes each value."""
        return {name: node for node in self.nodes for name in node.outputs if name}

    @cached_property
    def takers(self) -> dict[str, list[Node]]:
        """The nodes that take each value, also those whose inner graphs do."""
        found: dict[str, list[Node]] = {}
        for node in self.nodes:
            names = set(node.inputs)
            for inner in inner_graphs(node.proto):
                names.update(mentioned(inner))
            for name in names:
                if name:
                    found.setdefault(name, []).append(node)
        return found

    @cached_property
    def outputs(self) -> frozenset[str]:
        """The names of the graph's outputs."""
        return frozenset(output.name for output in self.graph.output)

    @cached_property
    def defaults(self) -> frozenset[str]:
        """Initializers that are inputs too: callers may pass something else."""
        if self.analysis.model.ir_version < 4:
            return frozenset()
        return frozenset(given.name for given in self.graph.input) & {t.name for t in self.graph.initializer}

    def maker(self, name: str, *ops: str) -> Node | None:
        """The node that makes a value, if it is one of these operators."""
        node = self.makers.get(name)
        return node if node is not None and not node.domain and (not ops or node.op in ops) else None

    def shape(self, name: str) -> Shape | None:
        """The shape of a tensor, as it was inferred."""
        value = self.values.get(name)
        return value.type.shape if value is not None and isinstance(value.type, TensorType) else None

    def elem(self, name: str) -> int:
        """The element type of a tensor; ``0`` where unknown."""
        value = self.values.get(name)
        return value.type.elem if value is not None and isinstance(value.type, TensorType) else 0

    def constant(self, name: str) -> Array | None:
        """The elements of a small tensor that are the same in every run."""
        value = self.values.get(name)
        found = value.elements if value is not None else None
        return None if found is None or found.dtype == object else found

    def elements(self, name: str) -> Array | None:
        """The elements of a small tensor as far as they are known, also symbolic ones."""
        value = self.values.get(name)
        return value.elements if value is not None else None

    def literal(self, name: str) -> Array | None:
        """The elements of a tensor that the file states as they are: an initializer or a Constant."""
        node = self.makers.get(name)
        if node is None:
            value = self.values.get(name)
            return self.constant(name) if value is not None and value.origin == "initializer" else None
        return self.constant(name) if node.op == "Constant" else None

    def ints(self, node: Node, name: str, position: int) -> tuple[int, ...] | None:
        """Integers that an operator takes as an attribute or, in later versions, as an input, where constant."""
        stated = attribute(node, name)
        if stated is not None:
            return tuple(stated.ints)
        given = node.inputs[position] if position < len(node.inputs) else ""
        found = self.constant(given) if given else None
        return None if found is None else tuple(int(n) for n in found.ravel().tolist())

    def version(self, node: Node) -> int | None:
        """The since-version of the operator specification in force."""
        opset = self.opsets.get(node.domain)
        found = schema.lookup(node.op, node.domain, opset) if opset is not None else None
        return found.since_version if found is not None else None

    def place(self, node: Node | None = None) -> Where:
        """The place of a node, or of the graph itself."""
        if node is None:
            return Where(self.path)
        return Where(self.path, node.name, node.index, node.op, node.domain, self.version(node))

    def free_name(self, wish: str) -> str:
        """A name for a new value that nothing in the model has."""
        taken = self._names
        name, count = wish, 1
        while name in taken:
            count += 1
            name = f"{wish}_{count}"
        taken.add(name)
        return name

    @cached_property
    def _names(self) -> set[str]:
        return set(self.values) | set(mentioned(self.analysis.model.graph))


def attribute(node: Node, name: str) -> onnx.AttributeProto | None:
    """An attribute that the node states."""
    return next((each for each in node.proto.attribute if each.name == name), None)


def inner_graphs(proto: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    """The graphs among the attributes of a node."""
    for each in proto.attribute:
        if each.type == onnx.AttributeProto.GRAPH:
            yield each.g
        elif each.type == onnx.AttributeProto.GRAPHS:
            yield from each.graphs


def mentioned(graph: onnx.GraphProto) -> Iterator[str]:
    """Every name that a graph takes or gives, with those of the graphs in it."""
    for values in (graph.input, graph.output, graph.initializer):
        yield from (each.name for each in values)
    for node in graph.node:
        yield from node.input
        yield from node.output
        for inner in inner_graphs(node):
            yield from mentioned(inner)


def plural(count: int, noun: str) -> str:
    """``1 node``, ``2 nodes``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
