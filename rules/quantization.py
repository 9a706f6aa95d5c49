"""QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear: between real numbers and small integers or floats.

The shape stays; the scale's shape says how finely the numbers are scaled, and the zero point has the same shape:

- per tensor: a scalar, for which one element of any rank is taken as well;
- per axis (from version 13): 1-D, as long as the input's ``axis``;
- by blocks of ``block_size`` (from 21): the input's shape, but ``ceil(size / block_size)`` along ``axis``.

The element type of QuantizeLinear's output is ``output_dtype`` (from 21), else the zero point's, else uint8. That of
DequantizeLinear's is ``output_dtype`` (from 23), else the scale's (from 19), else float. Versions: 19 adds 8-bit
floats, 21 integers of 4 and 16 bits, 23 4-bit floats and ``precision``, 24 and 25 types, 28 integers of 2 bits, 6-bit
floats and powers of two as scales.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, ElementType, Result, Shape, TensorType, codes, dims, rule

from .element_types import out_of
from .sizes import tie

VERSIONS = (10, 13, 19, 21, 23, 24, 25, 28)


@rule("QuantizeLinear", since=VERSIONS)
def quantize_linear(ctx: Context) -> Result:
    """The shape of ``x``."""
    elem = quantized_type(ctx)
    return TensorType(elem, scaled_shape(ctx))


@rule("DequantizeLinear", since=VERSIONS)
def dequantize_linear(ctx: Context) -> Result:
    """The shape of ``x``."""
    elem = real_type(ctx)
    return TensorType(elem, scaled_shape(ctx))


@rule("DynamicQuantizeLinear", since=(11,))
def dynamic_quantize_linear(ctx: Context) -> Result:
    """The shape of ``x``, and a scale and a zero point for all of it."""
    return [ctx.shape_or_none("x"), (), ()]


def quantized_type(ctx: Context) -> int:
    """The element type of quantised numbers; ``0`` where it is the zero point's."""
    given = ctx.given("y_zero_point")
    stated = ctx.element_type_attr("output_dtype") if has_dtype(ctx) else 0
    if not stated:
        return ElementType.UNDEFINED if given else ElementType.UINT8
    zero = ctx.elem("y_zero_point")
    if zero and zero != stated:
        value = f"{stated} ({ElementType(stated).label})"
        why = f"is not the type of y_zero_point, {ElementType(zero).label}"
        ctx.fail(codes.ELEMENT_TYPE, attribute="output_dtype", value=value, why=why)
    return stated


def real_type(ctx: Context) -> int:
    """The element type of real numbers; ``0`` where a type variable gives it."""
    if has_dtype(ctx):
        return ctx.element_type_attr("output_dtype")
    if ctx.version < 23:
        return ElementType.UNDEFINED
    elem = ctx.elem("x_scale")
    if elem and not ctx.signature.outputs[0].tensor_mask >> elem & 1:
        value = f"left out, so that it is the scale's type {ElementType(elem).label}"
        ctx.fail(codes.ELEMENT_TYPE, attribute="output_dtype", value=value, why=out_of(ctx))
    return elem


def has_dtype(ctx: Context) -> bool:
    """Whether ``output_dtype`` names a type; 0 is as if it were left out."""
    return ctx.has_attr("output_dtype") and ctx.attr_int("output_dtype") != 0


def scaled_shape(ctx: Context) -> tuple[Dim | None, ...] | None:
    """The shape of input and output, after scale and zero point have been held against it."""
    shape, scale = ctx.shape_or_none(0), ctx.shape_or_none(1)
    block = block_size(ctx)
    ctx.best(shape)
    same_shape(ctx, scale, ctx.shape_or_none(2))
    if shape is not None and ctx.version >= 13:
        check_axis(ctx, len(shape), scale)
    if scale is None or is_single(ctx, scale):
        return shape
    if ctx.version < 13:
        one_number(ctx, scale)
    elif shape is None:
        return from_blocks(ctx, scale) if block else None
    elif block and len(scale) == len(shape):
        return by_blocks(ctx, shape, scale, block)
    elif len(scale) == 1:
        per_axis(ctx, shape, scale[0])
    else:
        expected = f"0, 1 or {len(shape)}" if ctx.version >= 21 and block else "0 or 1"
        ctx.fail(codes.RANK, input=ctx.input_name(1), shape=scale, expected=expected)
    return shape


