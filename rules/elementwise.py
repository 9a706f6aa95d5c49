"""Operators that work on each element by itself, so that the output has the input's shape.

Versions: up to 5 many have the attribute ``consumed_inputs``, a hint about memory that says nothing about results.
Later versions add element types. Clip takes its bounds as float attributes up to 6, and as two optional scalars from 11
on. PRelu's slope has one element or the input's channels up to 6, and broadcasts to the input from 7 on. Identity
passes on sequences from 14 and optionals from 16 on.
"""

from __future__ import annotations

from shapeinfer.rule import Array, Context, Result, rule, rules, value_rule

from .broadcasting import unidirectional
from .scalars import check_scalar

UNARY = {
    "Abs": (1, 6, 13),
    "Acos": (7, 22),
    "Acosh": (9, 22),
    "Asin": (7, 22),
    "Asinh": (9, 22),
    "Atan": (7, 22),
    "Atanh": (9, 22),
    "BitwiseNot": (18,),
    "Ceil": (1, 6, 13),
    "Celu": (12, 28),
    "Cos": (7, 22),
    "Cosh": (9, 22),
    "Elu": (1, 6, 22),
    "Erf": (9, 13),
    "Exp": (1, 6, 13),
    "Floor": (1, 6, 13),
    "HardSigmoid": (1, 6, 22),
    "HardSwish": (14, 22),
    "IsInf": (10, 20),
    "IsNaN": (9, 13, 20),
    "LeakyRelu": (1, 6, 16),
    "Log": (1, 6, 13),
    "Mish": (18, 22),
    "Neg": (1, 6, 13),
    "Not": (1,),
    "Reciprocal": (1, 6, 13),
    "Relu": (1, 6, 13, 14),
    "Round": (11, 22),
    "Selu": (1, 6, 22),
    "Shrink": (9,),
    "Sigmoid": (1, 6, 13),
    "Sign": (9, 13),
    "Sin": (7, 22),
    "Sinh": (9, 22),
    "Softplus": (1, 22),
    "Softsign": (1, 22),
    "Sqrt": (1, 6, 13),
    "Swish": (24,),
    "Tan": (7, 22),
    "Tanh": (1, 6, 13),
    "ThresholdedRelu": (10, 22),
}
IDENTITY = (1, 13, 14, 16, 19, 21, 23, 24, 25)


@rules({**UNARY, "Clip": (1, 6)})
def same_shape(ctx: Context) -> Result:
    """The input's shape."""
    return ctx.shape_or_none(0)


@rule("Gelu", since=(20,))
def gelu(ctx: Context) -> Result:
    """The input's shape."""
    ctx.attr_choice("approximate", ("none", "tanh"))
    return ctx.shape_or_none(0)


@rule("Identity", since=IDENTITY)
def identity(ctx: Context) -> Result:
    """The input's type, whatever kind of value it is."""
    return ctx.type(0)


@value_rule("Identity", since=IDENTITY)
def identity_elements(ctx: Context) -> Array | None:
    """The input's elements."""
    return ctx.elements(0)


@rule("Clip", since=(11, 12, 13))
def clip(ctx: Context) -> Result:
    """The input's shape; ``min`` and ``max`` must be scalars."""
    for bound in ("min", "max"):
        check_scalar(ctx, bound)
    return ctx.shape_or_none("input")


@rule("PRelu", since=(1, 6))
def prelu_channels(ctx: Context) -> Result:
    """The input's shape; how a slope of several elements lies in it is not said in these versions."""
    return ctx.shape_or_none("X")


@rule("PRelu", since=(7, 9, 16))
def prelu(ctx: Context) -> Result:
    """The input's shape, to which the slope must broadcast."""
    shape = ctx.shape("X")
    ctx.best(shape)
    return unidirectional(ctx, shape, ctx.shape("slope"), "slope")
