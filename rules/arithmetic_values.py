"""Follows sizes through arithmetic inside the graph, entry by entry: ints as they are, floats while they are exact.

Integer overflow is left aside: sizes of real tensors do not reach 64 bits. Integer Div truncates toward zero, Mod has
the divisor's sign (``fmod=0``) or the dividend's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any

from shapeinfer.rule import Array, Context, dims, value_rule, value_rules

from .entrywise import (
    FLOATS,
    WHOLE,
    Entry,
    entrywise,
    greatest,
    least,
    not_negative,
    operand,
    output_elem,
    packed,
    truncated,
)
from .exact_floats import follow, numeric, quotient, whole

EXACT = (float, int)


def calculate(
    ctx: Context,
    on_dims: Callable[..., Any],
    on_floats: Callable[..., float] | None = None,
    *,
    exact: Callable[..., Any] | None = None,
) -> Array | None:
    """``on_dims`` on integer entries; on floats ``exact`` (or ``on_dims``), and ``on_floats`` where all are numbers."""
    elem = output_elem(ctx)

    def on_entries(*operands: Entry) -> Entry:
        if any(entry is None for entry in operands):
            return zero(ctx, operands, elem)
        if elem not in FLOATS:
            return on_dims(*operands)
        if all(type(entry) in EXACT for entry in operands):
            return numeric(on_floats, operands, elem) if on_floats else None
        return follow(ctx, exact or on_dims, operands, elem)

    return entrywise(ctx, on_entries) if elem in FLOATS or elem in WHOLE else None


def zero(ctx: Context, operands: tuple[Entry, ...], elem: int) -> Entry:
    """What is known although an operand is not: an integer product with 0."""
    return 0 if ctx.node.op == "Mul" and elem in WHOLE and any(type(e) is int and e == 0 for e in operands) else None


@value_rule("Add", since=(7, 13, 14))
def add(ctx: Context) -> Array | None:
    """Sums."""
    return calculate(ctx, dims.add, lambda a, b: a + b)


@value_rule("Sub", since=(7, 13, 14))
def sub(ctx: Context) -> Array | None:
    """Differences."""
    return calculate(ctx, dims.sub, lambda a, b: a - b)


@value_rule("Mul", since=(7, 13, 14))
def mul(ctx: Context) -> Array | None:
    """Products."""
    return calculate(ctx, dims.mul, lambda a, b: a * b)


@value_rule("Div", since=(7, 13, 14))
def div(ctx: Context) -> Array | None:
    """Quotients, of integers toward zero."""
    return calculate(ctx, lambda a, b: truncated(ctx, a, b), lambda a, b: a / b, exact=lambda a, b: quotient(ctx, a, b))


@value_rule("Mod", since=(10, 13, 28))
def mod(ctx: Context) -> Array | None:
    """Remainders of integers."""
    if output_elem(ctx) not in WHOLE:
        return None
    toward_zero = bool(ctx.attr_int("fmod"))

    def remainder(a: Any, b: Any) -> Any:
        if type(b) is int and b == 0:
            return None
        if not toward_zero or (not_negative(ctx, a) and not_negative(ctx, b)):
            return dims.mod(a, b)
        whole_part = truncated(ctx, a, b)
        return None if whole_part is None else dims.sub(a, dims.mul(whole_part, b))

    return calculate(ctx, remainder)


@value_rule("Pow", since=(7, 12, 13, 15))
def power(ctx: Context) -> Array | None:
    """Small whole powers of integers."""
    if output_elem(ctx) not in WHOLE:
        return None

    def raised(base: Any, exponent: Any) -> Any:
        return dims.mul(*[base] * int(exponent)) if exponent in (0, 1, 2, 3, 4) else None

    return calculate(ctx, raised)


@value_rule("Neg", since=(6, 13))
def negative(ctx: Context) -> Array | None:
    """Negatives."""
    return calculate(ctx, dims.neg, lambda a: -a, exact=lambda a: dims.mul(-1, a))


def whole_only(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function on float entries that are whole numbers for all sizes: a choice between others has no text form."""
    return lambda *entries: function(*entries) if all(map(whole, entries)) else None


@value_rules({"Max": (8, 12, 13), "Min": (8, 12, 13)})
def extreme(ctx: Context) -> Array | None:
    """The greatest or the least of the inputs."""
    pick, numbers = (greatest, max) if ctx.node.op == "Max" else (least, min)

    def choose(*entries: Any) -> Any:
        return reduce(lambda a, b: pick(ctx, a, b), entries)

    return calculate(ctx, choose, lambda *x: numbers(x), exact=whole_only(choose))


@value_rule("Relu", since=(13, 14))
def relu(ctx: Context) -> Array | None:
    """At least 0."""

    def choose(entry: Any) -> Any:
        return greatest(ctx, entry, 0)

    return calculate(ctx, choose, lambda a: max(a, 0.0), exact=whole_only(choose))


@value_rule("Abs", since=(6, 13))
def absolute(ctx: Context) -> Array | None:
    """Absolute values."""

    def choose(entry: Any) -> Any:
        return greatest(ctx, entry, dims.mul(-1, entry))

    return calculate(ctx, choose, abs, exact=whole_only(choose))


@value_rule("Sign", since=(9, 13))
def sign(ctx: Context) -> Array | None:
    """-1, 0 or 1."""

    def choose(entry: Any) -> Any:
        return least(ctx, greatest(ctx, entry, -1), 1)

    return calculate(ctx, choose, exact=whole_only(choose))


@value_rule("Clip", since=(12, 13))
def clip(ctx: Context) -> Array | None:
    """``min(max(x, low), high)``, where the bounds may be left out."""
    output_elem(ctx)
    bounds = [operand(ctx, i) if ctx.given(i) else None for i in (1, 2)]
    data = operand(ctx, 0)
    if data is None or any(ctx.given(i) and (b is None or b.size != 1) for i, b in zip((1, 2), bounds, strict=True)):
        return None
    low, high = (None if bound is None else bound.ravel().tolist()[0] for bound in bounds)
    if (ctx.given(1) and low is None) or (ctx.given(2) and high is None):
        return None
    return clipped(ctx, data, low, high)


def clipped(ctx: Context, data: Array, low: Entry, high: Entry) -> Array | None:
    """The entries of ``data`` between the bounds; ``None`` is no bound."""
    elem = output_elem(ctx)
    if elem not in WHOLE:
        return None
    items = data.ravel().tolist()
    if low is not None:
        items = [None if item is None else greatest(ctx, item, low) for item in items]
    if high is not None:
        items = [None if item is None else least(ctx, item, high) for item in items]
    return packed(ctx, items, data.shape, elem)


@value_rules({"Floor": (6, 13), "Ceil": (6, 13)})
def rounded(ctx: Context) -> Array | None:
    """The whole number below or above."""
    down = ctx.node.op == "Floor"
    return calculate(ctx, dims.floor if down else dims.ceil, math.floor if down else math.ceil)


@value_rule("Round", since=(11, 22))
def nearest(ctx: Context) -> Array | None:
    """The nearest whole number, the even one of two; of a symbolic entry only where it is whole already."""
    return calculate(ctx, lambda a: a, round, exact=whole_only(lambda a: a))


@value_rule("Sqrt", since=(6, 13))
def root(ctx: Context) -> Array | None:
    """Square roots of numbers; no symbolic entry has one that is exact."""
    return calculate(ctx, lambda a: None, math.sqrt)
