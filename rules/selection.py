"""Operators whose result depends on what the data holds: TopK, NonZero, Compress, Unique.

Versions: TopK-1 takes ``k`` as an attribute, from 10 on ``K`` is an input; 11 adds ``largest`` and ``sorted``, 24 adds
element types. The others differ in element types, and the ranges of an axis are spelled out in 11 and 28.
"""

from __future__ import annotations

import numpy as np

from shapeinfer.rule import Array, Context, Dim, Result, codes, dims, rule

from .movement import same_length, whole_entry


@rule("TopK", since=(1, 10, 11, 24))
def top_k(ctx: Context) -> Result:
    """Twice the input's shape with ``k`` at the axis."""
    shape = ctx.shape_or_none("X")
    k = top_count(ctx)
    if shape is None:
        return None
    axis = ctx.axis(ctx.attr_int("axis"), len(shape))
    if k is not None:
        ctx.require_at_least(
            shape[axis], k, codes.SIZE_VALUE, what="K", value=k, expected=f"at most {dims.text(shape[axis])}"
        )
    elif ctx.facts.equal(shape[axis], 0):
        k = 0
    result = (*shape[:axis], ctx.fresh(0, axis) if k is None else k, *shape[axis + 1 :])
    return [result, result]


def top_count(ctx: Context) -> Dim | None:
    """``k``, which cannot be negative."""
    if ctx.version == 1:
        k: Dim | None = ctx.attr_int("k")
    else:
        same_length(ctx, "K", ctx.length("K"), 1)
        k = whole_entry(ctx, "K")
    if k is not None:
        ctx.require_at_least(k, 0, codes.SIZE_VALUE, what="K", value=k, expected="at least 0")
    return k


@rule("NonZero", since=(9, 13))
def non_zero(ctx: Context) -> Result:
    """One row for each axis, one column for each element that is not zero; a scalar gives no rows."""
    known = ctx.elements("X")
    count = None if known is None else counted(known)
    ctx.best((None, count))
    shape = ctx.shape("X")
    if any(ctx.facts.equal(dim, 0) for dim in shape):
        count = 0
    return (len(shape), count)


def counted(array: Array) -> int | None:
    """How many elements are not zero; ``None`` where some are not numbers."""
    return None if array.dtype == object else int(np.count_nonzero(array))


@rule("Compress", since=(9, 11, 28))
def compress(ctx: Context) -> Result:
    """The input's shape with the number of true conditions at the axis; without an axis, a list of so many."""
    length = ctx.length("condition")
    chosen = ctx.elements("condition")
    count = None if chosen is None else counted(chosen)
    if length is not None and ctx.facts.equal(length, 0):
        count = 0
    if not ctx.has_attr("axis"):
        ctx.best((count,))
        shape = ctx.shape("input")
        check_reach(ctx, chosen, dims.mul(*shape))
        return (0 if any(ctx.facts.equal(dim, 0) for dim in shape) else count,)
    shape = ctx.shape("input")
    axis = ctx.axis(ctx.attr_int("axis"), len(shape))
    check_reach(ctx, chosen, shape[axis])
    return (*shape[:axis], 0 if ctx.facts.equal(shape[axis], 0) else count, *shape[axis + 1 :])


def check_reach(ctx: Context, chosen: Array | None, size: Dim) -> None:
    """Requires the axis to reach as far as the last true condition."""
    if chosen is None or chosen.dtype == object or not chosen.any():
        return
    last = int(np.flatnonzero(chosen)[-1]) + 1
    ctx.require_at_least(
        size, last, codes.AT_LEAST, what="the size that condition chooses from", found=size, least=last
    )


@rule("Unique", since=(11, 28))
def unique(ctx: Context) -> Result:
    """The unique entries of the axis (all elements as a list without one), and three lists about them."""
    shape = ctx.shape_or_none("X")
    if not ctx.has_attr("axis"):
        found = unique_count(ctx, None if shape is None else dims.mul(*shape))
        return [(found,), (found,), (None if shape is None else dims.mul(*shape),), (found,)]
    if shape is None:
        found = ctx.fresh(0, 0)
        return [None, (found,), (None,), (found,)]
    axis = ctx.axis(ctx.attr_int("axis"), len(shape))
    found = unique_count(ctx, shape[axis])
    return [(*shape[:axis], found, *shape[axis + 1 :]), (found,), (shape[axis],), (found,)]


def unique_count(ctx: Context, size: Dim | None) -> Dim:
    """How many are unique: of none or one that is certain."""
    if type(size) is int and size < 2:
        return size
    known = ctx.elements("X")
    if known is not None and known.dtype.kind in "iub" and not ctx.has_attr("axis"):
        return len(np.unique(known))
    return ctx.fresh(0, ctx.attr_int("axis") if ctx.has_attr("axis") else 0)
