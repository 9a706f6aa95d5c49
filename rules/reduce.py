"""Reductions over axes: the ten Reduce operators, ArgMax and ArgMin; and CumSum and CumProd along one axis.

Versions: 11 names the range ``[-r, r-1]`` of axes. ReduceSum takes ``axes`` as an input from 13 on, the others from 18
on; without it, or where it is empty, all axes are reduced, unless ``noop_with_empty_axes``, and then none is. With
``keepdims`` (the default) a reduced dim stays as 1, so the rank is known even where the axes are not. Repeated axes are
taken as a set: the specification is silent on them, and runtimes differ. ArgMax and ArgMin reduce one axis, which must
not be empty where the result has elements; 12 adds ``select_last_index``.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, Maybe, Result, Shape, codes, dims, rules

from .scalars import check_scalar

ATTRIBUTE_AXES = {
    "ReduceSum": (1, 11),
    "ReduceMax": (1, 11, 12, 13),
    "ReduceMin": (1, 11, 12, 13),
    "ReduceMean": (1, 11, 13),
    "ReduceProd": (1, 11, 13),
    "ReduceL1": (1, 11, 13),
    "ReduceL2": (1, 11, 13),
    "ReduceLogSum": (1, 11, 13),
    "ReduceLogSumExp": (1, 11, 13),
    "ReduceSumSquare": (1, 11, 13),
}
INPUT_AXES = {
    "ReduceSum": (13,),
    "ReduceMax": (18, 20),
    "ReduceMin": (18, 20),
    "ReduceMean": (18,),
    "ReduceProd": (18,),
    "ReduceL1": (18,),
    "ReduceL2": (18,),
    "ReduceLogSum": (18, 28),
    "ReduceLogSumExp": (18, 28),
    "ReduceSumSquare": (18,),
}


@rules(ATTRIBUTE_AXES)
def reduce_attribute(ctx: Context) -> Result:
    """The input's shape without the dims that the attribute ``axes`` names, or with ones in their place."""
    return reduced(ctx, ctx.ints("axes") or ())


@rules(INPUT_AXES)
def reduce_input(ctx: Context) -> Result:
    """The input's shape without the dims that the input ``axes`` names, or with ones in their place."""
    axes = ctx.ints("axes") if ctx.given("axes") else ()
    if axes == () and ctx.attr_int("noop_with_empty_axes"):
        return ctx.shape("data")
    return reduced(ctx, axes)


def reduced(ctx: Context, axes: tuple[Dim | None, ...] | None) -> Result:
    """The result where ``axes`` is what is known of the axes; empty means all of them."""
    keep = bool(ctx.attr_int("keepdims"))
    if axes == () and not keep:
        return ()
    shape = ctx.shape("data")
    rank = len(shape)
    if axes == ():
        return (1,) * rank
    known = {ctx.axis(axis, rank) for axis in axes or () if type(axis) is int}
    open_axes = None if axes is None else sum(type(axis) is not int for axis in axes)
    if open_axes == 0:
        return without(shape, known, keep)
    if open_axes and rank == 0:
        ctx.fail(codes.AXIS_RANGE, axis="some", rank=0, low=0, high=-1)
    if keep:
        return keep_open(ctx, shape, known, open_axes)
    return drop_open(ctx, shape, known, open_axes)


def without(shape: Shape, axes: set[int], keep: bool) -> Shape:
    """The shape with these axes reduced."""
    if keep:
        return tuple(1 if axis in axes else dim for axis, dim in enumerate(shape))
    return tuple(dim for axis, dim in enumerate(shape) if axis not in axes)


def keep_open(ctx: Context, shape: Shape, known: set[int], open_axes: int | None) -> Maybe:
    """With ``keepdims``: each dim that a run-time axis may name is itself or 1."""
    if open_axes and len(shape) == 1:
        return (1,)
    return tuple(1 if axis in known or ctx.facts.equal(dim, 1) else None for axis, dim in enumerate(shape))


def drop_open(ctx: Context, shape: Shape, known: set[int], open_axes: int | None) -> Maybe:
    """Without ``keepdims``: one run-time axis drops one dim; several may be the same, so that the rank is open."""
    if len(known) == len(shape) or (open_axes and len(shape) == 1):
        return ()
    if open_axes != 1 or known:
        return None
    rank = len(shape)
    results = [without(shape, {axis}, False) for axis in range(rank)]
    first = results[0]
    return tuple(
        dim if all(ctx.facts.equal(dim, other[axis]) for other in results) else None for axis, dim in enumerate(first)
    )


@rules({"ArgMax": (1, 11, 12, 13), "ArgMin": (1, 11, 12, 13)})
def arg_reduce(ctx: Context) -> Result:
    """The input's shape without the axis, or with one in its place."""
    shape = ctx.shape("data")
    axis = ctx.axis(ctx.attr_int("axis"), len(shape))
    if ctx.facts.equal(shape[axis], 0):
        results = dims.mul(*without(shape, {axis}, False))
        ctx.require_equal(results, 0, codes.AT_LEAST, what=f"axis {axis}", found=shape[axis], least=1)
    return without(shape, {axis}, bool(ctx.attr_int("keepdims")))


@rules({"CumSum": (11, 14), "CumProd": (26,)})
def cumulate(ctx: Context) -> Result:
    """The input's shape; ``axis`` is a scalar that must be one of its axes."""
    shape = ctx.shape_or_none("x")
    ctx.best(shape)
    check_scalar(ctx, "axis")
    axis = ctx.elements("axis")
    if shape is not None and axis is not None and axis.size == 1:
        entry = axis.ravel().tolist()[0]
        if type(entry) is int:
            ctx.axis(entry, len(shape))
    return shape
