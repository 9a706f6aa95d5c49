"""The text form of dims, which reads like Python and parses back, and the dim names that models state.

Text from a model never reaches ``eval`` or SymPy's parser: the tokens and the grammar are these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from fractions import Fraction
from functools import reduce
from typing import Any

from shapeinfer.dims import algebra
from shapeinfer.dims.algebra import Dim

_PLAIN = r"[A-Za-z_][A-Za-z0-9_]*(?:[.:][A-Za-z0-9_]+)*"
_NAME = re.compile(_PLAIN)
_TOKEN = re.compile(rf"\s*(?:(\d+\.\d+|\d+)|({_PLAIN})|`([^`]+)`|(\*\*|//|[-+*/%(),]))")
_GLUED = re.compile(r"[A-Za-z_]\w*[-/][A-Za-z_]")
_LENGTH, _DEPTH, _EXPONENT = 4096, 60, 8
_cache: dict[Any, str] = {}


class DimSyntaxError(ValueError):
    """A text that is no dim expression."""


# ------------------------------------------------------------------------------------------------------------ printing

_SUM, _PRODUCT, _UNARY, _POWER, _ATOM = 1, 2, 3, 4, 5


def text(dim: Any) -> str:
    """The dim as text: ``(H + 31)//32``, ``2*N + 1``, ``min(L, 128)``."""
    if type(dim) is int:
        return str(dim)
    found = _cache.get(dim)
    if found is None:
        found = _cache[dim] = dim.name if getattr(dim, "is_Symbol", False) else _print(dim)[0]
    return found


def _print(dim: Any) -> tuple[str, int]:
    n = algebra._n()
    if type(dim) is int or dim.is_Integer:
        return str(int(dim)), _ATOM if int(dim) >= 0 else _UNARY
    if dim.is_Rational:
        return f"{dim.p}/{dim.q}", _PRODUCT if dim.p >= 0 else _UNARY
    if dim.is_Symbol:
        return (dim.name if _NAME.fullmatch(dim.name) else f"`{dim.name}`"), _ATOM
    if isinstance(dim, n.Add):
        return _print_sum(dim)
    if isinstance(dim, n.Mul):
        return _print_product(dim)
    if isinstance(dim, n.Pow):
        return f"{_wrap(dim.base, _ATOM)}**{_wrap(dim.exp, _ATOM)}", _POWER
    if isinstance(dim, n.FloorDiv | n.Mod):
        sign = "//" if isinstance(dim, n.FloorDiv) else " % "
        left, right = dim.args
        return f"{_wrap(left, _POWER)}{sign}{_wrap(right, _POWER)}", _PRODUCT
    name = type(dim).__name__.lower()
    return f"{name}({', '.join(_print(arg)[0] for arg in dim.args)})", _ATOM


def _wrap(dim: Any, level: int) -> str:
    inner, own = _print(dim)
    return inner if own >= level else f"({inner})"


def _print_sum(dim: Any) -> tuple[str, int]:
    terms = sorted(dim.args, key=_term_key)
    positive = [t for t in terms if not t.could_extract_minus_sign() or not _coefficient(t) < 0]
    negative = [t for t in terms if _coefficient(t) < 0]
    positive = [t for t in terms if _coefficient(t) >= 0]
    if not positive:
        first, rest = negative[0], negative[1:]
        parts = [f"-{_wrap(-first, _PRODUCT)}"]
    else:
        first, rest = positive[0], negative
        parts = [_wrap(first, _PRODUCT)]
        parts.extend(f"+ {_wrap(t, _PRODUCT)}" for t in positive[1:])
    parts.extend(f"- {_wrap(-t, _PRODUCT)}" for t in rest)
    return " ".join(parts), _SUM


def _coefficient(term: Any) -> Any:
    return term.as_coeff_Mul()[0] if not term.is_Rational else term


def _term_key(term: Any) -> tuple[bool, int, str]:
    return (bool(term.is_Rational), -len(term.free_symbols), _print(term if _coefficient(term) >= 0 else -term)[0])


