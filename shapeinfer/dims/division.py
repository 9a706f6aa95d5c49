"""Whole-number division of dims, in a canonical form, and the way back from rational multiples to whole numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from shapeinfer.dims.algebra import Dim, Number, add, neg, node_argument, plain, scale, sympy_nodes
from shapeinfer.dims.polynomial import (
    Monomial,
    Poly,
    atom,
    combined,
    content,
    denominator,
    expand,
    joined,
    monomial_quotient,
    polynomial,
    quotient,
    scaled,
)

_QUOTIENTS: dict[tuple[Any, Any], Any] = {}
_REMAINDERS: dict[tuple[Any, Any], Any] = {}
_EXACT: dict[tuple[Any, Any], Any] = {}


def floordiv(a: Dim, b: Dim) -> Dim:
    """``floor(a / b)``. A symbolic ``b`` is taken not to be 0, for a run that divides by 0 fails.

    Raises:
        ZeroDivisionError: when ``b`` is the number 0.
    """
    if type(a) is int and type(b) is int:
        return a // b
    key = (a, b)
    found = _QUOTIENTS.get(key)
    if found is None:
        found = _QUOTIENTS[key] = _floordiv(a, b)
    return found


def _floordiv(a: Any, b: Any) -> Any:
    if type(b) is not int:
        return _floordiv_symbolic(a, b)
    if b == 0:
        raise ZeroDivisionError("division of a dim by zero")
    top = polynomial(a)
    whole = denominator(top)
    if whole == 1 and abs(b) == 1:
        return a if b == 1 else neg(a)
    return _floordiv_number(scaled(top, whole if b > 0 else -whole), whole * abs(b))


def _floordiv_number(top: Poly, below: int) -> Any:
    """The floor of a polynomial with whole coefficients over a positive number."""
    n = sympy_nodes()
    outside = {monomial: c // below for monomial, c in top.items() if c % below == 0 or (not monomial and c // below)}
    inner = {monomial: c for monomial, c in top.items() if monomial and c % below}
    constant = int(top.get((), 0) % below)
    if not inner:
        return joined(outside)
    common = math.gcd(below, *[int(c) for c in inner.values()])
    inner = {monomial: c // common for monomial, c in inner.items()}
    constant, below = constant // common, below // common
    if len(inner) == 1:
        (monomial, coefficient), *_ = inner.items()
        node = atom(monomial[0][0])
        if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1 and isinstance(node, n.FloorDiv):
            divisor = plain(node.args[1])
            if type(divisor) is int:
                return add(joined(outside), floordiv(add(plain(node.args[0]), constant * divisor), divisor * below))
    if constant:
        inner[()] = constant
    return add(joined(outside), n.FloorDiv(node_argument(joined(inner)), n.Integer(below)))


def _floordiv_symbolic(a: Any, b: Any) -> Any:
    exact = divide_exact(a, b)
    if exact is not None:
        return exact
    top, below = polynomial(a), polynomial(b)
    whole = math.lcm(denominator(top), denominator(below))
    top, below = scaled(top, whole), scaled(below, whole)
    outside: dict[Monomial, Number] = {}
    if len(below) == 1:
        ((divisor, factor),) = below.items()
        for monomial, coefficient in top.items():
            left = monomial_quotient(monomial, divisor)
            if left is not None and coefficient % factor == 0:
                outside[left] = coefficient // factor
        top = {m: c for m, c in top.items() if monomial_quotient(m, divisor) is None or c % factor}
    common = math.gcd(*[int(c) for c in (*top.values(), *below.values())])
    if common > 1:
        top, below = scaled(top, Fraction(1, common)), scaled(below, Fraction(1, common))
    under = joined(below)
    if type(under) is int:
        return add(joined(outside), floordiv(joined(top), under))
    n = sympy_nodes()
    return add(joined(outside), n.FloorDiv(node_argument(joined(top)), under))


def ceildiv(a: Dim, b: Dim) -> Dim:
    """``ceil(a / b)``.

    Raises:
        ZeroDivisionError: when ``b`` is the number 0.
    """
    if type(b) is int and b > 0:
        if type(a) is int:
            return -(-a // b)
        whole = denominator(polynomial(a))
        top = a if whole == 1 else joined(scaled(polynomial(a), whole))
        return floordiv(add(top, whole * b - 1), whole * b)
    return neg(floordiv(neg(a), b))


def mod(a: Dim, b: Dim) -> Dim:
    """``a - b * floor(a / b)``, as Python's ``%``.

    Raises:
        ZeroDivisionError: when ``b`` is the number 0.
    """
    if type(a) is int and type(b) is int:
        return a % b
    key = (a, b)
    found = _REMAINDERS.get(key)
    if found is None:
        found = _REMAINDERS[key] = _mod(a, b)
    return found


def _mod(a: Any, b: Any) -> Any:
    if type(b) is int and b <= 0:
        if b == 0:
            raise ZeroDivisionError("remainder of a dim by zero")
        return neg(mod(neg(a), -b))
    top, below = polynomial(a), polynomial(b)
    whole = math.lcm(denominator(top), denominator(below))
    if whole > 1:
        return scale(mod(joined(scaled(top, whole)), joined(scaled(below, whole))), Fraction(1, whole))
    n = sympy_nodes()
    if type(b) is not int:
        return 0 if divide_exact(a, b) is not None else n.Mod(node_argument(expand(a)), expand(b))
    rest: Poly = {}
    for monomial, coefficient in top.items():
        inner = _inner_remainder(monomial, b)
        if inner is not None:
            rest = combined(rest, polynomial(inner), coefficient)
        else:
            rest = combined(rest, {monomial: 1}, coefficient)
    rest = {monomial: c % b for monomial, c in rest.items() if c % b}
    if not rest or not any(rest):
        return joined(rest)
    common = math.gcd(b, int(content(rest)))
    if common == b:
        return 0
    node = n.Mod(node_argument(joined(scaled(rest, Fraction(1, common)))), n.Integer(b // common))
    return scale(node, Fraction(common)) if common > 1 else node


def _inner_remainder(monomial: Any, b: int) -> Any:
    """The ``x`` of a lone ``x % m`` where ``b`` divides ``m``, for then ``x % m % b == x % b``."""
    n = sympy_nodes()
    if len(monomial) != 1 or monomial[0][1] != 1:
        return None
    node = atom(monomial[0][0])
    if not isinstance(node, n.Mod) or not node.args[1].is_Integer or int(node.args[1]) % b:
        return None
    return plain(node.args[0])


def divide_exact(a: Dim, b: Dim) -> Dim | None:
    """The ``q`` with ``q * b == a`` identically; ``None`` when there is none that is a polynomial."""
    if type(b) is int:
        if type(a) is int:
            return a // b if b and a % b == 0 else None
        if b == 1:
            return a
    key = (a, b)
    if key not in _EXACT:
        found = quotient(polynomial(a), polynomial(b))
        _EXACT[key] = None if found is None else _factored(a, b, joined(found))
    return _EXACT[key]


def _factored(a: Any, b: Any, found: Any) -> Any:
    """The quotient in the form the user wrote, where ``b`` is one of the factors of ``a``."""
    if type(found) is int or not found.is_Add or not a.is_Mul:
        return found
    factors = list(a.args)
    if b in factors:
        factors.remove(b)
        return plain(sympy_nodes().Mul(*factors))
    return found


def floor(a: Any) -> Dim:
    """The floor of a number, or of an expression with rational coefficients."""
    if isinstance(a, Fraction | float):
        return math.floor(a)
    return floordiv(a, 1)


def ceil(a: Any) -> Dim:
    """The ceiling of a number, or of an expression with rational coefficients."""
    if isinstance(a, Fraction | float):
        return math.ceil(a)
    return ceildiv(a, 1)
