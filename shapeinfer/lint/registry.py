"""The registry of lints: each is a function that looks at a graph and yields what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import onnx

from shapeinfer.diagnostics import Code, Finding, Severity
from shapeinfer.lint.view import View
from shapeinfer.values import Node


@dataclass(frozen=True, slots=True)
class Fix:
    """A repair: ``apply`` changes a copy of the model.

    ``names`` are the values that it is about: of several repairs about one value only the first is made at a time.
    """

    title: str
    apply: Callable[[onnx.ModelProto], None]
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Lint:
    """A finding of a lint, with a repair where there is a safe one, and the node to look at for suppressions."""

    finding: Finding
    fix: Fix | None = None
    node: Node | None = None
    value: str = ""
    """The input or initializer that it is about, where it is about no node."""

    def as_severe_as(self, severity: Severity) -> Lint:
        """The same finding with another severity."""
        return replace(self, finding=replace(self.finding, softened=severity))


Check: TypeAlias = "Callable[[View], Iterator[Lint]]"


@dataclass(frozen=True, slots=True)
class Rule:
    """A lint: its codes, and the function that looks for them.

    ``everywhere`` says that it looks at inner graphs too; the others look at the main graph alone.
    """

    codes: tuple[Code, ...]
    check: Check
    everywhere: bool


_rules: list[Rule] = []


def lint(*codes: Code, everywhere: bool = False) -> Callable[[Check], Check]:
    """Registers a lint function for these codes."""

    def register(check: Check) -> Check:
        _rules.append(Rule(codes, check, everywhere))
        return check

    return register


def rules() -> list[Rule]:
    """Every registered lint."""
    return _rules


def found(
    view: View,
    code: Code,
    node: Node | None = None,
    *,
    fix: Fix | None = None,
    about: str = "",
    sources: tuple[str, ...] = (),
    softened: Severity | None = None,
    **fields: object,
) -> Lint:
    """A finding at a node, or about a value of the graph."""
    if node is not None:
        fields = {"op": node.op, **fields}
    return Lint(Finding(code, view.place(node), fields, sources, softened), fix, node, about)
