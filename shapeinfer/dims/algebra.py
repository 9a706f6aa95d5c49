"""Arithmetic on dims: ints stay ints, everything else is a SymPy expression in a canonical form.

Every function is memoised on its arguments. SymPy is loaded when the first symbol is made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, reduce
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from sympy import Expr

    Dim: TypeAlias = int | Expr
else:
    Dim = int  # SymPy is not loaded for the sake of an alias
Shape: TypeAlias = tuple[Dim, ...]


class BroadcastError(ValueError):
    """Two sizes that do not broadcast."""


@cache
def _n() -> Any:
    from shapeinfer.dims import nodes

    return nodes


_SYMBOLS: dict[str, Any] = {}
_MEMO: dict[tuple[Any, ...], Any] = {}


def symbol(name: str) -> Expr:
    """The dim of this name: a non-negative integer."""
    found = _SYMBOLS.get(name)
    if found is None:
        found = _SYMBOLS[name] = _n().Symbol(name, integer=True, nonnegative=True)
    return found


def is_symbolic(dim: object) -> bool:
    """Whether this is an expression and not a number."""
    return type(dim) is not int and hasattr(dim, "free_symbols")


def _plain(expr: Any) -> Any:
    if type(expr) is int:
        return expr
    if expr.is_Integer:
        return int(expr)
    return expr


def _memo(key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    found = _MEMO.get(key)
    if found is None:
        found = _MEMO[key] = make()
    return found


def add(*dims: Dim) -> Dim:
    """The sum."""
    if len(dims) == 2:
        a, b = dims
        if type(a) is int and type(b) is int:
            return a + b
        if type(a) is int and a == 0:
            return b
        if type(b) is int and b == 0:
            return a
        key = ("+", a, b)
        found = _MEMO.get(key)
        if found is None:
            found = _MEMO[key] = _plain(a + b)
        return found  # type: ignore[no-any-return]
    return reduce(add, dims, 0)


def neg(a: Dim) -> Dim:
    """The negative."""
    return -a if type(a) is int else mul(-1, a)


def sub(a: Dim, b: Dim) -> Dim:
    """The difference."""
    if type(a) is int and type(b) is int:
        return a - b
    if a is b:
        return 0
    return _memo(("-", a, b), lambda: _plain(a - b))


def mul(*dims: Dim) -> Dim:
    """The product."""
    if len(dims) == 2:
        a, b = dims
        if type(a) is int and type(b) is int:
            return a * b
        if type(a) is int and a == 1:
            return b
        if type(b) is int and b == 1:
            return a
        if (type(a) is int and a == 0) or (type(b) is int and b == 0):
            return 0
        return _memo(("*", a, b), lambda: _plain(_multiply(a, b)))
    return reduce(mul, dims, 1)


def _multiply(a: Any, b: Any) -> Any:
    n = _n()
    if type(a) is int and isinstance(b, n.Add):
        return n.Add(*[a * term for term in b.args])
    if type(b) is int and isinstance(a, n.Add):
        return n.Add(*[b * term for term in a.args])
    return a * b


@cache
def expand(a: Any) -> Any:
    """The expression multiplied out."""
    return a if type(a) is int else _plain(a.expand())


def split(a: Any) -> tuple[Any, list[tuple[Any, Any]]]:
    """The constant of a multiplied-out expression, and its other terms as (coefficient, rest)."""
    a = expand(a)
    if type(a) is int:
        return a, []
    n = _n()
    constant: Any = 0
    terms = []
    for term in n.Add.make_args(a):
        if term.is_Rational:
            constant = _number(term)
        else:
            coefficient, rest = term.as_coeff_Mul()
            terms.append((_number(coefficient), rest))
    return constant, terms


def _number(value: Any) -> Any:
    return int(value) if value.is_Integer else Fraction(int(value.p), int(value.q))


def join(constant: Any, terms: list[tuple[Any, Any]]) -> Any:
    """The sum of a constant and of terms (coefficient, rest): the inverse of :func:`split`."""
    n = _n()
    parts = [n.Mul(c, rest) if c != 1 else rest for c, rest in terms]
    if constant:
        parts.append(n.Integer(constant))
    return _plain(n.Add(*parts))


def floordiv(a: Dim, b: Dim) -> Dim:
    """``floor(a / b)``.

    Raises:
        ZeroDivisionError: when ``b`` is the number 0.
    """
    if type(b) is int:
        if type(a) is int:
            return a // b
        if b == 1:
            return a
        if b == 0:
            raise ZeroDivisionError("division of a dim by zero")
        if b < 0:
            return floordiv(neg(a), -b)
        return _memo(("//", a, b), lambda: _floordiv_int(a, b))
    return _memo(("//", a, b), lambda: _floordiv_any(a, b))


def _floordiv_any(a: Any, b: Any) -> Any:
    exact = divide_exact(a, b)
    return exact if exact is not None else _n().FloorDiv(_sym(a), b)


def _sym(a: Any) -> Any:
    return _n().Integer(a) if type(a) is int else a


def _floordiv_int(a: Any, b: int) -> Any:
    n = _n()
    constant, terms = split(a)
    outside, inner = [], []
    for c, rest in terms:
        (outside if c % b == 0 else inner).append((c, rest))
    quotient, constant = divmod(constant, b)
    whole = join(quotient, [(c // b, rest) for c, rest in outside])
    if not inner:
        return whole
    if len(inner) == 1 and inner[0][0] == 1 and isinstance(inner[0][1], n.FloorDiv) and inner[0][1].args[1].is_Integer:
        numerator, m = inner[0][1].args[0], int(inner[0][1].args[1])
        if m > 0:
            return add(whole, floordiv(add(_plain(numerator), constant * m), m * b))
    g = math.gcd(b, *[int(c) for c, _ in inner])
    if g > 1:
        inner, constant, b = [(c // g, rest) for c, rest in inner], constant // g, b // g
    rest = join(constant, inner)
    return add(whole, rest if b == 1 else n.FloorDiv(_sym(rest), n.Integer(b)))


def ceildiv(a: Dim, b: Dim) -> Dim:
    """``ceil(a / b)``."""
    if type(b) is int and b > 0:
        return floordiv(add(a, b - 1), b)
    return neg(floordiv(neg(a), b))


def mod(a: Dim, b: Dim) -> Dim:
    """``a - b * floor(a / b)``, as Python's ``%``."""
    if type(a) is int and type(b) is int:
        return a % b
    return _memo(("%", a, b), lambda: _mod(a, b))


