"""Which findings somebody wants to see, and how severe they are to them."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import onnx

from shapeinfer.diagnostics import Finding, Severity, defined_codes
from shapeinfer.lint.registry import Lint

IGNORE_KEY = "shapeinfer.ignore"
"""The key of ``metadata_props`` that suppresses findings at a node, an input, an initializer, a graph or a model."""
_ALL = ("all", "*")
_LEVELS = (Severity.NOTE, Severity.WARNING, Severity.ERROR)


class SelectorError(ValueError):
    """A selector that no code answers to; the message says so."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What to show.

    Selectors are codes (``L603``), their beginnings (``L6``), names (``hard-coded-reshape``) or ``all``. A code is
    shown when one of ``select`` fits and none of ``ignore`` does; the errors of a check cannot be ignored.

    Attributes:
        severities: the severity of the codes that a selector fits; later ones win.
        least: findings milder than this are not shown.
    """

    select: tuple[str, ...] = ("all",)
    ignore: tuple[str, ...] = ()
    severities: Mapping[str, Severity] = field(default_factory=dict)
    least: Severity = Severity.NOTE

    def validate(self) -> None:
        """Looks whether every selector fits some code.

        Raises:
            SelectorError: when one does not.
        """
        for selector in (*self.select, *self.ignore, *self.severities):
            if not any(fits(selector, code.id, code.name) for code in defined_codes().values()):
                raise SelectorError(
                    f"no code is called {selector} or begins with it; 'shapeinfer explain all' lists them"
                )

    def wants(self, id: str, name: str) -> bool:
        """Whether a code is shown at all."""
        chosen = any(fits(each, id, name) for each in self.select)
        return chosen and not any(fits(each, id, name) for each in self.ignore)

    def lints(self, lints: Iterable[Lint], model: onnx.ModelProto) -> Iterator[Lint]:
        """The lints to show, each as severe as wanted; suppressed ones are left out."""
        suppressed = Suppressions(model)
        for each in lints:
            code = each.finding.code
            if not self.wants(code.id, code.name) or suppressed.covers(each):
                continue
            severity = self.severity(each.finding)
            each = each if severity is each.finding.severity else each.as_severe_as(severity)
            if _LEVELS.index(severity) >= _LEVELS.index(self.least):
                yield each

    def findings(self, findings: Iterable[Finding], model: onnx.ModelProto) -> Iterator[Finding]:
        """The findings of a check to show: errors always, the others as lints."""
        suppressed = Suppressions(model)
        nodes = model.graph.node
        for each in findings:
            if each.severity is Severity.ERROR:
                yield each
                continue
            where = each.where
            node = nodes[where.index] if where.index is not None and not where.path else None
            if not self.wants(each.code.id, each.code.name) or suppressed.hides(each.code.id, each.code.name, node):
                continue
            severity = self.severity(each)
            if _LEVELS.index(severity) >= _LEVELS.index(self.least):
                yield each if severity is each.severity else replace(each, softened=severity)

    def severity(self, finding: Finding) -> Severity:
        """How severe a finding is to whoever made this policy."""
        found = finding.severity
        for selector, severity in self.severities.items():
            if fits(selector, finding.code.id, finding.code.name):
                found = severity
        return found


def fits(selector: str, id: str, name: str) -> bool:
    """Whether a selector means a code."""
    if selector.lower() in _ALL:
        return True
    return selector.lower() == name or (
        bool(re.fullmatch(r"[A-Za-z]\d*", selector)) and id.startswith(selector.upper())
    )


class Suppressions:
    """What a model itself says is to be ignored, in ``metadata_props``."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self._everywhere = (*_selectors(model), *_selectors(model.graph))
        self._values: dict[str, tuple[str, ...]] = {}
        for values in (model.graph.input, model.graph.output, model.graph.value_info, model.graph.initializer):
            for each in values:
                if each.metadata_props:
                    self._values[each.name] = _selectors(each)

    def covers(self, lint: Lint) -> bool:
        """Whether a lint is suppressed."""
        node = lint.node.proto if lint.node is not None else None
        return self.hides(lint.finding.code.id, lint.finding.code.name, node, lint.value)

    def hides(self, id: str, name: str, node: onnx.NodeProto | None, value: str = "") -> bool:
        """Whether a code is suppressed at a node or a value."""
        own = _selectors(node) if node is not None and node.metadata_props else ()
        return any(fits(each, id, name) for each in (*self._everywhere, *own, *self._values.get(value, ())))


def _selectors(proto: object) -> tuple[str, ...]:
    props = proto.metadata_props  # type: ignore[attr-defined]  # one of several messages
    texts = [each.value for each in props if each.key == IGNORE_KEY]
    return tuple(part for text in texts for part in re.split(r"[\s,]+", text) if part)


def for_file(ignores: Mapping[str, tuple[str, ...]], path: str) -> tuple[str, ...]:
    """The selectors that are ignored for a file, by the patterns that fit its path or its name."""
    name = path.replace("\\", "/").rpartition("/")[2]
    return tuple(
        selector
        for pattern, selectors in ignores.items()
        if fnmatch.fnmatch(path, pattern) or fnmatch.fnmatch(name, pattern)
        for selector in selectors
    )
