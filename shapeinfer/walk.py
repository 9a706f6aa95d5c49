"""The walk: visits every node of a graph once, in order, and learns each value's type, shape and known elements.

One bad node never stops the walk: its outputs keep what is still sure, and all the rest is checked all the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import get_args

import onnx

from shapeinfer import attributes as attributes_of
from shapeinfer import catalogue as codes
from shapeinfer import dims, folding, graph
from shapeinfer.context import Context, Fault, Maybe, Result, Unknown
from shapeinfer.diagnostics import Code, Finding, Severity, Where, type_text
from shapeinfer.dims import Dim, Facts
from shapeinfer.operators import Operators
from shapeinfer.options import Options
from shapeinfer.registry import Rule
from shapeinfer.requirements import Requirement
from shapeinfer.symbols import Symbols, read_type
from shapeinfer.typecheck import check_arity, check_attributes, check_types, output_type
from shapeinfer.types import FIRST_IR, ElementType, SparseTensorType, TensorType, ValueType
from shapeinfer.values import Array, GraphResult, Node, Value, tensor_type

SIZE_LIMIT = 200
"""A dim expression of more operations than this is replaced by a fresh symbol."""
_RESULTS = frozenset({tuple, type(None), Value, *get_args(ValueType)})
DEPTH_LIMIT = 32
"""Graphs nested deeper than this are not looked into."""


class Walk:
    """One walk over one graph; the recorder of its contexts.

    Attributes:
        values: what is known of each value by name, with those of the graphs around it.
        findings: what there is to say, in the order of the walk.
        requirements: the conditions without which a node of the graph cannot run.
        failed: whether a node cannot run for any sizes, so that the graph never reaches its end.
    """

    def __init__(
        self, ir_version: int, operators: Operators, symbols: Symbols, facts: Facts, path: tuple[str, ...] = ()
    ) -> None:
        self.ir_version = ir_version
        self.operators = operators
        self.symbols = symbols
        self.facts = facts
        self.path = path
        self.values: dict[str, Value] = {}
        self.findings: list[Finding] = []
        self.requirements: list[Requirement] = []
        self.failed = False
        self.outer: Collection[str] = ()
        self.bound: attributes_of.Bound | None = None
        self._dead: Collection[Node] = ()

    # ------------------------------------------------------------------------------------------------ what is given

    def read_initializers(self, proto: onnx.GraphProto) -> None:
        """Stored tensors: their types at once, their data only when somebody asks for it."""
        for tensor in proto.initializer:
            fault = graph.data_fault(tensor, "initializer", tensor.name)
            if fault is not None:
                self.findings.append(replace(fault, where=Where(self.path)))
            kind = tensor_type(tensor)
            self.values[tensor.name] = Value(tensor.name, kind, "initializer", tensor=tensor)
            self._check_ir(tensor.name, kind)
        for sparse in proto.sparse_initializer:
            name = sparse.values.name
            self.values[name] = Value(name, TensorType(sparse.values.data_type, tuple(sparse.dims)), "initializer")

    def read_inputs(self, proto: onnx.GraphProto, options: Options) -> None:
        """The declared inputs of the main graph, which are facts.

        An initializer that is an input too is only a default: callers may pass other values, and other sizes. Before
        IR version 4 every initializer had to be listed as an input, and is a constant all the same.
        """
        for given in proto.input:
            name: str = given.name
            stored = self.values.get(name)
            if stored is not None:
                if stored.origin != "initializer":
                    self._say(codes.DEFINED_TWICE, value=name, first="a graph input of the same name")
                    continue
                if self.ir_version < 4:
                    continue
            kind = read_type(given.type, self.symbols, name, fact=True)
            if name in options.input_shapes and isinstance(kind, TensorType | None):
                kind = TensorType(kind.elem if kind else 0, options.input_shape(name, kind.shape if kind else None))
            self.values[name] = Value(name, kind, "input")
            self._check_ir(name, kind)

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
        attributes = self._attributes(node)
        signature = operator.signature
        ctx = Context(node, signature, inputs, attributes, self)
        sound = check_arity(ctx, len(node.outputs)) & check_attributes(ctx, attributes)
        bindings = check_types(ctx)
        result: Result = None
        if sound and operator.rule is not None:
            result = self._apply(operator.rule, ctx)
        outputs = result if isinstance(result, list) else [result]
        for i, name in enumerate(node.outputs):
            known: Maybe = outputs[i] if i < len(outputs) else None
            declared = output_type(signature, i, bindings)
            ctx.outputs.append(self._merge(node, name, known, declared) if name else None)
        pending = folding.later(ctx, operator) if sound else None
        for i, name in enumerate(node.outputs):
            value = self._define(node, name, ctx.outputs[i], None)
            if pending is not None:
                pending.outputs.append(value)
                if value is not None:
                    value.pending = pending
            elif value is not None and i < len(outputs) and type(each := outputs[i]) is Value:
                value.elements = each.elements

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
            return TensorType(declared.elem if type(declared) is TensorType else 0, shape)
        if type(known) is TensorType:
            elem = known.elem or (declared.elem if type(declared) is TensorType else 0)
            return TensorType(elem, None if known.shape is None else self._settle(node, name, known.shape))
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
            return self.symbols.fresh(node, name, axis)
        size = dims.size(dim)
        if size <= SIZE_LIMIT:
            return dim
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
        self.failed |= code.severity is Severity.ERROR
        fields = {"op": ctx.node.op, "version": ctx.version, **fields}
        self.findings.append(Finding(code, self.place(ctx.node, ctx.version), fields, tuple(self._sources(ctx))))

    def _sources(self, ctx: Context) -> Iterable[str]:
        for i, value in enumerate(ctx.inputs):
            if value is not None:
                yield f"{ctx.signature.input_name(i)} = {value.name}: {type_text(value.type)}, {self._origin(value)}"

    def _origin(self, value: Value) -> str:
        """Where a value comes from, and where each symbol of its shape does."""
        text = value.origin if isinstance(value.origin, str) else f"from {value.origin}"
        shape = value.type.shape if isinstance(value.type, TensorType) else None
        names = sorted({s.name for dim in shape or () for s in dims.free_symbols(dim)})
        return "; ".join([text, *(f"{s} is {self.symbols.origins[s]}" for s in names if s in self.symbols.origins)])

    def require(
        self, ctx: Context, relation: str, left: Dim, right: Dim, code: Code, fields: dict[str, object]
    ) -> None:
        """Keeps a requirement; what it says is used from here on, unless runtimes may leave the node out."""
        requirement = Requirement(relation, left, right, self.place(ctx.node, ctx.version), code, fields)
        if ctx.node not in self._dead:
            self.requirements.append(requirement)
            requirement.assume(self.facts)

    def kernel_result(self, ctx: Context, arrays: list[Array | None]) -> list[Array] | None:
        """The node's kernel on these arrays."""
        return folding.run(ctx, arrays)

    def place(self, node: Node, version: int | None = None) -> Where:
        """The place of a node of this graph."""
        return Where(self.path, node.name, node.index, node.op, node.domain, version)

    def _say(self, code: Code, **fields: object) -> None:
        self.findings.append(Finding(code, Where(self.path), fields))

    def _check_ir(self, name: str, kind: ValueType | None) -> None:
        elem = kind.elem if isinstance(kind, TensorType | SparseTensorType) else 0
        first = FIRST_IR.get(elem, 0)  # type: ignore[call-overload]  # an IntEnum's keys are ints
        if first > max(self.ir_version, 3):
            self._say(codes.TYPE_IN_IR, value=name, found=ElementType(elem), first=first, stated=self.ir_version)

    def fresh(self, ctx: Context, output: int, axis: int) -> Dim:
        """A new symbol that remembers the node."""
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
        inner = Walk(
            self.ir_version,
            self.operators,
            self.symbols,
            self.facts if certain and not quiet else self.facts.fork(),
            (*self.path, str(ctx.node), attribute),
        )
        inner.bound = self.bound
        for dim, least in at_least:
            inner.facts.assume_at_least(dim, least)
        made = self.symbols.count
        inner.values = dict(self.values)
        if len(self.path) < 2 * DEPTH_LIMIT:
            inner.enter(proto.g, given)
        if not quiet:
            self.findings.extend(f if certain else soften(f) for f in inner.findings)
            if certain:
                self.requirements.extend(inner.requirements)
                self.failed |= inner.failed
        outputs = [inner.values.get(output.name) for output in proto.g.output]
        return GraphResult(outputs, inner.failed, frozenset(self.symbols.made_since(made)))

    def _call(self, node: Node, function: onnx.FunctionProto) -> None:
        """Walks the body of a model-local function, which sees nothing of the graph around it but its inputs."""
        step = f"{node} calls {function.name}"
        if any(part.endswith(f" calls {function.name}") for part in self.path):
            self.findings.append(Finding(codes.RECURSION, self.place(node), {"function": function.name}))
            self.failed = True
            body = None
        else:
            inner_operators = self.operators.inside(function)
            body = Walk(self.ir_version, inner_operators, self.symbols, self.facts, (*self.path, step))
            body.bound = attributes_of.arguments(self._attributes(node), function)
            for name, value in zip(function.input, self._inputs(node), strict=False):
                if value is not None:
                    body.values[name] = value.renamed(name)
            body.visit_nodes(function.node, function.output)
            self.findings.extend(body.findings)
            self.requirements.extend(body.requirements)
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
        self.outer = self.values.keys() - {*names, *stored}  # an inner input may go by the name of an outer value
        self.read_initializers(proto)
        for name, value in zip(names, given, strict=False):
            self.values[name] = value.renamed(name)
        self.visit_nodes(proto.node, [output.name for output in proto.output])
        self.findings.extend(graph.check_outputs(proto, self.values, self.path))


def soften(finding: Finding) -> Finding:
    """A fault of sizes in a graph that need not run is only a warning."""
    if finding.code.id.startswith("S") and finding.severity is Severity.ERROR:
        return replace(finding, softened=Severity.WARNING)
    return finding
