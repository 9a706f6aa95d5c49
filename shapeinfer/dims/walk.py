"""Going through a dim: substitution, evaluation, and its size."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, reduce
from typing import Any

from shapeinfer.dims.algebra import Dim, add, is_symbolic, mul, plain, scale, sympy_nodes
from shapeinfer.dims.choice import broadcast, maximum, minimum
from shapeinfer.dims.division import floordiv, mod
from shapeinfer.dims.polynomial import number


def free_symbols(dim: Dim) -> frozenset[Any]:
    """The symbols of a dim."""
    return frozenset() if type(dim) is int else _free_symbols(dim)


@cache
def _free_symbols(dim: Any) -> frozenset[Any]:
    return frozenset(dim.free_symbols)


@cache
def size(dim: Any) -> int:
    """The number of operations in a dim: 0 for numbers and symbols."""
    if type(dim) is int or not dim.args:
        return 0
    return len(dim.args) - 1 + sum(map(size, dim.args))


@cache
def has_choice(dim: Any) -> bool:
    """Whether a dim has a min, max or broadcast in it, which ranges may decide."""
    n = sympy_nodes()
    return type(dim) is not int and (isinstance(dim, n.Min | n.Max | n.Broadcast) or any(map(has_choice, dim.args)))


@cache
def _operations() -> dict[Any, str]:
    n = sympy_nodes()
    return {
        n.Add: "+",
        n.Mul: "*",
        n.Pow: "**",
        n.FloorDiv: "//",
        n.Mod: "%",
        n.Min: "min",
        n.Max: "max",
        n.Broadcast: "broadcast",
    }


def rebuild(dim: Any, leaf: Callable[[Any], Any], operations: Mapping[str, Callable[..., Any]]) -> Any:
    """Folds a dim: ``leaf`` for its symbols, ``operations`` by the names ``+ * ** // % min max broadcast``."""
    if type(dim) is int:
        return dim
    if dim.is_Symbol:
        return leaf(dim)
    if dim.is_Rational:
        return number(dim)
    operation = operations[_operations()[dim.func]]
    return operation(*[rebuild(arg, leaf, operations) for arg in dim.args])


def _sum(*terms: Any) -> Any:
    whole = [term for term in terms if not isinstance(term, Fraction)]
    total = add(*whole)
    fraction = sum(term for term in terms if isinstance(term, Fraction))
    return plain(scale(1, Fraction(fraction)) + total) if fraction else total


def _product(*factors: Any) -> Any:
    product = mul(*[factor for factor in factors if not isinstance(factor, Fraction)])
    fraction = math.prod((factor for factor in factors if isinstance(factor, Fraction)), start=Fraction(1))
    return scale(product, fraction) if fraction != 1 else product


def _power(base: Any, exponent: int) -> Any:
    return mul(*[base] * exponent) if is_symbolic(base) else base**exponent


DIMS: dict[str, Callable[..., Any]] = {
    "+": _sum,
    "*": _product,
    "**": _power,
    "//": floordiv,
    "%": mod,
    "min": minimum,
    "max": maximum,
    "broadcast": lambda *sizes: reduce(broadcast, sizes),
}
"""The operations on dims, for :func:`rebuild`."""

_NUMBERS: dict[str, Callable[..., Any]] = {
    "+": lambda *terms: sum(terms),
    "*": lambda *factors: math.prod(factors),
    "**": lambda base, exponent: base**exponent,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "min": min,
    "max": max,
    "broadcast": lambda *sizes: _numeric_broadcast(sizes),
}


def _numeric_broadcast(sizes: tuple[int, ...]) -> Dim:
    result: Dim = 1
    for each in sizes:
        result = broadcast(result, each)
    return result


def substitute(dim: Dim, values: Mapping[Any, Dim]) -> Dim:
    """The dim with symbols replaced, simplified anew.

    Raises:
        ZeroDivisionError, BroadcastError: when the dim has no value for what is put in.
    """
    if type(dim) is int or _free_symbols(dim).isdisjoint(values):
        return dim
    return rebuild(dim, lambda s: values.get(s, s), DIMS)


def evaluate(dim: Dim, sizes: Mapping[str, int]) -> int:
    """The number that a dim is when its symbols are these sizes.

    Raises:
        KeyError: for a symbol without a size.
        ZeroDivisionError, BroadcastError: when the dim has no value at these sizes.
        ValueError: when the value is no whole number, as that of a rational multiple may be.
    """
    if type(dim) is int:
        return dim
    value = rebuild(dim, lambda s: sizes[s.name], _NUMBERS)
    if type(value) is int:
        return value
    if value.denominator != 1:
        raise ValueError(f"the dim is {value}, no whole number")
    return int(value)
