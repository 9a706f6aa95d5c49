"""Concat puts tensors one after another along an axis.

Versions: in 1 ``axis`` is optional, with 1 as its default; from 4 on it is required; 11 says that it may count from the
back, which was common before. 13 adds element types. All inputs have the same rank, and the same dims but at the axis.
"""

from __future__ import annotations

import numpy as np

from shapeinfer.rule import Array, Context, Dim, Result, codes, rule, value_rule

from .movement import merged, operands, total

VERSIONS = (1, 4, 11, 13)


@rule("Concat", since=VERSIONS)
def concat(ctx: Context) -> Result:
    """The inputs' common dims, with the sum of their sizes at the axis."""
    shapes = [ctx.shape_or_none(index) for index in range(len(ctx.inputs))]
    first = next((shape for shape in shapes if shape is not None), None)
    if first is None:
        return None
    axis = ctx.axis(concat_axis(ctx), len(first))
    result: list[Dim | None] = list(first)
    for index, shape in enumerate(shapes):
        if shape is None or shape is first:
            continue
        if len(shape) != len(first):
            ctx.fail(codes.RANK, input=ctx.input_name(index), shape=shape, expected=len(first))
        for at, dim in enumerate(shape):
            if at != axis:
                result[at] = merged(ctx, f"inputs may differ at axis {axis} only; axis {at}", result[at], dim)
    result[axis] = total(None if shape is None else shape[axis] for shape in shapes)
    return tuple(result)


def concat_axis(ctx: Context) -> int:
    """The attribute, or 1 in version 1, where it is optional without a stated default."""
    return ctx.attr_int("axis") if ctx.has_attr("axis") or ctx.version > 1 else 1


@value_rule("Concat", since=VERSIONS)
def concat_elements(ctx: Context) -> Array | None:
    """The entries one after another; those of an input of which only the shape is known are unknown."""
    arrays = operands(ctx)
    if arrays is None:
        return None
    try:
        return np.concatenate([array.astype(object) for array in arrays], axis=concat_axis(ctx))
    except (ValueError, IndexError):
        return None
