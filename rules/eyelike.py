"""EyeLike makes a matrix of the input's shape with ones on the ``k``-th diagonal and zeros elsewhere.

Versions: 22 adds bfloat16 to the types of version 9. The element type is ``dtype`` or else the input's: no type
variable ties the two. The input must be of rank 2, so where its rank is unknown the output still has two dims.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Result, Shape, TensorType, codes, rule

VERSIONS = (9, 22)


@rule("EyeLike", since=VERSIONS)
def eye_like(ctx: Context) -> Result:
    """The input's two dims, with the element type that ``dtype`` names."""
    elem = element_type(ctx)
    shape = ctx.shape_or_none("input")
    if shape is None:
        return TensorType(elem, (None, None))
    ctx.require_rank("input", 2)
    k = ctx.attr_int("k")
    if is_outside(ctx, shape, k):
        ctx.warn(codes.EYE_ZEROS, k=k, shape=shape)
    return TensorType(elem, shape)


def element_type(ctx: Context) -> int:
    """``dtype`` if it is stated, else the input's element type, if the output may have it."""
    if not ctx.has_attr("dtype"):
        return ctx.elem("input")
    return ctx.element_type_attr("dtype", output=0)


def is_outside(ctx: Context, shape: Shape, k: int) -> bool:
    """Whether no element lies on the diagonal for certain, in a matrix that has elements."""
    rows, columns = shape
    has_elements = all(ctx.facts.equal(dim, 0) is False for dim in shape if type(dim) is int)
    below, above = ctx.facts.at_least(-k, rows), ctx.facts.at_least(k, columns)
    return has_elements and (below is True or above is True)
