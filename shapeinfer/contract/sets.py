"""Sets of sizes, exact ones: intervals, on each of which the members are those of some remainders."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce

MOST_PERIOD = 1 << 14
"""Sets of a longer period are not formed."""


class TooComplex(Exception):  # noqa: N818 - not an error: the question is left undecided
    """A set with too many pieces, or of too long a period."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The numbers ``low <= n`` (``<= high`` unless that is ``None``) whose remainder by ``period`` is one of these."""

    low: int
    high: int | None
    period: int
    remainders: frozenset[int]

    def __contains__(self, number: int) -> bool:
        return number >= self.low and (self.high is None or number <= self.high) and self.fits(number)

    def fits(self, number: int) -> bool:
        """Whether the remainder of the number is one of these."""
        return number % self.period in self.remainders


@dataclass(frozen=True, eq=False)
class SizeSet:
    """A set of non-negative integers. ``pieces`` follow each other without a gap from 0 to infinity; some are empty."""

    pieces: tuple[Piece, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SizeSet) and not (self - other) and not (other - self)

    __hash__ = None  # type: ignore[assignment]  # equal sets may be cut into pieces in several ways

    def __contains__(self, number: int) -> bool:
        return any(number in piece for piece in self.pieces)

    def __and__(self, other: SizeSet) -> SizeSet:
        return _combined(self, other, lambda a, b: a and b)

    def __or__(self, other: SizeSet) -> SizeSet:
        return _combined(self, other, lambda a, b: a or b)

    def __sub__(self, other: SizeSet) -> SizeSet:
        return _combined(self, other, lambda a, b: a and not b)

    def __le__(self, other: SizeSet) -> bool:
        return not (self - other)

    def __bool__(self) -> bool:
        return any(piece.remainders for piece in self.pieces)

    def __iter__(self) -> Iterator[int]:
        """The members, from the least on; there may be no end."""
        for piece in self.pieces:
            if piece.remainders:
                number = piece.low
                while piece.high is None or number <= piece.high:
                    if piece.fits(number):
                        yield number
                    number += 1

    @property
    def low(self) -> int | None:
        """The least member; ``None`` when there is none."""
        return next(iter(self), None)

    @property
    def high(self) -> int | None:
        """The greatest member; ``None`` when there is none, or no end."""
        last = next((piece for piece in reversed(self.pieces) if piece.remainders), None)
        if last is None or last.high is None:
            return None
        return next(n for n in range(last.high, last.low - 1, -1) if last.fits(n))

    @property
    def bounded(self) -> bool:
        """Whether there is a greatest member, or none at all."""
        return not self.pieces[-1].remainders

    def count(self, limit: int) -> int:
        """The number of members, but no more than ``limit``."""
        found = 0
        for _ in self:
            found += 1
            if found >= limit:
                break
        return found


def interval(low: int, high: int | None = None) -> SizeSet:
    """The sizes from ``low`` to ``high``, both of which belong to it; ``None`` is no end."""
    low = max(low, 0)
    return made([Piece(low, high, 1, frozenset({0}))]) if high is None or high >= low else EMPTY


def of_numbers(numbers: Iterable[int]) -> SizeSet:
    """The set of these numbers."""
    return made(Piece(first, last, 1, frozenset({0})) for first, last in _runs(sorted(numbers)))


def made(pieces: Iterable[Piece]) -> SizeSet:
    """The set of the members of pieces that do not overlap, in few pieces."""
    full: list[Piece] = []
    at = 0
    for piece in sorted((p for p in pieces if p.high is None or p.high >= p.low), key=lambda p: p.low):
        if piece.low > at:
            full.append(Piece(at, piece.low - 1, 1, frozenset()))
        full.append(_reduced(piece))
        if piece.high is None:
            break
        at = piece.high + 1
    if not full or full[-1].high is not None:
        full.append(Piece(at, None, 1, frozenset()))
    return SizeSet(tuple(_merged(full)))


def _runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    for i, number in enumerate(numbers):
        if i == 0 or numbers[i - 1] != number - 1:
            first = number
        if i + 1 == len(numbers) or numbers[i + 1] != number + 1:
            yield first, number


def _reduced(piece: Piece) -> Piece:
    """The piece with the shortest period that there is."""
    period, remainders = piece.period, piece.remainders
    if period > MOST_PERIOD:
        raise TooComplex
    for divisor in range(1, period + 1):
        if period % divisor == 0:
            less = frozenset(r % divisor for r in remainders)
            if len(less) * (period // divisor) == len(remainders):
                return Piece(piece.low, piece.high, divisor, less)
    return piece


def _merged(pieces: list[Piece]) -> list[Piece]:
    """A piece takes in what stands before it as far as that fits its pattern; short patterns become intervals."""
    flat = [part for piece in pieces for part in _flattened(piece)]
    result: list[Piece] = []
    for piece in reversed(flat):
        before: Piece | None = piece
        if result:
            before, result[-1] = _absorbed(piece, result[-1])
        if before is not None:
            result.append(before)
    return result[::-1]


def _flattened(piece: Piece) -> list[Piece]:
    """A pattern that comes round less than three times as plain intervals."""
    if piece.high is None or piece.period == 1 or piece.high - piece.low + 1 >= 3 * piece.period:
        return [piece]
    numbers = [n for n in range(piece.low, piece.high + 1) if piece.fits(n)]
    parts, at = [], piece.low
    for first, last in _runs(numbers):
        if first > at:
            parts.append(Piece(at, first - 1, 1, frozenset()))
        parts.append(Piece(first, last, 1, frozenset({0})))
        at = last + 1
    if at <= piece.high:
        parts.append(Piece(at, piece.high, 1, frozenset()))
    return parts


def _absorbed(piece: Piece, after: Piece) -> tuple[Piece | None, Piece]:
    assert piece.high is not None
    if (piece.period, piece.remainders) == (after.period, after.remainders):
        return None, Piece(piece.low, after.high, after.period, after.remainders)
    number = piece.high
    while number >= piece.low and piece.fits(number) == after.fits(number):
        number -= 1
        if piece.high - number > math.lcm(piece.period, after.period):
            number = piece.low - 1
    grown = Piece(number + 1, after.high, after.period, after.remainders)
    return (None if number < piece.low else Piece(piece.low, number, piece.period, piece.remainders)), grown


def _combined(a: SizeSet, b: SizeSet, keep: Callable[[bool, bool], bool]) -> SizeSet:
    starts = sorted({piece.low for piece in (*a.pieces, *b.pieces)})
    ends: list[int | None] = [start - 1 for start in starts[1:]]
    pieces = []
    for low, high in zip(starts, [*ends, None], strict=True):
        first = next(p for p in a.pieces if p.high is None or p.high >= low)
        second = next(p for p in b.pieces if p.high is None or p.high >= low)
        period = math.lcm(first.period, second.period)
        if period > MOST_PERIOD:
            raise TooComplex
        members = frozenset(r for r in range(period) if keep(first.fits(r), second.fits(r)))
        pieces.append(Piece(low, high, period, members))
    return made(pieces)


EMPTY = SizeSet((Piece(0, None, 1, frozenset()),))
ALL = SizeSet((Piece(0, None, 1, frozenset({0})),))


def intersection(sets: Iterable[SizeSet]) -> SizeSet:
    """What all of them have; every size when there is none of them."""
    return reduce(lambda a, b: a & b, sets, ALL)
