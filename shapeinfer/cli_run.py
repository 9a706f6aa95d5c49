"""The commands that run models: ``shapeinfer run`` and ``shapeinfer verify``."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import onnx
import typer

from shapeinfer import catalogue as codes
from shapeinfer import modelio, render
from shapeinfer.cli_common import DimOption, RulesOption, ShapeOption, fail, pairs, print_problem
from shapeinfer.diagnostics import Finding, Where, type_text
from shapeinfer.engine import analyse
from shapeinfer.loader import RulePackError
from shapeinfer.modelio import ModelError
from shapeinfer.options import OptionError, Options
from shapeinfer.report import Report, diagnostic
from shapeinfer.symbols import Symbols, read_type

if TYPE_CHECKING:
    from shapeinfer.session import KernelError, Session

InputOption = Annotated[
    list[str],
    typer.Option("--input", metavar="NAME=FILE", help="A value: a .npy file or a tensor's .pb. May repeat."),
]
SeedOption = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="The seed of the random values.")]
RunModelArgument = Annotated[
    Path, typer.Argument(metavar="MODEL", help="An .onnx file; external weights lie beside it.")
]


def run(
    model: RunModelArgument,
    inputs: InputOption = [],  # noqa: B006 - typer copies defaults
    random: Annotated[bool, typer.Option("--random", help="Random values for the inputs that are not given.")] = False,
    seed: SeedOption = 0,
    dim: DimOption = [],  # noqa: B006
    shape: ShapeOption = [],  # noqa: B006
    save: Annotated[
        Path | None, typer.Option("--save", metavar="DIR", help="Write each output to DIR/NAME.npy.")
    ] = None,
) -> None:
    """Run a model on the NumPy kernels and show its outputs.

    --dim and --shape give the sizes of random values.
    """
    from shapeinfer import feeds
    from shapeinfer.session import KernelError, Session

    try:
        given = {name: feeds.read_array(Path(file)) for name, file in pairs(inputs, "--input").items()}
        proto = modelio.load(str(model))
        if random:
            with modelio.text_checked(proto):
                options = Options(dims=pairs(dim, "--dim"), input_shapes=pairs(shape, "--shape"))
                given = feeds.random_feeds(analyse(proto, options), seed, given)
        session = Session(str(model), seed=seed)
    except ModelError as error:
        print_problem(error)
        raise typer.Exit(2) from None
    except (OptionError, feeds.FeedError) as error:
        raise fail(str(error)) from None
    except KernelError as error:
        raise _failed(model, error) from None
    _check_feeds(str(model), proto, session, given)
    try:
        with _progress() as progress:
            results = session.run(given, progress=progress)
    except KernelError as error:
        raise _failed(model, error) from None
    names = session.output_names
    for name, value in given.items():
        render.array("input", name, value)
    for name, value in zip(names, results, strict=True):
        render.array("output", name, value)
    if save is not None:
        _save(save, dict(zip(names, results, strict=True)))


def _failed(model: Path, error: KernelError) -> typer.Exit:
    from shapeinfer.session import finding

    render.report(Report(model=str(model), diagnostics=(diagnostic(finding(error)),)), values=False)
    return typer.Exit(1)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None] | None]:
    """Shows on a terminal how many nodes are done; nowhere else."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("running", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _check_feeds(name: str, model: onnx.ModelProto, session: Session, given: Mapping[str, object]) -> None:
    declared = {each.name: each for each in model.graph.input}
    unknown = next((each for each in given if each not in declared), None)
    if unknown is not None:
        raise fail(f"--input {unknown}: there is no such input; there are {', '.join(declared) or 'none'}")
    symbols = Symbols(model)
    missing = [
        diagnostic(
            Finding(codes.RUN_INPUT_MISSING, Where(), {"reason": f"no value for input '{each}' ({type_text(kind)})"})
        )
        for each in session.input_names
        if each not in given
        for kind in [read_type(declared[each].type, symbols, each, fact=True)]
    ]
    if missing:
        render.report(Report(model=name, diagnostics=tuple(missing)), values=False)
        raise typer.Exit(2)


def _save(directory: Path, arrays: dict[str, Any]) -> None:
    from shapeinfer import feeds

    try:
        directory.mkdir(parents=True, exist_ok=True)
        taken: set[str] = set()
        for name, value in arrays.items():
            stem = re.sub(r"[^A-Za-z0-9_.-]", "_", name)
            while stem in taken:
                stem += "_"
            taken.add(stem)
            modelio.write(directory / f"{stem}.npy", feeds.npy_bytes(value))
    except ModelError as error:
        print_problem(error)
        raise typer.Exit(2) from None
    except OSError as error:
        raise fail(f"--save {directory}: {error.strerror}") from None
    except ValueError as error:
        raise fail(f"--save {directory}: {error}") from None


def verify(
    model: RunModelArgument,
    dim: DimOption = [],  # noqa: B006
    dims: Annotated[
        list[str],
        typer.Option(
            "--dims", metavar="NAME=N,N,...", help="Sizes to run with: N=1,2,7. May repeat: all combinations."
        ),
    ] = [],  # noqa: B006
    shape: ShapeOption = [],  # noqa: B006
    rules: RulesOption = [],  # noqa: B006
    inputs: InputOption = [],  # noqa: B006
    runs: Annotated[int, typer.Option("--runs", metavar="N", min=1, help="How many sizes to try without --dims.")] = 3,
    backend: Annotated[str, typer.Option("--backend", metavar="kernels|onnxruntime", help="What runs it.")] = "kernels",
    values: Annotated[
        bool, typer.Option("--values", help="Also compare the numbers of the kernels with ONNX Runtime's.")
    ] = False,
    seed: SeedOption = 0,
    save: Annotated[
        Path, typer.Option("--save", metavar="DIR", help="Where to write a small model for each mismatch.")
    ] = Path("shapeinfer-verify"),
    format: Annotated[str, typer.Option("--format", metavar="text|json", help="How to print the report.")] = "text",
) -> None:
    """Run a model with several sizes and compare the type and shape of every value with what is inferred."""
    from shapeinfer import feeds
    from shapeinfer.verify import verify as verified

    if format not in ("text", "json"):
        raise fail(f"--format {format}: there are text and json")
    if backend not in ("kernels", "onnxruntime"):
        raise fail(f"--backend {backend}: there are kernels and onnxruntime")
    try:
        report = verified(
            str(model),
            dims=pairs(dim, "--dim"),
            input_shapes=pairs(shape, "--shape"),
            rules=[str(each) for each in rules],
            sizes={name: _numbers(name, text) for name, text in pairs(dims, "--dims").items()},
            inputs={name: feeds.read_array(Path(file)) for name, file in pairs(inputs, "--input").items()},
            runs=runs,
            backend="kernels" if backend == "kernels" else "onnxruntime",
            values=values,
            seed=seed,
            save=save,
        )
    except ModelError as error:
        print_problem(error)
        raise typer.Exit(2) from None
    except (OptionError, RulePackError, feeds.FeedError) as error:
        raise fail(str(error)) from None
    if format == "json":
        typer.echo(report.model_dump_json(indent=2))
    else:
        render.verification(report)
    raise typer.Exit(0 if report.ok else 1)


def _numbers(name: str, text: str) -> list[int]:
    numbers = [each.strip() for each in text.split(",")]
    if not all(each.isascii() and each.isdigit() for each in numbers):
        raise fail(f"--dims {name}={text}: write it as {name}=1,2,7")
    return [int(each) for each in numbers]
