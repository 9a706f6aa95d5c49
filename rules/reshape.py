"""Reshape gives the elements new dims, in the same order; Flatten makes a matrix of them.

Versions of Reshape: 1 takes ``shape`` as an attribute, from 5 on it is an int64 input; 14 adds ``allowzero``. The
other versions add element types. -1, at most once, stands for what is left; it is undefined beside a size of 0, and
no runtime takes it then. A 0 copies the input's dim at the same place, unless ``allowzero``.

So a symbolic entry ``S`` is ``S`` only where it is not 0, and the copied dim where it is. Where the two differ, and a
run at ``S = 0`` is possible (the tensor may be empty anyway), the result says so: ``S + 12*(1 - min(S, 1))``.

Versions of Flatten: 9 and later add element types; from 11 on ``axis`` may be negative.
"""

from __future__ import annotations

from shapeinfer.rule import Array, Context, Dim, Maybe, Result, codes, dims, moved, rule, value_rule

from .reshape_count import check_count, infer
from .reshape_entries import Entries, read_entries

RESHAPE = (1, 5, 13, 14, 19, 21, 23, 24, 25)
FLATTEN = (1, 9, 11, 13, 21, 23, 24, 25)


@rule("Reshape", since=RESHAPE)
def reshape(ctx: Context) -> Result:
    """The dims that ``shape`` lists."""
    listed = ctx.ints("shape")
    if listed is None:
        return None
    shape = ctx.shape_or_none("data")
    found = read_entries(ctx, shape, listed)
    ctx.best(found.dims)
    if shape is None:
        return found.dims
    return filled(ctx, shape, found)


def filled(ctx: Context, shape: tuple[Dim, ...], found: Entries) -> Maybe:
    """The dims with the one that is open, if it is one, worked out from the number of elements."""
    opened = [axis for axis, dim in enumerate(found.dims) if dim is None]
    if not opened:
        check_count(ctx, shape, found)
        return found.dims
    if len(opened) > 1:
        return found.dims
    size = infer(ctx, shape, found)
    return tuple(size if dim is None else dim for dim in found.dims)


@value_rule("Reshape", since=RESHAPE)
def reshape_elements(ctx: Context) -> Array | None:
    """The elements in the shape that the rule found."""
    data, shape = ctx.elements("data"), ctx.output_shape()
    if data is None or shape is None:
        return None
    sizes = [dim for dim in shape if type(dim) is int]
    return data.reshape(sizes) if len(sizes) == len(shape) else None


@rule("Flatten", since=FLATTEN)
def flatten(ctx: Context) -> Result:
    """The product of the dims before ``axis``, and that of the others."""
    axis = ctx.attr_int("axis")
    if axis < 0 and ctx.version < 11:
        ctx.fail(codes.AXIS_NEGATIVE, axis=axis, allowed=11)
    ctx.best((1 if axis == 0 else None, None))
    shape = ctx.shape("input")
    rank = len(shape)
    if not -rank <= axis <= rank:
        ctx.fail(codes.AXIS_RANGE, axis=axis, rank=rank, low=-rank if ctx.version >= 11 else 0, high=rank)
    at = axis + rank if axis < 0 else axis
    return dims.mul(*shape[:at]), dims.mul(*shape[at:])


value_rule("Flatten", since=FLATTEN)(moved)
