"""The exact set of sizes of one symbol for which a condition holds.

Divisions and remainders by numbers come round: with ``x = period*q + r`` each is a polynomial in ``q`` for every ``r``,
so that bounds decide the condition on whole intervals of ``q``. What they do not decide is cut in two, down to single
sizes, which are tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shapeinfer import dims
from shapeinfer.contract.conditions import UNDEFINED, Condition
from shapeinfer.contract.sets import Piece, SizeSet, TooComplex, made
from shapeinfer.dims import Facts
from shapeinfer.dims.walk import rebuild

POINTS = 2048
"""As many sizes are tried one by one."""
PERIODS = 512
_QUESTIONS = 4000
_SMALL = 8
_LARGEST = 1 << 41
_QUOTIENT = "quotient "  # no model can use this name: its own names are stripped and never end in a space


def solve(condition: Condition, symbol: Any, domain: SizeSet) -> SizeSet | None:
    """The sizes of ``domain`` for which a condition on this symbol alone holds; ``None`` where that is too complex."""
    try:
        solver = _Solver(condition, symbol)
        return made([found for piece in domain.pieces if piece.remainders for found in solver.within(piece)])
    except TooComplex:
        return None


class _Solver:
    def __init__(self, condition: Condition, symbol: Any) -> None:
        self.condition = condition
        self.symbol = symbol
        self.questions = _QUESTIONS

    def within(self, piece: Piece) -> list[Piece]:
        """The members of a piece for which the condition holds."""
        if piece.high is not None and piece.high - piece.low < POINTS:
            return [
                Piece(n, n, 1, frozenset({0})) for n in range(piece.low, piece.high + 1) if n in piece and self.at(n)
            ]
        period = math.lcm(piece.period, period_of(self.condition))
        if period > PERIODS:
            raise TooComplex
        first = -(-piece.low // period)
        last = None if piece.high is None else (piece.high + 1) // period - 1
        edges = [*range(piece.low, first * period)]
        if piece.high is not None and last is not None:
            edges += range((last + 1) * period, piece.high + 1)
        found = [Piece(n, n, 1, frozenset({0})) for n in edges if n in piece and self.at(n)]
        true: dict[int, list[tuple[int, int | None]]] = {}
        for remainder in range(period):
            if piece.fits(remainder):
                true[remainder] = self.of_remainder(period, remainder, first, last)
        return found + _joined(true, period)

    def at(self, number: int) -> bool:
        """Whether the condition holds at one size."""
        return self.condition.holds({self.symbol.name: number})

    def of_remainder(self, period: int, remainder: int, first: int, last: int | None) -> list[tuple[int, int | None]]:
        """The intervals of ``q`` in which the condition holds of ``period*q + remainder``."""
        q = dims.symbol(_QUOTIENT)
        try:
            value = dims.add(dims.mul(period, q), remainder)
            inner = self.condition.mapped(lambda dim: dims.substitute(dim, {self.symbol: value}))
        except UNDEFINED as error:
            raise TooComplex from error
        found: list[tuple[int, int | None]] = []
        todo: list[tuple[int, int | None]] = [(first, last)]
        while todo:
            low, high = todo.pop()
            if high is not None and high - low < _SMALL:
                found.extend((n, n) for n in range(low, high + 1) if self.at(period * n + remainder))
                continue
            answer = self.truth(inner, q, low, high)
            if answer is None:
                middle = (low + high) // 2 if high is not None else 2 * low + _SMALL
                if middle > _LARGEST:
                    raise TooComplex
                todo += [(low, middle), (middle + 1, high)]
            elif answer:
                found.append((low, high))
        return found

    def truth(self, inner: Condition, q: Any, low: int, high: int | None) -> bool | None:
        """Whether the condition holds in a whole interval of ``q``."""
        self.questions -= 1
        if self.questions < 0:
            raise TooComplex
        facts = Facts()
        facts.assume_range(q, low, high)
        return inner.truth(facts)


def _joined(true: dict[int, list[tuple[int, int | None]]], period: int) -> list[Piece]:
    """The pieces that intervals of quotients, by remainder, come to."""
    intervals = [each for found in true.values() for each in found]
    if not intervals:
        return []
    starts = sorted({low for low, _ in intervals} | {high + 1 for _, high in intervals if high is not None})
    ends: list[int | None] = [start - 1 for start in starts[1:]]
    pieces = []
    for low, high in zip(starts, [*ends, None], strict=True):
        members = frozenset(
            r for r, found in true.items() if any(a <= low and (b is None or low <= b) for a, b in found)
        )
        pieces.append(Piece(period * low, None if high is None else period * high + period - 1, period, members))
    return pieces


class _TooShort(Exception):  # noqa: N818 - not an error: the period is made longer
    def __init__(self, factor: int) -> None:
        self.factor = factor


def period_of(condition: Condition) -> int:
    """After how many sizes the divisions and remainders of a condition on one symbol come round."""
    period = 1
    while period <= PERIODS:
        try:
            for atom in condition.atoms:
                left, right = (rebuild(side, _Step(period).leaf, _OPERATIONS) for side in (atom.left, atom.right))
                if atom.relation == "divides" and type(right) is int and right:
                    _divided(left, right)
        except _TooShort as short:
            period *= short.factor
        else:
            break
    return period


@dataclass(frozen=True, slots=True)
class _Step:
    """A number of which a dim grows by a multiple over one period, as long as no ``min`` or ``max`` turns over."""

    size: Fraction | int

    def leaf(self, _symbol: Any) -> _Step:
        return self


def _step(value: Any) -> Fraction:
    return Fraction(value.size) if isinstance(value, _Step) else Fraction(0)


def _common(*values: Any) -> _Step:
    steps = [_step(value) for value in values]
    below = math.lcm(*[step.denominator for step in steps])
    return _Step(Fraction(math.gcd(*[int(step * below) for step in steps]), below))


def _product(*values: Any) -> _Step:
    factor = math.prod((value for value in values if not isinstance(value, _Step)), start=Fraction(1))
    return _Step(_common(*[value for value in values if isinstance(value, _Step)]).size * factor)


def _divided(top: Any, divisor: Any) -> _Step:
    if type(divisor) is not int or divisor == 0:
        return _common(top, divisor)
    quotient = _step(top) / divisor
    if quotient.denominator > 1:
        raise _TooShort(quotient.denominator)
    return _Step(quotient)


def _remainder(top: Any, divisor: Any) -> _Step:
    _divided(top, divisor)
    return _Step(0) if type(divisor) is int else _common(top, divisor)


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": _common,
    "*": _product,
    "**": lambda base, _: _common(base),
    "//": _divided,
    "%": _remainder,
    "min": _common,
    "max": _common,
    "broadcast": _common,
}
