"""What the rules for ai.onnx.ml share: lists of which exactly one is stated, and rows of features."""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, codes

ML = "ai.onnx.ml"
TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")


def stated_length(ctx: Context, name: str) -> int | None:
    """The length of a list attribute; ``None`` where it is not stated."""
    proto = ctx.attr_proto(name)
    return None if proto is None else max(len(proto.ints), len(proto.floats), len(proto.strings))


def only_one(ctx: Context, *names: str) -> str:
    """The one of these attributes that is stated; none or two is an error."""
    stated = [name for name in names if ctx.has_attr(name)]
    if len(stated) > 1:
        expected = f"left out where {stated[0]} is stated"
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute=stated[1], value="stated", expected=expected)
    if not stated:
        ctx.fail(codes.ATTRIBUTE_MISSING, attribute=" or ".join(names))
    return stated[0]


def rows(ctx: Context, *, flat: bool) -> Dim | None:
    """How many rows the input ``X`` has: ``[N, F]``, or with ``flat`` also ``[F]``, which is one."""
    shape = ctx.shape_or_none("X")
    if shape is None:
        return None
    if len(shape) == 1 and flat:
        return 1
    if len(shape) != 2:
        ctx.fail(codes.RANK, input="X", shape=shape, expected="1 or 2" if flat else 2)
    return shape[0]
