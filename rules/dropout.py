"""Dropout sets some entries of its input to zero: shape and type stay, and so do those of the optional mask.

Versions: 1 has ``is_test`` and ``consumed_inputs``, 6 ``is_test``, 7 neither; their mask has the type of the input.
From 10 on the mask is boolean. From 12 on ``ratio`` and ``training_mode`` are scalar inputs instead of attributes; 13
and 22 add types.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Result, rule


@rule("Dropout", since=(1, 6, 7, 10, 12, 13, 22))
def dropout(ctx: Context) -> Result:
    """The input's shape, twice."""
    for which in (1, 2):
        if ctx.shape_or_none(which) is not None:
            ctx.require_rank(which, 0)
    shape = ctx.shape_or_none(0)
    return [shape, shape]
