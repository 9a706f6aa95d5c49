"""Random tensors: their shape comes from an attribute or from the input, their type from ``dtype``.

Versions: 22 adds bfloat16. RandomNormal and RandomUniform are float without ``dtype``, Multinomial is int32; the others
have the input's type. Bernoulli draws zeros and ones with the probabilities that its input holds.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Result, TensorType, codes, rule, rules

from .element_types import dtype_or_input


@rules({"RandomNormal": (1, 22), "RandomUniform": (1, 22)})
def random(ctx: Context) -> Result:
    """The shape that the attribute ``shape`` gives."""
    elem = ctx.element_type_attr("dtype")
    shape = ctx.attr_ints("shape") or ()
    for axis, size in enumerate(shape):
        if size < 0:
            ctx.fail(codes.SIZE_VALUE, what=f"shape[{axis}]", value=size, expected="at least 0")
    return TensorType(elem, shape)


@rules({"RandomNormalLike": (1, 22), "RandomUniformLike": (1, 22), "Bernoulli": (15, 22)})
def random_like(ctx: Context) -> Result:
    """The input's shape."""
    return TensorType(dtype_or_input(ctx), ctx.shape_or_none("input"))


@rule("Multinomial", since=(7, 22))
def multinomial(ctx: Context) -> Result:
    """``sample_size`` outcomes for each row of a matrix ``[batch_size, class_size]``."""
    elem = ctx.element_type_attr("dtype")
    samples = ctx.attr_int("sample_size")
    if samples < 0:
        ctx.fail(codes.SIZE_VALUE, what="sample_size", value=samples, expected="at least 0")
    ctx.best(TensorType(elem, (None, samples)))
    batch, _ = ctx.require_rank("input", 2)
    return TensorType(elem, (batch, samples))
