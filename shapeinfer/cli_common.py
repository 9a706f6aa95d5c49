"""What the commands of the command line share: options, and how a command says that it cannot do its work."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import onnx
import typer

from shapeinfer import modelio, render
from shapeinfer.modelio import ModelError
from shapeinfer.report import diagnostic

_NAME = re.compile(r"[^\W\d][\w.]*")

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


def tell_unknown_dims(model: Path, given: Iterable[str], shapes: Iterable[str], symbols: Iterable[str]) -> None:
    """Tells on stderr of dims that were given and that the model does not have: a slip of the pen would go unseen.

    ``symbols`` are the names in the result, which has none of those that a number took the place of.
    """
    known = {*symbols, *(name for shape in shapes for name in _NAME.findall(shape))}
    if known.issuperset(given):
        return
    graph = modelio.load(str(model)).graph
    declared = _declared_dims((*graph.input, *graph.output, *graph.value_info))
    for name in sorted(set(given) - known - declared):
        there = ", ".join(sorted(_declared_dims(graph.input))) or "none"
        typer.echo(f"shapeinfer: --dim {name}: no dim has this name; the inputs have {there}", err=True)


def _declared_dims(values: Iterable[onnx.ValueInfoProto]) -> set[str]:
    texts = {dim.dim_param for value in values for dim in value.type.tensor_type.shape.dim}
    return {*texts, *(name for text in texts for name in _NAME.findall(text))} - {""}


def print_problem(error: ModelError) -> None:
    """Prints why a file cannot be read or written."""
    render.problem(diagnostic(error.finding))
