"""The three ways in which operators have let shapes differ, one after the other in the history of ONNX.

*Limited* (versions 1 and 6 of the binary operators): with ``broadcast=1`` the second operand has one element, or its
dims are a run of the first operand's dims that starts at ``axis`` (at the end without ``axis``). The result has the
first operand's shape. With ``broadcast=0``, the default, both shapes are equal.

*Multidirectional* (since opset 7): NumPy's rule; :meth:`Context.broadcast`.

*Unidirectional* (since opset 7, PRelu and others): the second operand broadcasts to the first one's shape.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, Result, Shape, codes


def multidirectional(ctx: Context, shapes: list[Shape | None]) -> Result:
    """What all shapes broadcast to; those that are known are checked even where others are not."""
    known = [shape for shape in shapes if shape is not None]
    result = ctx.broadcast(*known) if known else None
    return result if len(known) == len(shapes) else None


def same(ctx: Context, shapes: list[Shape | None]) -> Result:
    """The shape that all these have, each dim in its most definite form; one known shape is enough."""
    known = [shape for shape in shapes if shape is not None]
    if not known:
        return None
    result = list(known[0])
    for i, shape in enumerate(known[1:], 1):
        if len(shape) != len(result):
            ctx.fail(codes.RANK, input=ctx.input_name(i), shape=shape, expected=len(result))
        for axis, dim in enumerate(shape):
            what = f"all inputs have one shape; axis {axis}"
            result[axis] = ctx.require_equal(
                result[axis], dim, codes.SIZES_DIFFER, what=what, left=result[axis], right=dim
            )
    return tuple(result)


def unidirectional(ctx: Context, shape: Shape, other: Shape, name: str) -> Shape:
    """``shape``, after the check that ``other`` broadcasts to it."""
    if len(other) > len(shape):
        ctx.fail(codes.RANK, input=name, shape=other, expected=f"at most {len(shape)}")
    fit(ctx, shape, other, len(shape) - len(other))
    return shape


def fit(ctx: Context, shape: Shape, other: Shape, offset: int) -> None:
    """Requires each dim of ``other`` to be 1 or the dim of ``shape`` that it stands against."""
    for axis, size in enumerate(other, offset):
        dim = shape[axis]
        if size == 1 or ctx.facts.equal(dim, size):
            continue
        if ctx.facts.equal(dim, size) is False or ctx.facts.equal(dim, 1):
            ctx.require_equal(size, 1, codes.BROADCAST, left=dim, right=size, a=shape, b=other)
        elif ctx.facts.equal(size, 1) is False:
            ctx.require_equal(size, dim, codes.BROADCAST, left=dim, right=size, a=shape, b=other)
        else:
            ctx.broadcast_dims(dim, size, shape, other)


def limited(ctx: Context) -> Result:
    """The shape of the first operand, by the attributes ``broadcast`` and ``axis`` of versions 1 and 6."""
    a, b = ctx.shape_or_none(0), ctx.shape_or_none(1)
    if not ctx.attr_int("broadcast"):
        return same(ctx, [a, b])
    if a is None or b is None:
        return a
    ctx.best(a)
    if len(b) > len(a):
        ctx.fail(codes.RANK, input=ctx.input_name(1), shape=b, expected=f"at most {len(a)}")
    if all(ctx.facts.equal(dim, 1) for dim in b):
        return a
    start = first_axis(ctx, a, b)
    return replaced(ctx, a, b, start)


def first_axis(ctx: Context, a: Shape, b: Shape) -> int:
    """The axis of ``a`` that the first dim of ``b`` stands against."""
    if not ctx.has_attr("axis"):
        return len(a) - len(b)
    axis = ctx.axis(ctx.attr_int("axis"), len(a))
    if axis + len(b) > len(a):
        ctx.fail(codes.AXIS_RANGE, axis=axis, rank=len(a), low=0, high=len(a) - len(b))
    return axis


def replaced(ctx: Context, a: Shape, b: Shape, start: int) -> Shape:
    """``a``, in which the dims that must equal those of ``b`` have their most definite form.

    The text rules out dims of 1 in a ``b`` of several elements, but the tests of ``onnx`` have them, and they run.
    """
    result: list[Dim] = list(a)
    for axis, size in enumerate(b, start):
        fit(ctx, a, (size,), axis)
        if ctx.facts.equal(size, 1) is False and type(size) is int:
            result[axis] = size
    return tuple(result)
