"""What is known of dims beyond their form, and three-valued answers: for all sizes, for none, or it depends."""

from __future__ import annotations

import math
from typing import Any

from shapeinfer.dims import algebra
from shapeinfer.dims.algebra import Dim, bounds, divide_exact, expand, free_symbols, split, sub, substitute


class Facts:
    """Ranges, divisors and equalities of symbols. A question is answered from the facts so far."""

    def __init__(self) -> None:
        self._ranges: dict[Any, tuple[int | None, int | None]] = {}
        self._divisors: dict[Any, int] = {}
        self._equal: dict[Any, Dim] = {}
        self._pairs: set[tuple[Any, Any]] = set()
        self._reduced: dict[Any, Dim] = {}
        self._bounds: dict[Any, tuple[int | None, int | None]] = {}

    def fork(self) -> Facts:
        """A copy that learns on its own."""
        copy = Facts()
        copy._ranges, copy._divisors = dict(self._ranges), dict(self._divisors)
        copy._equal, copy._pairs = dict(self._equal), set(self._pairs)
        return copy

    def _learned(self) -> None:
        self._reduced.clear()
        self._bounds.clear()

    # ----------------------------------------------------------------------------------------------------- learning

    def assume_range(self, symbol: Any, low: int | None, high: int | None) -> None:
        """``low <= symbol <= high``; ``None`` is no bound."""
        old_low, old_high = self._ranges.get(symbol, (0, None))
        low = max(x for x in (low, old_low, 0) if x is not None)
        highs = [x for x in (high, old_high) if x is not None]
        self._ranges[symbol] = (low, min(highs) if highs else None)
        self._learned()

    def assume_divisible(self, symbol: Any, n: int) -> None:
        """``n`` divides the symbol."""
        if n > 0:
            self._divisors[symbol] = math.lcm(n, self._divisors.get(symbol, 1))
            self._learned()

    def assume_equal(self, a: Dim, b: Dim) -> None:
        """The two are one number; solved for a symbol where that is possible in whole numbers."""
        a, b = self.reduce(a), self.reduce(b)
        difference = expand(sub(a, b))
        if type(difference) is int:
            return
        solved = self._solve(difference)
        if solved is None:
            self._pairs.update(((a, b), (b, a)))
        else:
            symbol, value = solved
            low, high = self._ranges.get(symbol, (0, None))
            self._equal = {s: substitute(v, {symbol: value}) for s, v in self._equal.items()}
            self._equal[symbol] = value
            if type(value) is not int:
                self.assume_at_least(value, low or 0)
                if high is not None:
                    self.assume_at_least(high, value)
        self._learned()

    def _solve(self, difference: Any) -> tuple[Any, Dim] | None:
        """A symbol that stands alone with coefficient ±1 (or the only one there is), and what it equals."""
        constant, terms = split(difference)
        if len(terms) == 1 and terms[0][1].is_Symbol:
            c, symbol = terms[0]
            return (symbol, -constant // c) if constant % c == 0 and -constant // c >= 0 else None
        found = []
        for c, rest in terms:
            if abs(c) == 1 and rest.is_Symbol:
                others = [t for t in terms if t[1] is not rest]
                if not any(rest in t[1].free_symbols for t in others):
                    found.append((rest, c, others))
        if not found:
            return None
        rest, c, others = max(found, key=lambda item: item[0].name)
        return rest, algebra.join(-c * constant, [(-c * k, t) for k, t in others])

    def assume_at_least(self, a: Dim, b: Dim) -> None:
        """``a >= b``; used where it narrows the range of a symbol."""
        constant, terms = split(sub(self.reduce(a), self.reduce(b)))
        if len(terms) == 1 and terms[0][1].is_Symbol:
            c, symbol = terms[0]
            if c > 0:
                self.assume_range(symbol, -(constant // c), None)
            else:
                self.assume_range(symbol, None, constant // -c)

    # ------------------------------------------------------------------------------------------------------ asking

    def reduce(self, dim: Dim) -> Dim:
        """The dim with the known equalities put in, and its min, max and broadcast decided where ranges do."""
        if type(dim) is int or not (self._equal or self._ranges):
            return dim
        found = self._reduced.get(dim)
        if found is None:
            found = self._reduced[dim] = self._decided(substitute(dim, self._equal))
        return found

    def _decided(self, dim: Dim) -> Dim:
        if type(dim) is int or not self._ranges or not algebra.has_choice(dim):
            return dim
        return algebra.decide(dim, self.range_of_reduced)

    def range_of_reduced(self, dim: Dim) -> tuple[int | None, int | None]:
        """As :meth:`range`, of a dim in which the equalities are put in already."""
        if type(dim) is int:
            return dim, dim
        found = self._bounds.get(dim)
        if found is None:
            low, high = bounds(dim, self._ranges)
            found = self._bounds[dim] = (
                None if low is None else math.ceil(low),
                None if high is None else math.floor(high),
            )
        return found

    def range(self, dim: Dim) -> tuple[int | None, int | None]:
        """The least and the greatest that the dim can be, as far as that is known; ``None`` is no bound."""
        return self.range_of_reduced(self.reduce(dim))

    def equal(self, a: Dim, b: Dim) -> bool | None:
        """Whether the two are one number: for all sizes, for none, or it depends."""
        if type(a) is int and type(b) is int:
            return a == b
        if a is b:
            return True
        a, b = self.reduce(a), self.reduce(b)
        if a is b or a == b or (a, b) in self._pairs:
            return True
        difference = expand(sub(a, b))
        if type(difference) is int:
            return difference == 0
        low, high = self.range_of_reduced(difference)
        if (low is not None and low > 0) or (high is not None and high < 0):
            return False
        if low == 0 and high == 0:
            return True
        constant, terms = split(difference)
        if all(type(c) is int for c, _ in terms) and type(constant) is int:
            step = math.gcd(*[c * self._divisor(rest) for c, rest in terms])
            if step and constant % step:
                return False
        return None

    def at_least(self, a: Dim, b: Dim) -> bool | None:
        """Whether ``a >= b``: for all sizes, for none, or it depends."""
        if type(a) is int and type(b) is int:
            return a >= b
        low, high = self.range_of_reduced(expand(sub(self.reduce(a), self.reduce(b))))
        if low is not None and low >= 0:
            return True
        return False if high is not None and high < 0 else None

    def _divisor(self, rest: Any) -> int:
        """A number that divides a product of symbols and other integers."""
        found = 1
        for factor in rest.as_ordered_factors() if rest.is_Mul else [rest]:
            base, exponent = factor.as_base_exp() if factor.is_Pow else (factor, 1)
            found *= self._divisors.get(base, 1) ** int(exponent)
        return found

    def divisible(self, dim: Dim, n: int) -> bool | None:
        """Whether ``n`` divides the dim: for all sizes, for none, or it depends."""
        dim = self.reduce(dim)
        if type(dim) is int:
            return dim % n == 0
        if divide_exact(dim, n) is not None:
            return True
        constant, terms = split(dim)
        if any(type(c) is not int for c, _ in terms) or type(constant) is not int:
            return None
        step = math.gcd(n, *[c * self._divisor(rest) for c, rest in terms])
        if step == n:
            return constant % n == 0
        if constant % step:
            return False
        return None

    def symbols(self, dim: Dim) -> frozenset[Any]:
        """The symbols of the dim after the equalities are put in."""
        return free_symbols(self.reduce(dim))
