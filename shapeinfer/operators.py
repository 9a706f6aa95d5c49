"""Finds, for each node, its operator in the version that the model imports, with its signature and its rules."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeAlias

import onnx
from onnx import defs, helper

from shapeinfer import catalogue as codes
from shapeinfer import loader, registry, schema
from shapeinfer.diagnostics import Code, Finding, Where
from shapeinfer.signature import UNBOUNDED, Signature, signature
from shapeinfer.values import Node

Problem: TypeAlias = "tuple[Code, dict[str, object]]"


@dataclass(frozen=True, slots=True, eq=False)
class Operator:
    """One operator version with all that the engine knows of it.

    Attributes:
        memorable: whether nodes that are alike in inputs and attributes need not be inferred twice: the rule is one of
            our own, which ask the context for all that they use, and there are no inner graphs.
        tensors: whether an attribute is a tensor, which may be large.
    """

    signature: Signature
    rule: registry.Rule | None
    value_rule: registry.ValueRule | None
    random: bool
    memorable: bool = False
    tensors: bool = False


class Operators:
    """The operators that a model's graphs, or one of its functions, can name."""

    def __init__(self, imports: Iterable[onnx.OperatorSetIdProto], model: onnx.ModelProto) -> None:
        self._model = model
        self._imports = {("" if o.domain == "ai.onnx" else o.domain): o.version for o in imports}
        if not model.opset_import and model.ir_version < 3:
            self._imports[""] = 1  # operator sets came with IR version 3
        self._functions = {("" if f.domain == "ai.onnx" else f.domain, f.name, f.overload): f for f in model.functions}
        self._inside: dict[int, Operators] = {}
        self._found: dict[tuple[str, str], tuple[Operator | None, Problem | None]] = {}
        self._told: set[object] = set()

    def function(self, node: Node) -> onnx.FunctionProto | None:
        """The model-local function that a node calls, if it calls one."""
        return self._functions.get((node.domain, node.op, node.proto.overload)) if self._functions else None

    def inside(self, function: onnx.FunctionProto) -> Operators:
        """The operators that the body of a function can name: it has operator sets of its own."""
        found = self._inside.get(id(function))
        if found is None:
            found = self._inside[id(function)] = Operators(function.opset_import, self._model)
        return found

    def opset(self, domain: str) -> int | None:
        """The version of a domain's operator set that the model imports."""
        return self._imports.get(domain)

    def check_imports(self) -> list[Finding]:
        """What is wrong with the operator sets that the model imports."""
        findings = [
            Finding(codes.OPSET_INVALID, Where(), {"version": version, "domain": domain or "ai.onnx"})
            for domain, version in self._imports.items()
            if version < 1
        ]
        newest = defs.onnx_opset_version()
        opset = self._imports.get("", 0)
        if opset > newest:
            fields = {"version": opset, "domain": "ai.onnx", "installed": onnx.__version__, "newest": newest}
            findings.append(Finding(codes.OPSET_UNKNOWN, Where(), fields))
        needed = _ir_version_of(opset) if opset > 0 else None
        stated = self._model.ir_version
        if needed is not None and stated < needed:
            findings.append(
                Finding(codes.IR_VERSION_LOW, Where(), {"opset": opset, "needed": needed, "stated": stated})
            )
        return findings

    def find(self, node: Node) -> tuple[Operator | None, Problem | None]:
        """The operator of a node, and what there is to say about it; a missing operator set is told once."""
        key = (node.domain, node.op)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._look_up(node)
        operator, problem = found
        if problem is not None and problem[0] in (codes.NO_OPSET, codes.NO_DOMAIN, codes.NO_RULE, codes.UNKNOWN_DOMAIN):
            told = (problem[0].id, node.domain, node.op if problem[0] in (codes.NO_RULE, codes.UNKNOWN_DOMAIN) else "")
            if told in self._told:
                return operator, None
            self._told.add(told)
        return operator, problem

    def _look_up(self, node: Node) -> tuple[Operator | None, Problem | None]:
        domain, op = node.domain, node.op
        opset = self._imports.get(domain)
        if opset is None:
            if domain == "":
                return None, (codes.NO_OPSET, {"node": str(node)})
            return None, (codes.NO_DOMAIN, {"domain": domain})
        if opset < 1:
            return None, None
        found = schema.lookup(op, domain, opset)
        if found is None:
            since = registry.newest_rule(domain, op, opset)
            if since is not None:
                return _without_schema(domain, op, since), None
            return None, self._missing(domain, op, opset)
        key = (domain, op, found.since_version)
        rule = registry.find_rule(key)
        compiled = signature(found)
        kinds = {each.kind for each in compiled.attributes.values()}
        operator = Operator(
            compiled,
            rule,
            registry.find_value_rule(key),
            found.non_deterministic,
            memorable=_is_own(rule) and kinds.isdisjoint(_LARGE),
            tensors=not kinds.isdisjoint(_TENSOR),
        )
        if found.deprecated:
            return operator, (codes.DEPRECATED, {"op": op, "since": found.since_version, "opset": opset})
        if rule is None:
            return operator, (codes.NO_RULE, {"op": op})
        return operator, None

    def _missing(self, domain: str, op: str, opset: int) -> Problem:
        later = schema.versions(op, domain)
        if later:
            return codes.OPERATOR_TOO_NEW, {"op": op, "since": later[0], "opset": opset}
        names = {name for known, name, _ in schema.all_operators() if known == domain}
        if not names or domain not in _onnx_domains():
            return codes.UNKNOWN_DOMAIN, {"op": op, "domain": domain}
        close = difflib.get_close_matches(op, names, 1)
        suggestion = f"; did you mean {close[0]}?" if close else ""
        return codes.UNKNOWN_OPERATOR, {"op": op, "domain": domain or "ai.onnx", "suggestion": suggestion}


_TENSOR = (onnx.AttributeProto.TENSOR, onnx.AttributeProto.SPARSE_TENSOR)
_LARGE = (
    *(onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS),
    *(onnx.AttributeProto.TENSORS, onnx.AttributeProto.SPARSE_TENSORS),
)


def _is_own(rule: registry.Rule | None) -> bool:
    return rule is not None and rule.__module__.startswith(f"{loader.PACK}.")


def _without_schema(domain: str, op: str, since: int) -> Operator:
    """An operator of which there is a rule but no schema: any inputs, outputs and attributes are fine."""
    plain = signature(schema.OperatorSchema(domain=domain, name=op, since_version=since, open_attributes=True))
    key = (domain, op, since)
    open_ended = replace(plain, max_inputs=UNBOUNDED, max_outputs=UNBOUNDED)
    return Operator(open_ended, registry.find_rule(key), registry.find_value_rule(key), random=True)


def _onnx_domains() -> set[str]:
    return {"", "ai.onnx.ml", "ai.onnx.training", "ai.onnx.preview.training", "ai.onnx.preview"}


@cache
def _ir_version_of(opset: int) -> int | None:
    """The IR version that an operator set was released with."""
    return min((row[1] for row in helper.VERSION_TABLE if row[2] >= opset), default=None) if opset else None
