"""Expand broadcasts its input with a shape, in both directions; Tile repeats it along its axes.

Versions: Expand-13 adds element types. Tile-1 repeats along one axis and takes ``tiles`` and ``axis`` as scalars of the
data's own type; from 6 on ``repeats`` is an int64 list with one entry for each axis; 13 adds element types.
"""

from __future__ import annotations

import numpy as np

from shapeinfer.rule import Array, Context, Dim, Result, Shape, codes, dims, moved, rule, value_rule, value_rules

from .movement import one_entry, same_length, whole_entry


@rule("Expand", since=(8, 13))
def expand(ctx: Context) -> Result:
    """What the input's shape and ``shape`` broadcast to."""
    listed = ctx.ints("shape")
    for position, entry in enumerate(listed or ()):
        if entry is not None:
            ctx.require_at_least(
                entry, 0, codes.SIZE_VALUE, what=f"shape[{position}]", value=entry, expected="at least 0"
            )
    shape = ctx.shape("input")
    if listed is None:
        return None
    sizes = [entry for entry in listed if entry is not None]
    if len(sizes) == len(listed):
        return ctx.broadcast(shape, tuple(sizes))
    return expand_open(ctx, shape, listed)


def expand_open(ctx: Context, shape: Shape, listed: tuple[Dim | None, ...]) -> Result:
    """With unknown entries: such an entry is 1 or the dim that it stands against, unless that dim may be 1."""
    rank = max(len(shape), len(listed))
    left = (1,) * (rank - len(shape)) + shape
    right = (1,) * (rank - len(listed)) + listed
    result: list[Dim | None] = []
    for dim, entry in zip(left, right, strict=True):
        if entry is None:
            result.append(dim if ctx.facts.equal(dim, 1) is False else None)
        else:
            result.append(ctx.broadcast((dim,), (entry,))[0])
    return tuple(result)


@value_rule("Expand", since=(8, 13))
def expand_elements(ctx: Context) -> Array | None:
    """The elements in the shape that the rule found."""
    data, shape = ctx.elements("input"), ctx.output_shape()
    if data is None or shape is None:
        return None
    sizes = [dim for dim in shape if type(dim) is int]
    if len(sizes) < len(shape) or dims.mul(*sizes) > 1024:
        return None
    return np.broadcast_to(data, sizes)


@rule("Tile", since=(6, 13))
def tile(ctx: Context) -> Result:
    """Each dim times its entry of ``repeats``."""
    shape = ctx.shape_or_none("input")
    repeats = ctx.ints("repeats")
    if repeats is None:
        if shape is not None:
            length = ctx.length("repeats")
            same_length(ctx, "repeats", length, len(shape))
            return tuple(times(ctx, dim, None) for dim in shape)
        return None
    for position, count in enumerate(repeats):
        if count is not None:
            ctx.require_at_least(
                count, 0, codes.SIZE_VALUE, what=f"repeats[{position}]", value=count, expected="at least 0"
            )
    if shape is None:
        return tuple(0 if count == 0 else None for count in repeats)
    same_length(ctx, "repeats", len(repeats), len(shape))
    return tuple(times(ctx, dim, count) for dim, count in zip(shape, repeats, strict=True))


def times(ctx: Context, dim: Dim, count: Dim | None) -> Dim | None:
    """So many copies of a dim."""
    if count is None:
        return 0 if ctx.facts.equal(dim, 0) else None
    return dims.mul(dim, count)


@rule("Tile", since=(1,))
def tile_axis(ctx: Context) -> Result:
    """The dim at ``axis`` times ``tiles``."""
    one_entry(ctx, "tiles")
    one_entry(ctx, "axis")
    shape = ctx.shape("input")
    count, axis = whole_entry(ctx, "tiles"), whole_entry(ctx, "axis")
    if type(axis) is not int:
        return tuple(times(ctx, dim, count if count == 1 else None) for dim in shape)
    at = ctx.axis(axis, len(shape))
    return tuple(times(ctx, dim, count) if position == at else dim for position, dim in enumerate(shape))


value_rules({"Tile": (1, 6, 13)})(moved)
