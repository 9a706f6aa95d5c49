"""From the requirements of an analysis to the fewest and simplest conditions that say the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import onnx

from shapeinfer import dims
from shapeinfer.contract.conditions import UNDEFINED, Condition, condition_of, simplified, single
from shapeinfer.contract.describe import describe, enough
from shapeinfer.contract.prove import CASES, implied
from shapeinfer.contract.sets import ALL, SizeSet, TooComplex, intersection, interval
from shapeinfer.contract.shorten import shorter
from shapeinfer.contract.solve import solve
from shapeinfer.diagnostics import Code, Where
from shapeinfer.dims import Facts
from shapeinfer.engine import Analysis
from shapeinfer.types import TensorType

_ROUNDS = 3
_FEW_CASES = 6
"""For conditions on what only a run can tell, of which there may be many."""


@dataclass(frozen=True)
class Need:
    """What needs a condition: a node, or a declaration, with the condition as it stands there."""

    text: str
    where: Where
    code: Code | None
    condition: Condition


@dataclass
class Clause:
    """A condition of the contract, with what needs it.

    Attributes:
        exact: whether its simplest form was found; if not, it stands as a node needs it.
        enough: a simpler condition that suffices.
    """

    condition: Condition
    needs: tuple[Need, ...]
    exact: bool = True
    enough: Condition | None = None


@dataclass
class _Sizes:
    """What is allowed of one symbol: each set with what needs it; their intersection."""

    allowed: SizeSet
    given: SizeSet
    """What the user said of it, which is no condition."""
    parts: list[tuple[SizeSet, Need]] = field(default_factory=list)


class Builder:
    """Takes in conditions one by one, in the order of the walk; :meth:`clauses` has what is left of them.

    Attributes:
        broken: the needs that no sizes can meet, given those before them.
    """

    def __init__(self, analysis: Analysis) -> None:
        self.base = Facts()
        analysis.options.assume(self.base)
        self.facts = self.base.fork()
        self.sizes: dict[Any, _Sizes] = {}
        self.rest: list[Clause] = []
        self.broken: list[Need] = []
        self.symbols = frozenset(input_symbols(analysis).values())

    def take(self, analysis: Analysis) -> None:
        """Takes in all that an analysis says."""
        for condition, need in [*declared(analysis), *recorded(analysis)]:
            self.add(condition, need)

    def build(self) -> list[Clause]:
        """The conditions in few words."""
        for _ in range(_ROUNDS):
            if not self.settle():
                break
        return self.clauses()

    # ------------------------------------------------------------------------------------------------- taking in

    def add(self, condition: Condition, need: Need) -> None:
        """Takes in a condition, unless those before it imply it."""
        found = self.reduced(condition, self.facts)
        answer = found.truth(self.facts)
        if answer:
            return
        if answer is False:
            self.broken.append(need)
            return
        if len(found.symbols) == 1 and self.narrow(found, need):
            return
        if any(found == clause.condition for clause in self.rest):
            return
        self.rest.append(Clause(found, (need,), exact=len(found.symbols) != 1))
        found.assume(self.facts)

    def reduced(self, condition: Condition, facts: Facts) -> Condition:
        """The condition in terms of the fewest symbols."""
        try:
            return simplified(condition, facts)
        except UNDEFINED:
            return condition

    def narrow(self, condition: Condition, need: Need) -> bool:
        """Takes in a condition on one symbol as the set of sizes that meet it, if that is found."""
        (symbol,) = condition.symbols
        known = self.of(symbol)
        found = solve(condition, symbol, known.allowed)
        if found is None:
            return False
        if not found:
            self.broken.append(need)
            return True
        try:
            outside = ALL - known.allowed
            if known.allowed - found:
                known.parts.append((found | outside, need))
                known.allowed = found
                self.tell(symbol, found, self.facts)
        except TooComplex:
            return False
        return True

    def exclude(self, symbol: Any, sizes: SizeSet, need: Need) -> None:
        """Takes in that some sizes of a symbol are ruled out."""
        known = self.of(symbol)
        left = known.allowed - sizes
        if not left:
            self.broken.append(need)
        else:
            known.parts.append((ALL - sizes, need))
            known.allowed = left
            self.tell(symbol, left, self.facts)

    def of(self, symbol: Any) -> _Sizes:
        """What is allowed of a symbol so far."""
        if symbol not in self.sizes:
            low, high = self.base.range(symbol)
            given = interval(low or 0, high)
            self.sizes[symbol] = _Sizes(given, given)
        return self.sizes[symbol]

    def tell(self, symbol: Any, allowed: SizeSet, facts: Facts) -> None:
        """Tells facts what a set says, as far as they can take it in."""
        facts.assume_range(symbol, allowed.low, allowed.high)
        for condition in describe(allowed, symbol) or ():
            condition.assume(facts)

    # --------------------------------------------------------------------------------------------- simplification

    def settle(self) -> bool:
        """Drops what the other conditions imply and shortens the others; whether anything changed."""
        changed = self.move_sets()
        for clause in sorted(self.rest, key=lambda c: c.condition.size, reverse=True):
            others = [other.condition for other in self.rest if other is not clause]
            found = self.settled(clause, others)
            if found is not clause:
                at = self.rest.index(clause)
                self.rest[at : at + 1] = [] if found is None else [found]
                changed = True
        return changed

    def settled(self, clause: Clause, others: list[Condition]) -> Clause | None:
        """The clause in a shorter form, if there is one; ``None`` when it is implied, or kept as a set."""
        facts = self.all_facts(others)
        at_once = clause.condition.symbols <= self.symbols
        hypotheses = [*others, *self.of_sets()] if at_once else others
        if implied(clause.condition, hypotheses, facts, CASES if at_once else _FEW_CASES):
            return None
        condition = self.reduced(clause.condition, facts)
        if condition.truth(facts) is False or (at_once and implied(Condition(()), [*hypotheses, condition], facts)):
            self.broken.extend(clause.needs)
            return None
        if len(condition.symbols) == 1 and self.narrow(condition, clause.needs[0]):
            return None
        if at_once and 1 < len(condition.symbols) <= 3:
            condition = shorter(condition, hypotheses, facts)
        return replace(clause, condition=condition) if condition.size < clause.condition.size else clause

    def of_sets(self) -> list[Condition]:
        """What the user and the sets say of the input symbols, as conditions."""
        sets = [(symbol, self.of(symbol).allowed) for symbol in sorted(self.symbols, key=str)]
        return [condition for symbol, allowed in sets for condition in describe(allowed, symbol) or ()]

    def move_sets(self) -> bool:
        """What is said of a symbol that another one equals is said of that one."""
        facts = self.all_facts([clause.condition for clause in self.rest])
        moved = False
        for symbol in [*self.sizes]:
            value: Any = facts.reduce(symbol)
            if value is symbol or type(value) is int or not value.is_Symbol or not self.sizes[symbol].parts:
                continue
            known, other = self.sizes[symbol], self.of(value)
            joint = known.allowed & other.allowed
            if not joint:
                self.broken.extend(need for _, need in known.parts)
            other.parts.extend(known.parts)
            other.allowed = joint or other.allowed
            known.parts, known.allowed = [], known.given
            moved = True
        return moved

    def all_facts(self, conditions: Iterable[Condition]) -> Facts:
        """What the user said, the sets, and these conditions."""
        facts = self.base.fork()
        for symbol, known in self.sizes.items():
            self.tell(symbol, known.allowed, facts)
        for condition in conditions:
            condition.assume(facts)
        return facts

    # ------------------------------------------------------------------------------------------------ what is left

    def clauses(self) -> list[Clause]:
        """The conditions that are left: those on one symbol in its simplest form, then the others."""
        found: list[Clause] = []
        for symbol, known in self.sizes.items():
            found.extend(self.of_symbol(symbol, known))
        return [*found, *self.rest]

    def of_symbol(self, symbol: Any, known: _Sizes) -> list[Clause]:
        """The conditions that say which sizes of one symbol are allowed, beyond what the user said of it."""
        parts = needed_parts(known)
        if not parts:
            return []
        conditions = describe(known.allowed, symbol)
        if conditions is None:
            return [Clause(need.condition, (need,), exact=False) for _, need in parts]
        clauses = []
        for condition in conditions:
            wanted = solve(condition, symbol, ALL)
            if wanted is not None and known.given <= wanted:
                continue
            needs = tuple(need for _, need in (parts if wanted is None else implying(parts, wanted, known.given)))
            clauses.append(Clause(condition, needs))
        if clauses:
            clauses[-1].enough = enough(known.allowed, symbol)
        return clauses


def needed_parts(known: _Sizes) -> list[tuple[SizeSet, Need]]:
    """The first few sets that together say what all of them say."""
    parts = list(known.parts)
    for part in reversed(known.parts):
        others = [other for other in parts if other is not part]
        if intersection([known.given, *(each for each, _ in others)]) <= known.allowed:
            parts = others
    return parts


def implying(parts: list[tuple[SizeSet, Need]], wanted: SizeSet, given: SizeSet) -> list[tuple[SizeSet, Need]]:
    """The fewest of the sets that imply ``wanted``, the first that does so alone if there is one."""
    for part in parts:
        if part[0] & given <= wanted:
            return [part]
    chosen = list(parts)
    for part in reversed(parts):
        others = [other for other in chosen if other is not part]
        if intersection([given, *(each for each, _ in others)]) <= wanted:
            chosen = others
    return chosen


def recorded(analysis: Analysis) -> Iterable[tuple[Condition, Need]]:
    """The conditions that nodes need, in the order of the walk."""
    for requirement in analysis.requirements:
        condition = condition_of(requirement)
        yield condition, Need(requirement.text, requirement.where, requirement.code, condition)


def declared(analysis: Analysis) -> Iterable[tuple[Condition, Need]]:
    """What declared dims that are expressions need, such as ``N - 1``: no dim is negative."""
    for given, axis, dim in input_dims(analysis):
        if type(dim) is not int and dims.size(dim):
            condition = single(">=", dim, 0)
            yield condition, Need(condition.text, Where((f"dim {axis} of input '{given.name}'",)), None, condition)


def input_dims(analysis: Analysis) -> Iterable[tuple[onnx.ValueInfoProto, int, dims.Dim]]:
    """Each dim of each input that a caller must give."""
    stored = {tensor.name for tensor in analysis.model.graph.initializer}
    for given in analysis.model.graph.input:
        value = analysis.values.get(given.name)
        if value is None or given.name in stored:
            continue
        kind = value.type
        for axis, dim in enumerate((kind.shape or ()) if isinstance(kind, TensorType) else ()):
            yield given, axis, dim


def input_symbols(analysis: Analysis) -> dict[str, Any]:
    """The symbols of the inputs by name, in order."""
    return {s.name: s for _, _, dim in input_dims(analysis) for s in sorted(dims.free_symbols(dim), key=str)}


__all__ = ["Builder", "Clause", "Need", "declared", "input_symbols", "recorded"]
