"""Lints about operator sets, and what stands in the way of newer ones."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import onnx
from onnx import defs

from shapeinfer import catalogue as codes
from shapeinfer import schema
from shapeinfer.diagnostics import Severity
from shapeinfer.lint.registry import Fix, Lint, found, lint
from shapeinfer.lint.view import View, attribute, inner_graphs, plural
from shapeinfer.values import Node


@lint(codes.IMPORTED_TWICE)
def imported_twice(view: View) -> Iterator[Lint]:
    """Domains that the model imports more than once."""
    versions: dict[str, list[int]] = {}
    for each in view.analysis.model.opset_import:
        versions.setdefault(_plain(each.domain), []).append(each.version)
    for domain, stated in versions.items():
        if len(stated) > 1:
            softened = Severity.NOTE if len(set(stated)) == 1 else None
            yield found(view, codes.IMPORTED_TWICE, softened=softened, domain=domain or "ai.onnx", versions=stated)


def _plain(domain: str) -> str:
    return "" if domain == "ai.onnx" else domain


def _domains(nodes: object) -> Iterator[str]:
    for node in nodes:  # type: ignore[attr-defined]  # a repeated field has no public type
        yield _plain(node.domain)
        for inner in inner_graphs(node):
            yield from _domains(inner.node)


@lint(codes.UNUSED_IMPORT)
def unused_import(view: View) -> Iterator[Lint]:
    """Domains that the model imports and no node uses."""
    model = view.analysis.model
    used = {"", *_domains(view.graph.node), *(d for f in model.functions for d in _domains(f.node))}
    for each in model.opset_import:
        domain = _plain(each.domain)
        if domain not in used:
            yield found(view, codes.UNUSED_IMPORT, fix=_drop_import(each.domain), domain=domain)


def _drop_import(domain: str) -> Fix:
    def apply(model: onnx.ModelProto) -> None:
        kept = [each for each in model.opset_import if each.domain != domain]
        del model.opset_import[:]
        model.opset_import.extend(kept)

    return Fix(f"do not import domain '{domain}'", apply, frozenset({f"import {domain}"}))


@lint(codes.FUNCTION_OPSET)
def function_opset(view: View) -> Iterator[Lint]:
    """Functions that import another version of a domain than the model does."""
    for function in view.analysis.model.functions:
        used = set(_domains(function.node))
        for each in function.opset_import:
            domain = _plain(each.domain)
            outer = view.opsets.get(domain)
            if domain in used and outer is not None and outer != each.version:
                fields: dict[str, Any] = {"inner": each.version, "outer": outer, "domain": domain or "ai.onnx"}
                yield found(view, codes.FUNCTION_OPSET, function=function.name, **fields)


@lint(codes.BLOCKS_UPGRADE)
def blocks_upgrade(view: View) -> Iterator[Lint]:
    """Operators that the newest operator set no longer has, or has without an attribute that is used."""
    newest = defs.onnx_opset_version()
    if view.opsets.get("", newest) >= newest:
        return
    users: dict[tuple[str, str], list[Node]] = {}
    for node in view.nodes:
        if not node.domain:
            stated = tuple(sorted(a.name for a in node.proto.attribute))
            for reason in _obstacles(node.op, view.version(node), stated, newest):
                users.setdefault((node.op, reason), []).append(node)
    for (_, reason), nodes in users.items():
        yield found(view, codes.BLOCKS_UPGRADE, nodes[0], count=plural(len(nodes), "node"), reason=reason)


@cache
def _obstacles(op: str, version: int | None, stated: tuple[str, ...], newest: int) -> tuple[str, ...]:
    here, there = schema.lookup(op, "", version), schema.lookup(op, "", newest)
    if here is None or there is None:
        return ()
    if there.deprecated:
        return (f"is deprecated since opset {there.since_version}",)
    stated = tuple(name for name in stated if name in {each.name for each in here.attributes})  # else told by check
    known = {each.name for each in there.attributes}
    inputs = {each.name for each in there.inputs}
    moved = [name for name in stated if name not in known and name in inputs]
    gone = [name for name in stated if name not in known and name not in inputs]
    reasons = []
    if moved:
        reasons.append(f"{_named(moved)}, which opset {newest} takes as {'an input' if len(moved) == 1 else 'inputs'}")
    if gone:
        reasons.append(f"{_named(gone)}, which opset {newest} no longer has")
    return tuple(reasons)


def _named(attributes: list[str]) -> str:
    return f"has attribute{'' if len(attributes) == 1 else 's'} {', '.join(map(repr, attributes))}"


@lint(codes.NEGATIVE_AXIS, everywhere=True)
def negative_axis(view: View) -> Iterator[Lint]:
    """Negative axes in operator versions that count from the front only."""
    told = {f.where for f in view.analysis.findings if f.code is codes.AXIS_NEGATIVE}
    for node in view.nodes:
        if node.domain:
            continue
        for name in ("axis", "axes"):
            stated = attribute(node, name)
            numbers = [] if stated is None else list(stated.ints) or [stated.i]
            if not numbers or min(numbers) >= 0:
                continue
            version = view.version(node)
            if version is None or _allows_negative(node.op, version, name) or view.place(node) in told:
                continue
            later = [v for v in schema.versions(node.op) if v > version and _allows_negative(node.op, v, name)]
            allowed = f"version {later[0]} does" if later else "no version does"
            value = numbers if name == "axes" else numbers[0]
            fields: dict[str, Any] = {"attribute": name, "value": value, "version": version, "allowed": allowed}
            yield found(view, codes.NEGATIVE_AXIS, node, **fields)


@cache
def _allows_negative(op: str, version: int, name: str) -> bool:
    """Whether the specification of this version speaks of negative numbers for the attribute."""
    there = schema.lookup(op, "", version)
    if there is None:
        return True
    text = next((each.description for each in there.attributes if each.name == name), "")
    words = text.lower().replace(" ", "")
    default = next((each.default for each in there.attributes if each.name == name), None)
    return "negative" in words or "[-r" in words or "back" in words or (type(default) is int and default < 0)
