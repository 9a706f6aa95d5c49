"""Element types that an attribute names, or that are the input's where the attribute is left out."""

from __future__ import annotations

from shapeinfer.rule import Context, ElementType, codes


def out_of(ctx: Context) -> str:
    """Why an element type is refused: the end of a sentence."""
    return f"{ctx.node.op}-{ctx.version} cannot give"


def dtype_or_input(ctx: Context) -> int:
    """``dtype`` if it is stated, else the input's element type; an error where the output cannot have it."""
    if ctx.has_attr("dtype"):
        return ctx.element_type_attr("dtype")
    elem = ctx.elem(0)
    if elem and not ctx.signature.outputs[0].tensor_mask >> elem & 1:
        value = f"left out, so that it is the input's type {ElementType(elem).label}"
        ctx.fail(codes.ELEMENT_TYPE, attribute="dtype", value=value, why=out_of(ctx))
    return elem
