"""Sizes that several inputs share, under the names that the specification gives them.

``Sizes(ctx).match("K", "batch kv_heads length head")`` holds the shape of an input against a layout: a name that has
been seen before must have the same size again. ``3*hidden`` is a multiple, a number is itself, ``_`` is anything.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, codes, dims


def tie(ctx: Context, what: str, left: Dim, right: Dim) -> Dim:
    """Requires two sizes to be equal and returns the more definite one."""
    return ctx.require_equal(left, right, codes.SIZES_DIFFER, what=what, left=left, right=right)


class Sizes:
    """The sizes of one node by name; those that are not known are left to the run."""

    __slots__ = ("_ctx", "_known")

    def __init__(self, ctx: Context, **known: Dim | None) -> None:
        self._ctx = ctx
        self._known = {name: dim for name, dim in known.items() if dim is not None}

    def match(self, which: str, layout: str) -> None:
        """Holds an input against its layout, if it is given and its rank is known."""
        shape = self._ctx.shape_or_none(which)
        if shape is None:
            return
        terms = layout.split()
        if len(shape) != len(terms):
            self._ctx.fail(codes.RANK, input=which, shape=shape, expected=len(terms))
        pairs = list(zip(shape, terms, strict=True))
        for dim, term in sorted(pairs, key=lambda pair: "*" in pair[1]):  # what is plainly there comes first
            if term != "_":
                self._match_term(which, dim, term)

    def _match_term(self, which: str, dim: Dim, term: str) -> None:
        size = self.get(term)
        if size is not None:
            if "*" in term:
                tie(self._ctx, f"a size of {which} and {term}", dim, size)
            else:
                tie(self._ctx, f"the size {term} by the other inputs and by {which}", size, dim)
            return
        factor, _, name = term.rpartition("*")
        if factor:
            known = self.get(factor)
            if known is None:
                return
            quotient = self.quotient(f"{which} has the size {term}", dim, known)
            if quotient is None:
                return
            dim = quotient
        self._known[name] = dim

    def quotient(self, what: str, dim: Dim, divisor: Dim) -> Dim | None:
        """``dim / divisor``, which must leave no remainder; ``None`` for a divisor that may be 0."""
        exact = dims.divide_exact(dim, divisor)
        if exact is not None:
            return exact
        if not self._ctx.facts.at_least(divisor, 1):
            return None
        self._ctx.require_divisible(dim, divisor, codes.DIVISIBLE, what=what, dim=dim, divisor=divisor)
        return dims.floordiv(dim, divisor)

    def put(self, name: str, dim: Dim | None) -> None:
        """Gives a size its name."""
        if dim is not None:
            self._known[name] = dim

    def get(self, term: str) -> Dim | None:
        """The size of a name, a number or a product of these; ``None`` where it is not known."""
        if term.isdigit():
            return int(term)
        if "*" not in term:
            return self._known.get(term)
        factors = [self.get(each) for each in term.split("*")]
        known = [each for each in factors if each is not None]
        return dims.mul(*known) if len(known) == len(factors) else None

    def shape(self, layout: str) -> tuple[Dim | None, ...]:
        """A shape by its layout, as far as the sizes are known."""
        return tuple(self.get(term) for term in layout.split())


def one_element(ctx: Context, which: str | int) -> None:
    """Requires an input, where given, to hold one element: to be a scalar, for which ``[1]`` is taken as well."""
    shape = ctx.shape_or_none(which)
    if not shape:
        return
    name = ctx.input_name(which)
    if len(shape) > 1:
        ctx.fail(codes.RANK, input=name, shape=shape, expected=0)
    tie(ctx, f"{name} is a scalar; its length and", shape[0], 1)


def scalar_value(ctx: Context, which: str | int) -> Dim | None:
    """The one integer that an input holds; ``None`` where it is not known."""
    one_element(ctx, which)
    known = ctx.elements(which)
    if known is None or known.size != 1:
        return None
    value: Dim | None = known.reshape(-1).tolist()[0]
    return value


def positive_attr(ctx: Context, name: str) -> int | None:
    """An integer attribute that, where it is stated, must be at least 1."""
    if not ctx.has_attr(name):
        return None
    value = ctx.attr_int(name)
    if value < 1:
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute=name, value=value, expected="at least 1")
    return value