def block_size(ctx: Context) -> int:
    """``block_size``; 0 where there are no blocks."""
    size = ctx.attr_int("block_size") if ctx.version >= 21 else 0
    if size < 0:
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute="block_size", value=size, expected="at least 0")
    return size


def same_shape(ctx: Context, scale: Shape | None, zero: Shape | None) -> None:
    """Requires scale and zero point to have one shape; for a single number the rank is of no matter."""
    if scale is None or zero is None:
        return
    what = f"shapes of {ctx.input_name(1)} and {ctx.input_name(2)}"
    if len(scale) == len(zero):
        for a, b in zip(scale, zero, strict=True):
            tie(ctx, what, a, b)
        return
    for name, shape in ((1, scale), (2, zero)):
        if any(ctx.facts.equal(dim, 1) is False for dim in shape):
            other = zero if name == 1 else scale
            ctx.fail(codes.RANK, input=ctx.input_name(name), shape=shape, expected=f"{len(other)}, as the other")


def is_single(ctx: Context, scale: Shape) -> bool:
    """Whether the scale is one number."""
    return all(ctx.facts.equal(dim, 1) for dim in scale)


def one_number(ctx: Context, scale: Shape) -> None:
    """Requires the scale to be one number."""
    if len(scale) > 1:
        ctx.fail(codes.RANK, input=ctx.input_name(1), shape=scale, expected=0)
    tie(ctx, f"{ctx.input_name(1)} is a scalar; its length and", scale[0], 1)


def check_axis(ctx: Context, rank: int, scale: Shape | None) -> None:
    """The axis must be one of the input's where the scale has dims; for a 1-D input it is of no matter."""
    if scale and rank > 1 and not is_single(ctx, scale):
        ctx.axis(ctx.attr_int("axis"), rank)


def per_axis(ctx: Context, shape: Shape, length: Dim) -> None:
    """Requires one scale for each index of the axis, or a single one."""
    if not shape:
        tie(ctx, f"x is a scalar; the length of {ctx.input_name(1)} and", length, 1)
        return
    axis = 0 if len(shape) == 1 else ctx.axis(ctx.attr_int("axis"), len(shape))
    if ctx.facts.equal(length, 1) is False:
        tie(ctx, f"size of axis {axis} of x and length of {ctx.input_name(1)}", shape[axis], length)


def by_blocks(ctx: Context, shape: Shape, scale: Shape, block: int) -> Shape:
    """Requires the scale to have the input's shape with as many numbers along the axis as there are blocks."""
    axis = 0 if len(shape) == 1 else ctx.axis(ctx.attr_int("axis"), len(shape))
    what = f"shapes of {ctx.input_name(1)} and x, of which axis {axis} has blocks of {block}"
    out = list(shape)
    for i, (dim, scales) in enumerate(zip(shape, scale, strict=True)):
        if i == axis:
            tie(ctx, what, scales, dims.ceildiv(dim, block))
        else:
            out[i] = tie(ctx, what, dim, scales)
    return tuple(out)


def from_blocks(ctx: Context, scale: Shape) -> tuple[Dim | None, ...] | None:
    """The shape of ``x`` as far as a scale of several dims tells it."""
    if len(scale) < 2 or all(ctx.facts.equal(dim, 1) is not False for dim in scale):
        return None
    axis = ctx.axis(ctx.attr_int("axis"), len(scale))
    return tuple(None if i == axis else dim for i, dim in enumerate(scale))
