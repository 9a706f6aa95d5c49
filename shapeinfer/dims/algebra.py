"""Sums and products of dims: ints stay ints, everything else is a SymPy expression.

Every function is memoised on its arguments. SymPy is loaded when the first symbol is made.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from sympy import Expr

    Dim: TypeAlias = int | Expr
else:
    Dim = int  # SymPy is not loaded for the sake of an alias
Shape: TypeAlias = tuple[Dim, ...]
Number: TypeAlias = int | Fraction

_SYMBOLS: dict[str, Any] = {}
_SUMS: dict[tuple[Any, Any], Any] = {}
_DIFFERENCES: dict[tuple[Any, Any], Any] = {}
_PRODUCTS: dict[tuple[Any, Any], Any] = {}


@cache
def sympy_nodes() -> Any:
    """The module with the expression nodes, which loads SymPy."""
    from shapeinfer.dims import nodes

    return nodes


def symbol(name: str) -> Expr:
    """The dim of this name: a non-negative integer."""
    found = _SYMBOLS.get(name)
    if found is None:
        found = _SYMBOLS[name] = sympy_nodes().Symbol(name, integer=True, nonnegative=True)
    return found


def is_symbolic(dim: object) -> bool:
    """Whether this is an expression and not a number."""
    return type(dim) is not int and hasattr(dim, "free_symbols")


def plain(expr: Any) -> Any:
    """The expression, or the int that it is."""
    return int(expr) if type(expr) is not int and expr.is_Integer else expr


def node_argument(dim: Any) -> Any:
    """The dim as SymPy's tree needs it, where an int is no leaf."""
    return sympy_nodes().Integer(dim) if type(dim) is int else dim


def add(*dims: Dim) -> Dim:
    """The sum."""
    if len(dims) == 2:
        return _add(dims[0], dims[1])
    total: Dim = 0
    for dim in dims:
        total = _add(total, dim)
    return total


def _add(a: Any, b: Any) -> Any:
    if type(a) is int:
        if type(b) is int:
            return a + b
        if a == 0:
            return b
    elif type(b) is int and b == 0:
        return a
    key = (a, b)
    found = _SUMS.get(key)
    if found is None:
        found = _SUMS[key] = plain(a + b)
    return found


def neg(a: Dim) -> Dim:
    """The negative."""
    return -a if type(a) is int else _mul(-1, a)


def sub(a: Dim, b: Dim) -> Dim:
    """The difference."""
    if type(b) is int:
        return a - b if type(a) is int else _add(a, -b)
    if a is b:
        return 0
    key = (a, b)
    found = _DIFFERENCES.get(key)
    if found is None:
        found = _DIFFERENCES[key] = plain(_add(a, _mul(-1, b)))
    return found


def mul(*dims: Dim) -> Dim:
    """The product. A product with a sum in it stays one (``N*(H + 1)``), but for a number times a sum."""
    if len(dims) == 2:
        return _mul(dims[0], dims[1])
    product: Dim = 1
    for dim in dims:
        product = _mul(product, dim)
    return product


def _mul(a: Any, b: Any) -> Any:
    if type(a) is int:
        if type(b) is int:
            return a * b
        if a == 1:
            return b
        if a == 0:
            return 0
    elif type(b) is int:
        if b == 1:
            return a
        if b == 0:
            return 0
    key = (a, b)
    found = _PRODUCTS.get(key)
    if found is None:
        found = _PRODUCTS[key] = plain(_times(a, b))
    return found


def _times(a: Any, b: Any) -> Any:
    number, other = (a, b) if type(a) is int else (b, a)
    n = sympy_nodes()
    if type(number) is int and isinstance(other, n.Add):
        return n.Add(*[number * term for term in other.args])
    return a * b


def scale(a: Dim, factor: Fraction) -> Any:
    """A rational multiple, for floats whose arithmetic is exact; :func:`floor` and :func:`ceil` lead back to dims."""
    return plain(node_argument(a) * sympy_nodes().Rational(factor.numerator, factor.denominator))
