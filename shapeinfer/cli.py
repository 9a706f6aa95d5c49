"""The command line: ``shapeinfer check | infer | run | schema | diff | explain``.

Exit status: 0 when all is well, 1 when the model has errors or a run failed, 2 when the command cannot do its work
(no such file, not a model, a bad option).
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import onnx
import typer

import shapeinfer
from shapeinfer import catalogue as codes
from shapeinfer import modelio, render
from shapeinfer.api import checked, inferred
from shapeinfer.diagnostics import Finding, Where, defined_codes, type_text
from shapeinfer.engine import analyse
from shapeinfer.loader import RulePackError
from shapeinfer.modelio import ModelError
from shapeinfer.options import OptionError, Options
from shapeinfer.report import Report, diagnostic
from shapeinfer.symbols import Symbols, read_type

if TYPE_CHECKING:
    from shapeinfer.session import Session

app = typer.Typer(
    name="shapeinfer",
    help="Symbolic shape inference and type checking for ONNX models.",
    epilog="Exit status: 0 all is well, 1 the model has errors, 2 the command could not do its work.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

ModelArgument = Annotated[Path, typer.Argument(metavar="MODEL", help="An .onnx file; external weights are not read.")]
DimOption = Annotated[
    list[str],
    typer.Option("--dim", metavar="NAME=FACT", help="A fact about a dim: N=8, N=1..64, N=2.., H=32*h. May repeat."),
]
ShapeOption = Annotated[
    list[str],
    typer.Option("--shape", metavar="INPUT=SHAPE", help="The shape of an input: 'x=[N,3,224,224]'. May repeat."),
]
RulesOption = Annotated[
    list[Path],
    typer.Option("--rules", metavar="DIR", help="A directory of rules for further operators. May repeat."),
]
FormatOption = Annotated[str, typer.Option("--format", metavar="text|json", help="How to print the report.")]


def _fail(message: str) -> typer.Exit:
    typer.echo(f"shapeinfer: {message}", err=True)
    return typer.Exit(2)


def _pairs(texts: list[str], option: str) -> dict[str, str]:
    found = {}
    for text in texts:
        name, sign, rest = text.partition("=")
        if not sign or not name.strip() or not rest.strip():
            raise _fail(f"{option} {text}: write it as NAME=VALUE")
        found[name.strip()] = rest.strip()
    return found


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
    format: FormatOption = "text",
    values: Annotated[bool, typer.Option("--values", help="Also list every value with its type and shape.")] = False,
) -> None:
    """Check a model: names, types, shapes and declared types, all findings at once."""
    if format not in ("text", "json"):
        raise _fail(f"--format {format}: there are text and json")
    report, readable = checked(
        str(model), dims=_pairs(dim, "--dim"), input_shapes=_pairs(shape, "--shape"), rules=[str(r) for r in rules]
    )
    if format == "json":
        typer.echo(report.model_dump_json(indent=2))
    else:
        render.report(report, values=values)
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
            dims=_pairs(dim, "--dim"),
            input_shapes=_pairs(shape, "--shape"),
            rules=[str(r) for r in rules],
        )
        if strict and not report.ok:
            render.report(report, values=False)
            raise typer.Exit(1)
        modelio.save(annotated, output)
    except ModelError as error:
        _print_problem(error)
        raise typer.Exit(2) from None
    except (OptionError, RulePackError) as error:
        raise _fail(str(error)) from None
    known, total = render.coverage(annotated)
    typer.echo(f"{output}: shapes of {known} of {total} values written")
    if not report.ok:
        typer.echo(f"{model}: {render.summary(report)}; 'shapeinfer check' tells them", err=True)
        raise typer.Exit(1)


def _print_problem(error: ModelError) -> None:
    render.report(Report(model="", diagnostics=(diagnostic(error.finding),)), values=False)


@app.command()
def run(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="An .onnx file; external weights lie beside it.")],
    inputs: Annotated[
        list[str],
        typer.Option("--input", metavar="NAME=FILE", help="A value: a .npy file or a tensor's .pb. May repeat."),
    ] = [],  # noqa: B006
    random: Annotated[bool, typer.Option("--random", help="Random values for the inputs that are not given.")] = False,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="The seed of all that is random.")] = 0,
    dim: DimOption = [],  # noqa: B006
    save: Annotated[
        Path | None, typer.Option("--save", metavar="DIR", help="Write each output to DIR/NAME.npy.")
    ] = None,
) -> None:
    """Run a model on the NumPy kernels and show its outputs."""
    from shapeinfer import feeds
    from shapeinfer.session import KernelError, Session

    try:
        given = {name: feeds.read_array(Path(file)) for name, file in _pairs(inputs, "--input").items()}
        proto = modelio.load(str(model))
        if random:
            with modelio.text_checked(proto):
                given = feeds.random_feeds(analyse(proto, Options(dims=_pairs(dim, "--dim"))), seed, given)
        session = Session(str(model), seed=seed)
    except ModelError as error:
        _print_problem(error)
        raise typer.Exit(2) from None
    except (OptionError, feeds.FeedError) as error:
        raise _fail(str(error)) from None
    except KernelError as error:
        render.problem(codes.RUN_FAILED, str(model), reason=str(error))
        raise typer.Exit(1) from None
    _check_feeds(str(model), proto, session, given)
    try:
        results = session.run(given)
    except KernelError as error:
        render.problem(codes.RUN_FAILED, str(model), reason=str(error))
        raise typer.Exit(1) from None
    names = session.output_names
    for name, value in given.items():
        render.array("input", name, value)
    for name, value in zip(names, results, strict=True):
        render.array("output", name, value)
    if save is not None:
        _save(save, dict(zip(names, results, strict=True)))


def _check_feeds(name: str, model: onnx.ModelProto, session: Session, given: Mapping[str, object]) -> None:
    declared = {each.name: each for each in model.graph.input}
    unknown = next((each for each in given if each not in declared), None)
    if unknown is not None:
        raise _fail(f"--input {unknown}: there is no such input; there are {', '.join(declared) or 'none'}")
    symbols = Symbols(model)
    missing = [
        diagnostic(Finding(codes.RUN_INPUT_MISSING, Where(), {"name": each, "type": type_text(kind)}))
        for each in session.input_names
        if each not in given
        for kind in [read_type(declared[each].type, symbols, each, fact=True)]
    ]
    if missing:
        render.report(Report(model=name, diagnostics=tuple(missing)), values=False)
        raise typer.Exit(2)


def _save(directory: Path, arrays: dict[str, Any]) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        taken: set[str] = set()
        for name, value in arrays.items():
            buffer = io.BytesIO()
            texts = isinstance(value, np.ndarray) and value.dtype == object
            np.save(buffer, value.astype(str) if texts else value, allow_pickle=False)
            stem = re.sub(r"[^A-Za-z0-9_.-]", "_", name)
            while stem in taken:
                stem += "_"
            taken.add(stem)
            modelio.write(directory / f"{stem}.npy", buffer.getvalue())
    except ModelError as error:
        _print_problem(error)
        raise typer.Exit(2) from None
    except (OSError, ValueError) as error:
        raise _fail(f"--save {directory}: {error}") from None


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
        raise _fail(f"there is no code {code}; 'shapeinfer explain all' lists them")
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
        raise _fail(str(error)) from None
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
        raise _fail(str(error)) from None
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


if __name__ == "__main__":
    main()
