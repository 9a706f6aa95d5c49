"""What the commands of the command line share: options, and how a command says that it cannot do its work."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shapeinfer import render
from shapeinfer.modelio import ModelError
from shapeinfer.report import Report, diagnostic

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


def fail(message: str) -> typer.Exit:
    """Prints a message; what to raise to exit with status 2."""
    typer.echo(f"shapeinfer: {message}", err=True)
    return typer.Exit(2)


def pairs(texts: list[str], option: str) -> dict[str, str]:
    """``NAME=VALUE`` texts by name."""
    found = {}
    for text in texts:
        name, sign, rest = text.partition("=")
        if not sign or not name.strip() or not rest.strip():
            raise fail(f"{option} {text}: write it as NAME=VALUE")
        found[name.strip()] = rest.strip()
    return found


def print_problem(error: ModelError) -> None:
    """Prints why a model cannot be read or written."""
    render.report(Report(model="", diagnostics=(diagnostic(error.finding),)), values=False)
