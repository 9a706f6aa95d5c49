"""The report of a check, as people and programs read it: Pydantic models with a JSON schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, PrivateAttr

from shapeinfer import dims
from shapeinfer.diagnostics import Finding, Severity, type_text
from shapeinfer.engine import Analysis
from shapeinfer.requirements import Requirement
from shapeinfer.types import ElementType, SparseTensorType, TensorType
from shapeinfer.values import Node, Value

if TYPE_CHECKING:
    from shapeinfer.contract.document import Contract


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True)


class Diagnostic(_Model):
    """One finding: what, where, and the actual types involved with where each came from."""

    code: str
    name: str
    severity: Severity
    message: str
    where: str
    path: tuple[str, ...] = ()
    node: str = ""
    node_index: int | None = None
    op: str = ""
    domain: str = ""
    version: int | None = None
    sources: tuple[str, ...] = ()
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.severity} {self.code} {self.name} at {self.where}: {self.message}"


class ValueReport(_Model):
    """What is known of one value. ``shape`` is ``None`` for an unknown rank or a value that is no tensor."""

    name: str
    type: str
    """Type and shape as text, such as ``float[N, 3]``."""
    elem_type: str | None = None
    shape: tuple[int | str, ...] | None = None
    origin: str


class Condition(_Model):
    """A condition on the dims without which a node cannot run."""

    condition: str
    where: str
    code: str


class Report(_Model):
    """All that a check found out about a model."""

    model: str
    diagnostics: tuple[Diagnostic, ...] = ()
    lints: tuple[Diagnostic, ...] = ()
    """What the linter found: right, but unwise. Empty where it was turned off."""
    inputs: tuple[ValueReport, ...] = ()
    outputs: tuple[ValueReport, ...] = ()
    values: dict[str, ValueReport] = {}
    requirements: tuple[Condition, ...] = ()
    symbols: dict[str, str] = {}
    """Where each dim name comes from, in words."""

    _contract: Callable[[], Contract] | None = PrivateAttr(default=None)

    @property
    def contract(self) -> Contract | None:
        """The conditions on the sizes of the inputs, worked out when asked for.

        ``None`` where there is no model behind the report: it could not be read, or the report comes from JSON.
        """
        return None if self._contract is None else self._contract()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Report) and self.__dict__ == other.__dict__

    __hash__ = _Model.__hash__

    def with_contract(self, make: Callable[[], Contract]) -> Report:
        """The same report, which from now on gives the contract that ``make`` makes."""
        self._contract = cache(make)
        return self

    def with_diagnostics(self, more: Iterable[Finding]) -> Report:
        """A report with further findings."""
        found = tuple(map(diagnostic, more))
        return self.model_copy(update={"diagnostics": (*self.diagnostics, *found)}) if found else self

    @property
    def ok(self) -> bool:
        """Whether there is no error; a lint is one only where its severity was raised."""
        return not self.errors and not any(each.severity is Severity.ERROR for each in self.lints)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The findings of severity error."""
        return self._of(Severity.ERROR)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The findings of severity warning."""
        return self._of(Severity.WARNING)

    @property
    def notes(self) -> tuple[Diagnostic, ...]:
        """The findings of severity note."""
        return self._of(Severity.NOTE)

    def _of(self, severity: Severity) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.severity is severity)


def report_of(analysis: Analysis, model: str, extra: Iterable[Finding] = (), lints: Iterable[Finding] = ()) -> Report:
    """The report of an analysis; ``model`` names it, ``extra`` are findings of later checks."""
    graph = analysis.model.graph
    values = {name: _value(value) for name, value in analysis.values.items()}
    stored = {tensor.name for tensor in graph.initializer}
    return Report(
        model=model,
        diagnostics=tuple(diagnostic(f) for f in [*analysis.findings, *extra]),
        lints=tuple(map(diagnostic, lints)),
        inputs=tuple(
            values[i.name]
            for i in graph.input
            if i.name in values and (i.name not in stored or analysis.model.ir_version > 3)
        ),
        outputs=tuple(values[o.name] for o in graph.output if o.name in values),
        values=values,
        requirements=tuple(_conditions(analysis.requirements)),
        symbols=dict(analysis.symbols.origins),
    )


def failed(finding: Finding, model: str) -> Report:
    """The report of a model that could not be read at all."""
    return Report(model=model, diagnostics=(diagnostic(finding),))


def diagnostic(finding: Finding) -> Diagnostic:
    """A finding as the report shows it."""
    where = finding.where
    return Diagnostic(
        code=finding.code.id,
        name=finding.code.name,
        severity=finding.severity,
        message=finding.message,
        where=str(where),
        path=where.path,
        node=where.node,
        node_index=where.index,
        op=where.op,
        domain=where.domain,
        version=where.version,
        sources=finding.sources,
        hint=finding.hint,
    )


def _value(value: Value) -> ValueReport:
    kind = value.type
    shape = kind.shape if isinstance(kind, TensorType | SparseTensorType) else None
    elem = kind.elem if isinstance(kind, TensorType | SparseTensorType) else 0
    return ValueReport(
        name=value.name,
        type=type_text(kind),
        elem_type=ElementType(elem).label if elem else None,
        shape=None if shape is None else tuple(d if type(d) is int else dims.text(d) for d in shape),
        origin=str(value.origin) if isinstance(value.origin, Node | str) else "",
    )


def _conditions(requirements: Iterable[Requirement]) -> Iterable[Condition]:
    told = set()
    for requirement in requirements:
        text = requirement.text
        if text not in told:
            told.add(text)
            yield Condition(condition=text, where=str(requirement.where), code=requirement.code.id)
