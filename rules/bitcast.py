"""BitCast (26) reads the bits of each element as those of another type of the same width.

The shape stays. Strings have no width; those of 4, 2 or 6 bits per element go with others of as many.
"""

from __future__ import annotations

from shapeinfer.rule import Context, ElementType, Result, TensorType, codes, rule

WIDTHS = {
    2: "uint2 int2",
    4: "uint4 int4 float4e2m1",
    6: "float6e2m3 float6e3m2",
    8: "uint8 int8 bool float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz float8e8m0",
    16: "uint16 int16 float16 bfloat16",
    32: "uint32 int32 float",
    64: "uint64 int64 double complex64",
    128: "complex128",
}
WIDTH = {ElementType[label.upper()]: bits for bits, labels in WIDTHS.items() for label in labels.split()}


@rule("BitCast", since=(26,))
def bit_cast(ctx: Context) -> Result:
    """The input's shape, with elements of the type that ``to`` names."""
    target = ElementType(ctx.element_type_attr("to"))
    source = ElementType(ctx.elem("input"))
    if source and WIDTH.get(source) != WIDTH.get(target):
        why = f"has {WIDTH.get(target)} bits where {source.label} has {WIDTH.get(source)}"
        ctx.fail(codes.ELEMENT_TYPE, attribute="to", value=f"{target.value} ({target.label})", why=why)
    return TensorType(target, ctx.shape_or_none("input"))
