"""Three-valued answers about dims: for all sizes, for none, or it depends."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from shapeinfer.dims.algebra import Dim, plain, sympy_nodes
from shapeinfer.dims.bounds import Interval, Range, whole
from shapeinfer.dims.known import Known
from shapeinfer.dims.polynomial import (
    Poly,
    atom,
    combined,
    denominator,
    difference,
    expand,
    polynomial,
    product,
    scaled,
)
from shapeinfer.dims.solve import primitive
from shapeinfer.dims.walk import free_symbols


class Facts(Known):
    """Ranges, divisors and equalities of dims, and questions that are answered from them.

    A symbol is a number that is not negative. A fact that is seen to contradict an earlier one is dropped: what
    remains says less, and no answer becomes wrong.
    """

    def range(self, dim: Dim) -> Range:
        """The least and the greatest that the dim can be, as far as that is known; ``None`` is no bound."""
        dim = self.reduce(dim)
        low, high = self._bounds.of(dim)
        if type(dim) is not int and (low is None or high is None):
            poly = polynomial(dim)
            if denominator(poly) == 1:
                sharp_low, sharp_high = whole(self._bounds.sharp(poly))
                low, high = sharp_low if low is None else low, sharp_high if high is None else high
        return low, high

    def equal(self, a: Dim, b: Dim) -> bool | None:
        """Whether the two are one number: for all sizes, for none, or it depends."""
        if type(a) is int and type(b) is int:
            return a == b
        if a is b:
            return True
        key = ("==", a, b)
        if key not in self._answers:
            self._answers[key] = self._answer_equal(self.reduce(a), self.reduce(b))
        return self._answers[key]

    def _answer_equal(self, a: Dim, b: Dim) -> bool | None:
        if a == b:
            return True
        poly = primitive(difference(a, b))
        if not any(poly):
            return not poly
        if poly in self._zeros:
            return True
        if denominator(poly) > 1 or self._never_zero_by_divisors(poly):
            return False
        if type(b) is int and not _contains(self._bounds.of(a), b):  # a product can say more than its sum
            return False
        if type(a) is int and not _contains(self._bounds.of(b), a):
            return False
        bounds = self._sharp(self._without_exact_divisions(poly))
        if not _contains(bounds, 0):
            return False
        if bounds == (0, 0):
            return True
        return False if self._off_zero_by_order(poly) else None

    def _sharp(self, poly: Poly) -> Interval:
        """The sharpest bounds, of a polynomial that is a whole number."""
        return whole(self._bounds.sharp(poly, lambda known: known == (0, 0) or not _contains(known, 0)))

    def _off_zero_by_order(self, poly: Poly) -> bool:
        return any(
            (low := self._bounds.interval(combined(scaled(poly, sign), known, -1))[0]) is not None and low > 0
            for known in self._orders_about(poly)
            for sign in (1, -1)
        )

    def _orders_about(self, poly: Poly) -> list[Poly]:
        """What is known not to be negative and has a term in common with a polynomial."""
        return [known for known in self._not_negative if any(monomial and monomial in poly for monomial in known)]

    def at_least(self, a: Dim, b: Dim) -> bool | None:
        """Whether ``a >= b``: for all sizes, for none, or it depends."""
        if type(a) is int and type(b) is int:
            return a >= b
        if a is b:
            return True
        key = (">=", a, b)
        if key not in self._answers:
            self._answers[key] = self._answer_at_least(self.reduce(a), self.reduce(b))
        return self._answers[key]

    def _answer_at_least(self, a: Dim, b: Dim) -> bool | None:
        poly = difference(a, b)
        if not any(poly):
            return poly.get((), 0) >= 0
        for low, high in self._bounds_of_difference(a, b, poly):
            if low is not None and low >= 0:
                return True
            if high is not None and high < 0:
                return False
        return None

    def _bounds_of_difference(self, a: Dim, b: Dim, poly: Poly) -> Iterator[Interval]:
        low_a, high_a = self._bounds.of(a)
        low_b, high_b = self._bounds.of(b)
        yield (
            None if low_a is None or high_b is None else low_a - high_b,
            None if high_a is None or low_b is None else high_a - low_b,
        )
        exact = self._without_exact_divisions(poly)
        sharp = self._bounds.sharp(exact, lambda known: known[0] is not None and known[0] >= 0)
        yield whole(sharp) if denominator(poly) == 1 else sharp
        for known in self._orders_about(poly):
            yield (
                self._bounds.interval(combined(poly, known, -1))[0],
                self._bounds.interval(combined(poly, known, 1))[1],
            )

    def is_one(self, dim: Dim) -> bool | None:
        """Whether the dim is 1: for all sizes, for none, or it depends."""
        return self.equal(dim, 1)

    def divisible(self, dim: Dim, n: int) -> bool | None:
        """Whether ``n`` divides the dim: for all sizes, for none, or it depends."""
        if n == 0:
            return self.equal(dim, 0)
        if type(dim) is int:
            return dim % n == 0
        key = ("%", dim, n)
        if key not in self._answers:
            self._answers[key] = self._answer_divisible(self.reduce(dim), abs(n))
        return self._answers[key]

    def _answer_divisible(self, dim: Dim, n: int) -> bool | None:
        if type(dim) is int:
            return dim % n == 0
        if self._divisors.get(expand(dim), 1) % n == 0:
            return True
        poly = polynomial(dim)
        low, high = self._bounds.of(dim)
        if denominator(poly) > 1:
            return None
        if low is not None and high is not None and low > 0 and high < n:
            return False
        answer = self._divisible(poly, n)
        return self._divisible(self._without_exact_divisions(poly), n) if answer is None else answer

    def _divisible(self, poly: Poly, n: int) -> bool | None:
        if denominator(poly) > 1:
            return None
        step = math.gcd(n, *[int(c) * self._divisor(monomial) for monomial, c in poly.items() if monomial])
        if int(poly.get((), 0)) % step:
            return False
        return True if step == n else None

    def _without_exact_divisions(self, poly: Poly) -> Poly:
        """The polynomial with ``a / n`` for ``a // n`` wherever ``n`` is known to divide ``a``."""
        if not self._divisors:
            return poly
        n = sympy_nodes()
        result: Poly = {}
        for monomial, coefficient in poly.items():
            term: Poly = {(): coefficient}
            for key, exponent in monomial:
                base: Poly = {((key, 1),): 1}
                node: Any = atom(key)
                if isinstance(node, n.FloorDiv) and node.args[1].is_Integer:
                    top, divisor = plain(node.args[0]), int(node.args[1])
                    if self.divisible(top, divisor):
                        base = scaled(polynomial(top), Fraction(1, divisor))
                for _ in range(exponent):
                    term = product(term, base)
            result = combined(result, term, 1)
        return result

    def symbols(self, dim: Dim) -> frozenset[Any]:
        """The symbols of the dim after the equalities are put in."""
        return free_symbols(self.reduce(dim))


def _contains(interval: Interval, value: int) -> bool:
    low, high = interval
    return (low is None or low <= value) and (high is None or value <= high)
