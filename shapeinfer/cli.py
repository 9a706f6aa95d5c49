"""The command line: ``shapeinfer check | lint | infer | run | verify | schema | diff | explain``.

Exit status: 0 when all is well, 1 when the model has errors or a run failed, 2 when the command cannot do its work
(no such file, not a model, a bad option).
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated

import onnx
import typer

import shapeinfer
from shapeinfer import cli_contract, cli_lint, cli_run, modelio, render
from shapeinfer.api import checked, inferred
from shapeinfer.cli_common import (
    DimOption,
    ModelArgument,
    RulesOption,
    ShapeOption,
    fail,
    pairs,
    print_problem,
    tell_unknown_dims,
)
from shapeinfer.diagnostics import defined_codes
from shapeinfer.loader import RulePackError
from shapeinfer.modelio import ModelError
from shapeinfer.options import OptionError, Options

app = typer.Typer(
    name="shapeinfer",
    help="Symbolic shape inference and type checking for ONNX models.",
    epilog="Exit status: 0 all is well, 1 the model has errors (lint: or warnings) or a run failed, "
    "2 the command could not do its work.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Symbolic shape inference and type checking for ONNX models."""
    if version:
        typer.echo(f"shapeinfer {shapeinfer.__version__} (onnx {onnx.__version__})")
        raise typer.Exit


@app.command()
def check(
    model: ModelArgument,
    dim: DimOption = [],  # noqa: B006 - typer copies defaults
    shape: ShapeOption = [],  # noqa: B006
    rules: RulesOption = [],  # noqa: B006
    format: cli_lint.FormatOption = "text",
    lint: Annotated[bool, typer.Option("--lint/--no-lint", help="Whether to lint as well.")] = True,
    config_file: cli_lint.ConfigOption = None,
    values: Annotated[bool, typer.Option("--values", help="Also list every value with its type and shape.")] = False,
    against: cli_contract.AgainstOption = None,
    require: cli_contract.RequireOption = [],  # noqa: B006
    witnesses: cli_contract.WitnessOption = None,
) -> None:
    """Check a model: names, types, shapes and declared types, all findings at once, and lint it.

    With --against or --require, also whether it runs for the sizes that are asked for.
    """
    cli_lint.require_format(format)
    settings = cli_lint.settings_for(model, config_file)
    report, readable = checked(
        str(model),
        dims={**settings.dims, **pairs(dim, "--dim")},
        input_shapes=pairs(shape, "--shape"),
        rules=[*settings.rules, *map(str, rules)],
        lint=lint and settings.lint,
        policy=cli_lint.policy_for(model, settings, [], [], []),
    )
    if readable:
        tell_unknown_dims(model, pairs(dim, "--dim"), shape, report.symbols)
    asked = cli_contract.asked_of(report, against, require)
    report = report.with_diagnostics(cli_contract.findings_of(asked, against))
    cli_lint.show(format, [report], values=values)
    if readable and witnesses is not None:
        options = Options(dims=pairs(dim, "--dim"), input_shapes=pairs(shape, "--shape"), rules=tuple(map(str, rules)))
        cli_contract.run_witnesses(model, options, witnesses, aside=format != "text")
    if not readable:
        raise typer.Exit(2)
    raise typer.Exit(0 if report.ok else 1)


