"""Operators on positions: OneHot, Trilu and ReverseSequence.

Versions: OneHot-11 names the range of ``axis`` and lets indices be negative; 28 adds element types, as it does for
ReverseSequence. Trilu has one version.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Result, codes, moved, rule, value_rules

from .movement import one_entry, same_length, tie, whole_entry


@rule("OneHot", since=(9, 11, 28))
def one_hot(ctx: Context) -> Result:
    """The shape of ``indices`` with ``depth`` inserted at ``axis``, which counts the dims of the output."""
    one_entry(ctx, "depth")
    same_length(ctx, "values", ctx.length("values"), 2)
    depth = whole_entry(ctx, "depth")
    if depth is not None:
        ctx.require_at_least(depth, 1, codes.SIZE_VALUE, what="depth", value=depth, expected="at least 1")
    shape = ctx.shape("indices")
    axis = ctx.axis(ctx.attr_int("axis"), len(shape) + 1)
    return (*shape[:axis], depth, *shape[axis:])


@rule("Trilu", since=(14,))
def trilu(ctx: Context) -> Result:
    """The input's shape: matrices, and any batch dims before them."""
    if ctx.given("k"):
        one_entry(ctx, "k")
    shape = ctx.shape("input")
    if len(shape) < 2:
        ctx.fail(codes.RANK, input="input", shape=shape, expected="at least 2")
    return shape


@rule("ReverseSequence", since=(10, 28))
def reverse_sequence(ctx: Context) -> Result:
    """The input's shape; there is a length for each entry of the batch axis."""
    batch, time = ctx.attr_int("batch_axis"), ctx.attr_int("time_axis")
    for name, axis in (("batch_axis", batch), ("time_axis", time)):
        if axis not in (0, 1):
            ctx.fail(codes.ATTRIBUTE_VALUE, attribute=name, value=axis, expected="0 or 1")
    if batch == time:
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute="time_axis", value=time, expected="another axis than batch_axis")
    length = ctx.length("sequence_lens")
    shape = ctx.shape("input")
    if len(shape) < 2:
        ctx.fail(codes.RANK, input="input", shape=shape, expected="at least 2")
    if length is None:
        return shape
    size = tie(ctx, "the number of sequence_lens and the size of the batch axis", shape[batch], length)
    return (*shape[:batch], size, *shape[batch + 1 :])


value_rules({"Trilu": (14,), "ReverseSequence": (10, 28)})(moved)
