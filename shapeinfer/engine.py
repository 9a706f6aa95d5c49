"""The walk: visits every node once, in order, and learns the type, shape and known elements of every value.

One bad node never stops the walk: its outputs keep what is still sure, and all the rest is checked all the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import onnx

from shapeinfer import catalogue as codes
from shapeinfer import dims, folding, graph, loader, operators
from shapeinfer.context import Context, Fault, Maybe, Result, Unknown
from shapeinfer.diagnostics import Code, Finding, Where, type_text
from shapeinfer.dims import Dim, Facts
from shapeinfer.options import Options
from shapeinfer.symbols import Symbols, read_type
from shapeinfer.typecheck import check_arity, check_attributes, check_types, output_type
from shapeinfer.types import FIRST_IR, ElementType, SparseTensorType, TensorType, ValueType
from shapeinfer.values import Array, Node, Value, tensor_type

SIZE_LIMIT = 200
"""A dim expression of more operations than this is replaced by a fresh symbol."""


@dataclass(slots=True)
class Requirement:
    """What must hold of the dims for a node to run: ``left relation right``."""

    relation: str
    left: Dim
    right: Dim
    where: Where
    code: Code
    fields: dict[str, object]

    @property
    def text(self) -> str:
        """The condition, as one would write it."""
        left, right = dims.text(self.left), dims.text(self.right)
        if self.relation == "divisible":
            return f"{left if dims.size(self.left) < 1 else f'({left})'} % {right} == 0"
        if self.relation == "broadcast":
            sides = [f"{side} == 1" for side in (left, right) if not side.isdigit()]
            return " or ".join([f"{left} == {right}", *sides])
        return f"{left} {self.relation} {right}"


@dataclass(slots=True)
class Analysis:
    """What the walk found out about a model."""

    model: onnx.ModelProto
    symbols: Symbols
    facts: Facts = field(default_factory=Facts)
    values: dict[str, Value] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    requirements: list[Requirement] = field(default_factory=list)


def analyse(model: onnx.ModelProto, options: Options | None = None) -> Analysis:
    """Infers every value of the main graph and collects all findings. ``model`` is not changed.

    Raises:
        shapeinfer.loader.RulePackError: when a rule pack of the options cannot be loaded.
        shapeinfer.options.OptionError: when an option cannot be understood.
    """
    options = options or Options()
    loader.load_packs(options.rules)
    walk = Walk(model, options)
    walk.run()
    return walk.analysis


class Walk:
    """One walk over one model; the recorder of its contexts."""

    def __init__(self, model: onnx.ModelProto, options: Options) -> None:
        self._model = model
        self._options = options
        self._ir: int = model.ir_version
        self._operators = operators.Operators(model)
        self.analysis = Analysis(model, Symbols(model, options.substitutions))
        self.facts = self.analysis.facts
        options.assume(self.facts)
        self._values = self.analysis.values

    def run(self) -> None:
        """Walks the main graph."""
        findings = self.analysis.findings
        findings.extend(self._operators.check_imports())
        proto = self._model.graph
        self._initializers(proto)
        self._inputs(proto)
        nodes = [Node(i, node) for i, node in enumerate(proto.node)]
        order, found = graph.order(nodes, self._values, self._place)
        findings.extend(found)
        for node in order:
            self._visit(node)
        findings.extend(graph.check_outputs(proto, self._values))

    # ------------------------------------------------------------------------------------------------ what is given

    def _initializers(self, proto: onnx.GraphProto) -> None:
        for tensor in proto.initializer:
            fault = graph.data_fault(tensor, f"initializer '{tensor.name}'")
            if fault is not None:
                self.analysis.findings.append(fault)
            self._values[tensor.name] = Value(tensor.name, tensor_type(tensor), "initializer", tensor=tensor)
        for sparse in proto.sparse_initializer:
            name = sparse.values.name
            self._values[name] = Value(name, TensorType(sparse.values.data_type, tuple(sparse.dims)), "initializer")

    def _inputs(self, proto: onnx.GraphProto) -> None:
        shapes = self._options.shapes
        for given in proto.input:
            name: str = given.name
            stored = self._values.get(name)
            if stored is not None and self._ir < 4:
                continue  # before IR 4 every initializer is listed as an input, and is a constant all the same
            if stored is not None and stored.origin == "input":
                self._say(codes.DEFINED_TWICE, value=name, first="a graph input of the same name")
                continue
            kind = read_type(given.type, self.analysis.symbols, name, fact=True)
            if name in shapes:
                kind = self._overridden(kind, name)
            # An initializer that is an input too is only a default: callers may pass other values, and other sizes.
            self._values[name] = Value(name, kind, "input")
            self._check_ir(name, kind, Where())

    def _overridden(self, kind: ValueType | None, name: str) -> ValueType | None:
        if not isinstance(kind, TensorType | None):
            return kind
        return TensorType(kind.elem if kind else 0, self._options.input_shape(name, kind.shape if kind else None))

    # ------------------------------------------------------------------------------------------------------ a node

    def _visit(self, node: Node) -> None:
        operator, problem = self._operators.find(node)
        if problem is not None:
            code, fields = problem
            self.analysis.findings.append(Finding(code, self._place(node), fields))
        values = self._values
        inputs: list[Value | None] = []
        for name in node.inputs:
            inputs.append(values.get(name) if name else None)
            if name and inputs[-1] is None:
                inputs[-1] = Value(name, None, "nothing")
        if operator is None:
            for name in node.outputs:
                self._define(node, name, None, None)
            return
        attributes = {attribute.name: attribute for attribute in node.proto.attribute}
        signature = operator.signature
        ctx = Context(node, signature, inputs, attributes, self)
        sound = check_arity(ctx, len(node.outputs)) & check_attributes(ctx, attributes)
        bindings = check_types(ctx)
        result: Result = None
        if sound and operator.rule is not None:
            result = self._apply(operator.rule, ctx)
        outputs = result if type(result) is list else [result]
        for i, name in enumerate(node.outputs):
            if name:
                known: Maybe = outputs[i] if i < len(outputs) else None
                kind = self._merge(node, name, known, output_type(signature, i, bindings))
                ctx.outputs.append(kind)
            else:
                ctx.outputs.append(None)
        elements = folding.elements(ctx, operator) if sound else None
        for i, name in enumerate(node.outputs):
            if name:
                self._define(node, name, ctx.outputs[i], elements[i] if elements else None)

    def _apply(self, rule: Any, ctx: Context) -> Result:
        try:
            result: Result = rule(ctx)
        except Unknown:
            return ctx.best_so_far
        except Fault:
            return None
        except Exception as error:  # a fault of ours must not cost the user the rest of the findings
            self.report(ctx, codes.INTERNAL, {"error": f"{type(error).__name__}: {error}"})
            return None
        return result

    def _merge(self, node: Node, name: str, known: Maybe, declared: ValueType | None) -> ValueType | None:
        """The output's type: what the rule said, completed by the element type that the signature gives."""
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
                    dim if type(dim) is int else self._settle_dim(node, name, axis, dim) for axis, dim in enumerate(shape)
                )
        return shape  # type: ignore[return-value]  # every entry is an int

    def _settle_dim(self, node: Node, name: str, axis: int, dim: Dim | None) -> Dim:
        if dim is None:
            return self.analysis.symbols.fresh(node, name, axis)
        size = dims.size(dim)
        if size <= SIZE_LIMIT:
            return dim
        symbol = self.analysis.symbols.fresh(node, name, axis)
        fields = {"axis": axis, "value": name, "size": size, "symbol": symbol}
        self.analysis.findings.append(Finding(codes.TOO_LARGE, self._place(node), fields))
        return symbol

    def _define(self, node: Node, name: str, kind: ValueType | None, elements: Array | None) -> None:
        if name and not (name in self._values and self._values[name].origin != node):
            self._values[name] = Value(name, kind, node, elements)

    # --------------------------------------------------------------------------------------------- what rules say

    def report(self, ctx: Context, code: Code, fields: dict[str, object]) -> None:
        """Keeps a finding at a node, with the actual types of the node's inputs."""
        node, version = ctx.node, ctx.version
        place = self._place(node, version)
        fields = {"op": node.op, "version": version, **fields}
        self.analysis.findings.append(Finding(code, place, fields, tuple(self._sources(ctx))))

    def _sources(self, ctx: Context) -> Iterable[str]:
        for i, value in enumerate(ctx.inputs):
            if value is not None:
                yield f"{ctx.signature.input_name(i)} = {value.name}: {type_text(value.type)}, {self.origin(value)}"

    def origin(self, value: Value) -> str:
        """Where a value comes from, and where each symbol of its shape does."""
        text = str(value.origin) if isinstance(value.origin, str) else f"from {value.origin}"
        shape = value.type.shape if isinstance(value.type, TensorType) else None
        symbols = sorted({s.name for dim in shape or () if dims.is_symbolic(dim) for s in dims.free_symbols(dim)})
        known = [f"{s} is {self.analysis.symbols.origins[s]}" for s in symbols if s in self.analysis.symbols.origins]
        return "; ".join([text, *known])

    def require(self, ctx: Context, relation: str, left: Dim, right: Dim, code: Code, fields: dict[str, object]) -> None:
        """Keeps a requirement; what it says is used from here on."""
        place = self._place(ctx.node, ctx.version)
        self.analysis.requirements.append(Requirement(relation, left, right, place, code, fields))
        if relation == "==":
            self.facts.assume_equal(left, right)
        elif relation == ">=":
            self.facts.assume_at_least(left, right)
        elif relation == "divisible" and dims.is_symbolic(left) and type(right) is int and dims.size(left) == 0:
            self.facts.assume_divisible(left, right)

    def kernel_result(self, ctx: Context, arrays: list[Array | None]) -> list[Array] | None:
        """The node's kernel on these arrays."""
        return folding.run(ctx, arrays)

    def _place(self, node: Node, version: int | None = None) -> Where:
        return Where((), node.name, node.index, node.op, node.domain, version)

    def _say(self, code: Code, **fields: object) -> None:
        self.analysis.findings.append(Finding(code, Where(), fields))

    def _check_ir(self, name: str, kind: ValueType | None, where: Where) -> None:
        elem = kind.elem if isinstance(kind, TensorType) else 0
        first = FIRST_IR.get(ElementType(elem), 0) if elem in ElementType._value2member_map_ else 0
        if first > max(self._ir, 3):
            fields = {"value": name, "found": ElementType(elem), "first": first, "stated": self._ir}
            self.analysis.findings.append(Finding(codes.TYPE_IN_IR, where, fields))
