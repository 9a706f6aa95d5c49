"""Arithmetic of two tensors, or of any number of them.

Versions: the binary operators broadcast by attributes in versions 1 and 6 (``limited`` in :mod:`.broadcasting`), by
NumPy's rule from 7 on. Sum, Max, Min and Mean want equal shapes in versions 1 and 6, and broadcast from 8 on. Pow lets
the exponent have a type of its own from 12 on. Mod takes floats only with ``fmod=1`` up to version 13; 28 defines both.
"""

from __future__ import annotations

from shapeinfer.rule import Context, ElementType, Result, codes, rule, rules

from .broadcasting import limited, multidirectional, same

FLOATS = (ElementType.FLOAT, ElementType.DOUBLE, ElementType.FLOAT16, ElementType.BFLOAT16)


@rules({"Add": (1, 6), "Sub": (1, 6), "Mul": (1, 6), "Div": (1, 6), "Pow": (1,)})
def binary_limited(ctx: Context) -> Result:
    """The first operand's shape."""
    return limited(ctx)


@rules(
    {
        "Add": (7, 13, 14),
        "Sub": (7, 13, 14),
        "Mul": (7, 13, 14),
        "Div": (7, 13, 14),
        "Pow": (7, 12, 13, 15),
        "BitwiseAnd": (18,),
        "BitwiseOr": (18,),
        "BitwiseXor": (18,),
    }
)
def binary(ctx: Context) -> Result:
    """What both shapes broadcast to."""
    return multidirectional(ctx, [ctx.shape_or_none(0), ctx.shape_or_none(1)])


@rule("BitShift", since=(11, 28))
def bit_shift(ctx: Context) -> Result:
    """What both shapes broadcast to."""
    ctx.attr_choice("direction", ("LEFT", "RIGHT"))
    return binary(ctx)


@rule("Mod", since=(10, 13, 28))
def mod(ctx: Context) -> Result:
    """What both shapes broadcast to."""
    fmod = ctx.attr_int("fmod")
    if fmod not in (0, 1):
        ctx.error(codes.ATTRIBUTE_VALUE, attribute="fmod", value=fmod, expected="0 or 1")
    elif fmod == 0 and ctx.version < 28 and ctx.elem(0) in FLOATS:
        ctx.error(codes.ATTRIBUTE_VALUE, attribute="fmod", value=0, expected="1 for floats before version 28")
    return binary(ctx)


@rules({"Sum": (1, 6), "Max": (1, 6), "Min": (1, 6), "Mean": (1, 6)})
def variadic_same(ctx: Context) -> Result:
    """The shape that all inputs have."""
    return same(ctx, [ctx.shape_or_none(i) for i in range(len(ctx.inputs))])


@rules({"Sum": (8, 13), "Max": (8, 12, 13), "Min": (8, 12, 13), "Mean": (8, 13)})
def variadic(ctx: Context) -> Result:
    """What all shapes broadcast to."""
    return multidirectional(ctx, [ctx.shape_or_none(i) for i in range(len(ctx.inputs))])
