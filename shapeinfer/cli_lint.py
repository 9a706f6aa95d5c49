"""The command ``shapeinfer lint``, and what ``check`` shares with it: configuration and formats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer

from shapeinfer import config, formats, modelio, render
from shapeinfer.api import checked
from shapeinfer.cli_common import DimOption, RulesOption, ShapeOption, fail, pairs, print_problem
from shapeinfer.config import Config, ConfigError
from shapeinfer.diagnostics import Severity
from shapeinfer.lint import Policy, SelectorError, lint
from shapeinfer.lint.fix import Repaired, UnverifiedError, diff, repair
from shapeinfer.lint.policy import for_file
from shapeinfer.modelio import ModelError
from shapeinfer.options import OptionError, Options
from shapeinfer.report import Diagnostic, Report

SelectOption = Annotated[
    list[str],
    typer.Option("--select", metavar="CODES", help="Only these codes, beginnings or names; commas or repeat."),
]
IgnoreOption = Annotated[
    list[str], typer.Option("--ignore", metavar="CODES", help="Not these codes, beginnings or names.")
]
SeverityOption = Annotated[
    list[str],
    typer.Option(
        "--severity",
        metavar="LEVEL|CODE=LEVEL",
        help="The least severity to show (note, warning, error), or another one for a code. May repeat.",
    ),
]
ConfigOption = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="Read [tool.shapeinfer] here; default: the nearest pyproject.toml."),
]
FormatOption = Annotated[
    str, typer.Option("--format", metavar="|".join(formats.FORMATS), help="How to print the report.")
]


_FINDINGS_ALONE: Mapping[str, object] = {"inputs": (), "outputs": (), "requirements": ()}


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(name="lint")(lint_models)


def lint_models(
    models: Annotated[list[Path], typer.Argument(metavar="MODEL...", help="One or more .onnx files.")],
    select: SelectOption = [],  # noqa: B006 - typer copies defaults
    ignore: IgnoreOption = [],  # noqa: B006
    severity: SeverityOption = [],  # noqa: B006
    fix: Annotated[
        bool, typer.Option("--fix", help="Repair what can be repaired safely, and verify it by runs.")
    ] = False,
    show_diff: Annotated[
        bool, typer.Option("--diff", help="Show what --fix would change, and change nothing.")
    ] = False,
    dim: DimOption = [],  # noqa: B006
    shape: ShapeOption = [],  # noqa: B006
    rules: RulesOption = [],  # noqa: B006
    config_file: ConfigOption = None,
    format: FormatOption = "text",
) -> None:
    """Lint models: where dynamic shapes break, and what is right but unwise. Exit status 1 for errors and warnings."""
    require_format(format)
    reports: list[Report] = []
    unreadable = False
    for model in models:
        settings = settings_for(model, config_file)
        policy = policy_for(model, settings, select, ignore, severity)
        facts = {**settings.dims, **pairs(dim, "--dim")}
        packs = (*settings.rules, *map(str, rules))
        if fix or show_diff:
            options = Options(dims=facts, input_shapes=pairs(shape, "--shape"), rules=packs)
            _repair(model, options, policy, write=fix and not show_diff, quiet=format != "text")
            if show_diff:
                continue
        report, readable = checked(
            str(model), dims=facts, input_shapes=pairs(shape, "--shape"), rules=packs, policy=policy
        )
        unreadable |= not readable
        if not select:
            report = report.model_copy(update={"diagnostics": tuple(_without_notes(report))})
        reports.append(report if format != "text" else report.model_copy(update=_FINDINGS_ALONE))
    if not show_diff:
        show(format, reports, values=False, strict=True)
    if unreadable:
        raise typer.Exit(2)
    found = [each.severity for report in reports for each in (*report.diagnostics, *report.lints)]
    raise typer.Exit(1 if Severity.ERROR in found or Severity.WARNING in found else 0)


def _without_notes(report: Report) -> Iterator[Diagnostic]:
    """The findings of the check that matter to a linter too: its notes are for those who ask for them."""
    return (each for each in report.diagnostics if each.severity is not Severity.NOTE)


def require_format(format: str) -> None:
    """Ends the command for a format that there is not."""
    if format not in formats.FORMATS:
        raise fail(f"--format {format}: there are {', '.join(formats.FORMATS[:-1])} and {formats.FORMATS[-1]}")


def show(format: str, reports: list[Report], *, values: bool, strict: bool = False) -> None:
    """Prints reports; ``strict`` when warnings make the command fail."""
    if format != "text":
        typer.echo(formats.render(format, reports))
        return
    for report in reports:
        render.report(report, values=values, strict=strict)


def settings_for(model: Path, config_file: Path | None) -> Config:
    """The configuration for a model."""
    try:
        return config.load(model, config_file)
    except ConfigError as error:
        raise fail(str(error)) from None


def policy_for(model: Path, settings: Config, select: list[str], ignore: list[str], severity: list[str]) -> Policy:
    """What the configuration and the options want to see of a model; the options come last."""
    levels: dict[str, Severity] = dict(settings.severity)
    least = Severity.NOTE
    for text in severity:
        selector, sign, level = text.rpartition("=")
        if level not in list(Severity):
            raise fail(f"--severity {text}: write it as note, warning or error, or as CODE=LEVEL")
        if sign:
            levels[selector] = Severity(level)
        else:
            least = Severity(level)
    policy = Policy(
        select=_listed(select) or settings.select,
        ignore=(*settings.ignore, *for_file(settings.per_file_ignores, str(model)), *_listed(ignore)),
        severities=levels,
        least=least,
    )
    try:
        policy.validate()
    except SelectorError as error:
        raise fail(str(error)) from None
    return policy


def _listed(texts: list[str]) -> tuple[str, ...]:
    return tuple(part.strip() for text in texts for part in text.split(",") if part.strip())


def _repair(model: Path, options: Options, policy: Policy, *, write: bool, quiet: bool) -> None:
    """Repairs a model file, or shows how it would be repaired."""
    try:
        before = modelio.load(str(model))
        with modelio.text_checked(before):
            found = repair(
                before,
                options,
                lambda analysis: policy.lints(lint(analysis, policy.wants), analysis.model),
                modelio.base_directory(str(model)),
            )
            if found.titles and write:
                modelio.save(found.model, model)
    except ModelError as error:
        print_problem(error)
        raise typer.Exit(2) from None
    except OptionError as error:
        raise fail(str(error)) from None
    except UnverifiedError as error:
        typer.echo(f"{model}: nothing was repaired: {error}", err=True)
        return
    if not write:
        text = diff(before, found.model, str(model))
        typer.echo(text, nl=bool(text) and not text.endswith("\n"))
    elif not quiet and found.titles:
        _tell(model, found)


def _tell(model: Path, found: Repaired) -> None:
    counts: Mapping[str, int] = {title: found.titles.count(title) for title in found.titles}
    for title in counts:
        typer.echo(f"{model}: {title}")
    how = f"the same outputs in {found.runs} runs" if found.runs else "the same nodes and numbers as before"
    count = len(found.titles)
    typer.echo(f"{model}: {count} repair{'' if count == 1 else 's'} written; {how}")
