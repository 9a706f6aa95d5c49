"""Follows sizes through comparisons, logic and Where, entry by entry, with three answers: true, false, unknown."""

from __future__ import annotations

from collections.abc import Callable

from shapeinfer.rule import Array, Context, ElementType, dims, value_rule, value_rules

from .entrywise import WHOLE, Entry, entrywise

NUMBERS = (int, float, bool)


def negated(answer: bool | None) -> bool | None:
    """The opposite answer."""
    return None if answer is None else not answer


def compare(ctx: Context, function: Callable[[Entry, Entry], bool | None]) -> Array | None:
    """``function`` on integer entries that are known."""
    if ctx.elem(0) not in WHOLE:
        return None
    return entrywise(ctx, lambda a, b: None if a is None or b is None else function(a, b))


@value_rule("Equal", since=(7, 11, 13, 19))
def equal(ctx: Context) -> Array | None:
    """Whether two entries are one number."""
    if ctx.elem(0) == ElementType.BOOL:
        return entrywise(ctx, lambda a, b: None if a is None or b is None else a == b)
    return compare(ctx, ctx.facts.equal)


@value_rules({"Less": (7, 9, 13), "GreaterOrEqual": (12, 16)})
def less(ctx: Context) -> Array | None:
    """Whether the first entry is less than the second, or not."""
    if ctx.node.op == "Less":
        return compare(ctx, lambda a, b: negated(ctx.facts.at_least(a, b)))
    return compare(ctx, ctx.facts.at_least)


@value_rules({"Greater": (7, 9, 13), "LessOrEqual": (12, 16)})
def greater(ctx: Context) -> Array | None:
    """Whether the first entry is greater than the second, or not."""
    if ctx.node.op == "Greater":
        return compare(ctx, lambda a, b: negated(ctx.facts.at_least(b, a)))
    return compare(ctx, lambda a, b: ctx.facts.at_least(b, a))


@value_rule("And", since=(7,))
def both(ctx: Context) -> Array | None:
    """False as soon as one is."""
    return entrywise(ctx, lambda a, b: False if a is False or b is False else True if a and b else None)


@value_rule("Or", since=(7,))
def either(ctx: Context) -> Array | None:
    """True as soon as one is."""
    return entrywise(ctx, lambda a, b: True if a or b else False if a is False and b is False else None)


@value_rule("Xor", since=(7,))
def differ(ctx: Context) -> Array | None:
    """Whether exactly one is true."""
    return entrywise(ctx, lambda a, b: None if a is None or b is None else a != b)


@value_rule("Not", since=(1,))
def opposite(ctx: Context) -> Array | None:
    """The opposite."""
    return entrywise(ctx, negated)


@value_rule("Where", since=(9, 16))
def choose(ctx: Context) -> Array | None:
    """The entry chosen; where the condition is unknown, what both choices agree on."""

    def chosen(condition: bool | None, a: Entry, b: Entry) -> Entry:
        return agreed(a, b) if condition is None else a if condition else b

    return entrywise(ctx, chosen)


def agreed(a: Entry, b: Entry) -> Entry:
    """What two entries are where they are the same."""
    if a is None or b is None:
        return None
    if type(a) in NUMBERS or type(b) in NUMBERS:
        return a if type(a) is type(b) and a == b else None
    return a if dims.expand(dims.sub(a, b)) == 0 else None
