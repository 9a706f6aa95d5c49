"""Shape gives the dims of its input as a list, Size their product: the sources of all shape arithmetic.

Versions: from 15 on, Shape takes ``start`` and ``end``, which choose a slice of the dims. They count from the back
where negative, and out of range they are clamped, never an error. Other versions of both add element types.
"""

from __future__ import annotations

import numpy as np

from shapeinfer.rule import Array, Context, Result, dims, from_entries, rule, value_rule

SHAPE = (1, 13, 15, 19, 21, 23, 24, 25)
SIZE = (1, 13, 19, 21, 23, 24, 25)


@rule("Shape", since=SHAPE)
def shape(ctx: Context) -> Result:
    """A list with one entry for each dim chosen."""
    ctx.best((None,))
    rank = len(ctx.shape("data"))
    return (len(range(rank)[chosen(ctx, rank)]),)


def chosen(ctx: Context, rank: int) -> slice:
    """The dims that ``start`` and ``end`` choose."""
    if ctx.version < 15:
        return slice(None)
    end = ctx.attr_int("end") if ctx.has_attr("end") else rank
    return slice(ctx.attr_int("start"), end)


@value_rule("Shape", since=SHAPE)
def shape_elements(ctx: Context) -> Array | None:
    """The dims themselves."""
    known = ctx.shape("data")
    items = list(known[chosen(ctx, len(known))])
    return from_entries(items, (len(items),), np.dtype(np.int64))


@rule("Size", since=SIZE)
def size(ctx: Context) -> Result:
    """A scalar."""
    return ()


@value_rule("Size", since=SIZE)
def size_elements(ctx: Context) -> Array | None:
    """The product of the dims."""
    return from_entries([dims.mul(*ctx.shape("data"))], (), np.dtype(np.int64))
