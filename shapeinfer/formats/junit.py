"""JUnit XML, which most continuous integration servers show."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from shapeinfer.diagnostics import Severity
from shapeinfer.report import Diagnostic, Report

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(reports: Sequence[Report]) -> str:
    """A suite for each model, a failed case for each error and warning; notes go to the suite's output."""
    suites = ElementTree.Element("testsuites", name="shapeinfer")
    totals = [_suite(suites, report) for report in reports]
    suites.set("tests", str(sum(tests for tests, _ in totals)))
    suites.set("failures", str(sum(failures for _, failures in totals)))
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode")


def _suite(suites: ElementTree.Element, report: Report) -> tuple[int, int]:
    every = (*report.diagnostics, *report.lints)
    failing = [found for found in every if found.severity is not Severity.NOTE]
    notes = [found for found in every if found.severity is Severity.NOTE]
    tests = max(len(failing), 1)
    suite = ElementTree.SubElement(
        suites,
        "testsuite",
        name=_plain(report.model),
        tests=str(tests),
        failures=str(len(failing)),
        errors="0",
        skipped="0",
    )
    for found in failing:
        case = ElementTree.SubElement(suite, "testcase", classname=_plain(report.model), name=_plain(_title(found)))
        failure = ElementTree.SubElement(case, "failure", type=found.severity.value, message=_plain(found.message))
        failure.text = _plain("\n".join(part for part in (found.where, *found.sources, found.hint) if part))
    if not failing:
        ElementTree.SubElement(suite, "testcase", classname=_plain(report.model), name="check")
    if notes:
        ElementTree.SubElement(suite, "system-out").text = _plain("\n".join(map(str, notes)))
    return tests, len(failing)


def _title(found: Diagnostic) -> str:
    return f"{found.code} {found.name} at {found.where}"


def _plain(text: str) -> str:
    """Text without the characters that XML has no way to write."""
    return _NOT_XML.sub(lambda match: ascii(match[0])[1:-1], text)
