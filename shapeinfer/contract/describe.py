"""Sets of sizes in words: bounds, divisibility, and the exceptions to them."""

from __future__ import annotations

from itertools import islice
from typing import Any

from shapeinfer import dims
from shapeinfer.contract.conditions import Atom, Condition, single
from shapeinfer.contract.sets import Piece, SizeSet, interval, made

_RUNS = 6
_REMAINDERS = 4


def describe(allowed: SizeSet, symbol: Any) -> list[Condition] | None:
    """Conditions that together say that a size is in a set that is not empty; ``None`` where that takes too many."""
    low, high = allowed.low or 0, allowed.high
    if low == high:
        return [single("==", symbol, low)]
    pattern = _pattern(allowed)
    if pattern is None:
        runs = _intervals(allowed)
        if runs is None or len(runs) > _RUNS:
            return None
        if len(runs) == 1:
            return _bounds(symbol, low, high)
        return [Condition(tuple(_within(symbol, *run, 0, None) for run in runs))]
    atoms, members = _remainders(pattern, symbol)
    if len(atoms) > _REMAINDERS:
        return None
    inside = members & interval(low, high)
    low = next((n + 1 for n in range(low - 1, -1, -1) if n in members), 0)
    extra, missing = _intervals(allowed - inside), _intervals(inside - allowed)
    if extra is None or missing is None or len(extra) + len(missing) > _RUNS:
        return None
    result = _bounds(symbol, low, high)
    alternatives = [*((atom,) for atom in atoms), *(_within(symbol, *_grown(run, allowed), low, high) for run in extra)]
    result.append(Condition(tuple(alternatives)))
    for first, last in missing:
        if last is None:
            return None
        result.append(_outside(symbol, first, last))
    return result


def enough(allowed: SizeSet, symbol: Any) -> Condition | None:
    """``H % 32 == 0`` where that suffices, with the bounds, although a few other sizes are allowed as well."""
    pattern = _pattern(allowed)
    if pattern is None or len(pattern.remainders) == 1 or 0 not in pattern.remainders:
        return None
    simple = made([Piece(0, None, pattern.period, frozenset({0}))])
    low = next(islice(allowed, 1), 0)
    return (
        single("divides", symbol, pattern.period) if simple & interval(max(low, 1), allowed.high) <= allowed else None
    )


def _pattern(allowed: SizeSet) -> Piece | None:
    """The piece of the set that has a period, the last one of them."""
    return next((p for p in reversed(allowed.pieces) if p.period > 1), None)


def _remainders(piece: Piece, symbol: Any) -> tuple[list[Atom], SizeSet]:
    """Relations of which one must hold for the remainder to be one of these, and all sizes for which one does."""
    period, remainders = piece.period, piece.remainders
    members = made([Piece(0, None, period, remainders)])
    if len(remainders) == period - 1 > 1:
        (other,) = set(range(period)) - remainders
        return [Atom("!=", dims.mod(symbol, period), other)], members
    starts = [r for r in remainders if (r - 1) % period not in remainders]
    if len(starts) == 1 and len(remainders) > 1:
        shift, length = -starts[0] % period, len(remainders)
        moved = dims.add(symbol, shift)
        if period % length == 0:
            return [Atom("divides", dims.floordiv(moved, length), period // length)], members
        return [Atom(">=", length - 1, dims.mod(moved, period))], members
    return [_remainder(symbol, period, r) for r in sorted(remainders)], members


def _remainder(symbol: Any, period: int, remainder: int) -> Atom:
    if remainder == 0:
        return Atom("divides", symbol, period)
    return Atom("==", dims.mod(symbol, period), remainder)


def _intervals(numbers: SizeSet) -> list[tuple[int, int | None]] | None:
    """The intervals that a set consists of; ``None`` when it is no union of a few."""
    found: list[tuple[int, int | None]] = []
    for piece in numbers.pieces:
        if not piece.remainders:
            continue
        if piece.period > 1:
            if piece.high is None or piece.high - piece.low > 8 * piece.period:
                return None
            found.extend((n, n) for n in range(piece.low, piece.high + 1) if piece.fits(n))
        elif found and found[-1][1] == piece.low - 1:
            found[-1] = (found[-1][0], piece.high)
        else:
            found.append((piece.low, piece.high))
    return found


def _grown(run: tuple[int, int | None], allowed: SizeSet) -> tuple[int, int | None]:
    """The interval with the members right before and after it."""
    low, high = run
    while low > 0 and low - 1 in allowed:
        low -= 1
    while high is not None and high + 1 in allowed:
        high += 1
    return low, high


def _bounds(symbol: Any, low: int, high: int | None) -> list[Condition]:
    atoms = _within(symbol, low, high, 0, None)
    return [Condition((atoms,))] if atoms else []


def _within(symbol: Any, low: int, high: int | None, least: int, most: int | None) -> tuple[Atom, ...]:
    """``low <= symbol <= high``, given that it is from ``least`` to ``most``."""
    if low == high:
        return (Atom("==", symbol, low),)
    lower = (Atom(">=", symbol, low),) if low > least else ()
    upper = (Atom(">=", high, symbol),) if high is not None and high != most else ()
    return lower + upper


def _outside(symbol: Any, low: int, high: int) -> Condition:
    if low == high:
        return single("!=", symbol, low)
    return Condition(((Atom(">=", low - 1, symbol),), (Atom(">=", symbol, high + 1),)))
