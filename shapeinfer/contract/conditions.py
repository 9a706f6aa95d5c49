"""Conditions on sizes as a contract has them: alternatives, each of which is a list of relations that hold together."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

from shapeinfer import dims
from shapeinfer.dims import BroadcastError, Dim, Facts
from shapeinfer.dims.text import PLAIN_NAME
from shapeinfer.dims.walk import DIMS, has_choice, rebuild
from shapeinfer.requirements import Requirement

Relation: TypeAlias = Literal["==", "!=", ">=", "divides"]
UNDEFINED = (ZeroDivisionError, BroadcastError, ValueError)


@dataclass(frozen=True, slots=True)
class Atom:
    """One relation of two dims. ``divides``: the right one divides the left one."""

    relation: Relation
    left: Dim
    right: Dim

    @property
    def symbols(self) -> frozenset[Any]:
        """The symbols of both sides."""
        return dims.free_symbols(self.left) | dims.free_symbols(self.right)

    @property
    def text(self) -> str:
        """The relation, as one would write it."""
        if self.relation == "divides":
            return f"{_factor(self.left)} % {_factor(self.right)} == 0"
        left, right, relation = self.left, self.right, str(self.relation)
        if type(left) is int:
            left, right, relation = right, left, {">=": "<="}.get(relation, relation)
        return f"{dim_text(left)} {relation} {dim_text(right)}"

    def holds(self, sizes: Mapping[str, int]) -> bool:
        """Whether the relation holds at these sizes. Where a side has no value there is no run, so it does not.

        Raises:
            KeyError: for a symbol without a size.
        """
        try:
            left, right = dims.evaluate(self.left, sizes), dims.evaluate(self.right, sizes)
        except UNDEFINED:
            return False
        match self.relation:
            case "==":
                return left == right
            case "!=":
                return left != right
            case ">=":
                return left >= right
        return left % right == 0 if right else left == 0

    def truth(self, facts: Facts) -> bool | None:
        """Whether the relation holds: for all sizes that the facts allow, for none, or it depends."""
        match self.relation:
            case "==":
                return facts.equal(self.left, self.right)
            case "!=":
                answer = facts.equal(self.left, self.right)
                return None if answer is None else not answer
            case ">=":
                return facts.at_least(self.left, self.right)
        if dims.divide_exact(self.left, self.right) is not None:
            return True
        return facts.divisible(self.left, self.right) if type(self.right) is int else None

    def assume(self, facts: Facts) -> None:
        """Tells the facts that the relation holds."""
        match self.relation:
            case "==":
                facts.assume_equal(self.left, self.right)
            case ">=":
                facts.assume_at_least(self.left, self.right)
            case "divides" if type(self.right) is int:
                facts.assume_divisible(self.left, self.right)
            case "!=" if facts.at_least(self.left, self.right):
                facts.assume_at_least(self.left, dims.add(self.right, 1))

    def mapped(self, change: Callable[[Dim], Dim]) -> Atom:
        """The relation with both sides changed."""
        return Atom(self.relation, change(self.left), change(self.right))


@dataclass(frozen=True)
class Condition:
    """Alternatives, of which at least one must hold; each is a tuple of relations that must all hold."""

    alternatives: tuple[tuple[Atom, ...], ...]

    @cached_property
    def symbols(self) -> frozenset[Any]:
        """The symbols in it."""
        return frozenset(s for atom in self.atoms for s in atom.symbols)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its symbols, in order."""
        return tuple(sorted(s.name for s in self.symbols))

    @property
    def atoms(self) -> list[Atom]:
        """Every relation in it."""
        return [atom for alternative in self.alternatives for atom in alternative]

    @property
    def size(self) -> tuple[int, int]:
        """How long it is: the number of relations, and of operations in them."""
        atoms = self.atoms
        return len(atoms), sum(dims.size(atom.left) + dims.size(atom.right) for atom in atoms)

    @cached_property
    def text(self) -> str:
        """The condition, as one would write it; :func:`shapeinfer.contract.text.parse_condition` reads it back."""
        return " or ".join(" and ".join(_chained(alternative)) for alternative in self.alternatives)

    def holds(self, sizes: Mapping[str, int]) -> bool:
        """Whether it holds at these sizes.

        Raises:
            KeyError: for a symbol without a size.
        """
        return any(all(atom.holds(sizes) for atom in alternative) for alternative in self.alternatives)

    def truth(self, facts: Facts) -> bool | None:
        """Whether it holds: for all sizes that the facts allow, for none, or it depends."""
        answers = [_all(atom.truth(facts) for atom in alternative) for alternative in self.alternatives]
        if True in answers:
            return True
        return None if None in answers else False

    def assume(self, facts: Facts) -> None:
        """Tells the facts what follows from it, where there is one alternative."""
        if len(self.alternatives) == 1:
            for atom in self.alternatives[0]:
                atom.assume(facts)

    def mapped(self, change: Callable[[Dim], Dim]) -> Condition:
        """The condition with every dim changed."""
        return Condition(tuple(tuple(atom.mapped(change) for atom in each) for each in self.alternatives))


def single(relation: Relation, left: Dim, right: Dim) -> Condition:
    """The condition that is one relation."""
    return Condition(((Atom(relation, left, right),),))


