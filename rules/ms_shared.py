"""What the rules for ``com.microsoft`` share: flags, divisions, checks of small tensors, and matrix products."""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, Maybe, Result, Shape, codes, dims

from .ms_notation import MS

__all__ = [
    "MS",
    "batch_matmul",
    "flag",
    "last",
    "one_element",
    "per_column",
    "quotient",
    "same",
    "scalar_value",
    "tie",
    "vector",
    "with_last",
]


def same(ctx: Context) -> Result:
    """The first output has the shape of the first input."""
    return ctx.shape_or_none(0)


def flag(ctx: Context, name: str) -> int:
    """An integer attribute that counts as 0 where it is not stated."""
    proto = ctx.attr_proto(name)
    if proto is not None:
        return int(proto.i)
    declared = ctx.signature.attributes.get(name)
    return int(declared.default) if declared is not None and declared.default is not None else 0


def positive(ctx: Context, name: str) -> int:
    """An integer attribute that must be at least 1."""
    value = ctx.attr_int(name)
    if value < 1:
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute=name, value=value, expected="at least 1")
    return value


def tie(ctx: Context, what: str, left: Dim, right: Dim) -> Dim:
    """Requires two sizes to be equal and returns the more definite one."""
    return ctx.require_equal(left, right, codes.SIZES_DIFFER, what=what, left=left, right=right)


def quotient(ctx: Context, what: str, dim: Dim, divisor: Dim) -> Dim | None:
    """``dim / divisor``, required to leave no remainder; ``None`` for a divisor that may be 0."""
    exact = dims.divide_exact(dim, divisor)
    if exact is not None:
        return exact
    if not ctx.facts.at_least(divisor, 1):
        return None
    ctx.require_divisible(dim, divisor, codes.DIVISIBLE, what=what, dim=dim, divisor=divisor)
    return dims.floordiv(dim, divisor)


def vector(ctx: Context, which: str, length: Dim | None) -> Dim | None:
    """An input that, where given, must be 1-D and of this length; returns its length."""
    found = ctx.length(which) if ctx.given(which) else None
    if found is None or length is None:
        return found if length is None else length
    return tie(ctx, f"the length of {which}", found, length)


def one_element(ctx: Context, *names: str) -> None:
    """Inputs that, where given, must be scalars or 1-D tensors of one element."""
    for name in names:
        shape = ctx.shape_or_none(name)
        if shape is None:
            continue
        if len(shape) > 1:
            ctx.fail(codes.RANK, input=name, shape=shape, expected="0, or 1 with one element")
        if shape:
            tie(ctx, f"the length of {name}", shape[0], 1)


def per_column(ctx: Context, columns: Dim, *names: str) -> None:
    """Inputs that, where given, hold one value for all columns or one for each."""
    for name in names:
        shape = ctx.shape_or_none(name)
        if shape is not None and len(shape) == 1 and ctx.facts.equal(shape[0], 1) is False:
            tie(ctx, f"{name} and the columns", shape[0], columns)


def scalar_value(ctx: Context, which: str) -> Dim | None:
    """The element of an input of one element; ``None`` where unknown."""
    known = ctx.elements(which)
    if known is None or known.size != 1:
        return None
    value: Dim | None = known.reshape(-1).tolist()[0]
    return value


def last(shape: Shape, ctx: Context, which: str | int) -> Dim:
    """The last dim of an input, which must have one."""
    if not shape:
        ctx.fail(codes.RANK, input=ctx.input_name(which), shape=shape, expected="at least 1")
    return shape[-1]


def with_last(shape: Shape | None, size: Dim | None) -> Maybe:
    """The shape with another last dim."""
    return None if shape is None else (*shape[:-1], size)


def batch_matmul(ctx: Context, left: Shape, right: Shape) -> tuple[Dim, ...]:
    """The shape of a product as ``numpy.matmul`` has it."""
    if not left or not right:
        ctx.fail(codes.RANK, input="A" if not left else "B", shape=(), expected="at least 1")
    inner = right[0] if len(right) == 1 else right[-2]
    tie(ctx, "the inner dims of A and B", left[-1], inner)
    rows = left[-2:-1]
    columns = () if len(right) == 1 else right[-1:]
    return (*ctx.broadcast(left[:-2], right[:-2]), *rows, *columns)