def _print_product(dim: Any) -> tuple[str, int]:
    coefficient, rest = dim.as_coeff_Mul()
    if coefficient < 0:
        return f"-{_wrap(-dim, _PRODUCT)}", _UNARY
    factors = sorted(algebra._n().Mul.make_args(rest), key=lambda f: _print(f)[0])
    parts = [_wrap(f, _POWER) for f in factors]
    if coefficient.is_Integer:
        return "*".join(([str(coefficient)] if coefficient != 1 else []) + parts), _PRODUCT
    numerator = "*".join(([str(coefficient.p)] if coefficient.p != 1 else []) + parts)
    return f"{numerator}/{coefficient.q}", _PRODUCT


# ------------------------------------------------------------------------------------------------------------- parsing


def parse(source: str) -> Dim:
    """The dim that a text stands for.

    Raises:
        DimSyntaxError: when it is no expression, or not a whole number for sure.
    """
    value = _Parser(source).whole()
    if isinstance(value, Fraction) or _has_fraction(value):
        raise DimSyntaxError(f"{source!r} is not a whole number for every size")
    return value  # type: ignore[no-any-return]


def _has_fraction(value: Any) -> bool:
    if type(value) is int:
        return False
    constant, terms = algebra.split(value)
    return type(constant) is not int or any(type(c) is not int for c, _ in terms)


