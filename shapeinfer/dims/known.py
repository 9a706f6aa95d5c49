"""What is known of dims beyond their form: ranges, divisors and equalities, and how they are learned."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import Any, Self

from shapeinfer.dims.algebra import Dim, plain, sympy_nodes
from shapeinfer.dims.bounds import Bounds, Range
from shapeinfer.dims.choice import BroadcastError, broadcast, maximum, minimum
from shapeinfer.dims.polynomial import (
    Monomial,
    Poly,
    atom,
    denominator,
    difference,
    expand,
    joined,
    polynomial,
    scaled,
)
from shapeinfer.dims.solve import primitive, solution
from shapeinfer.dims.walk import DIMS, has_choice, rebuild, size, substitute

_UNDEFINED = (ZeroDivisionError, BroadcastError)
_KEPT = 32
_VALUE_SIZE = 100


class Known:
    """Facts about symbols, and dims reduced by them."""

    def __init__(self) -> None:
        self._ranges: dict[Any, Range] = {}
        self._divisors: dict[Any, int] = {}
        self._values: dict[Any, Dim] = {}
        self._zeros: tuple[Poly, ...] = ()
        self._not_negative: tuple[Poly, ...] = ()
        self._forget()

    def fork(self) -> Self:
        """A copy that learns on its own."""
        copy = type(self)()
        copy._ranges.update(self._ranges)
        copy._divisors = dict(self._divisors)
        copy._values = dict(self._values)
        copy._zeros, copy._not_negative = self._zeros, self._not_negative
        return copy

    def _forget(self) -> None:
        """Drops what was derived before, since there is a new fact."""
        self._bounds = Bounds(self._ranges)
        self._reduced: dict[Any, Dim] = {}
        self._answers: dict[tuple[Any, ...], bool | None] = {}

    # ----------------------------------------------------------------------------------------------------- learning

    def assume_range(self, symbol: Any, low: int | None, high: int | None) -> None:
        """``low <= symbol <= high``; ``None`` is no bound."""
        if type(symbol) is int:
            return
        if not symbol.is_Symbol or symbol in self._values:
            if low is not None:
                self.assume_at_least(symbol, low)
            if high is not None:
                self.assume_at_least(high, symbol)
            return
        old_low, old_high = self._ranges.get(symbol, (0, None))
        low = old_low if low is None or (old_low is not None and old_low > low) else low
        high = old_high if high is None or (old_high is not None and old_high < high) else high
        if (low, high) == (old_low, old_high) or (low is not None and high is not None and low > high):
            return
        self._ranges[symbol] = (low, high)
        self._forget()
        if low == high and low is not None:
            self.assume_equal(symbol, low)

    def assume_divisible(self, symbol: Any, n: int) -> None:
        """``n`` divides the symbol, or any other dim."""
        dim, n = expand(self.reduce(symbol)), abs(n)
        if type(dim) is int or n == 0:
            return
        poly = polynomial(dim)
        if len(poly) == 1:
            ((monomial, coefficient),) = poly.items()
            if len(monomial) == 1 and monomial[0][1] == 1 and type(coefficient) is int:
                dim, n = atom(monomial[0][0]), n // math.gcd(n, coefficient)
        self._divisors[dim] = math.lcm(n, self._divisors.get(dim, 1))
        self._forget()

    def assume_equal(self, a: Dim, b: Dim) -> None:
        """The two are one number. Where that can be solved for a symbol, the symbol is replaced from now on."""
        if type(a) is int and type(b) is int:
            return
        todo = [difference(a, b)]
        while todo:  # each solution removes a symbol for good, so this ends
            poly = polynomial(self.reduce(joined(todo.pop())))
            poly = primitive(poly)
            if not any(poly) or denominator(poly) > 1:  # no symbol is left, or no whole number solves it
                continue
            solved = solution(poly)
            if solved is not None and size(solved[1]) <= _VALUE_SIZE and self._replace(*solved):
                todo.extend(self._zeros)
                self._zeros = ()
            elif solved is None:
                self._keep_zero(poly)

    def _keep_zero(self, poly: Poly) -> None:
        if poly not in self._zeros and len(self._zeros) < _KEPT:
            self._zeros = (*self._zeros, poly)
        self._forget()
        self._narrow(poly)
        self._narrow(scaled(poly, -1))

    def _replace(self, symbol: Any, value: Dim) -> bool:
        """Puts a value in the place of a symbol, unless its range says that this can't be."""
        low, high = self._ranges.get(symbol, (0, None))
        least, most = self._bounds.of(value)
        if (low is not None and most is not None and most < low) or (
            high is not None and least is not None and least > high
        ):
            return False
        try:
            values = {other: substitute(old, {symbol: value}) for other, old in self._values.items()}
        except _UNDEFINED:
            return False
        self._values = {**values, symbol: value}
        self._forget()
        if type(value) is not int:
            if low is not None:
                self._assume_not_negative(difference(value, low))
            if high is not None:
                self._assume_not_negative(difference(high, value))
        if symbol in self._divisors:
            self.assume_divisible(value, self._divisors[symbol])
        return True

    def assume_at_least(self, a: Dim, b: Dim) -> None:
        """``a >= b``."""
        self._assume_not_negative(difference(self.reduce(a), self.reduce(b)))

    def _assume_not_negative(self, poly: Poly) -> None:
        low, high = self._bounds.interval(poly)
        if (low is not None and low >= 0) or (high is not None and high < 0):
            return  # nothing new, or a contradiction
        if len(poly) > 1 and poly not in self._not_negative and len(self._not_negative) < _KEPT:
            self._not_negative = (*self._not_negative, poly)
            self._forget()
        self._narrow(poly)

    def _narrow(self, poly: Poly) -> None:
        """Narrows the symbols of a polynomial that is not negative, by the bounds of its other terms."""
        if len(poly) > _KEPT:
            return
        for monomial, coefficient in poly.items():
            if len(monomial) != 1 or monomial[0][1] != 1:
                continue
            most = self._bounds.interval({m: c for m, c in poly.items() if m != monomial})[1]
            if most is None:
                continue
            bound = Fraction(-most) / coefficient
            low, high = (math.ceil(bound), None) if coefficient > 0 else (None, math.floor(bound))
            node = atom(monomial[0][0])
            if not node.is_Symbol:
                self._narrow_node(node, low, high)
            elif node not in self._values:
                self.assume_range(node, low, high)

    def _narrow_node(self, node: Any, low: int | None, high: int | None) -> None:
        n = sympy_nodes()
        if isinstance(node, n.FloorDiv) and node.args[1].is_Integer:
            top, divisor = plain(node.args[0]), int(node.args[1])
            if low is not None:
                self._assume_not_negative(difference(top, low * divisor))
            if high is not None:
                self._assume_not_negative(difference(high * divisor + divisor - 1, top))
        elif isinstance(node, n.Min) and low is not None:
            for arg in node.args:
                self._assume_not_negative(difference(plain(arg), low))
        elif isinstance(node, n.Max) and high is not None:
            for arg in node.args:
                self._assume_not_negative(difference(high, plain(arg)))

    # ----------------------------------------------------------------------------------------------------- reducing

    def reduce(self, dim: Dim) -> Dim:
        """The dim with the known equalities put in, and its min, max and broadcast decided where facts decide them."""
        if type(dim) is int or not (self._values or self._ranges or self._divisors):
            return dim
        found = self._reduced.get(dim)
        if found is None:
            try:
                found = substitute(dim, self._values)
                if type(found) is not int and has_choice(found):
                    found = self._decided(found)
            except _UNDEFINED:  # no run gets here
                found = dim
            self._reduced[dim] = found
        return found

    def _decided(self, dim: Dim) -> Dim:
        operations: dict[str, Callable[..., Any]] = {
            **DIMS,
            "max": lambda *args: maximum(*self._undominated(args, 1)),
            "min": lambda *args: minimum(*self._undominated(args, -1)),
            "broadcast": self._decided_broadcast,
        }
        return rebuild(dim, lambda symbol: symbol, operations)

    def _undominated(self, args: tuple[Dim, ...], sign: int) -> list[Dim]:
        kept: list[Dim] = []
        for arg in args:
            if not any(self._dominates(other, arg, sign) for other in kept):
                kept = [*(other for other in kept if not self._dominates(arg, other, sign)), arg]
        return kept

    def _dominates(self, a: Dim, b: Dim, sign: int) -> bool:
        low = self._bounds.interval(scaled(difference(a, b), sign))[0]
        return low is not None and low >= 0

    def _decided_broadcast(self, *sizes: Dim) -> Dim:
        for each in sizes:
            low, high = self._bounds.of(each)
            if (low is not None and low > 1) or (high is not None and high < 1):
                return each
            if self._never_zero_by_divisors(difference(each, 1)):
                return each
        return reduce(broadcast, [each for each in sizes if self._bounds.of(each) != (1, 1)], 1)

    def _never_zero_by_divisors(self, poly: Poly) -> bool:
        """Whether a number divides every term but not the constant."""
        if denominator(poly) > 1:
            return False
        step = math.gcd(*[int(c) * self._divisor(monomial) for monomial, c in poly.items() if monomial])
        constant = int(poly.get((), 0))
        return constant % step != 0 if step else constant != 0

    def _divisor(self, monomial: Monomial) -> int:
        """A number that divides a product of symbols and nodes."""
        if not self._divisors:
            return 1
        return math.prod(self._divisors.get(atom(key), 1) ** exponent for key, exponent in monomial)
