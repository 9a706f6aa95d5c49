"""The command ``shapeinfer contract``: the sizes for which a model runs, and whether those asked for are among them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.text import Text

from shapeinfer import catalogue as codes
from shapeinfer import modelio, render, witness
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
from shapeinfer.contract.answers import Answer, SpecError, Verdict, answers, compared, findings, required
from shapeinfer.contract.document import Contract, ContractCondition, NeededBy, contract_of
from shapeinfer.diagnostics import Finding, Where
from shapeinfer.engine import Analysis, analyse
from shapeinfer.loader import RulePackError
from shapeinfer.modelio import ModelError
from shapeinfer.options import OptionError, Options
from shapeinfer.report import Report, ValueReport

_STYLES = {Verdict.PROVED: "green", Verdict.REFUTED: "bold red", Verdict.UNDECIDED: "yellow"}
_LIMIT = 40
_FIRST, _LAST = 8, 12
"""How much is shown of a long way from an input to a node."""

AgainstOption = Annotated[
    Path | None,
    typer.Option("--against", metavar="FILE", help="A saved contract: the model must run wherever that one says."),
]
RequireOption = Annotated[
    list[str],
    typer.Option(
        "--require",
        metavar="CONDITION",
        help="Sizes for which the model must run: 'N in 1..64', 'H % 32 == 0'. May repeat.",
    ),
]


WitnessOption = Annotated[
    Path | None,
    typer.Option("--witness", metavar="DIR", help="Run what shows each condition; write the models to DIR."),
]


def register(app: typer.Typer) -> None:
    """Adds the command to the application."""
    app.command()(contract)


def contract(
    model: ModelArgument,
    dim: DimOption = [],  # noqa: B006 - typer copies defaults
    shape: ShapeOption = [],  # noqa: B006
    rules: RulesOption = [],  # noqa: B006
    why: Annotated[bool, typer.Option("--why", help="Tell how each size gets from an input to the node.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    save: Annotated[Path | None, typer.Option("--save", metavar="FILE", help="Write the contract to a file.")] = None,
    against: AgainstOption = None,
    require: RequireOption = [],  # noqa: B006
    witnesses: WitnessOption = None,
) -> None:
    """Tell under which sizes of its inputs a model runs, and which node needs what.

    Exit status 1 when it runs for no sizes, or not for all of those that are asked for.
    """
    try:
        options = Options(
            dims=pairs(dim, "--dim"), input_shapes=pairs(shape, "--shape"), rules=tuple(str(r) for r in rules)
        )
        source = modelio.load(str(model))
        with modelio.text_checked(source):
            analysis = analyse(source, options, base=model.parent)
            found = contract_of(analysis, str(model), why=why)
        tell_unknown_dims(model, options.dims, shape, found.symbols)
        asked = _answers(found, against, require)
        if save is not None:
            modelio.write(save, (found.model_dump_json(indent=2) + "\n").encode())
        if json_:
            typer.echo(found.model_dump_json(indent=2))
        else:
            show(found)
            show_answers(asked)
        if witnesses is not None:
            _run_witnesses(analysis, model, witnesses, aside=json_)
    except ModelError as error:
        print_problem(error)
        raise typer.Exit(2) from None
    except (OptionError, RulePackError, SpecError) as error:
        raise fail(str(error)) from None
    raise typer.Exit(0 if found.ok and all(a.verdict is not Verdict.REFUTED for a in asked) else 1)


def _answers(found: Contract, against: Path | None, require: list[str]) -> list[Answer]:
    asked = answers(found, required(require, found)) if require else []
    return asked + (compared(found, read_contract(against)) if against is not None else [])


def asked_of(report: Report, against: Path | None, require: list[str]) -> list[Answer]:
    """What comes of the sizes that a person asks about; exits with status 2 where they cannot be understood."""
    found = report.contract
    if found is None or not (against or require):
        return []
    try:
        return _answers(found, against, require)
    except ModelError as error:
        print_problem(error)
        raise typer.Exit(2) from None
    except SpecError as error:
        raise fail(str(error)) from None


def findings_of(asked: list[Answer], against: Path | None) -> Iterable[Finding]:
    """The answers that are not proved, as findings of a check."""
    return findings(asked, "what is required" if against is None else str(against))


def run_witnesses(model: Path, options: Options, directory: Path, *, aside: bool) -> None:
    """Runs what shows each condition, and tells what came of it; ``aside`` of an output that programs read."""
    try:
        source = modelio.load(str(model))
        with modelio.text_checked(source):
            _run_witnesses(analyse(source, options, base=model.parent), model, directory, aside=aside)
    except ModelError as error:
        print_problem(error)
        raise typer.Exit(2) from None


def read_contract(path: Path) -> Contract:
    """A saved contract.

    Raises:
        ModelError: when the file holds none.
    """
    try:
        return Contract.model_validate_json(path.read_bytes())
    except (OSError, ValidationError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it holds something else"
        raise ModelError(Finding(codes.CONTRACT_FILE, Where(), {"path": str(path), "reason": reason})) from error


def show(found: Contract) -> None:
    """Prints a contract."""
    out = render.console()
    out.print(Text(plain(found.model), style="bold"))
    _values(out, "input", found.inputs)
    _values(out, "output", found.outputs)
    _conditions(out, "needs", found.conditions)
    _conditions(out, "at run time", found.run_time)
    for need in found.broken:
        out.print(Text.assemble(("  never   ", "bold red"), plain(need.condition), (f"   {plain(need.where)}", "dim")))
    for fault in found.faults[:_LIMIT]:
        out.print(Text.assemble(("  fault   ", "bold red"), plain(fault)))
    for text in found.undecided[:_LIMIT]:
        out.print(Text.assemble(("  open    ", "yellow"), plain(text)))
    if found.broken:
        out.print(Text("\nruns for no sizes", style="bold red"))
    elif not found.conditions:
        out.print(Text("\nno condition on the sizes of the inputs is known", style="bold green"))
    elif found.example:
        sizes = ", ".join(f"{name}={size}" for name, size in found.example.items())
        out.print(Text("\n" + plain(f"all conditions on the inputs hold for {sizes}"), style="bold green"))


def plain(text: str) -> str:
    """Text of a model without characters that steer a terminal."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _values(out: Console, kind: str, values: tuple[ValueReport, ...]) -> None:
    for value in values[:_LIMIT]:
        out.print(Text.assemble((f"  {kind:8}", "dim"), plain(value.name), ": ", (plain(value.type), "green")))
    if len(values) > _LIMIT:
        out.print(Text(f"  … and {len(values) - _LIMIT} more {kind}s", style="dim"))


