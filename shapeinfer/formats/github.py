"""Annotations for GitHub Actions: workflow commands, a line each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shapeinfer.diagnostics import Severity
from shapeinfer.report import Diagnostic, Report

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_IN_TEXT = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_PROPERTY = {**_IN_TEXT, ":": "%3A", ",": "%2C"}


def render(reports: Sequence[Report]) -> str:
    """A workflow command for each finding, the most severe first: GitHub shows only the first few of a step."""
    order = list(_COMMANDS)
    found = [(report.model, each) for report in reports for each in (*report.diagnostics, *report.lints)]
    return "\n".join(_lines(sorted(found, key=lambda pair: order.index(pair[1].severity))))


def _lines(found: Sequence[tuple[str, Diagnostic]]) -> Iterator[str]:
    for model, each in found:
        title = f"{each.code} {each.name}"
        text = "\n".join(part for part in (f"{each.where}: {each.message}", each.hint) if part)
        properties = f"file={_escaped(model, _IN_PROPERTY)},title={_escaped(title, _IN_PROPERTY)}"
        yield f"::{_COMMANDS[each.severity]} {properties}::{_escaped(text, _IN_TEXT)}"


def _escaped(text: str, table: dict[str, str]) -> str:
    return "".join(table.get(character, character) for character in text)
