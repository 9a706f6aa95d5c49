"""Comparisons and logic, which give booleans, and Where, which chooses between two tensors.

Versions: the binary operators broadcast by attributes in version 1 (``limited`` in :mod:`.broadcasting`) and by NumPy's
rule from 7 on; later versions compare more element types. Where always broadcasts all three inputs.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Result, rule, rules

from .broadcasting import limited, multidirectional


@rules({"And": (1,), "Or": (1,), "Xor": (1,), "Equal": (1,), "Less": (1,), "Greater": (1,)})
def logic_limited(ctx: Context) -> Result:
    """The first operand's shape."""
    return limited(ctx)


@rules(
    {
        "And": (7,),
        "Or": (7,),
        "Xor": (7,),
        "Equal": (7, 11, 13, 19),
        "Less": (7, 9, 13),
        "Greater": (7, 9, 13),
        "LessOrEqual": (12, 16),
        "GreaterOrEqual": (12, 16),
    }
)
def logic(ctx: Context) -> Result:
    """What both shapes broadcast to."""
    return multidirectional(ctx, [ctx.shape_or_none(0), ctx.shape_or_none(1)])


@rule("Where", since=(9, 16))
def where(ctx: Context) -> Result:
    """What the condition and both choices broadcast to."""
    return multidirectional(ctx, [ctx.shape_or_none(i) for i in range(3)])
