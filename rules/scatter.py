"""Scatter, ScatterElements and ScatterND write updates into a copy of the data, so the shape stays.

Versions: ScatterElements took the place of Scatter (9) in 11, when Scatter became deprecated; 13 adds element types; 16
adds ``reduction`` with ``add`` and ``mul``, and 18 also ``max`` and ``min``.
"""

from __future__ import annotations

import numpy as np

from shapeinfer.rule import Array, Context, Dim, Result, Shape, codes, rule, rules, value_rules

from .gather import check_tuples, tuple_length
from .movement import check_indices, tie

ELEMENTS = {"Scatter": (9, 11), "ScatterElements": (11, 13, 16, 18)}


@rules(ELEMENTS)
def scatter_elements(ctx: Context) -> Result:
    """The data's shape; ``indices`` and ``updates`` have one shape, of the data's rank."""
    check_reduction(ctx)
    data, indices, updates = (ctx.shape_or_none(name) for name in ("data", "indices", "updates"))
    if indices is not None and updates is not None:
        same_shape(ctx, updates, indices, "updates and indices")
    other, name = (indices, "indices") if indices is not None else (updates, "updates")
    if data is None:
        return None if other is None else (None,) * len(other)
    ctx.best(data)
    axis = ctx.axis(ctx.attr_int("axis"), len(data))
    if other is not None and len(other) != len(data):
        ctx.fail(codes.RANK, input=name, shape=other, expected=len(data))
    check_indices(ctx, ctx.elements("indices"), data[axis], axis)
    return data


def check_reduction(ctx: Context) -> None:
    """The reduction must be one that this version has."""
    if "reduction" in ctx.signature.attributes:
        later = ("max", "min") if ctx.version >= 18 else ()
        ctx.attr_choice("reduction", ("none", "add", "mul", *later))


def same_shape(ctx: Context, left: Shape, right: Shape, what: str) -> None:
    """Requires two shapes to be equal."""
    if len(left) != len(right):
        ctx.fail(codes.RANK, input="updates", shape=left, expected=len(right))
    for axis, (a, b) in enumerate(zip(left, right, strict=True)):
        tie(ctx, f"axis {axis} of {what}", a, b)


@rule("ScatterND", since=(11, 13, 16, 18))
def scatter_nd(ctx: Context) -> Result:
    """The data's shape; the updates have the dims of ``indices`` but the last, then those that a tuple leaves open."""
    check_reduction(ctx)
    data, indices, updates = (ctx.shape_or_none(name) for name in ("data", "indices", "updates"))
    for name, shape in (("data", data), ("indices", indices)):
        if shape == ():
            ctx.fail(codes.RANK, input=name, shape=shape, expected="at least 1")
    if data is None:
        return None
    ctx.best(data)
    if indices is None:
        return data
    count = tuple_length(ctx, indices[-1], len(data))
    if count is None:
        return data
    check_tuples(ctx, data, count)
    if updates is not None:
        wanted: tuple[Dim, ...] = (*indices[:-1], *data[count:])
        same_shape(ctx, updates, wanted, "updates and what indices name")
    return data


@value_rules({**ELEMENTS, "ScatterND": (11, 13, 16, 18)})
def scattered(ctx: Context) -> Array | None:
    """The elements with the updates written, unless they are combined with what was there."""
    data, indices, updates = (ctx.elements(name) for name in ("data", "indices", "updates"))
    if data is None or indices is None or updates is None or indices.dtype == object:
        return None
    if ctx.has_attr("reduction") and ctx.attr_str("reduction") != "none":
        return None
    result = data.astype(object)
    try:
        result[index_of(ctx, result, indices)] = updates.astype(object)
    except (ValueError, IndexError):
        return None
    return result


def index_of(ctx: Context, data: Array, indices: Array) -> tuple[Array, ...]:
    """Where the updates go, as NumPy takes it."""
    if ctx.node.op == "ScatterND":
        return tuple(np.moveaxis(indices, -1, 0))
    places: list[Array] = list(np.indices(indices.shape))
    places[ctx.axis(ctx.attr_int("axis"), data.ndim)] = indices
    return tuple(places)
