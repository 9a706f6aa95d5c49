"""Reports and codes as text for a terminal."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

import numpy as np
import onnx
from rich.console import Console
from rich.text import Text

from shapeinfer.catalogue import example
from shapeinfer.diagnostics import Code, Severity
from shapeinfer.report import Condition, Diagnostic, Report, ValueReport

if TYPE_CHECKING:
    from shapeinfer.verify import VerifyReport

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}
_VALUE_LIMIT = 40
_NOTE_LIMIT = 20
_FIELD = re.compile(r"\{(\w+)\}")


def _plain(text: str) -> str:
    """Text of a model without characters that steer a terminal."""
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def console(*, stderr: bool = False) -> Console:
    """The console that everything is printed to; plain text when it is no terminal."""
    return Console(highlight=False, markup=False, emoji=False, soft_wrap=True, stderr=stderr)


def report(report: Report, *, values: bool, strict: bool = False) -> None:
    """Prints a report: inputs and outputs, requirements, findings, and a line that sums up.

    ``strict`` is for a command that warnings make fail.
    """
    out = console()
    if report.model:
        out.print(Text(_plain(report.model), style="bold"))
    _types(out, "input", report.inputs)
    _types(out, "output", report.outputs)
    if values:
        given = {v.name for v in (*report.inputs, *report.outputs)}
        _types(out, "value", tuple(v for v in report.values.values() if v.name not in given), limit=None)
    _requirements(out, report.requirements)
    _symbols(out, report)
    notes = 0
    for found in (*report.diagnostics, *report.lints):
        notes += found.severity is Severity.NOTE
        if found.severity is not Severity.NOTE or notes <= _NOTE_LIMIT:
            _finding(out, found)
    if notes > _NOTE_LIMIT:
        out.print(Text(f"\n… and {notes - _NOTE_LIMIT} more notes (--format json has them all)", style="dim"))
    text = summary(report, strict=strict)
    out.print(Text(f"\n{text}", style="bold green" if text.startswith("ok") else "bold red"))


def summary(report: Report, *, strict: bool = False) -> str:
    """``ok; 1 warning``, ``2 errors, 1 note``; nothing with a warning is ok to ``strict``."""
    every = [found.severity for found in (*report.diagnostics, *report.lints)]
    ok = report.ok and not (strict and Severity.WARNING in every)
    counts = [
        f"{every.count(severity)} {severity}{'' if every.count(severity) == 1 else 's'}"
        for severity in (Severity.ERROR, Severity.WARNING, Severity.NOTE)
        if severity in every
    ]
    known = sum(value.shape is not None for value in report.values.values())
    text = f"{known} of {len(report.values)} shapes known" if report.values else ""
    return "; ".join(filter(None, ["ok" if ok else "", ", ".join(counts), text]))


def _types(out: Console, kind: str, values: tuple[ValueReport, ...], limit: int | None = _VALUE_LIMIT) -> None:
    for value in values[:limit]:
        out.print(Text.assemble((f"  {kind:7}", "dim"), _plain(value.name), ": ", (_plain(value.type), "green")))
    if limit is not None and len(values) > limit:
        out.print(Text(f"  … and {len(values) - limit} more {kind}s", style="dim"))


def _requirements(out: Console, conditions: tuple[Condition, ...]) -> None:
    for condition in conditions[:_VALUE_LIMIT]:
        out.print(
            Text.assemble(
                ("  needs  ", "dim"), (_plain(condition.condition), "magenta"), (f"   {_plain(condition.where)}", "dim")
            )
        )
    if len(conditions) > _VALUE_LIMIT:
        out.print(Text(f"  … and {len(conditions) - _VALUE_LIMIT} more conditions", style="dim"))


def _symbols(out: Console, report: Report) -> None:
    shown = " ".join(value.type for value in (*report.inputs, *report.outputs))
    for name, origin in report.symbols.items():
        if name in shown and "made by" in origin:
            out.print(Text.assemble(("  where  ", "dim"), (_plain(name), "green"), (f" is {_plain(origin)}", "dim")))


def _finding(out: Console, found: Diagnostic) -> None:
    out.print(Text.assemble("\n", (f"{found.severity} {found.code}", _STYLES[found.severity]), f" {found.name}"))
    out.print(Text(_plain(f"  {found.where}: {found.message}")))
    for source in found.sources:
        out.print(Text(_plain(f"    {source}"), style="dim"))
    if found.hint:
        out.print(Text.assemble(("  hint: ", "bold"), _plain(found.hint)))


def problem(found: Diagnostic) -> None:
    """Prints why a command cannot do its work."""
    out = console(stderr=True)
    out.print(Text.assemble((f"{found.severity} {found.code}", _STYLES[found.severity]), f" {found.name}"))
    out.print(Text(_plain(f"  {found.message}")))
    if found.hint:
        out.print(Text.assemble(("  hint: ", "bold"), _plain(found.hint)))


def code(code: Code) -> None:
    """Prints a code of the catalogue with its explanation and examples."""
    out = console()
    out.print(Text.assemble((f"{code.id} {code.name}", "bold"), f" ({code.severity})\n"))
    out.print(Text(code.explanation))
    if code.hint:
        out.print(Text.assemble(("\nWhat to do: ", "bold"), _FIELD.sub(r"<\1>", code.hint)))
    for title, text in (("Bad", code.bad), ("Good", code.good)):
        if text:
            out.print(Text(f"\n{title}", style="bold"))
            out.print(Text(textwrap.indent(example(text), "  ")))


def array(kind: str, name: str, value: object) -> None:
    """Prints an array in a line or two: type, shape, and the range of its numbers."""
    out = console()
    if not isinstance(value, np.ndarray):
        out.print(Text.assemble((f"  {kind:7}", "dim"), _plain(name), f": {type(value).__name__}"))
        return
    line = Text.assemble((f"  {kind:7}", "dim"), _plain(name), ": ", (f"{value.dtype}{list(value.shape)}", "green"))
    if value.size and value.dtype.kind in "biuf":
        numbers = value.astype(np.float64)
        line.append(f"  min {numbers.min():.6g}, mean {numbers.mean():.6g}, max {numbers.max():.6g}", style="dim")
    out.print(line)
    if 0 < value.size <= 16:
        out.print(Text("    " + np.array2string(value, separator=", ").replace("\n", "\n    "), style="dim"))


def coverage(model: onnx.ModelProto) -> tuple[int, int]:
    """How many values that nodes make have a shape in the model, and how many there are."""
    shaped = {
        v.name
        for v in [*model.graph.value_info, *model.graph.output]
        if v.type.HasField("tensor_type") and v.type.tensor_type.HasField("shape")
    }
    made = {name for node in model.graph.node for name in node.output if name}
    return len(made & shaped), len(made)


def verification(found: VerifyReport) -> None:
    """Prints what came of the runs of ``shapeinfer verify``."""
    out = console()
    out.print(Text(_plain(found.model), style="bold"))
    for run in found.runs:
        sizes = ", ".join(f"{name}={size}" for name, size in run.sizes.items())
        line = Text.assemble((f"  {run.outcome:8}", "green" if run.outcome == "done" else "yellow"), _plain(sizes))
        if run.outcome == "done":
            line.append(f"{'  ' if sizes else ''}{run.compared} values compared", style="dim")
        out.print(line)
        if run.reason:
            out.print(Text(_plain(f"    {run.code} {run.reason}" if run.code else f"    {run.reason}"), style="dim"))
        if run.undecided:
            out.print(Text(_plain(f"    not decided: {', '.join(run.undecided)}"), style="dim"))
    for wrong in found.mismatches:
        out.print(Text.assemble("\n", (f"error {wrong.code}", _STYLES[Severity.ERROR]), f" {wrong.kind}"))
        out.print(Text(_plain(f"  {wrong.where}: {wrong.message}")))
        if wrong.model:
            out.print(Text(_plain(f"    the smallest model that shows it: {wrong.model}"), style="dim"))
    done = sum(run.outcome == "done" for run in found.runs)
    compared = max((run.compared for run in found.runs), default=0)
    if compared == 0:
        came = "nothing was compared"
    elif found.mismatches:
        came = f"{compared} values, {len(found.mismatches)} of them wrong"
    else:
        came = f"{compared} values as inferred"
    text = f"{'ok: ' if found.ok else ''}{done} of {len(found.runs)} runs reached the end; {came}"
    out.print(Text(f"\n{text}", style="bold green" if found.ok else "bold red"))
