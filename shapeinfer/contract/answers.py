"""Holds a model's contract against what a person asks of it: conditions, or the contract of another model.

A specification says for which sizes the model must run. Each condition of the model's contract is then proved to follow
from it, refuted by sizes that meet the specification and not the condition, or left undecided.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from shapeinfer import catalogue as codes
from shapeinfer import dims
from shapeinfer.contract.conditions import UNDEFINED, Condition, single
from shapeinfer.contract.document import Contract
from shapeinfer.contract.prove import implied, sizes_that_meet, telling_sizes
from shapeinfer.contract.sets import ALL, SizeSet, TooComplex, intersection
from shapeinfer.contract.solve import solve
from shapeinfer.contract.text import ConditionSyntaxError, parse_condition
from shapeinfer.diagnostics import Finding, Where
from shapeinfer.dims import Dim, DimSyntaxError, Facts
from shapeinfer.report import ValueReport

_SHOWN = 24
_FIRST = 8


class Verdict(StrEnum):
    """What came of a question."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNDECIDED = "not decided"


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of one condition under a specification."""

    condition: str
    verdict: Verdict
    where: str = ""
    """The node that needs the condition."""
    sizes: tuple[tuple[str, int], ...] = ()
    """Sizes that meet the specification, but not the condition."""

    @property
    def sizes_text(self) -> str:
        """``N=1, H=33``."""
        return ", ".join(f"{name}={size}" for name, size in self.sizes)


class SpecError(ValueError):
    """A specification that cannot be understood or does not fit the model."""


def required(texts: Iterable[str], contract: Contract) -> list[Condition]:
    """The conditions of a specification in the words of a person.

    Raises:
        SpecError: for a text that is no condition, or a name that no input dim of the model has.
    """
    names = _names(contract)
    found = []
    for text in texts:
        try:
            condition = parse_condition(text)
        except ConditionSyntaxError as error:
            raise SpecError(f"{text}: {error}") from error
        unknown = [name for name in condition.names if name not in names]
        if unknown:
            raise SpecError(
                f"{text}: no input dim is called {unknown[0]}; there are {', '.join(sorted(names)) or 'none'}"
            )
        found.append(condition)
    return found


def _names(contract: Contract) -> set[str]:
    return {s.name for value in contract.inputs for dim in _shape(value) or () for s in dims.free_symbols(dim)}


def answers(contract: Contract, spec: Sequence[Condition]) -> list[Answer]:
    """Whether a model runs for all sizes that meet a specification, condition by condition."""
    spec = [*spec, *_facts(contract)]
    found = [_broken(need.condition, need.where) for need in contract.broken]
    for each in contract.conditions:
        where = each.needed_by[0].where if each.needed_by else ""
        found.append(_answer(parse_condition(each.condition), spec, each.condition, where))
    found.extend(Answer(text, Verdict.UNDECIDED) for text in contract.undecided)
    return found


def compared(contract: Contract, saved: Contract) -> list[Answer]:
    """Whether a model runs wherever another one does, whose contract was saved.

    Raises:
        SpecError: when the inputs are not the same ones.
    """
    spec = [parse_condition(each.condition) for each in saved.conditions]
    spec += _facts(saved)
    values, links = _linked(contract, saved)
    found = [_broken(need.condition, need.where) for need in contract.broken]
    for text, condition in links:
        found.append(_answer(condition, spec, text, "the declared inputs"))
    for each in contract.conditions:
        where = each.needed_by[0].where if each.needed_by else ""
        try:
            inner = parse_condition(each.condition).mapped(lambda dim: dims.substitute(dim, values))
        except UNDEFINED:
            found.append(Answer(each.condition, Verdict.REFUTED, where))
            continue
        found.append(_answer(inner, spec, each.condition, where))
    found.extend(Answer(text, Verdict.UNDECIDED) for text in contract.undecided if text not in saved.undecided)
    return found


def _facts(contract: Contract) -> list[Condition]:
    """What the contract takes for granted."""
    return [condition for name, said in contract.facts.items() for condition in _fact(name, said)]


def _fact(name: str, said: str | int) -> Iterator[Condition]:
    text = str(said).strip()
    if ".." in text:
        yield parse_condition(f"{_quoted(name)} in {text}")
    elif text[:1] in "<>=":
        yield parse_condition(f"{_quoted(name)} {text}")


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _linked(contract: Contract, saved: Contract) -> tuple[dict[Any, Dim], list[tuple[str, Condition]]]:
    """What each symbol of the model is in terms of the saved contract, and what else its declarations ask for."""
    before = {value.name: value for value in saved.inputs}
    values: dict[Any, Dim] = {}
    pairs: list[tuple[str, Dim, Dim]] = []
    for value in contract.inputs:
        old = before.pop(value.name, None)
        if old is None:
            raise SpecError(f"input '{value.name}' is not in the contract")
        if value.elem_type and old.elem_type and value.elem_type != old.elem_type:
            raise SpecError(f"input '{value.name}' is {value.elem_type}, and {old.elem_type} in the contract")
        new_shape, old_shape = _shape(value), _shape(old)
        if new_shape is None or old_shape is None:
            continue
        if len(new_shape) != len(old_shape):
            raise SpecError(f"input '{value.name}' is {value.type}, and {old.type} in the contract")
        pairs += [
            (f"axis {i} of '{value.name}'", a, b) for i, (a, b) in enumerate(zip(new_shape, old_shape, strict=True))
        ]
    if before:
        raise SpecError(f"input '{next(iter(before))}' of the contract is missing")
    links = []
    for _, new, old_dim in pairs:
        if type(new) is not int and dims.size(new) == 0:
            values.setdefault(new, old_dim)
    for text, new, old_dim in pairs:
        now = dims.substitute(new, values)
        if now != old_dim:
            links.append((f"{text} is {dims.text(new)}", single("==", old_dim, now)))
    return values, links


def _shape(value: ValueReport) -> tuple[Dim, ...] | None:
    if value.shape is None:
        return None
    try:
        return tuple(dim if isinstance(dim, int) else _dim(dim) for dim in value.shape)
    except DimSyntaxError:
        return None


def _dim(text: str) -> Dim:
    known = dims.read_name(text, ())
    return dims.symbol(text) if known is None else known


def _broken(condition: str, where: str) -> Answer:
    return Answer(condition, Verdict.REFUTED, where)


def _answer(goal: Condition, spec: Sequence[Condition], text: str, where: str) -> Answer:
    facts = Facts()
    for condition in spec:
        condition.assume(facts)
    outside = _outside(goal, spec)
    if outside is not None and not outside:
        return Answer(text, Verdict.PROVED, where)
    if implied(goal, spec, facts):
        return Answer(text, Verdict.PROVED, where)
    sizes = next(_counterexamples(goal, spec, facts, outside), None)
    if sizes is None:
        return Answer(text, Verdict.UNDECIDED, where)
    shown = [(name, sizes[name]) for name in sorted(sizes)]
    return Answer(text, Verdict.REFUTED, where, tuple(shown))


def _outside(goal: Condition, spec: Sequence[Condition]) -> SizeSet | None:
    """For a goal on one symbol: the sizes that the specification allows of it, and the goal does not."""
    if len(goal.symbols) != 1:
        return None
    (symbol,) = goal.symbols
    sets = [solve(goal, symbol, ALL), *(solve(c, symbol, ALL) for c in spec if c.symbols == goal.symbols)]
    if None in sets:
        return None
    try:
        return intersection([s for s in sets[1:] if s is not None]) - sets[0]  # type: ignore[operator]  # not None
    except TooComplex:
        return None


def _counterexamples(
    goal: Condition, spec: Sequence[Condition], facts: Facts, outside: SizeSet | None
) -> Iterator[dict[str, int]]:
    symbols = sorted(goal.symbols, key=lambda s: str(s.name))
    choices: dict[str, list[int]] = {}
    if outside is not None:
        choices[symbols[0].name] = [n for _, n in zip(range(_SHOWN), outside, strict=False)]
    telling = telling_sizes([goal, *spec])
    for symbol in {s for c in [goal, *spec] for s in c.symbols} - {s for s in symbols if s.name in choices}:
        allowed = _allowed(symbol, spec)
        if allowed is not None:
            few = {n for _, n in zip(range(_FIRST), allowed, strict=False)} | {n for n in telling if n in allowed}
            few |= {allowed.high} if allowed.high is not None else set()
            choices[symbol.name] = sorted(few, key=lambda n: (n == 0, n))
    for sizes in sizes_that_meet(spec, facts, symbols, choices):
        if not goal.holds(sizes):
            yield sizes


def _allowed(symbol: Any, spec: Sequence[Condition]) -> SizeSet | None:
    sets = [solve(c, symbol, ALL) for c in spec if c.symbols == {symbol}]
    try:
        return intersection([s for s in sets if s is not None])
    except TooComplex:
        return None


def findings(found: Iterable[Answer], spec: str) -> Iterator[Finding]:
    """The answers that are not as they should be, as findings; ``spec`` names what the model was held against."""
    for answer in found:
        fields = {"condition": answer.condition, "spec": spec, "where": answer.where or "the model"}
        if answer.verdict is Verdict.REFUTED:
            sizes = f" with {answer.sizes_text}" if answer.sizes else ""
            yield Finding(codes.CONTRACT_REFUTED, Where(), {**fields, "sizes": sizes})
        elif answer.verdict is Verdict.UNDECIDED:
            yield Finding(codes.CONTRACT_UNDECIDED, Where(), fields)
