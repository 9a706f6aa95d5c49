"""Reports in the formats that other programs read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shapeinfer.formats import github, junit, sarif
from shapeinfer.report import Report

FORMATS: tuple[str, ...] = ("text", "json", "sarif", "github", "junit")
"""The names of all formats."""


def render_json(reports: Sequence[Report]) -> str:
    """The report as JSON; a list for more than one model."""
    if len(reports) == 1:
        return reports[0].model_dump_json(indent=2)
    return "[" + ",\n".join(report.model_dump_json(indent=2) for report in reports) + "]"


_WRITERS: dict[str, Callable[[Sequence[Report]], str]] = {
    "json": render_json,
    "sarif": sarif.render,
    "github": github.render,
    "junit": junit.render,
}


def render(format: str, reports: Sequence[Report]) -> str:
    """The reports as text in a format other than ``text``."""
    return _WRITERS[format](reports)


__all__ = ["FORMATS", "render"]
