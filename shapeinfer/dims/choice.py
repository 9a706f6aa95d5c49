"""Least and greatest of dims, and the size that dims broadcast to."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

from shapeinfer.dims.algebra import Dim, node_argument, plain, scale, sympy_nodes
from shapeinfer.dims.bounds import DEFAULT
from shapeinfer.dims.polynomial import Poly, combined, denominator, expand, polynomial

_EXTREMES: dict[tuple[bool, tuple[Any, ...]], Any] = {}
_BROADCASTS: dict[tuple[Any, Any], Any] = {}
_PAIRWISE = 8


class BroadcastError(ValueError):
    """Two sizes that do not broadcast: they differ, and neither is 1."""


def maximum(*dims: Dim) -> Dim:
    """The greatest."""
    return _extreme(dims, True)


def minimum(*dims: Dim) -> Dim:
    """The least."""
    return _extreme(dims, False)


def _extreme(dims: tuple[Any, ...], greatest: bool) -> Any:
    if all(type(dim) is int for dim in dims):
        return max(dims) if greatest else min(dims)
    key = (greatest, dims)
    found = _EXTREMES.get(key)
    if found is None:
        found = _EXTREMES[key] = _build_extreme(dims, greatest)
    return found


def _build_extreme(dims: tuple[Any, ...], greatest: bool) -> Any:
    n = sympy_nodes()
    kind = n.Max if greatest else n.Min
    flat: list[Any] = []
    for dim in dims:
        flat.extend(map(plain, dim.args) if isinstance(dim, kind) else [expand(dim)])
    whole = math.lcm(*[denominator(polynomial(dim)) for dim in flat])
    if whole > 1:  # a node holds whole numbers only
        return scale(_extreme(tuple(scale(dim, Fraction(whole)) for dim in flat), greatest), Fraction(1, whole))
    kept = _undominated(_by_constant(flat, greatest), greatest)
    return kept[0] if len(kept) == 1 else kind(*in_order(kept))


def _by_constant(dims: list[Any], greatest: bool) -> list[Any]:
    """Of the dims that differ by a number, only the one that counts."""
    best: dict[Any, tuple[Any, Any]] = {}
    for dim in dims:
        poly = polynomial(dim)
        constant = poly.get((), 0)
        rest = frozenset((monomial, c) for monomial, c in poly.items() if monomial)
        if rest not in best or (constant > best[rest][0] if greatest else constant < best[rest][0]):
            best[rest] = (constant, dim)
    return [dim for _, dim in best.values()]


def _undominated(dims: list[Any], greatest: bool) -> list[Any]:
    if len(dims) > _PAIRWISE:
        return dims
    kept: list[Any] = []
    for dim in dims:
        if not any(_dominates(other, dim, greatest) for other in kept):
            kept = [other for other in kept if not _dominates(dim, other, greatest)]
            kept.append(dim)
    return kept


def _dominates(a: Any, b: Any, greatest: bool) -> bool:
    low, high = DEFAULT.interval(combined(polynomial(a), polynomial(b), -1))
    return low is not None and low >= 0 if greatest else high is not None and high <= 0


def in_order(dims: list[Any]) -> list[Any]:
    """The dims as arguments of a node, in one order for every order they come in."""
    n = sympy_nodes()
    return sorted(map(node_argument, dims), key=cmp_to_key(n.Expr.compare))


def broadcast(a: Dim, b: Dim) -> Dim:
    """The size that two sizes broadcast to, given that they do: they are equal, or one of them is 1.

    Raises:
        BroadcastError: when both are numbers and do not broadcast.
    """
    if type(a) is int and type(b) is int:
        if a != b and a != 1 and b != 1:
            raise BroadcastError(f"{a} and {b} do not broadcast")
        return b if a == 1 else a
    if a is b or (type(b) is int and b == 1):
        return a
    if type(a) is int:
        return b if a == 1 else a
    if type(b) is int:
        return b
    key = (a, b)
    found = _BROADCASTS.get(key)
    if found is None:
        found = _BROADCASTS[key] = _broadcast(a, b)
    return found


def _broadcast(a: Any, b: Any) -> Any:
    n = sympy_nodes()
    parts: dict[Any, Any] = {}
    for dim in (a, b):
        for part in dim.args if isinstance(dim, n.Broadcast) else [dim]:
            parts.setdefault(expand(part), part)
    parts.pop(1, None)
    for part in [*parts.values()]:
        for other in [each for each in parts.values() if each is not part and _yields_to(each, part)]:
            del parts[expand(other)]
    decided = [part for part in parts.values() if never_one(polynomial(part))]
    if decided:
        return plain(in_order(decided)[0])
    if len(parts) < 2:
        return next(iter(parts.values()), 1)
    return n.Broadcast(*in_order(list(parts)))


def caps(a: Dim, b: Dim) -> tuple[Dim, ...] | None:
    """The ``c`` with ``b == min(a, *c)``; ``None`` when ``b`` is nothing of that kind."""
    if type(a) is int or not isinstance(b, sympy_nodes().Min) or a not in b.args:
        return None
    return tuple(plain(arg) for arg in b.args if arg != a)


def _yields_to(b: Any, a: Any) -> bool:
    """Whether ``a`` and ``b`` broadcast to ``a``, if they do at all."""
    found = caps(a, b)
    if found is not None and all((low := DEFAULT.interval(polynomial(c))[0]) is not None and low >= 1 for c in found):
        return True
    return _same_above_zero(a, b)


def _same_above_zero(a: Any, b: Any) -> bool:
    """Whether ``b`` is ``a`` wherever that is at least 1; where ``a`` is 0, both broadcast to 0 or not at all."""
    least = minimum(a, 1)
    if type(least) is int or not b.has(least):
        return False
    return bool(expand(plain(b.xreplace({least: sympy_nodes().Integer(1)}))) == expand(a))


def never_one(poly: Poly) -> bool:
    """Whether a size is not 1, whatever the symbols are: ``N + 2``, ``2*N``."""
    low, high = DEFAULT.interval(poly)
    if (low is not None and low > 1) or (high is not None and high < 1):
        return True
    step = math.gcd(*[int(c) for monomial, c in poly.items() if monomial]) if denominator(poly) == 1 else 0
    return step > 1 and (1 - int(poly.get((), 0))) % step != 0