@app.command()
def infer(
    model: ModelArgument,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="Where to write the annotated model.")],
    dim: DimOption = [],  # noqa: B006
    shape: ShapeOption = [],  # noqa: B006
    rules: RulesOption = [],  # noqa: B006
    strict: Annotated[bool, typer.Option("--strict", help="Write nothing when the model has errors.")] = False,
) -> None:
    """Write the model with the type and shape of every value in it, also when it has errors (exit status 1)."""
    try:
        annotated, report = inferred(
            str(model),
            dims=pairs(dim, "--dim"),
            input_shapes=pairs(shape, "--shape"),
            rules=[str(r) for r in rules],
        )
        if strict and not report.ok:
            render.report(report, values=False)
            raise typer.Exit(1)
        modelio.save(annotated, output)
    except ModelError as error:
        print_problem(error)
        raise typer.Exit(2) from None
    except (OptionError, RulePackError) as error:
        raise fail(str(error)) from None
    tell_unknown_dims(model, pairs(dim, "--dim"), shape, report.symbols)
    known, total = render.coverage(annotated)
    typer.echo(f"{output}: shapes of {known} of {total} values written")
    if not report.ok:
        typer.echo(f"{model}: {render.summary(report)}; 'shapeinfer check' tells them", err=True)
        raise typer.Exit(1)


app.command()(cli_run.run)
app.command()(cli_run.verify)
cli_lint.register(app)
cli_contract.register(app)


@app.command()
def explain(code: Annotated[str, typer.Argument(metavar="CODE", help="A code or its name; 'all' lists them.")]) -> None:
    """Explain a code: what it means, with a bad and a good example."""
    found = defined_codes()
    if code == "all":
        for each in sorted(found.values(), key=lambda c: c.id):
            typer.echo(f"{each.id}  {each.severity:8} {each.name}")
        return
    wanted = next((c for c in found.values() if code.upper() == c.id or code.lower() == c.name), None)
    if wanted is None:
        raise fail(f"there is no code {code}; 'shapeinfer explain all' lists them")
    render.code(wanted)


@app.command()
def schema(
    operator: Annotated[str, typer.Argument(metavar="OPERATOR", help="An operator: Squeeze, ai.onnx.ml.Scaler.")],
    version: Annotated[
        int | None, typer.Option("--version", metavar="N", help="An opset version; default: the latest.")
    ] = None,
    domain: Annotated[str, typer.Option("--domain", help="The operator's domain; default: ai.onnx.")] = "",
    json_: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show an operator's inputs, outputs, attributes and type constraints in one version."""
    from shapeinfer.schema import UnknownOperatorError, UnknownVersionError, resolve
    from shapeinfer.schema_text import render_schema

    domain, name = _split(operator, domain)
    try:
        found = resolve(name, domain, version)
    except (UnknownOperatorError, UnknownVersionError) as error:
        raise fail(str(error)) from None
    typer.echo(found.model_dump_json(indent=2) if json_ else render_schema(found))


@app.command()
def diff(
    operator: Annotated[str, typer.Argument(metavar="OPERATOR", help="An operator: Squeeze, ai.onnx.ml.Scaler.")],
    old: Annotated[int, typer.Argument(metavar="OLD", help="An opset version.")],
    new: Annotated[int, typer.Argument(metavar="NEW", help="Another opset version.")],
    domain: Annotated[str, typer.Option("--domain", help="The operator's domain; default: ai.onnx.")] = "",
    json_: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what changed in an operator between two versions, and whether that breaks models."""
    from shapeinfer import schema_diff
    from shapeinfer.schema import UnknownOperatorError, UnknownVersionError
    from shapeinfer.schema_text import render_diff

    domain, name = _split(operator, domain)
    try:
        found = schema_diff.diff(name, old, new, domain)
    except (UnknownOperatorError, UnknownVersionError) as error:
        raise fail(str(error)) from None
    typer.echo(found.model_dump_json(indent=2) if json_ else render_diff(found))


def _split(operator: str, domain: str) -> tuple[str, str]:
    prefix, dot, name = operator.rpartition(".")
    return (prefix, name) if dot and not domain else (domain, operator)


def main() -> None:
    """The entry point of the ``shapeinfer`` command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a character gets its number
    try:
        app()
    except BrokenPipeError:
        sys.stderr.close()  # the reader of a pipe went away; there is nobody to tell
    except OSError as error:  # what is read and written is dealt with where it is; here the output has no place to go
        where = f"{error.filename}: " if error.filename else ""
        sys.stderr.write(f"shapeinfer: {where}{error.strerror or error}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
