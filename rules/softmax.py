"""Softmax, LogSoftmax and Hardmax normalise along an axis; the shape stays.

Versions: 1 and 11 see the input as a matrix, split before ``axis`` (1 without the attribute); 13 works along ``axis``
alone (the last one without it). In each, ``axis`` must be in ``[-r, r-1]``: a scalar has no axis to normalise along.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Result, rules


@rules({"Softmax": (1, 11, 13), "LogSoftmax": (1, 11, 13), "Hardmax": (1, 11, 13)})
def softmax(ctx: Context) -> Result:
    """The input's shape."""
    shape = ctx.shape("input")
    ctx.axis(ctx.attr_int("axis"), len(shape))
    return shape
