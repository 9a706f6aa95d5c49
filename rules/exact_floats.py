"""Floats that stand for sizes: exact rationals, followed only as long as IEEE 754 arithmetic is exact on them.

A float holds ``p / 2**k`` exactly while ``|p|`` is at most ``2**24`` (float) or ``2**53`` (double), and an operation
whose exact result it holds gives that result. So a size that is cast to a float, scaled by 0.5, and rounded down is
``N // 2`` as long as ``N <= 2**24``. Where that depends on the sizes of the inputs, it is recorded as a condition; a
double is taken to hold every size. A symbolic float entry is a dim with rational coefficients; numbers are Python
floats.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from shapeinfer.rule import Context, Dim, ElementType, codes, dims

from .entrywise import Entry, not_negative

LARGEST = 2**24  # up to here a 32-bit float holds every whole number
FINEST = 10  # more binary places than this are not followed
STEEPEST = 64  # with a larger factor than this, the condition would hardly ever hold


def rational(entry: Entry) -> Any:
    """A float entry as an exact dim; ``None`` where it is unknown or not finite."""
    if type(entry) is not float:
        return entry
    if not math.isfinite(entry):
        return None
    return int(entry) if entry.is_integer() else dims.scale(1, Fraction(entry))


def numerator(entry: Any) -> tuple[Dim, int] | None:
    """``p`` and ``k`` where the entry is ``p / 2**k`` with whole-number coefficients."""
    for places in range(FINEST + 1):
        scaled = dims.expand(dims.scale(entry, Fraction(2**places)))
        if dims.floor(scaled) == scaled:
            return scaled, places
    return None


def whole(entry: Any) -> bool:
    """Whether an entry is a whole number for all sizes."""
    found = numerator(entry)
    return found is not None and found[1] == 0


def held(ctx: Context, elem: int, *entries: Any) -> bool:
    """Whether floats of this type hold all the entries; records the conditions under which they do."""
    tops = []
    for entry in entries:
        top = top_of(ctx, entry, elem) if dims.is_symbolic(entry) else 0
        if top is None:
            return False
        tops.append(top)
    for top in tops:
        if dims.is_symbolic(top):
            ctx.require_at_least(LARGEST, top, codes.FLOAT_INEXACT, dim=dims.text(top), limit=LARGEST)
    return True


def top_of(ctx: Context, entry: Any, elem: int) -> Any:
    """What must be at most :data:`LARGEST` for a float to hold the entry (0: nothing); ``None`` where it may not."""
    found = numerator(entry)
    if found is None or elem == ElementType.DOUBLE:
        return None if found is None else 0
    top, facts = found[0], ctx.facts
    high, low = facts.at_least(LARGEST, top), facts.at_least(top, -LARGEST)
    if high is False or low is False:
        ctx.warn(codes.FLOAT_INEXACT, dim=dims.text(top), limit=LARGEST)
        return None
    if high and low:
        return 0
    return None if low is None or steepness(top) > STEEPEST else top


def steepness(dim: Dim) -> int:
    """What the dim is when every symbol is 1: a measure of how soon it is large."""
    try:
        return dims.evaluate(dim, {symbol.name: 1 for symbol in dims.free_symbols(dim)})
    except (ZeroDivisionError, ValueError):
        return STEEPEST + 1


def numeric(function: Callable[..., float], operands: tuple[float, ...], elem: int) -> float | None:
    """The operation on numbers, rounded once; double rounding does no harm to ``+ - * /`` and the square root."""
    try:
        result = function(*map(float, operands))
    except (ZeroDivisionError, OverflowError, ValueError):
        return None
    return result if elem == ElementType.DOUBLE else float(np.float32(result))


def follow(ctx: Context, function: Callable[..., Any], operands: tuple[Entry, ...], elem: int) -> Entry:
    """``function`` on exact entries; ``None`` where an operand or the result may not be exact."""
    exact = [rational(entry) for entry in operands]
    if any(entry is None for entry in exact):
        return None
    result = function(*exact)
    if result is None or not held(ctx, elem, result, *exact):
        return None
    return plain(result)


def plain(entry: Any) -> Entry:
    """A number as a Python float, a symbolic entry as it is."""
    if type(entry) is int:
        return float(entry)
    return entry if dims.free_symbols(entry) else float(entry)


def quotient(ctx: Context, a: Any, b: Any) -> Any:
    """``a / b``; ``None`` where it is no rational multiple of a polynomial, or ``b`` may be 0."""
    if dims.is_symbolic(b) and dims.free_symbols(b):
        return dims.divide_exact(a, b) if whole(b) and ctx.facts.equal(b, 0) is False else None
    factor = Fraction(b) if type(b) is int else Fraction(int(b.p), int(b.q))
    return dims.scale(a, 1 / factor) if factor else None


def to_whole(ctx: Context, entry: Entry, elem: int) -> Entry:
    """A float entry cast to an integer type: truncated, which is known where the sign is."""
    exact = rational(entry)
    if exact is None:
        return None
    if type(exact) is int:
        return exact
    if not dims.free_symbols(exact):
        return math.trunc(entry)
    if not held(ctx, elem, exact):
        return None
    found = numerator(exact)
    if found is None:
        return None
    top, places = found
    if places == 0:
        return top
    if not_negative(ctx, top):
        return dims.floor(exact)
    return dims.ceil(exact) if ctx.facts.at_least(0, top) else None