def _mod(a: Any, b: Any) -> Any:
    n = _n()
    if type(b) is not int:
        return 0 if divide_exact(a, b) is not None else n.Mod(_sym(a), b)
    if b <= 0:
        if b == 0:
            raise ZeroDivisionError("remainder of a dim by zero")
        return neg(mod(neg(a), -b))
    constant, terms = split(a)
    inner = [(c % b, rest) for c, rest in terms if c % b]
    rest = join(constant % b, inner)
    return rest if type(rest) is int else n.Mod(rest, n.Integer(b))


def maximum(*dims: Dim) -> Dim:
    """The greatest."""
    if all(type(d) is int for d in dims):
        return max(dims)  # type: ignore[type-var]
    return _memo(("max", dims), lambda: _extreme(dims, greatest=True))


def minimum(*dims: Dim) -> Dim:
    """The least."""
    if all(type(d) is int for d in dims):
        return min(dims)  # type: ignore[type-var]
    return _memo(("min", dims), lambda: _extreme(dims, greatest=False))


def _extreme(dims: tuple[Any, ...], greatest: bool) -> Any:
    n = _n()
    kind = n.Max if greatest else n.Min
    flat: list[Any] = []
    for dim in dims:
        flat.extend(_plain(x) for x in dim.args) if isinstance(dim, kind) else flat.append(dim)
    kept: list[Any] = []
    for dim in dict.fromkeys(flat):
        kept = [k for k in kept if not _beats(dim, k, greatest)]
        if not any(_beats(k, dim, greatest) for k in kept):
            kept.append(dim)
    if len(kept) == 1:
        return kept[0]
    return kind(*sorted(map(_sym, kept), key=lambda e: e.sort_key()))


def _beats(a: Any, b: Any, greatest: bool) -> bool:
    low, high = bounds(sub(a, b) if greatest else sub(b, a), {})
    return low is not None and low >= 0