class _Parser:
    def __init__(self, source: str) -> None:
        if len(source) > _LENGTH:
            raise DimSyntaxError("the expression is too long")
        self.source = source
        self.tokens: list[tuple[str, str]] = []
        position = 0
        end = len(source.rstrip())
        while position < end:
            match = _TOKEN.match(source, position)
            if match is None:
                raise DimSyntaxError(f"{source!r}: nothing known begins at {source[position:].strip()[:12]!r}")
            number, name, quoted, sign = match.groups()
            kind = "number" if number else "name" if name else "quoted" if quoted else "sign"
            self.tokens.append((kind, number or name or quoted or sign))
            position = match.end()
        self.at = 0
        self.depth = 0

    def peek(self) -> str:
        kind, value = self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")
        return value if kind == "sign" else ""

    def take(self) -> tuple[str, str]:
        if self.at >= len(self.tokens):
            raise DimSyntaxError(f"{self.source!r} ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, sign: str) -> None:
        if self.take() != ("sign", sign):
            raise DimSyntaxError(f"{self.source!r}: expected {sign!r}")

    def whole(self) -> Any:
        try:
            value = self.sum()
        except (ZeroDivisionError, OverflowError, algebra.BroadcastError) as error:
            raise DimSyntaxError(f"{self.source!r}: {error}") from error
        if self.at != len(self.tokens):
            raise DimSyntaxError(f"{self.source!r}: nothing may follow a whole expression")
        return value

    def sum(self) -> Any:
        self.depth += 1
        if self.depth > _DEPTH:
            raise DimSyntaxError("the expression is nested too deeply")
        value = self.product()
        while self.peek() in ("+", "-"):
            sign = self.take()[1]
            other = self.product()
            value = _add(value, other if sign == "+" else _mul(-1, other))
        self.depth -= 1
        return value

    def product(self) -> Any:
        value = self.unary()
        while self.peek() in ("*", "/", "//", "%"):
            sign = self.take()[1]
            other = self.unary()
            value = {"*": _mul, "/": _divide, "//": _floordiv, "%": _mod}[sign](value, other)
        return value

    def unary(self) -> Any:
        negative = False
        while self.peek() in ("-", "+"):
            negative ^= self.take()[1] == "-"
        value = self.power()
        return _mul(-1, value) if negative else value

    def power(self) -> Any:
        value = self.atom()
        if self.peek() == "**":
            self.take()
            kind, exponent = self.take()
            if kind != "number" or not exponent.isdigit() or int(exponent) > _EXPONENT:
                raise DimSyntaxError(f"{self.source!r}: an exponent is a number up to {_EXPONENT}")
            value = reduce(_mul, [value] * int(exponent), 1)
        return value

    def atom(self) -> Any:
        kind, value = self.take()
        if kind == "number":
            return int(value) if value.isdigit() else _plain(Fraction(value))
        if kind == "quoted":
            return algebra.symbol(value)
        if kind == "name":
            if self.peek() == "(":
                return self.call(value)
            return algebra.symbol(value)
        if value == "(":
            inner = self.sum()
            self.expect(")")
            return inner
        raise DimSyntaxError(f"{self.source!r}: {value!r} is out of place")

    def call(self, name: str) -> Any:
        function = _FUNCTIONS.get(name)
        if function is None:
            raise DimSyntaxError(f"{self.source!r}: there is no function {name}")
        self.take()
        arguments = [self.sum()]
        while self.peek() == ",":
            self.take()
            arguments.append(self.sum())
        self.expect(")")
        try:
            return function(*arguments)
        except TypeError as error:
            raise DimSyntaxError(f"{self.source!r}: {name} does not take {len(arguments)} arguments") from error


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else value


def _add(a: Any, b: Any) -> Any:
    if isinstance(a, int | Fraction) and isinstance(b, int | Fraction):
        return _plain(a + b)
    return algebra.add_rational(a, b)


def _mul(a: Any, b: Any) -> Any:
    if isinstance(a, int | Fraction) and isinstance(b, int | Fraction):
        return _plain(a * b)
    if isinstance(a, Fraction):
        return algebra.scale(b, a)
    return algebra.scale(a, b) if isinstance(b, Fraction) else algebra.mul(a, b)


def _divide(a: Any, b: Any) -> Any:
    if isinstance(b, int | Fraction):
        return _mul(a, _plain(1 / Fraction(b)))
    exact = None if isinstance(a, Fraction) else algebra.divide_exact(a, b)
    if exact is None:
        raise DimSyntaxError(f"{text(b)} need not divide what is above it")
    return exact


def _whole(value: Any) -> Any:
    if isinstance(value, Fraction) or _has_fraction(value):
        raise DimSyntaxError("a function takes whole numbers here")
    return value


def _floordiv(a: Any, b: Any) -> Any:
    if isinstance(b, int | Fraction):
        return algebra.floor(_divide(a, b))
    return algebra.floordiv(_whole(a), b)


def _mod(a: Any, b: Any) -> Any:
    return algebra.mod(_whole(a), _whole(b))


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "floor": lambda a: algebra.floor(a),
    "ceil": lambda a: algebra.ceil(a),
    "ceiling": lambda a: algebra.ceil(a),
    "min": lambda *a: algebra.minimum(*map(_whole, a)),
    "max": lambda *a: algebra.maximum(*map(_whole, a)),
    "Mod": _mod,
    "FloorDiv": _floordiv,
    "CeilDiv": lambda a, b: algebra.ceildiv(_whole(a), _whole(b)),
    "broadcast": lambda *a: reduce(algebra.broadcast, map(_whole, a)),
}
_FUNCTIONS.update({"Min": _FUNCTIONS["min"], "Max": _FUNCTIONS["max"], "Broadcast": _FUNCTIONS["broadcast"]})


def read_name(name: str, known: Collection[str]) -> Dim | None:
    """What a ``dim_param`` of a model stands for; ``None`` for a dim without a name.

    An expression over names is read as one. Anything else is one opaque name, also ``batch-size`` and ``a/b``, unless
    each part is one of the ``known`` names that the model states on their own.
    """
    if name in ("", "?", "-1"):
        return None
    if name in known or _NAME.fullmatch(name):
        return algebra.symbol(name)
    try:
        dim = parse(name)
    except DimSyntaxError:
        return algebra.symbol(name)
    names = {s.name for s in algebra.free_symbols(dim)}
    if not names or (_GLUED.search(name) and not names <= set(known)):
        return algebra.symbol(name)
    return dim