def condition_of(requirement: Requirement) -> Condition:
    """The condition that a recorded requirement is."""
    left, right = requirement.left, requirement.right
    if requirement.relation == "broadcast":
        ones = [Atom("==", dim, 1) for dim in (left, right) if type(dim) is not int]
        return Condition(tuple((atom,) for atom in [Atom("==", left, right), *ones]))
    relations: dict[str, Relation] = {"==": "==", ">=": ">=", "divisible": "divides"}
    return single(relations[requirement.relation], left, right)


def simplified(condition: Condition, facts: Facts) -> Condition:
    """An equivalent condition under the facts: decided relations left out, dims reduced, the same thing said once."""
    kept: list[tuple[Atom, ...]] = []
    for alternative in condition.alternatives:
        atoms = [tidied(atom.mapped(lambda dim: reduced(dim, facts))) for atom in alternative]
        answers = [atom.truth(facts) for atom in atoms]
        if False not in answers:
            rest = tuple(dict.fromkeys(a for a, answer in zip(atoms, answers, strict=True) if answer is None))
            if rest not in kept:
                kept.append(rest)
    return Condition(tuple(kept)) if kept else condition


def reduced(dim: Dim, facts: Facts) -> Dim:
    """The dim with what the facts know put in, and its choices made where they tell which argument counts."""
    found: Any = facts.reduce(dim)
    if type(found) is int or not has_choice(found):
        return found

    def extreme(choose: Callable[..., Dim], sign: int) -> Callable[..., Dim]:
        def chosen(*args: Dim) -> Dim:
            kept: list[Dim] = []
            for arg in args:
                if not any(facts.at_least(*(other, arg)[::sign]) for other in kept):
                    kept = [*(other for other in kept if not facts.at_least(*(arg, other)[::sign])), arg]
            return choose(*kept)

        return chosen

    def broadcast(*args: Dim) -> Dim:
        result: Dim = 1
        for arg in args:
            if facts.equal(result, 1) or facts.equal(arg, 1) is False:
                result = arg
            elif not (facts.equal(arg, 1) or facts.equal(result, arg) or facts.equal(result, 1) is False):
                result = dims.broadcast(result, arg)
        return result

    choices = {"max": extreme(dims.maximum, 1), "min": extreme(dims.minimum, -1), "broadcast": broadcast}
    try:
        return rebuild(found, lambda symbol: symbol, {**DIMS, **choices})
    except UNDEFINED:  # no run gets here
        return found


def tidied(atom: Atom) -> Atom:
    """``x + 2 >= 3`` as ``x >= 1``: constants on the right, the positive terms on the left."""
    if atom.relation == "divides":
        return atom
    left, right = dims.expand(dims.sub(atom.left, atom.right)), 0
    if type(left) is int:
        return atom
    terms = dict(left.as_coefficients_dict())
    constant = int(terms.pop(1, 0))
    divisor = math.gcd(*[int(c) for c in terms.values()])
    if any(c.q != 1 for c in terms.values()) or divisor == 0:
        return atom
    first, second = dims.expand(dims.sub(left, constant)), -constant
    negative = all(c < 0 for c in terms.values())
    if divisor > 1 and (atom.relation == ">=" or second % divisor == 0):
        quotient = dims.divide_exact(first, divisor)
        if quotient is not None:
            first, second = quotient, -(-second // divisor)
    if len(terms) > 1 and not negative:
        return atom if divisor == 1 else Atom(atom.relation, *_sides(first, second))
    if negative:
        first, second = dims.neg(first), -second
        return Atom(">=", second, first) if atom.relation == ">=" else Atom(atom.relation, first, second)
    return Atom(atom.relation, first, second + right)


def _sides(first: Any, second: int) -> tuple[Dim, Dim]:
    """A sum with its negative terms on the other side."""
    terms = first.as_coefficients_dict()
    negative = dims.add(*[dims.mul(int(c), t) for t, c in terms.items() if c < 0])
    left, right = dims.sub(first, negative), dims.sub(second, negative)
    return (right, left) if type(left) is int else (left, right)


def _all(answers: Iterable[bool | None]) -> bool | None:
    known = list(answers)
    if False in known:
        return False
    return None if None in known else True


def _chained(alternative: tuple[Atom, ...]) -> list[str]:
    """The relations as text; bounds of one dim from both sides as ``1 <= N <= 64``."""
    lows = {a.left: a for a in alternative if a.relation == ">=" and type(a.right) is int and type(a.left) is not int}
    highs = {a.right: a for a in alternative if a.relation == ">=" and type(a.left) is int}
    told: list[str] = []
    for atom in alternative:
        if atom.relation == ">=" and atom.left in lows and lows[atom.left] is atom and atom.left in highs:
            told.append(f"{atom.right} <= {dim_text(atom.left)} <= {highs[atom.left].left}")
        elif not (atom.relation == ">=" and atom.right in highs and highs[atom.right] is atom and atom.right in lows):
            told.append(atom.text)
    return told


def dim_text(dim: Dim) -> str:
    """A dim in a condition: a name that is not plain stands in backticks, so that it can be told from the rest."""
    text = dims.text(dim)
    if type(dim) is int or dims.size(dim) or _plain(text):
        return text
    return "`" + text.replace("`", "``") + "`"


def _plain(name: str) -> bool:
    return re.fullmatch(PLAIN_NAME, name) is not None and name not in ("or", "and", "in")


def _factor(dim: Dim) -> str:
    return dim_text(dim) if dims.size(dim) == 0 else f"({dim_text(dim)})"
