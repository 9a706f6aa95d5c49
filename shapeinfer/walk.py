"""The walk: visits every node of a graph once, in order, and learns each value's type, shape and known elements.

One bad node never stops the walk: its outputs keep what is still sure, and all the rest is checked all the same.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, MutableMapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import get_args

import onnx

from shapeinfer import attributes as attributes_of
from shapeinfer import catalogue as codes
from shapeinfer import dims, folding, graph
from shapeinfer.context import Context, Fault, Maybe, Result, Unknown
from shapeinfer.diagnostics import Code, Finding, Severity, Where
from shapeinfer.dims import Dim, Facts
from shapeinfer.given import Given
from shapeinfer.memo import Key, Memo, Outcome, Types, content
from shapeinfer.operators import Operator, Operators
from shapeinfer.registry import Rule
from shapeinfer.requirements import Requirement
from shapeinfer.scope import Scope, Shadowed
from shapeinfer.sources import sources
from shapeinfer.symbols import Symbols, read_type
from shapeinfer.typecheck import check_arity, check_attributes, check_types, output_types
from shapeinfer.types import SparseTensorType, TensorType, ValueType
from shapeinfer.values import Array, GraphResult, Node, Pending, Value

SIZE_LIMIT = 200
"""A dim expression of more operations than this is replaced by a fresh symbol."""
_RESULTS = frozenset({tuple, type(None), Value, *get_args(ValueType)})
CALL = " calls "
"""What the steps of a path that lead into a function have in them."""
DEPTH_LIMIT = 32
"""Graphs nested deeper than this are not looked into."""


@dataclass(slots=True)
class InnerGraph:
    """An inner graph as it was walked: where it is, and what is known of each value that it sees."""

    path: tuple[str, ...]
    proto: onnx.GraphProto
    values: Scope


class Walk:
    """One walk over one graph; the recorder of its contexts.

    Attributes:
        values: what is known of each value by name, with those of the graphs around it.
        findings: what there is to say, in the order of the walk.
        requirements: the conditions without which a node of the graph cannot run.
        failed: whether a node cannot run for any sizes, so that the graph never reaches its end.
        inner: the inner graphs as they were walked; ``None`` when nobody wants to look at them.
        waiting: all elements that may be asked for, in the graphs inside too.
    """

    def __init__(
        self,
        given: Given,
        operators: Operators,
        symbols: Symbols,
        facts: Facts,
        path: tuple[str, ...] = (),
        memo: Memo | None = None,
    ) -> None:
        self.given = given
        self.operators = operators
        self.symbols = symbols
        self.facts = facts
        self.path = path
        self.memo = memo or Memo()
        self.values: MutableMapping[str, Value] = {}
        self.findings: list[Finding] = []
        self.requirements: list[Requirement] = []
        self.failed = False
        self.outer: Container[str] = ()
        self.inner: list[InnerGraph] | None = None
        self.bound: attributes_of.Bound | None = None
        self.waiting: list[Pending] = []
        self._dead: Collection[Node] = ()
        self._said = False
        """Whether more than types was said of the node that is looked at."""

    # ------------------------------------------------------------------------------------------------------- nodes

    def visit_nodes(self, protos: Iterable[onnx.NodeProto], outputs: Iterable[str]) -> None:
        """Visits the nodes of the graph, in an order in which values are made before they are used."""
        nodes = [Node(i, proto) for i, proto in enumerate(protos)]
        order, found = graph.order(nodes, self.values, self.place, self.outer)
        self.findings.extend(found)
        self._dead = graph.dead_nodes(order, outputs)
        for node in order:
            self._visit(node)

    def _visit(self, node: Node) -> None:
        function = self.operators.function(node)
        if function is not None:
            self._call(node, function)
            return
        operator, problem = self.operators.find(node)
        if problem is not None:
            self.findings.append(Finding(problem[0], self.place(node), problem[1]))
        if operator is None:
            for name in node.outputs:
                self._define(node, name, None, None)
            return
        inputs = self._inputs(node)
        key = self.memo.key(operator, node, inputs) if operator.memorable else None
        outcome = self.memo.find(key, inputs) if key is not None else None
        if outcome is None:
            self._infer(node, operator, inputs, key)
        elif not (outcome.may_have_elements and folding.worthwhile(operator, inputs)):
            for name, kind in zip(node.outputs, outcome.types, strict=True):
                self._define(node, name, kind, None)
        else:
            work = partial(self._elements, node, operator, inputs, outcome)
            self._define_all(node, outcome.types, folding.later(inputs, work))

    def _infer(self, node: Node, operator: Operator, inputs: list[Value | None], key: Key | None) -> None:
        """Asks the rule, and keeps what it said where nodes that are alike come to the same."""
        self._said = False
        attributes = self._attributes(node)
        ctx = Context(node, operator.signature, inputs, attributes, self)
        declared, sound = self._check(ctx, operator, attributes)
        result: Result = None
        if sound and operator.rule is not None:
            result = self._apply(operator.rule, ctx)
        results: list[Maybe] = [*result] if isinstance(result, list) else [result]
        results += [None] * (len(node.outputs) - len(results))
        types = tuple(
            self._merge(node, name, known, kind) if name else None
            for name, known, kind in zip(node.outputs, results, declared, strict=False)
        )
        small = sound and folding.may_have_elements(types)
        whole = [known if type(known) is Value else None for known in results]
        outcome = Outcome(types, small)
        if key is not None and not self._said and not any(whole) and all(node.outputs):
            self.memo.keep(key, inputs, ctx.asked, outcome)
        if small and folding.worthwhile(operator, inputs):
            work = partial(self._elements, node, operator, inputs, outcome)
            self._define_all(node, types, folding.later(inputs, work))
            return
        for name, kind, known in zip(node.outputs, types, whole, strict=False):
            self._define(node, name, kind, known.elements if known is not None else None)

    def _elements(
        self, node: Node, operator: Operator, inputs: list[Value | None], outcome: Outcome
    ) -> Sequence[Array | None] | None:
        """The elements of a node's outputs, from an earlier node that was alike if there was one."""
        stated = content(operator, node) if operator.memorable else None
        found = outcome.find(inputs, stated) if stated is not None else None
        if found is not None:
            return found[0]
        said, self._said = self._said, False
        ctx = Context(node, operator.signature, inputs, self._attributes(node), self)
        ctx.outputs = outcome.types
        elements = folding.elements(ctx, operator)
        if stated is not None and not self._said:
            outcome.keep(inputs, stated, ctx.asked, elements)
        self._said |= said
        return elements

    def _check(
        self, ctx: Context, operator: Operator, attributes: dict[str, onnx.AttributeProto]
    ) -> tuple[Types, bool]:
        """What the signature says of the outputs, and whether the node fits it."""
        key: list[object] = [operator, len(ctx.node.outputs)]
        for value in ctx.inputs:
            kind = value.type if value is not None else None
            key.append(kind.elem if type(kind) is TensorType else (value is None, kind))
        found = self.memo.declared.get(mark := tuple(key))
        if found is not None:
            return found, check_attributes(ctx, attributes)
        sound = check_arity(ctx, len(ctx.node.outputs)) & check_attributes(ctx, attributes)
        found = output_types(ctx.signature, len(ctx.node.outputs), check_types(ctx))
        if not self._said:
            self.memo.declared[mark] = found
        return found, sound

    def _define_all(self, node: Node, types: Types, pending: Pending) -> None:
        self.waiting.append(pending)
        for name, kind in zip(node.outputs, types, strict=True):
            value = self._define(node, name, kind, None)
            pending.outputs.append(value)
            if value is not None:
                value.pending = pending

    def _inputs(self, node: Node) -> list[Value | None]:
        values = self.values
        return [(values.get(name) or Value(name, None, "nothing")) if name else None for name in node.inputs]

    def _attributes(self, node: Node) -> dict[str, onnx.AttributeProto]:
        if self.bound is None:
            return {attribute.name: attribute for attribute in node.proto.attribute}
        return attributes_of.bind(node.proto.attribute, self.bound)

    def _apply(self, rule: Rule, ctx: Context) -> Result:
        try:
            result = rule(ctx)
            for each in result if type(result) is list else (result,):
                if type(each) not in _RESULTS:
                    raise TypeError(f"the rule returned {each!r}, which is no shape and no type")
            return result
        except Unknown:
            return ctx.best_so_far
        except Fault:
            return None
        except Exception as error:  # a fault of ours must not cost the user the rest of the findings
            self.report(ctx, codes.INTERNAL, {"error": f"{type(error).__name__}: {error}"})
            return None

    def _merge(self, node: Node, name: str, known: Maybe, declared: ValueType | None) -> ValueType | None:
        """The output's type: what the rule said, completed by the element type that the signature gives."""
        if type(known) is Value:
            known = known.type
        if known is None:
            return declared
        if type(known) is tuple:
            shape = self._settle(node, name, known)
            if type(declared) is SparseTensorType:
                return SparseTensorType(declared.elem, shape)
            return self.memo.tensor(declared.elem if type(declared) is TensorType else 0, shape)
        if type(known) is TensorType:
            elem = known.elem or (declared.elem if type(declared) is TensorType else 0)
            return self.memo.tensor(elem, None if known.shape is None else self._settle(node, name, known.shape))
        return known  # type: ignore[return-value]  # the remaining members of Maybe are value types

    def _settle(self, node: Node, name: str, shape: tuple[Dim | None, ...]) -> tuple[Dim, ...]:
        for dim in shape:
            if type(dim) is not int:
                return tuple(
                    each if type(each) is int else self._settle_dim(node, name, axis, each)
                    for axis, each in enumerate(shape)
                )
        return shape

    def _settle_dim(self, node: Node, name: str, axis: int, dim: Dim | None) -> Dim:
        if dim is None:
            self._said = True
            return self.symbols.fresh(node, name, axis)
        size = dims.size(dim)
        if size <= SIZE_LIMIT:
            return dim
        self._said = True
        symbol = self.symbols.fresh(node, name, axis)
        fields = {"axis": axis, "value": name, "size": size, "symbol": symbol}
        self.findings.append(Finding(codes.TOO_LARGE, self.place(node), fields))
        return symbol

    def _define(self, node: Node, name: str, kind: ValueType | None, elements: Array | None) -> Value | None:
        if not name or name in self.values:
            return None
        value = self.values[name] = Value(name, kind, node, elements)
        return value

    # --------------------------------------------------------------------------------------------- what rules say

    def report(self, ctx: Context, code: Code, fields: dict[str, object]) -> None:
        """Keeps a finding at a node, with the actual types of the node's inputs."""
        self._said = True
        self.failed |= code.severity is Severity.ERROR
        fields = {"op": ctx.node.op, "version": ctx.version, **fields}
        self.findings.append(
            Finding(code, self.place(ctx.node, ctx.version), fields, tuple(sources(ctx, self.symbols)))
        )

    def require(
        self, ctx: Context, relation: str, left: Dim, right: Dim, code: Code, fields: dict[str, object]
    ) -> None:
        """Keeps a requirement; what it says is used from here on, unless runtimes may leave the node out."""
        self._said = True
        requirement = Requirement(relation, left, right, self.place(ctx.node, ctx.version), code, fields)
        if ctx.node not in self._dead:
            self.requirements.append(requirement)
            requirement.assume(self.facts)
            self.memo.clear()

    def kernel_result(self, ctx: Context, arrays: list[Array | None]) -> list[Array] | None:
        """The node's kernel on these arrays."""
        return folding.run(ctx, arrays)

    def place(self, node: Node, version: int | None = None) -> Where:
        """The place of a node of this graph."""
        return Where(self.path, node.name, node.index, node.op, node.domain, version)

    def fresh(self, ctx: Context, output: int, axis: int) -> Dim:
        """A new symbol that remembers the node."""
        self._said = True
        return self.symbols.fresh(ctx.node, ctx.node.outputs[output] if output < len(ctx.node.outputs) else "", axis)

    # ------------------------------------------------------------------------------------------------ inner graphs

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
        """Walks a graph attribute of a node with these values for its inputs.

        Args:
            certain: whether the graph runs whenever the node does; if not, its faults of size are only warnings, and
                what it requires is required of it alone.
            quiet: keep neither findings nor requirements.
            at_least: what holds inside a graph that is not certain to run: the first dim is at least the second.
        """
        proto = ctx.attr_proto(attribute)
        assert proto is not None
        self._said = True
        shared = certain and not quiet
        inner = Walk(
            self.given,
            self.operators,
            self.symbols,
            self.facts if shared else self.facts.fork(),
            (*self.path, str(ctx.node), attribute),
            self.memo if shared else None,
        )
        inner.bound = self.bound
        for dim, least in at_least:
            inner.facts.assume_at_least(dim, least)
        made = self.symbols.count
        inner.values = Scope(self.values)
        inner.inner = None if quiet else self.inner
        inner.waiting = self.waiting
        if len(self.path) < 2 * DEPTH_LIMIT:
            inner.enter(proto.g, given)
            if inner.inner is not None:
                inner.inner.append(InnerGraph(inner.path, proto.g, inner.values))
        if not quiet:
            self.findings.extend(f if certain else soften(f) for f in inner.findings)
            if certain:
                self.requirements.extend(inner.requirements)
                self.failed |= inner.failed
        outputs = [inner.values.get(output.name) for output in proto.g.output]
        return GraphResult(outputs, inner.failed, frozenset(self.symbols.made_since(made)))

    def _call(self, node: Node, function: onnx.FunctionProto) -> None:
        """Walks the body of a model-local function, which sees nothing of the graph around it but its inputs."""
        step = f"{node}{CALL}{function.name}"
        if any(part.endswith(f"{CALL}{function.name}") for part in self.path):
            self.findings.append(Finding(codes.RECURSION, self.place(node), {"function": function.name}))
            self.failed = True
            body = None
        else:
            bound = attributes_of.arguments(self._attributes(node), function)
            memo = None if bound or self.bound else self.memo  # what attribute references stand for is in no key
            inner_operators = self.operators.inside(function)
            body = Walk(self.given, inner_operators, self.symbols, self.facts, (*self.path, step), memo)
            body.inner = self.inner
            body.waiting = self.waiting
            body.bound = bound
            for name, value in zip(function.input, self._inputs(node), strict=False):
                if value is not None:
                    body.values[name] = value.renamed(name)
            body.visit_nodes(function.node, function.output)
            self.findings.extend(body.findings)
            if body.requirements:
                self.requirements.extend(body.requirements)
                self.memo.clear()
            self.failed |= body.failed
        for i, name in enumerate(node.outputs):
            made = body.values.get(function.output[i]) if body is not None and i < len(function.output) else None
            self._define(node, name, made.type if made else None, made.elements if made else None)

    def graph_inputs(self, ctx: Context, attribute: str) -> list[Value]:
        """What a graph attribute declares of its inputs: kinds and element types; shapes there are only claims."""
        proto = ctx.attr_proto(attribute)
        assert proto is not None
        found = []
        for given in proto.g.input:
            kind = read_type(given.type, self.symbols, given.name, fact=False)
            found.append(
                Value(given.name, TensorType(kind.elem) if isinstance(kind, TensorType) else kind, "inner input")
            )
        return found

    def enter(self, proto: onnx.GraphProto, given: Sequence[Value]) -> None:
        """Walks an inner graph: its inputs are what the node around it passes in."""
        stored = {tensor.name for tensor in proto.initializer}
        names = [i.name for i in proto.input if i.name not in stored or len(proto.input) == len(given)]
        # an inner input may go by the name of an outer value
        self.outer = Shadowed(self.values.outer if isinstance(self.values, Scope) else {}, {*names, *stored})
        self.values.update(self.given.initializers(proto, self.path))
        self.findings.extend(self.given.take_findings())
        for name, value in zip(names, given, strict=False):
            self.values[name] = value.renamed(name)
        self.visit_nodes(proto.node, [output.name for output in proto.output])
        self.findings.extend(graph.check_outputs(proto, self.values, self.path))


def soften(finding: Finding) -> Finding:
    """A fault of sizes in a graph that need not run is only a warning."""
    if finding.code.id.startswith("S") and finding.severity is Severity.ERROR:
        return replace(finding, softened=Severity.WARNING)
    return finding
