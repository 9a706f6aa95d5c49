"""Reads dims from text: our own text form, and the notations of other tools (``floor(H/2 - 1/2) + 1``).

Text from a model never reaches ``eval`` or SymPy's parser: the tokens and the grammar are these, and the length of a
text, its nesting, its numbers and its exponents are limited.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

from shapeinfer.dims.algebra import Dim, add, mul, neg, symbol
from shapeinfer.dims.choice import BroadcastError, broadcast, maximum, minimum
from shapeinfer.dims.division import ceildiv, divide_exact, floordiv, mod
from shapeinfer.dims.polynomial import polynomial
from shapeinfer.dims.text import PLAIN_NAME, text

_LENGTH, _TOKENS, _DEPTH, _DIVISIONS = 4096, 1024, 100, 64
_EXPONENT, _DIGITS, _BITS, _ARGUMENTS = 64, 40, 1024, 64
_TOP_TERMS, _BELOW_TERMS = 64, 8

_TOKEN = re.compile(
    rf"\s*(?:(?P<number>[0-9]+(?:\.[0-9]+)?)|(?P<name>{PLAIN_NAME})|`(?P<quoted>(?:[^`]|``)+)`"
    r"|(?P<sign>\*\*|//|[-+*/%(),]))"
)


class DimSyntaxError(ValueError):
    """A text that is no dim expression."""


class Token(NamedTuple):
    """A piece of an expression: its kind (``number``, ``name``, ``quoted``, ``sign``, ``end``), text and place."""

    kind: str
    text: str
    start: int
    end: int


class _Ratio(NamedTuple):
    """``top / below``: what an expression is until a floor, or an exact division, makes it whole."""

    top: Dim
    below: Dim


def parse(source: str) -> Dim:
    """The dim that a text stands for.

    Raises:
        DimSyntaxError: when it is no expression, or not a whole number for sure.
    """
    try:
        value = _Parser(source).expression()
        return _whole(value)
    except (ZeroDivisionError, BroadcastError) as error:
        raise DimSyntaxError(f"{_shown(source)}: {error}") from error


def tokens(source: str) -> list[Token]:
    """The tokens of an expression, without an end token.

    Raises:
        DimSyntaxError: for a text that is too long, or that has something in it that begins no token.
    """
    if len(source) > _LENGTH:
        raise DimSyntaxError(f"{_shown(source)}: an expression has up to {_LENGTH} characters")
    found = []
    position, end = 0, len(source.rstrip())
    while position < end:
        match = _TOKEN.match(source, position)
        if match is None or match.lastgroup is None:
            raise DimSyntaxError(f"{_shown(source)}: {_shown(source[position:].strip())} begins nothing known")
        kind = match.lastgroup
        value = match[kind].replace("``", "`") if kind == "quoted" else match[kind]
        position = match.end()
        found.append(Token(kind, value, match.start(kind), position))
    if len(found) > _TOKENS:
        raise DimSyntaxError(f"{_shown(source)}: an expression has up to {_TOKENS} tokens")
    return found


def _shown(source: str) -> str:
    return repr(source if len(source) <= 60 else f"{source[:57]}...")


class _Parser:
    def __init__(self, source: str) -> None:
        self._source = source
        self._tokens = [*tokens(source), Token("end", "", len(source), len(source))]
        self._next = 0
        self._depth = 0
        self._divisions = 0

    def _fail(self, reason: str) -> DimSyntaxError:
        return DimSyntaxError(f"{_shown(self._source)}: {reason}")

    def _take(self) -> Token:
        token = self._tokens[self._next]
        if token.kind == "end":
            raise self._fail("it ends too early")
        self._next += 1
        return token

    def _sign(self) -> str:
        """The next token if it is a sign."""
        token = self._tokens[self._next]
        return token.text if token.kind == "sign" else ""

    def _expect(self, sign: str) -> None:
        token = self._take()
        if token[:2] != ("sign", sign):
            raise self._fail(f"expected {sign!r} instead of {token.text!r}")

    def expression(self) -> _Ratio:
        value = self._operand(0)
        token = self._tokens[self._next]
        if token.kind != "end":
            raise self._fail(f"{token.text!r} is out of place")
        return value

    def _operand(self, binds: int) -> _Ratio:
        """What stands before the next operator that binds no more tightly than ``binds``."""
        self._depth += 1
        if self._depth > _DEPTH:
            raise self._fail("it is nested too deeply")
        value = self._prefix()
        while True:
            sign = self._sign()
            if _BINDS.get(sign, 0) <= binds:
                break
            self._next += 1
            self._count(sign in ("//", "%"))
            value = _checked(_BINARY[sign](value, self._operand(_BINDS[sign])))
        self._depth -= 1
        return value

    def _count(self, nests: bool) -> None:
        self._divisions += nests
        if self._divisions > _DIVISIONS:
            raise self._fail(f"an expression has up to {_DIVISIONS} divisions and functions")

    def _prefix(self) -> _Ratio:
        negative = False
        while self._sign() in ("-", "+"):
            negative ^= self._take().text == "-"
        value = self._atom()
        if self._sign() == "**":
            self._next += 1
            value = _power(value, self._exponent())
        return _Ratio(neg(value.top), value.below) if negative else value

    def _exponent(self) -> int:
        token = self._take()
        if token.kind != "number" or not token.text.isdigit() or len(token.text) > 2 or int(token.text) > _EXPONENT:
            raise self._fail(f"an exponent is a number up to {_EXPONENT}")
        return int(token.text)

    def _atom(self) -> _Ratio:
        kind, value, *_ = self._take()
        if kind == "number":
            if len(value) > _DIGITS:
                raise self._fail(f"a number has up to {_DIGITS} digits")
            exact = Fraction(value)
            return _Ratio(exact.numerator, exact.denominator)
        if kind == "quoted" or (kind == "name" and self._sign() != "("):
            return _Ratio(symbol(value), 1)
        if kind == "name":
            return self._call(value)
        if value == "(":
            inner = self._operand(0)
            self._expect(")")
            return inner
        raise self._fail(f"{value!r} is out of place")

    def _call(self, name: str) -> _Ratio:
        if name not in _FUNCTIONS:
            raise self._fail(f"there is no function {name}")
        least, most, function = _FUNCTIONS[name]
        self._count(True)
        self._expect("(")
        arguments = [self._operand(0)]
        while self._sign() == ",":
            self._next += 1
            arguments.append(self._operand(0))
        self._expect(")")
        if not least <= len(arguments) <= most:
            raise self._fail(f"{name} does not take {len(arguments)} arguments")
        return _checked(function(*arguments))


def _checked(value: _Ratio) -> _Ratio:
    for part in value:
        if type(part) is int and part.bit_length() > _BITS:
            raise DimSyntaxError("a number in the expression is too large")
    return value


def _ratio(top: Dim, below: Dim) -> _Ratio:
    if type(below) is int:
        if below == 0:
            raise ZeroDivisionError("division by zero")
        if below < 0:
            top, below = neg(top), -below
        if below > 1 and type(top) is int:
            common = math.gcd(top, below)
            return _Ratio(top // common, below // common)
        exact = divide_exact(top, below) if below > 1 else top
    else:
        if len(polynomial(below)) > _BELOW_TERMS or len(polynomial(top)) > _TOP_TERMS:
            raise DimSyntaxError("a division in the expression is too large")
        exact = divide_exact(top, below)
    return _Ratio(top, below) if exact is None else _Ratio(exact, 1)


def _whole(value: _Ratio) -> Dim:
    if type(value.below) is not int or value.below != 1:
        raise DimSyntaxError(f"({text(value.top)})/{text(value.below)} need not be a whole number")
    return value.top


def _common(a: _Ratio, b: _Ratio) -> tuple[Dim, Dim, Dim]:
    """The tops of two ratios over one divisor, and that divisor."""
    if a.below == b.below:
        return a.top, b.top, a.below
    if type(a.below) is int and type(b.below) is int:
        below = math.lcm(a.below, b.below)
        return mul(a.top, below // a.below), mul(b.top, below // b.below), below
    return mul(a.top, b.below), mul(b.top, a.below), mul(a.below, b.below)


def _plus(a: _Ratio, b: _Ratio) -> _Ratio:
    top, other, below = _common(a, b)
    return _ratio(add(top, other), below)


def _minus(a: _Ratio, b: _Ratio) -> _Ratio:
    return _plus(a, _Ratio(neg(b.top), b.below))


def _times(a: _Ratio, b: _Ratio) -> _Ratio:
    return _ratio(mul(a.top, b.top), mul(a.below, b.below))


def _over(a: _Ratio, b: _Ratio) -> _Ratio:
    return _ratio(mul(a.top, b.below), mul(a.below, b.top))


def _power(a: _Ratio, exponent: int) -> _Ratio:
    size = sum(part.bit_length() for part in a if type(part) is int) * exponent
    degree = max((sum(e for _, e in monomial) for part in a for monomial in polynomial(part)), default=0) * exponent
    if size > _BITS or degree > _EXPONENT:
        raise DimSyntaxError("a power in the expression is too large")
    return _ratio(mul(*[a.top] * exponent), mul(*[a.below] * exponent))


def _floor(a: _Ratio) -> _Ratio:
    return a if a.below == 1 else _Ratio(floordiv(a.top, a.below), 1)


def _ceil(a: _Ratio) -> _Ratio:
    return a if a.below == 1 else _Ratio(ceildiv(a.top, a.below), 1)


def _mod(a: _Ratio, b: _Ratio) -> _Ratio:
    return _Ratio(mod(_whole(a), _whole(b)), 1)


def _extreme(choose: Callable[..., Dim]) -> Callable[..., _Ratio]:
    def function(*values: _Ratio) -> _Ratio:
        belows = [value.below for value in values]
        if any(type(below) is not int for below in belows):
            raise DimSyntaxError("the arguments of a minimum or maximum need not be whole numbers")
        whole = math.lcm(*[int(below) for below in belows])
        return _ratio(choose(*[mul(top, whole // int(below)) for top, below in values]), whole)

    return function


def _broadcast(*values: _Ratio) -> _Ratio:
    return _Ratio(reduce(broadcast, map(_whole, values)), 1)


_BINDS = {"+": 1, "-": 1, "*": 2, "/": 2, "//": 2, "%": 2}
_BINARY: dict[str, Callable[[_Ratio, _Ratio], _Ratio]] = {
    "+": _plus,
    "-": _minus,
    "*": _times,
    "/": _over,
    "//": lambda a, b: _floor(_over(a, b)),
    "%": _mod,
}
_Function = tuple[int, int, Callable[..., _Ratio]]
_FLOOR_DIVIDE: _Function = (2, 2, lambda a, b: _floor(_over(a, b)))
_CEIL_DIVIDE: _Function = (2, 2, lambda a, b: _ceil(_over(a, b)))
_FUNCTIONS: dict[str, _Function] = {
    "floor": (1, 1, _floor),
    "ceil": (1, 1, _ceil),
    "ceiling": (1, 1, _ceil),
    "min": (1, _ARGUMENTS, _extreme(minimum)),
    "max": (1, _ARGUMENTS, _extreme(maximum)),
    "Min": (1, _ARGUMENTS, _extreme(minimum)),
    "Max": (1, _ARGUMENTS, _extreme(maximum)),
    "Mod": (2, 2, _mod),
    "mod": (2, 2, _mod),
    "FloorDiv": _FLOOR_DIVIDE,
    "floordiv": _FLOOR_DIVIDE,
    "CleanDiv": _FLOOR_DIVIDE,
    "CeilDiv": _CEIL_DIVIDE,
    "ceildiv": _CEIL_DIVIDE,
    "broadcast": (1, _ARGUMENTS, _broadcast),
    "Broadcast": (1, _ARGUMENTS, _broadcast),
}