def _conditions(out: Console, title: str, conditions: tuple[ContractCondition, ...]) -> None:
    for each in conditions[:_LIMIT]:
        where = "; ".join(need.where for need in each.needed_by)
        marks = f"   ({each.kind})" if each.simplest else f"   ({each.kind}, as it stands at the node)"
        out.print(
            Text.assemble(
                (f"  {title:8}", "dim"), (plain(each.condition), "magenta"), marks, (f"   {plain(where)}", "dim")
            )
        )
        if each.enough:
            out.print(Text.assemble(("            enough: ", "dim"), (plain(each.enough), "magenta")))
        for need in each.needed_by:
            _why(out, need)
    if len(conditions) > _LIMIT:
        out.print(Text(f"  … and {len(conditions) - _LIMIT} more conditions (--json has them all)", style="dim"))


def _why(out: Console, need: NeededBy) -> None:
    left_out = len(need.why) - _FIRST - _LAST
    for number, line in enumerate(need.why):
        if left_out < 2 or not _FIRST <= number < _FIRST + left_out:
            out.print(Text(plain(f"            {line}"), style="dim"))
        elif number == _FIRST:
            out.print(Text(f"            … {left_out} more steps (--json has them all)", style="dim"))
    if need.why:
        out.print(Text(plain(f"            needs {need.condition}"), style="dim"))


def show_answers(found: list[Answer]) -> None:
    """Prints what came of the conditions that a person asks about."""
    out = render.console()
    for answer in found:
        sizes = f" with {answer.sizes_text}" if answer.sizes else ""
        out.print(
            Text.assemble(
                ("  ", ""), (f"{answer.verdict:12}", _STYLES[answer.verdict]), plain(answer.condition + sizes),
                (f"   {plain(answer.where)}", "dim"),
            )
        )  # fmt: skip


def _run_witnesses(analysis: Analysis, model: Path, directory: Path, *, aside: bool) -> None:
    out = render.console(stderr=aside)
    for number, found in enumerate(witness.witnesses(analysis, model.parent), 1):
        try:
            path = witness.save(found, directory, number)
        except OSError as error:
            raise fail(f"--witness {directory}: {error.strerror}") from None
        out.print(Text.assemble("\n", (plain(found.subject), "magenta"), (f"   {plain(str(found.where))}", "dim")))
        out.print(Text(plain(f"  {found.text}")))
        if path is not None:
            out.print(Text(plain(f"  reproduce: {path}"), style="dim"))
