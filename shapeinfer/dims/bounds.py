"""Interval bounds of dims. Only arithmetic on intervals: SymPy is never asked what it assumes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from shapeinfer.dims.algebra import Number, plain, sympy_nodes
from shapeinfer.dims.division import floordiv
from shapeinfer.dims.polynomial import Monomial, Poly, atom, combined, denominator, polynomial, product, scaled

Range: TypeAlias = tuple[int | None, int | None]
Interval: TypeAlias = tuple[Number | None, Number | None]

_DEPTH = 4
_CHOICES = 4
_DEGREE = 5
_SHIFTED_TERMS = 32


class Bounds:
    """Bounds of dims, given the ranges of some symbols; any other symbol is only known not to be negative."""

    def __init__(self, ranges: Mapping[Any, Range] | None = None) -> None:
        self._ranges = {} if ranges is None else ranges
        self._known: dict[Any, Range] = {}

    def of(self, dim: Any) -> Range:
        """The least and the greatest that the dim can be; ``None`` where there is no bound."""
        if type(dim) is int:
            return dim, dim
        if dim.is_Symbol:
            return self._ranges.get(dim, (0, None))
        found = self._known.get(dim)
        if found is None:
            found = self._known[dim] = self._of(dim)
        return found

    def _of(self, expr: Any) -> Range:
        n = sympy_nodes()
        if isinstance(expr, n.Node):
            return whole(self._node(expr))
        interval = self.interval(polynomial(expr))
        if expr.is_Mul:  # factors may say more than the sum that they make: (N - 1)*(H - 1)
            factors: Interval = (1, 1)
            for factor in expr.args:
                factors = _product(factors, (int(factor),) * 2 if factor.is_Integer else self.of(factor))
            interval = _both(interval, factors)
        return whole(interval) if denominator(polynomial(expr)) == 1 else _outward(interval)

    def _node(self, node: Any) -> Interval:
        n = sympy_nodes()
        ranges = [self.of(plain(arg)) for arg in node.args]
        if isinstance(node, n.FloorDiv):
            return _quotient(*ranges)
        if isinstance(node, n.Mod):
            return _remainder(*ranges)
        lows, highs = [low for low, _ in ranges], [high for _, high in ranges]
        if isinstance(node, n.Max):
            return _greatest(lows), _all(highs, max)
        if isinstance(node, n.Min):
            return _all(lows, min), _least(highs)
        return _all(lows, min), _all(highs, max)

    # ------------------------------------------------------------------------------------------------- polynomials

    def interval(self, poly: Poly) -> Interval:
        """Bounds of a polynomial, term by term, and again with each atom measured from the least that it can be."""
        result = self._by_terms(poly)
        if len(poly) > 1 and any(len(monomial) > 1 or (monomial[:1] and monomial[0][1] > 1) for monomial in poly):
            shifted = self._shifted(poly)
            if shifted is not None:
                return _both(result, shifted)
        return result

    def _by_terms(self, poly: Poly) -> Interval:
        low: Number | None = 0
        high: Number | None = 0
        for monomial, coefficient in poly.items():
            term_low, term_high = self._monomial(monomial)
            if coefficient < 0:
                term_low, term_high = term_high, term_low
            low = None if low is None or term_low is None else low + coefficient * term_low
            high = None if high is None or term_high is None else high + coefficient * term_high
        return low, high

    def _monomial(self, monomial: Monomial) -> Interval:
        result: Interval = (1, 1)
        for key, exponent in monomial:
            result = _product(result, _power(self._atom(key), exponent))
        return result

    def _atom(self, key: int) -> Range:
        expr = atom(key)
        if expr.is_Mul or expr.is_Pow:  # too large to multiply out
            return None, None
        return self.of(expr)

    def _shifted(self, poly: Poly) -> Interval | None:
        """Bounds by terms of ``p(x + low(x))``: in variables that are not negative, (N - 1)*H shows as ``n*H``."""
        if len(poly) > _SHIFTED_TERMS or any(sum(e for _, e in monomial) > _DEGREE for monomial in poly):
            return None
        ranges = {key: self._atom(key) for key in {key for monomial in poly for key, _ in monomial}}
        if not any(ranges[key][0] for key in ranges):
            return None
        moved: Poly = {}
        for monomial, coefficient in poly.items():
            term: Poly = {(): coefficient}
            for key, exponent in monomial:
                low = ranges[key][0]
                base: Poly = {((key, 1),): 1, (): low} if low else {((key, 1),): 1}
                for _ in range(exponent):
                    term = product(term, base)
            moved = combined(moved, term, 1)
        local = _Moved({key: _moved(ranges[key]) for key in ranges})
        return local._by_terms(moved)

    # --------------------------------------------------------------------------------------------- with correlation

    def sharp(self, poly: Poly, enough: Callable[[Interval], bool] = lambda _: False) -> Interval:
        """As :meth:`interval`, seeing that a node is tied to what is in it: ``N - N//2`` is not negative.

        Args:
            poly: the polynomial.
            enough: stops the work once an interval is good enough.
        """
        result = self.interval(poly)
        if enough(result):
            return result
        low, high = self._lowest(poly, _DEPTH), self._lowest(scaled(poly, -1), _DEPTH)
        return _both(result, (low, None if high is None else -high))

    def _lowest(self, poly: Poly, depth: int) -> Number | None:
        low = self.interval(poly)[0]
        if depth == 0 or len(poly) > _SHIFTED_TERMS:
            return low
        for monomial, key in _nodes_to_replace(poly):
            coefficient, others = poly[monomial], tuple(pair for pair in monomial if pair[0] != key)
            branches, combine = self._branches(atom(key), coefficient, others)
            if branches:
                rest = {m: c for m, c in poly.items() if m != monomial}
                factor: Poly = {others: coefficient}
                lows = [self._lowest(combined(rest, product(factor, b), 1), depth - 1) for b in branches]
                return _greatest([low, combine(lows)])
        return low

    def _branches(
        self, node: Any, coefficient: Number, others: Monomial
    ) -> tuple[list[Poly], Callable[[list[Number | None]], Number | None]]:
        """What may stand for a node in a term so that the least of the sum stays a lower bound of it."""
        n = sympy_nodes()
        if not isinstance(node, n.Node):
            return [], _least_of_all
        args = [polynomial(plain(arg)) for arg in node.args]
        if isinstance(node, n.FloorDiv | n.Mod):
            divisor = plain(node.args[1])
            if type(divisor) is not int:
                return [], _least_of_all
            if isinstance(node, n.Mod):
                quotient = polynomial(floordiv(plain(node.args[0]), divisor))
                return [combined(args[0], quotient, -divisor)], _least_of_all
            low = self._monomial(others)[0]
            if low is None or low < 0:
                return [], _least_of_all
            top = combined(args[0], {(): divisor - 1}, -1) if coefficient > 0 and divisor > 1 else args[0]
            return [scaled(top, Fraction(1, divisor))], _least_of_all
        if len(args) > _CHOICES:
            return [], _least_of_all
        low = self._monomial(others)[0]
        if low is not None and low >= 0 and isinstance(node, n.Max if coefficient > 0 else n.Min):
            return args, _greatest
        return args, _least_of_all


def _nodes_to_replace(poly: Poly) -> list[tuple[Monomial, int]]:
    """The nodes in a sum, each with its term; remainders first, for what stands in their place is exact."""
    if len(poly) < 2:
        return []
    found = [(m, key) for m in poly for key, exponent in m if exponent == 1 and not atom(key).is_Symbol]
    return sorted(found, key=lambda each: not isinstance(atom(each[1]), sympy_nodes().Mod))


class _Moved(Bounds):
    """Bounds of the atoms of one polynomial, by key."""

    def __init__(self, by_key: Mapping[int, Range]) -> None:
        super().__init__()
        self._by_key = by_key

    def _atom(self, key: int) -> Range:
        return self._by_key[key]


def _moved(interval: Range) -> Range:
    low, high = interval
    if low is None:
        return interval
    return 0, None if high is None else high - low


def _greatest(values: Iterable[Number | None]) -> Number | None:
    known = [value for value in values if value is not None]
    return max(known) if known else None


def _least(values: Iterable[Number | None]) -> Number | None:
    known = [value for value in values if value is not None]
    return min(known) if known else None


def _all(values: list[Any], choose: Callable[[list[Any]], Any]) -> Any:
    return None if None in values else choose(values)


def _least_of_all(values: list[Number | None]) -> Number | None:
    return _all(values, min)  # type: ignore[no-any-return]


def _both(a: Interval, b: Interval) -> Interval:
    return _greatest((a[0], b[0])), _least((a[1], b[1]))


def whole(interval: Interval) -> Range:
    """The bounds of a whole number in an interval."""
    low, high = interval
    return None if low is None else math.ceil(low), None if high is None else math.floor(high)


def _outward(interval: Interval) -> Range:
    low, high = interval
    return None if low is None else math.floor(low), None if high is None else math.ceil(high)


def _product(a: Interval, b: Interval) -> Interval:
    if a == (1, 1):
        return b
    ends = [_end(x, y) for x in _ends(a) for y in _ends(b)]
    low, high = min(ends), max(ends)
    return _finite(low), _finite(high)


def _ends(a: Interval) -> tuple[Any, Any]:
    return -math.inf if a[0] is None else a[0], math.inf if a[1] is None else a[1]


def _end(x: Any, y: Any) -> Any:
    if x == 0 or y == 0:
        return 0
    if math.inf in (x, y, -x, -y):
        return math.inf if (x > 0) == (y > 0) else -math.inf
    return x * y


def _finite(value: Any) -> Number | None:
    return None if value in (math.inf, -math.inf) else value


def _power(a: Interval, exponent: int) -> Interval:
    if exponent == 1:
        return a
    low, high = a
    if low is not None and low >= 0:
        return low**exponent, None if high is None else high**exponent
    result = a
    for _ in range(exponent - 1):
        result = _product(result, a)
    return _both(result, (0, None)) if exponent % 2 == 0 else result


def _quotient(a: Range, b: Range) -> Range:
    (low, high), (least, most) = a, b
    if most is not None and most < 0:
        return _quotient(_negative(a), _negative(b))
    if least is None or least < 0:
        return None, None
    least = max(least, 1)  # a run that divides by 0 fails
    if most is not None and most < least:
        return None, None
    if low is not None:
        low = low // least if low < 0 else 0 if most is None else low // most
    if high is not None:
        high = high // least if high >= 0 else -1 if most is None else high // most
    return low, high


def _remainder(a: Range, b: Range) -> Range:
    (low, high), (least, most) = a, b
    if least is None or least < 0:
        return None, None
    top = None if most is None or most < 1 else most - 1
    if low is not None and low >= 0 and high is not None:
        top = high if top is None else min(top, high)
    return 0, top


def _negative(a: Range) -> Range:
    low, high = a
    return None if high is None else -high, None if low is None else -low


DEFAULT = Bounds()
"""Bounds without any facts."""
