"""Follows sizes through ReduceProd, ReduceSum, ReduceMax and ReduceMin of integers (the number of elements, say)."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from shapeinfer.rule import Array, Context, dims, value_rules

from .entrywise import WHOLE, Entry, greatest, least, operand, output_elem, packed
from .reduce import ATTRIBUTE_AXES, INPUT_AXES

OPERATORS = ("ReduceProd", "ReduceSum", "ReduceMax", "ReduceMin")


@value_rules({op: ATTRIBUTE_AXES[op] + INPUT_AXES[op] for op in OPERATORS})
def reduce_elements(ctx: Context) -> Array | None:
    """Each run of entries along the reduced axes as one entry."""
    data, elem, axes = operand(ctx, 0), output_elem(ctx), known_axes(ctx)
    if data is None or axes is None or elem not in WHOLE:
        return None
    if axes == ():
        if ctx.has_attr("noop_with_empty_axes") and ctx.attr_int("noop_with_empty_axes"):
            return data
        axes = tuple(range(data.ndim))
    chosen = sorted({axis % data.ndim for axis in axes})
    kept = [axis for axis in range(data.ndim) if axis not in chosen]
    rows = data.transpose(kept + chosen).reshape([data.shape[axis] for axis in kept] + [-1]) if data.size else None
    if rows is None:
        return None
    items = [combined(ctx, row) for row in rows.reshape(-1, rows.shape[-1]).tolist()]
    shape = tuple(1 if axis in chosen else size for axis, size in enumerate(data.shape))
    found = packed(ctx, items, shape, elem)
    if found is None or ctx.attr_int("keepdims"):
        return found
    return np.squeeze(found, axis=tuple(chosen))


def known_axes(ctx: Context) -> tuple[int, ...] | None:
    """The axes where all are numbers; empty where none are given."""
    if not (ctx.has_attr("axes") or ctx.given("axes")):
        return ()
    axes = ctx.ints("axes")
    if axes is None:
        return None
    known = tuple(axis for axis in axes if type(axis) is int)
    return known if len(known) == len(axes) else None


def combined(ctx: Context, entries: list[Any]) -> Entry:
    """One run of entries as one."""
    op = ctx.node.op
    if op == "ReduceProd" and any(type(entry) is int and entry == 0 for entry in entries):
        return 0
    if any(entry is None for entry in entries):
        return None
    if op == "ReduceProd":
        return dims.mul(*entries)
    if op == "ReduceSum":
        return dims.add(*entries)
    pick = greatest if op == "ReduceMax" else least
    return reduce(lambda a, b: pick(ctx, a, b), entries)