def broadcast(a: Dim, b: Dim) -> Dim:
    """The size that two sizes broadcast to, given that they do: equal, or one of them is 1."""
    if a is b:
        return a
    if type(a) is int:
        if type(b) is not int:
            return b if a == 1 else a
        if a != b and 1 not in (a, b):
            raise BroadcastError(f"{a} and {b} do not broadcast")
        return b if a == 1 else a
    if type(b) is int:
        return a if b == 1 else b
    return _memo(("broadcast", a, b), lambda: _broadcast(a, b))


def _broadcast(a: Any, b: Any) -> Any:
    n = _n()
    if sub(expand(a), expand(b)) == 0:
        return a
    parts: list[Any] = []
    for dim in (a, b):
        parts.extend(dim.args if isinstance(dim, n.Broadcast) else [dim])
    unique = sorted(dict.fromkeys(parts), key=lambda e: e.sort_key())
    return unique[0] if len(unique) == 1 else n.Broadcast(*unique)


def divide_exact(a: Dim, b: Dim) -> Dim | None:
    """The ``q`` with ``q * b == a`` identically; ``None`` when there is none that is a polynomial."""
    if type(a) is int and type(b) is int:
        return a // b if b and a % b == 0 else None
    if type(b) is int:
        if b == 1:
            return a
        if b == 0:
            return None
    elif type(a) is int:
        return 0 if a == 0 else None
    key = ("exact", a, b)
    if key not in _MEMO:
        _MEMO[key] = _divide_exact(a, b)
    return _MEMO[key]  # type: ignore[no-any-return]


def _divide_exact(a: Any, b: Any) -> Any:
    if a == b:
        return 1
    quotient = _by_terms(a, b)
    if quotient is None and type(a) is not int:
        n = _n()
        factors = [_plain(f) for f in n.Mul.make_args(a)]
        for i, factor in enumerate(factors):
            inner = 1 if factor == b else (divide_exact(factor, b) if isinstance(factor, n.Add) and len(factors) > 1 else None)
            if inner is not None:
                return mul(inner, *factors[:i], *factors[i + 1 :])
    return quotient


