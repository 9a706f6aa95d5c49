"""Solving ``p == 0`` in whole numbers for one symbol, where that is easy."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

from shapeinfer.dims.algebra import Dim
from shapeinfer.dims.bounds import DEFAULT
from shapeinfer.dims.polynomial import Poly, atom, denominator, joined, scaled
from shapeinfer.dims.walk import free_symbols

_FRESH = re.compile(r"u\d+")


def primitive(poly: Poly) -> Poly:
    """The polynomial over the common divisor of its terms, leading term positive; it is 0 where the other one is.

    A constant that is left with a fraction means that there is no solution in whole numbers.
    """
    poly = scaled(poly, denominator(poly))
    step = math.gcd(*[int(c) for monomial, c in poly.items() if monomial])
    if not step:
        return poly
    return scaled(poly, Fraction(1 if poly[max(poly)] > 0 else -1, step))


def solution(poly: Poly) -> tuple[Any, Dim] | None:
    """A symbol and what it equals where the polynomial is 0, if a symbol stands alone with a coefficient of ±1.

    The best one is replaced: first a symbol whose value is plainly not negative (``total`` in ``past + seq == total``),
    then a symbol that was made for an unknown size, then the last by name.
    """
    found: list[tuple[tuple[Any, ...], Any, Dim]] = []
    for monomial, coefficient in poly.items():
        if len(monomial) != 1 or monomial[0][1] != 1 or abs(coefficient) != 1:
            continue
        symbol = atom(monomial[0][0])
        if not symbol.is_Symbol:
            continue
        rest = {other: c for other, c in poly.items() if other != monomial}
        if any(symbol in free_symbols(atom(key)) for other in rest for key, _ in other):
            continue
        value = joined(scaled(rest, -coefficient))
        low = DEFAULT.interval(scaled(rest, -coefficient))[0]
        rank = (low is not None and low >= 0, _FRESH.fullmatch(symbol.name) is not None, natural(symbol.name))
        found.append((rank, symbol, value))
    if not found:
        return None
    _, symbol, value = max(found, key=lambda each: each[0])
    return symbol, value


def natural(name: str) -> list[tuple[bool, int, str]]:
    """A sort key in which ``u2`` comes before ``u10``."""
    parts = re.split(r"([0-9]+)", name)
    return [(i % 2 == 0, int(part) if i % 2 and len(part) < 20 else 0, part) for i, part in enumerate(parts)]
