"""Cast and CastLike convert elements to another type; the shape stays.

Versions: Cast-1 names the type by a string, the name in ``TensorProto.DataType`` (``"FLOAT"``); from 6 on ``to`` is its
number. 9 casts strings too; later versions add types, 19 ``saturate`` for the 8-bit floats and 24 ``round_mode``.
CastLike takes the type from its second input, of which nothing else matters.
"""

from __future__ import annotations

from shapeinfer.rule import Context, ElementType, Result, TensorType, codes, rule

from .element_types import out_of

CAST = (6, 9, 13, 19, 21, 23, 24, 25, 28)
ROUND_MODES = ("up", "down", "nearest")


@rule("Cast", since=(1,))
def cast_by_name(ctx: Context) -> Result:
    """The input's shape with the element type that ``to`` names."""
    name = ctx.attr_str("to")
    elem = ElementType.__members__.get(name.upper(), ElementType.UNDEFINED)
    if not elem:
        ctx.fail(codes.ELEMENT_TYPE, attribute="to", value=repr(name), why="is no data type")
    if not ctx.signature.outputs[0].tensor_mask >> elem & 1:
        ctx.fail(codes.ELEMENT_TYPE, attribute="to", value=name, why=out_of(ctx))
    return TensorType(elem, ctx.shape_or_none("input"))


@rule("Cast", since=CAST)
def cast(ctx: Context) -> Result:
    """The input's shape with the element type that ``to`` numbers."""
    check_round_mode(ctx)
    return TensorType(ctx.element_type_attr("to"), ctx.shape_or_none("input"))


@rule("CastLike", since=(15, 19, 21, 23, 24, 25))
def cast_like(ctx: Context) -> Result:
    """The first input's shape with the second one's element type."""
    check_round_mode(ctx)
    return ctx.shape_or_none("input")


def check_round_mode(ctx: Context) -> None:
    """``round_mode``, from version 24 on, is one of three."""
    if ctx.has_attr("round_mode"):
        ctx.attr_choice("round_mode", ROUND_MODES)
