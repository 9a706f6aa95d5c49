"""The contract of a model: what it takes and gives, and under which sizes of its inputs it runs to its end."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from shapeinfer import catalogue as codes
from shapeinfer import dims, modelio
from shapeinfer.contract.build import Builder, Clause, Need, input_symbols
from shapeinfer.contract.cases import Explored, explore, is_failure
from shapeinfer.contract.conditions import Condition, single
from shapeinfer.contract.prove import sizes_that_meet
from shapeinfer.contract.solve import solve
from shapeinfer.contract.why import chain
from shapeinfer.diagnostics import Finding, Severity, type_text
from shapeinfer.dims import Dim, Facts
from shapeinfer.engine import Analysis, analyse
from shapeinfer.modelio import ModelSource
from shapeinfer.options import Options
from shapeinfer.report import ValueReport, report_of
from shapeinfer.types import TensorType

_USUAL = (1, 2, 3, 4, 8, 16, 32, 64, 128, 224, 256, 512)


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True)


class Kind(StrEnum):
    """What sort of condition it is."""

    SPECIALISATION = "specialisation"
    """A dim that is declared dynamic, but for which one size only works."""
    EQUALITY = "equality"
    BOUND = "bound"
    DIVISIBILITY = "divisibility"
    ONE_OR_EQUAL = "one-or-equal"
    OTHER = "other"


class NeededBy(_Model):
    """A node that needs a condition, or a part of it."""

    condition: str
    """The condition as it stands at the node."""
    where: str
    node: str = ""
    node_index: int | None = None
    op: str = ""
    code: str = ""
    why: tuple[str, ...] = ()
    """The values from an input to the node, where that was asked for."""


class ContractCondition(_Model):
    """A condition without which the model cannot run."""

    condition: str
    kind: Kind
    symbols: tuple[str, ...]
    needed_by: tuple[NeededBy, ...]
    simplest: bool = True
    """Whether the simplest form was found. If not, the condition stands as a node needs it."""
    enough: str | None = None
    """A simpler condition that suffices, although some other sizes run as well."""


class Contract(_Model):
    """The types of a model's inputs and outputs, and the conditions under which it runs to its end.

    Every condition is necessary: no run that reaches its end breaks it, as long as the runtime does what the
    specification says.
    """

    format: Literal[1] = 1
    model: str
    facts: dict[str, str | int] = {}
    """What the user said of dims; the conditions come on top of that."""
    inputs: tuple[ValueReport, ...] = ()
    outputs: tuple[ValueReport, ...] = ()
    conditions: tuple[ContractCondition, ...] = ()
    """What must hold of the sizes of the inputs."""
    run_time: tuple[ContractCondition, ...] = ()
    """What must hold of sizes and values that only a run can tell."""
    broken: tuple[NeededBy, ...] = ()
    """What no sizes can meet: the model never runs to its end."""
    faults: tuple[str, ...] = ()
    """Errors of the model that have nothing to do with sizes, which the conditions take no account of."""
    undecided: tuple[str, ...] = ()
    """What depends on sizes in a way that no condition was found for."""
    symbols: dict[str, str] = {}
    """Where each symbol comes from."""
    example: dict[str, int] | None = None
    """Small sizes that meet all conditions on the inputs, if some were found."""

    @property
    def ok(self) -> bool:
        """Whether the model can run for some sizes, as far as is known."""
        return not self.broken


def contract(
    model: ModelSource,
    *,
    dims: Mapping[str, str | int] | None = None,
    input_shapes: Mapping[str, str] | None = None,
    rules: Iterable[str | os.PathLike[str]] = (),
    why: bool = False,
) -> Contract:
    """The contract of a model.

    Args:
        model: a message, serialised bytes or a path.
        dims: facts about dim names, as for :func:`shapeinfer.check`.
        input_shapes: shapes for inputs.
        rules: directories of further rules.
        why: tell for each condition how the size gets from an input to the node.

    Raises:
        ModelError: when the model cannot be read.
        OptionError, RulePackError: when an option or a rule pack is at fault.
    """
    source = modelio.load(model)
    options = Options(
        dims=dict(dims or {}), input_shapes=dict(input_shapes or {}), rules=tuple(os.fspath(rule) for rule in rules)
    )
    name = str(Path(model)) if isinstance(model, str | os.PathLike) else "model"
    with modelio.text_checked(source):
        return contract_of(analyse(source, options, base=modelio.base_directory(model)), name, why=why)


def contract_of(analysis: Analysis, model: str, *, why: bool = False) -> Contract:
    """The contract that an analysis comes to."""
    found = explore(analysis)
    builder = built(analysis, found)
    clauses = builder.build()
    known = input_symbols(analysis)
    on_inputs = [clause for clause in clauses if clause.condition.symbols <= builder.symbols]
    at_run_time = [clause for clause in clauses if not clause.condition.symbols <= builder.symbols]
    facts = builder.all_facts([clause.condition for clause in clauses])
    report = report_of(found.analysis, model)
    shown = _Shown(found.analysis, facts, [*known.values()])
    broken = (*_errors(analysis), *(_needed(need, analysis, why) for need in builder.broken))
    return Contract(
        model=model,
        facts=dict(analysis.options.dims),
        inputs=tuple(v for v in report.inputs if v.origin == "input"),
        outputs=tuple(shown.value(v) for v in report.outputs),
        conditions=tuple(_condition(c, analysis, why) for c in _in_order(on_inputs, [*known])),
        run_time=tuple(_condition(c, analysis, why) for c in at_run_time),
        broken=broken,
        undecided=tuple(_undecided(found.analysis, builder)),
        faults=tuple(_faults(analysis)),
        symbols=dict(analysis.symbols.origins),
        example=None if broken else next(example_sizes(analysis, builder, on_inputs), None),
    )


def built(analysis: Analysis, found: Explored) -> Builder:
    """The conditions of an analysis, of the cases that are left of it, and of those ruled out."""
    builder = Builder(analysis)
    builder.take(analysis)
    for symbol, sizes, need in found.excluded:
        builder.exclude(symbol, sizes, need)
    if found.analysis is not analysis:
        builder.take(found.analysis)
    return builder


def example_sizes(analysis: Analysis, builder: Builder, clauses: Iterable[Clause]) -> Iterator[dict[str, int]]:
    """Sizes of the input symbols that meet the conditions on them, small ones first, none of them 0 if that can be."""
    symbols = input_symbols(analysis)
    choices = {}
    for name, symbol in symbols.items():
        allowed = builder.of(symbol).allowed
        few = {n for _, n in zip(range(8), allowed, strict=False)} | {n for n in _USUAL if n in allowed}
        choices[name] = sorted(few, key=lambda n: (n == 0, n))
    facts = Facts()
    for clause in clauses:
        if len(clause.condition.symbols) > 1:
            clause.condition.assume(facts)
    conditions = [clause.condition for clause in clauses]
    for sizes in sizes_that_meet(conditions, facts, symbols.values(), choices, limit=8):
        yield {name: sizes[name] for name in symbols}


def kind_of(condition: Condition) -> Kind:
    """What sort of condition it is."""
    atoms = condition.atoms
    if any(atom.relation == "divides" for atom in atoms):
        return Kind.DIVISIBILITY
    if len(condition.alternatives) > 1:
        equal = [atom for atom in atoms if atom.relation == "=="]
        ones = [atom for atom in equal if 1 in (atom.left, atom.right)]
        return Kind.ONE_OR_EQUAL if len(equal) == len(atoms) == len(ones) + 1 else Kind.OTHER
    if all(atom.relation == ">=" for atom in atoms):
        return Kind.BOUND
    if len(atoms) == 1 and atoms[0].relation == "==":
        one_size = type(atoms[0].right) is int and not dims.size(atoms[0].left)
        return Kind.SPECIALISATION if one_size else Kind.EQUALITY
    return Kind.OTHER


def _in_order(clauses: list[Clause], names: list[str]) -> list[Clause]:
    """The clauses by the inputs they are about."""
    kinds = list(Kind)
    return sorted(
        clauses,
        key=lambda c: (min((names.index(n) for n in c.condition.names), default=0), kinds.index(kind_of(c.condition))),
    )


def _condition(clause: Clause, analysis: Analysis, why: bool) -> ContractCondition:
    condition = clause.condition
    return ContractCondition(
        condition=condition.text,
        kind=kind_of(condition),
        symbols=condition.names,
        needed_by=tuple(_needed(need, analysis, why) for need in clause.needs),
        simplest=clause.exact,
        enough=clause.enough.text if clause.enough else None,
    )


def _needed(need: Need, analysis: Analysis, why: bool) -> NeededBy:
    where = need.where
    return NeededBy(
        condition=need.text,
        where=str(where),
        node=where.node,
        node_index=where.index,
        op=where.op,
        code=need.code.id if need.code else "",
        why=chain(analysis, where, need.condition.symbols) if why else (),
    )


def _errors(analysis: Analysis) -> Iterable[NeededBy]:
    for finding in analysis.findings:
        if is_failure(finding):
            where = finding.where
            yield NeededBy(
                condition=finding.message,
                where=str(where),
                node=where.node,
                node_index=where.index,
                op=where.op,
                code=finding.code.id,
            )


def _faults(analysis: Analysis) -> Iterable[str]:
    for finding in analysis.findings:
        if finding.severity is Severity.ERROR and not is_failure(finding):
            yield f"{finding.where}: {finding.message}"


def _undecided(analysis: Analysis, builder: Builder) -> Iterable[str]:
    for finding in analysis.findings:
        if finding.code is codes.SQUEEZE_RANK:
            if not _ruled_out(finding, builder):
                yield f"{finding.where}: {finding.message}"
        elif finding.softened is not None:
            yield f"{finding.where}: {finding.message}"


def _ruled_out(finding: Finding, builder: Builder) -> bool:
    """Whether the one dim that a Squeeze asks of is never 1 for the sizes that are left."""
    first: Any = finding.fields["first"]
    condition = single("==", first, 1)
    if finding.fields["dims"] != dims.text(condition.atoms[0].left) or len(condition.symbols) != 1:
        return False
    (symbol,) = condition.symbols
    ones = solve(condition, symbol, builder.of(symbol).allowed)
    return ones is not None and not ones


class _Shown:
    """Values as the contract shows them: in the fewest symbols, given what the conditions say."""

    def __init__(self, analysis: Analysis, facts: Facts, symbols: list[Any]) -> None:
        self._analysis = analysis
        self._facts = facts
        self._equal = [(s, v) for s in symbols if type(v := facts.reduce(s)) is not int and v is not s and dims.size(v)]

    def value(self, known: ValueReport) -> ValueReport:
        """The value with its dims in the fewest symbols."""
        kind = self._analysis.values[known.name].type
        if not isinstance(kind, TensorType) or kind.shape is None:
            return known
        shape = tuple(self.dim(dim) for dim in kind.shape)
        texts = tuple(dim if type(dim) is int else dims.text(dim) for dim in shape)
        return known.model_copy(update={"shape": texts, "type": type_text(TensorType(kind.elem, shape))})

    def dim(self, dim: Dim) -> Dim:
        """The dim in the fewest symbols."""
        found = self._facts.reduce(dim)
        for symbol, value in self._equal:
            for other in (self._factored(found, value, symbol), dims.expand(dims.add(dims.sub(found, value), symbol))):
                if other is not None and _length(other) < _length(found):
                    found = other
        return found

    def _factored(self, dim: Dim, value: Dim, symbol: Any) -> Dim | None:
        quotient = dims.divide_exact(dim, value)
        return None if quotient is None else dims.mul(quotient, symbol)


def _length(dim: Dim) -> tuple[int, int]:
    return len(dims.free_symbols(dim)), dims.size(dim)