def _by_terms(a: Any, b: Any) -> Any:
    """Division by a monomial term by term, or by a sum of which ``a`` is a monomial multiple."""
    constant_b, terms_b = split(b)
    constant_a, terms_a = split(a)
    if constant_b and not terms_b:
        if constant_a % constant_b or any(c % constant_b for c, _ in terms_a):
            return None
        return join(constant_a // constant_b, [(c // constant_b, rest) for c, rest in terms_a])
    n = _n()
    all_a = terms_a + ([(constant_a, n.Integer(1))] if constant_a else [])
    all_b = terms_b + ([(constant_b, n.Integer(1))] if constant_b else [])
    if len(all_b) == 1:
        c_b, rest_b = all_b[0]
        found = []
        for c, rest in all_a:
            q = rest / rest_b
            if c % c_b or not _is_polynomial(q):
                return None
            found.append(_plain(q * (c // c_b)))
        return add(*found) if found else 0
    if len(all_a) % len(all_b):
        return None
    lead_c, lead = max(all_b, key=lambda t: t[1].sort_key())
    found, left = [], expand(a)
    for _ in range(len(all_a)):
        c_a, rest_a = max(split(left)[1] or [(0, None)], key=lambda t: t[1].sort_key() if t[1] is not None else ())
        if rest_a is None or c_a % lead_c:
            return None
        q = rest_a / lead
        if not _is_polynomial(q):
            return None
        term = _plain(q * (c_a // lead_c))
        found.append(term)
        left = expand(sub(left, mul(term, b)))
        if type(left) is int:
            return add(*found) if left == 0 else None
    return None


def _is_polynomial(q: Any) -> bool:
    n = _n()
    return all(not isinstance(f, n.Pow) or (f.exp.is_Integer and f.exp > 0) for f in n.Mul.make_args(q))


def scale(a: Dim, factor: Fraction) -> Any:
    """A rational multiple, for floats whose arithmetic is exact; :func:`floor` and :func:`ceil` lead back."""
    product = _sym(a) * _n().Rational(factor.numerator, factor.denominator)
    return _plain(product)


def floor(a: Any) -> Dim:
    """The floor of an expression with rational coefficients."""
    p, q = _fraction(a)
    return floordiv(p, q)


def ceil(a: Any) -> Dim:
    """The ceiling of an expression with rational coefficients."""
    p, q = _fraction(a)
    return ceildiv(p, q)


def _fraction(a: Any) -> tuple[Any, int]:
    if type(a) is int:
        return a, 1
    if isinstance(a, Fraction | float):
        f = Fraction(a)
        return f.numerator, f.denominator
    constant, terms = split(a)
    q = math.lcm(Fraction(constant).denominator, *[Fraction(c).denominator for c, _ in terms])
    return join(int(constant * q), [(int(c * q), rest) for c, rest in terms]), q


def free_symbols(dim: Dim) -> frozenset[Any]:
    """The symbols of a dim."""
    return frozenset() if type(dim) is int else frozenset(dim.free_symbols)


@cache
def size(dim: Any) -> int:
    """The number of operations in a dim: 0 for numbers and symbols."""
    if type(dim) is int or not dim.args or dim.is_Rational:
        return 0
    return len(dim.args) - 1 + sum(size(arg) for arg in dim.args) + isinstance(dim, _n().Pow)


def rebuild(dim: Any, leaf: Callable[[Any], Any], ops: Mapping[str, Callable[..., Any]]) -> Any:
    """Folds an expression: ``leaf`` for its symbols, ``ops`` by the names ``+ * ** // % min max broadcast``."""
    n = _n()
    if type(dim) is int:
        return dim
    if dim.is_Integer:
        return int(dim)
    if dim.is_Rational:
        return Fraction(int(dim.p), int(dim.q))
    if dim.is_Symbol:
        return leaf(dim)
    kinds = {n.Add: "+", n.Mul: "*", n.Pow: "**", n.FloorDiv: "//", n.Mod: "%", n.Min: "min", n.Max: "max", n.Broadcast: "broadcast"}
    return ops[kinds[dim.func]](*[rebuild(arg, leaf, ops) for arg in dim.args])


def _power(a: Any, b: Any) -> Any:
    return mul(*[a] * b) if is_symbolic(a) else a**b


def _numeric_broadcast(*sizes: int) -> int:
    return reduce(lambda a, b: broadcast(a, b), sizes)  # type: ignore[return-value]


_NUMBERS: dict[str, Callable[..., Any]] = {
    "+": lambda *x: sum(x),
    "*": lambda *x: math.prod(x),
    "**": lambda a, b: a**b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "min": min,
    "max": max,
    "broadcast": _numeric_broadcast,
}
_DIMS: dict[str, Callable[..., Any]] = {
    "+": lambda *x: reduce(add_rational, x),
    "*": lambda *x: reduce(_mul_any, x),
    "**": _power,
    "//": floordiv,
    "%": mod,
    "min": minimum,
    "max": maximum,
    "broadcast": lambda *x: reduce(broadcast, x),
}


def add_rational(a: Any, b: Any) -> Any:
    """A sum in which a number may be a fraction."""
    if isinstance(a, Fraction):
        return _plain(_n().Rational(a.numerator, a.denominator) + b)
    return add_rational(b, a) if isinstance(b, Fraction) else add(a, b)


def _mul_any(a: Any, b: Any) -> Any:
    if isinstance(a, Fraction):
        return scale(b, a)
    return scale(a, b) if isinstance(b, Fraction) else mul(a, b)


def substitute(dim: Dim, values: Mapping[Any, Dim]) -> Dim:
    """The dim with symbols replaced, simplified anew."""
    if type(dim) is int or not dim.free_symbols & values.keys():
        return dim
    return rebuild(dim, lambda s: values.get(s, s), _DIMS)  # type: ignore[no-any-return]


@cache
def has_choice(dim: Any) -> bool:
    """Whether a dim has a min, max or broadcast in it, which ranges may decide."""
    n = _n()
    return type(dim) is not int and (isinstance(dim, n.Min | n.Max | n.Broadcast) or any(map(has_choice, dim.args)))


def decide(dim: Dim, range_of: Callable[[Dim], tuple[int | None, int | None]]) -> Dim:
    """The dim with each min, max and broadcast decided where the ranges allow it."""

    def extreme(dims: tuple[Any, ...], sign: int) -> Any:
        kept: list[Any] = []
        for each in dims:
            if not any(_at_least(range_of, k, each, sign) for k in kept):
                kept = [k for k in kept if not _at_least(range_of, each, k, sign)] + [each]
        return (maximum if sign > 0 else minimum)(*kept)

    def spread(*dims: Any) -> Any:
        for each in dims:
            low, high = range_of(each)
            if (low is not None and low > 1) or high == 0:
                return each
        kept = [each for each in dims if range_of(each) != (1, 1)]
        return reduce(broadcast, kept) if kept else 1

    ops = {**_DIMS, "max": lambda *x: extreme(x, 1), "min": lambda *x: extreme(x, -1), "broadcast": spread}
    return rebuild(dim, lambda s: s, ops)  # type: ignore[no-any-return]


def _at_least(range_of: Callable[[Dim], tuple[int | None, int | None]], a: Any, b: Any, sign: int) -> bool:
    low, _ = range_of(expand(sub(a, b) if sign > 0 else sub(b, a)))
    return low is not None and low >= 0


def evaluate(dim: Dim, sizes: Mapping[str, int]) -> int:
    """The number that a dim is when its symbols are these sizes.

    Raises:
        KeyError: for a symbol without a size.
        ZeroDivisionError, BroadcastError: when the dim has no value at these sizes.
    """
    if type(dim) is int:
        return dim
    return rebuild(dim, lambda s: sizes[s.name], _NUMBERS)  # type: ignore[no-any-return]


def bounds(dim: Any, ranges: Mapping[Any, tuple[int | None, int | None]]) -> tuple[Any, Any]:
    """Interval bounds of a dim; symbols are non-negative unless ``ranges`` says more. ``None`` is no bound."""
    if type(dim) is int:
        return dim, dim
    n = _n()
    if dim.is_Rational:
        value = _number(dim)
        return value, value
    if dim.is_Symbol:
        return ranges.get(dim, (0, None))
    inner = [bounds(arg, ranges) for arg in dim.args]
    if isinstance(dim, n.Add):
        low = None if any(lo is None for lo, _ in inner) else sum(lo for lo, _ in inner)
        high = None if any(hi is None for _, hi in inner) else sum(hi for _, hi in inner)
        return low, high
    if isinstance(dim, n.Mul):
        return reduce(_product, inner)
    if isinstance(dim, n.Pow):
        base = inner[0]
        exponent = int(dim.exp) if dim.exp.is_Integer else -1
        return reduce(_product, [base] * exponent) if exponent > 0 else (None, None)
    if isinstance(dim, n.FloorDiv):
        (lo, hi), (blo, bhi) = inner
        if blo is not None and blo >= 1:
            low = None if lo is None else (lo // blo if lo < 0 else (0 if bhi is None else lo // bhi))
            high = None if hi is None else (hi // blo if hi >= 0 else (-1 if bhi is None else hi // bhi))
            return low, high
        if blo == 0 and lo is not None and lo >= 0:
            return 0, hi
        return None, None
    if isinstance(dim, n.Mod):
        (lo, hi), (blo, bhi) = inner
        if blo is not None and blo >= 0:
            high = None if bhi is None else bhi - 1
            if lo is not None and lo >= 0 and hi is not None:
                high = hi if high is None else min(high, hi)
            return 0, high
        return None, None
    lows, highs = [lo for lo, _ in inner], [hi for _, hi in inner]
    if isinstance(dim, n.Max):
        known = [lo for lo in lows if lo is not None]
        return (max(known) if known else None), (None if None in highs else max(highs))
    if isinstance(dim, n.Min):
        known = [hi for hi in highs if hi is not None]
        return (None if None in lows else min(lows)), (min(known) if known else None)
    return (None if None in lows else min(lows)), (None if None in highs else max(highs))


def _product(a: tuple[Any, Any], b: tuple[Any, Any]) -> tuple[Any, Any]:
    (alo, ahi), (blo, bhi) = a, b
    if alo is not None and alo >= 0 and blo is not None and blo >= 0:
        return alo * blo, (0 if ahi == 0 or bhi == 0 else None if ahi is None or bhi is None else ahi * bhi)
    infinity = math.inf
    ends = [
        0 if x == 0 or y == 0 else x * y
        for x in (-infinity if alo is None else alo, infinity if ahi is None else ahi)
        for y in (-infinity if blo is None else blo, infinity if bhi is None else bhi)
    ]
    low, high = min(ends), max(ends)
    return (None if low == -infinity else low), (None if high == infinity else high)
