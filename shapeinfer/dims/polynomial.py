"""Dims as polynomials with rational coefficients, over symbols and nodes: how equality and division are decided."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any, TypeAlias

from shapeinfer.dims.algebra import Dim, Number, plain, sympy_nodes

Monomial: TypeAlias = tuple[tuple[int, int], ...]
"""Pairs of (key of an atom, exponent), in descending order: so Python's tuple order is a monomial order."""

Poly: TypeAlias = Mapping[Monomial, Number]
"""Coefficients by monomial, none of them 0; ``()`` is the monomial of the constant. Never changed once made."""

TERMS = 512
"""A product that could have more terms than this is not multiplied out, but taken as one atom."""

_ATOMS: dict[int, Any] = {}
_KEYS: dict[Any, int] = {}
_COUNT = itertools.count()
_POLYNOMIALS: dict[Any, Poly] = {}


def _key(atom: Any) -> int:
    key = _KEYS.get(atom)
    if key is None:
        key = _KEYS.setdefault(atom, -next(_COUNT))
        _ATOMS[key] = atom
    return key


def atom(key: int) -> Any:
    """The symbol or node of a key in a monomial."""
    return _ATOMS[key]


def polynomial(dim: Any) -> Poly:
    """The dim multiplied out."""
    if type(dim) is int:
        return {(): dim} if dim else {}
    found = _POLYNOMIALS.get(dim)
    if found is None:
        found = _POLYNOMIALS[dim] = _polynomial(dim)
    return found


def _polynomial(expr: Any) -> Poly:
    n = sympy_nodes()
    if expr.is_Symbol or isinstance(expr, n.Node):
        return {((_key(expr), 1),): 1}
    if expr.is_Rational:
        value = number(expr)
        return {(): value} if value else {}
    if expr.is_Add:
        total: dict[Monomial, Number] = {}
        for term in expr.args:
            _accumulate(total, polynomial(term), 1)
        return total
    if expr.is_Mul:
        factors = [polynomial(factor) for factor in expr.args]
    elif expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
        factors = [polynomial(expr.base)] * int(expr.exp)
    else:
        raise TypeError(f"{type(expr).__name__} is no dim")
    result: Poly = {(): 1}
    for factor in factors:
        if len(result) * len(factor) > TERMS:
            return _too_large(factors)
        result = product(result, factor)
    return result


def _too_large(factors: list[Poly]) -> Poly:
    """The product as one atom; rational contents go outside, so that the atom is a whole number."""
    n = sympy_nodes()
    contents = [content(factor) for factor in factors]
    whole = [joined(scaled(factor, 1 / Fraction(c))) for factor, c in zip(factors, contents, strict=True)]
    return {((_key(n.Mul(*whole)), 1),): _tidy(math.prod(contents, start=Fraction(1)))}


def number(value: Any) -> Number:
    """The Python number that a SymPy rational is."""
    return int(value) if value.is_Integer else Fraction(int(value.p), int(value.q))


def _tidy(value: Number) -> Number:
    return int(value) if value.denominator == 1 else value


def _accumulate(total: dict[Monomial, Number], other: Poly, factor: Number) -> None:
    for monomial, coefficient in other.items():
        value = total.get(monomial, 0) + factor * coefficient
        if value:
            total[monomial] = _tidy(value)
        else:
            del total[monomial]


def combined(a: Poly, b: Poly, factor: Number) -> Poly:
    """``a + factor * b``."""
    result = dict(a)
    if factor:
        _accumulate(result, b, factor)
    return result


def scaled(a: Poly, factor: Number) -> Poly:
    """``factor * a``, for a factor that is not 0."""
    return {monomial: _tidy(factor * coefficient) for monomial, coefficient in a.items()}


def product(a: Poly, b: Poly) -> Poly:
    """``a * b``."""
    result: dict[Monomial, Number] = {}
    for monomial, coefficient in a.items():
        _accumulate(result, {monomial_product(monomial, other): c for other, c in b.items()}, coefficient)
    return result


def monomial_product(a: Monomial, b: Monomial) -> Monomial:
    """The product of two monomials."""
    if not a or not b:
        return a or b
    exponents = dict(a)
    for key, exponent in b:
        exponents[key] = exponents.get(key, 0) + exponent
    return tuple(sorted(exponents.items(), reverse=True))


def monomial_quotient(a: Monomial, b: Monomial) -> Monomial | None:
    """The monomial ``q`` with ``q * b == a``, if there is one."""
    exponents = dict(a)
    for key, exponent in b:
        left = exponents.get(key, 0) - exponent
        if left < 0:
            return None
        if left:
            exponents[key] = left
        else:
            del exponents[key]
    return tuple(sorted(exponents.items(), reverse=True))


def quotient(a: Poly, b: Poly) -> Poly | None:
    """The polynomial ``q`` with whole coefficients and ``q * b == a``, if there is one."""
    if not b:
        return None
    lead = max(b)
    left = dict(a)
    result: dict[Monomial, Number] = {}
    while left:
        top = max(left)
        monomial = monomial_quotient(top, lead)
        if monomial is None or len(result) >= TERMS:
            return None
        factor = Fraction(left[top]) / b[lead]
        if factor.denominator != 1:
            return None
        result[monomial] = int(factor)
        for other, coefficient in b.items():
            at = monomial_product(monomial, other)
            value = left.get(at, 0) - int(factor) * coefficient
            if value:
                left[at] = value
            else:
                del left[at]
    return result


def joined(a: Poly) -> Any:
    """The dim that a polynomial is: the inverse of :func:`polynomial`."""
    n = sympy_nodes()
    terms = []
    for monomial, coefficient in a.items():
        factors = [_ATOMS[key] if exponent == 1 else n.Pow(_ATOMS[key], exponent) for key, exponent in monomial]
        if coefficient != 1 or not factors:
            factors.insert(0, n.Rational(coefficient.numerator, coefficient.denominator))
        terms.append(factors[0] if len(factors) == 1 else n.Mul(*factors))
    return plain(terms[0] if len(terms) == 1 else n.Add(*terms)) if terms else 0


@cache
def expand(dim: Any) -> Any:
    """The dim multiplied out."""
    return dim if type(dim) is int else joined(polynomial(dim))


def denominator(a: Poly) -> int:
    """The least number that makes all coefficients whole."""
    return math.lcm(*[coefficient.denominator for coefficient in a.values()])


def content(a: Poly) -> Number:
    """The greatest number of which all coefficients are whole multiples; 1 for the polynomial 0."""
    below = denominator(a)
    return _tidy(Fraction(math.gcd(*[int(c * below) for c in a.values()]) or 1, below))


def atoms(a: Poly) -> Iterator[Any]:
    """The symbols and nodes of a polynomial, each once."""
    return (_ATOMS[key] for key in dict.fromkeys(key for monomial in a for key, _ in monomial))


def difference(a: Dim, b: Dim) -> Poly:
    """``a - b``, multiplied out; empty when the two are identical."""
    return combined(polynomial(a), polynomial(b), -1)
