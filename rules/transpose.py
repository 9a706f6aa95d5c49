"""Transpose puts the dims into another order.

Versions: 13 and later only add element types. Axis ``i`` of the output is axis ``perm[i]`` of the input; without
``perm`` the dims are reversed. ``perm`` names every axis once, counted from the front, so its length is the rank.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Result, codes, moved, rule, value_rule

VERSIONS = (1, 13, 21, 23, 24, 25)


@rule("Transpose", since=VERSIONS)
def transpose(ctx: Context) -> Result:
    """The input's dims in the order of ``perm``."""
    shape = ctx.shape_or_none("data")
    perm = ctx.attr_ints("perm")
    if perm is None:
        return shape if shape is None else shape[::-1]
    if shape is not None and len(perm) != len(shape):
        ctx.fail(codes.LENGTH, what="perm", found=len(perm), expected=len(shape))
    check_permutation(ctx, perm)
    if shape is None:
        return (None,) * len(perm)
    return tuple(shape[axis] for axis in perm)


def check_permutation(ctx: Context, perm: tuple[int, ...]) -> None:
    """Fails unless ``perm`` names each axis once."""
    rank = len(perm)
    for position, axis in enumerate(perm):
        if not 0 <= axis < rank:
            ctx.fail(codes.AXIS_RANGE, axis=axis, rank=rank, low=0, high=rank - 1)
        if axis in perm[:position]:
            ctx.fail(codes.REPEATED_AXIS, what="perm", axes=list(perm), axis=axis)


value_rule("Transpose", since=VERSIONS)(moved)
