"""What a graph is given before any node runs: stored tensors, and the declared inputs of the main graph."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import onnx

from shapeinfer import catalogue as codes
from shapeinfer import external, graph
from shapeinfer.diagnostics import Finding, Where
from shapeinfer.options import Options
from shapeinfer.symbols import Symbols, read_type
from shapeinfer.types import FIRST_IR, ElementType, SparseTensorType, TensorType, ValueType, known_element
from shapeinfer.values import Value, is_small, tensor_type


class Given:
    """Reads what graphs are given, with the faults of it.

    Attributes:
        findings: what there is to say; taken over by the walk.
    """

    def __init__(self, ir_version: int, base: Path | None = None) -> None:
        """``base``: the directory of the model, ``None`` when it comes from no file."""
        self.ir_version = ir_version
        self._base = base
        self._refused: set[str] = set()
        self._allowed: set[str] = set()
        self.findings: list[Finding] = []

    def take_findings(self) -> list[Finding]:
        """What there is to say since this was last asked."""
        found, self.findings = self.findings, []
        return found

    def initializers(self, proto: onnx.GraphProto, path: tuple[str, ...]) -> dict[str, Value]:
        """Stored tensors: their types at once, their data only when somebody asks for it."""
        values = {}
        where = Where(path)
        for tensor in proto.initializer:
            name: str = tensor.name
            kind = tensor_type(tensor)
            if external.is_external(tensor):
                values[name] = value = Value(name, kind, "initializer")
                if self._may_read(tensor, where) and self._base is not None:
                    external.read_later(value, tensor, self._base)
            else:
                fault = graph.data_fault(tensor, kind, "initializer", name)
                if fault is not None:
                    self.findings.append(replace(fault, where=where))
                values[name] = Value(name, kind, "initializer", tensor=tensor if is_small(tensor) else None)
            self._check_ir(name, kind, where)
        for sparse in proto.sparse_initializer:
            name = sparse.values.name
            kind = TensorType(known_element(sparse.values.data_type), tuple(sparse.dims))
            values[name] = Value(name, kind, "initializer")
            self._check_ir(name, kind, where)
        return values

    def _may_read(self, tensor: onnx.TensorProto, where: Where) -> bool:
        """Whether the data of a tensor lies where a model may have it; each bad location is told once."""
        place = external.location(tensor)
        if place in self._allowed:
            return True
        if place in self._refused:
            return False
        reason = external.refusal(place, self._base)
        if reason is None:
            self._allowed.add(place)
            return True
        self._refused.add(place)
        fields = {"name": tensor.name, "location": place, "reason": reason}
        self.findings.append(Finding(codes.EXTERNAL_LOCATION, where, fields))
        return False

    def inputs(
        self, proto: onnx.GraphProto, stored: dict[str, Value], symbols: Symbols, options: Options
    ) -> dict[str, Value]:
        """The declared inputs of the main graph, which are facts.

        An initializer that is an input too is only a default: callers may pass other values, and other sizes. Before
        IR version 4 every initializer had to be listed as an input, and is a constant all the same.
        """
        values: dict[str, Value] = {}
        where = Where()
        for given in proto.input:
            name: str = given.name
            if name in values:
                fields = {"value": name, "first": "a graph input of the same name"}
                self.findings.append(Finding(codes.DEFINED_TWICE, where, fields))
                continue
            if name in stored and self.ir_version < 4:
                continue
            kind = read_type(given.type, symbols, name, fact=True)
            if name in options.input_shapes and isinstance(kind, TensorType | None):
                kind = TensorType(kind.elem if kind else 0, options.input_shape(name, kind.shape if kind else None))
            values[name] = Value(name, kind, "input")
            self._check_ir(name, kind, where)
        return values

    def _check_ir(self, name: str, kind: ValueType | None, where: Where) -> None:
        elem = kind.elem if isinstance(kind, (TensorType, SparseTensorType)) else 0
        first = FIRST_IR.get(elem, 0)  # type: ignore[call-overload]  # an IntEnum's keys are ints
        if first > max(self.ir_version, 3):
            fields = {"value": name, "found": ElementType(elem), "first": first, "stated": self.ir_version}
            self.findings.append(Finding(codes.TYPE_IN_IR, where, fields))
