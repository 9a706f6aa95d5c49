"""Normalisations keep the shape of their input.

BatchNormalization: scale, bias, mean and variance have length C, the channels (axis 1; 1 for a 1-D input). With
``spatial=0`` in version 7 they have the shape of one batch entry; what they have in versions 1 and 6 the text leaves
open. Training has further outputs, each as
long as the mean: up to version 9 four of them, mean, var, saved_mean and saved_var; from 14 on running_mean and
running_var, and only with ``training_mode=1``.

InstanceNormalization (1, 6, 22): scale and bias have length C. GroupNormalization: ``num_groups`` divides C; scale and
bias have one number for each group in 18, for each channel in 21. LayerNormalization (17) and RMSNormalization (23):
from ``axis`` to the last one; scale and bias broadcast to the input. Mean and InvStdDev of LayerNormalization have size
1 along the normalised axes, in the type that ``stash_type`` names. LRN (1, 13), LpNormalization (1, 22) and
MeanVarianceNormalization (9, 13) have attributes only.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Maybe, Result, Shape, TensorType, codes, rule

from .broadcasting import unidirectional
from .windows import image, positive


@rule("BatchNormalization", since=(1, 6, 7, 9, 14, 15))
def batch_normalization(ctx: Context) -> Result:
    """The input's shape, and the shape of the statistics for each further output."""
    outputs = len(ctx.node.outputs)
    if ctx.version >= 14 and outputs > 1 and not ctx.attr_int("training_mode"):
        ctx.fail(codes.OUTPUT_COUNT, op="BatchNormalization without training_mode", expected=1, found=outputs)
    data = image(ctx, 0, least=1)
    whole = ctx.version <= 7 and not ctx.attr_int("spatial")
    if whole and ctx.version < 7:
        return [data, *([None] * (len(ctx.signature.outputs) - 1))]
    each: Shape | None = None
    if data is not None:
        each = (data[1] if len(data) > 1 else 1,)
        if whole:
            each = data[1:]
    for which in range(1, 5):
        each = parameter(ctx, which, each, None if whole else 1)
    further: Maybe = each if each is not None or whole else (None,)
    return [with_channels(data, each, whole), *([further] * (len(ctx.signature.outputs) - 1))]


def parameter(ctx: Context, which: int, expected: Shape | None, rank: int | None) -> Shape | None:
    """The shape that all parameters have, after this one has been held against it."""
    shape = ctx.shape_or_none(which)
    if shape is None:
        return expected
    rank = rank if expected is None else len(expected)
    if rank is not None and len(shape) != rank:
        ctx.fail(codes.RANK, input=ctx.input_name(which), shape=shape, expected=rank)
    if expected is None:
        return shape
    what = f"size of {ctx.input_name(which)} and of what it is for"
    return tuple(
        ctx.require_equal(a, b, codes.SIZES_DIFFER, what=what, left=b, right=a)
        for a, b in zip(expected, shape, strict=True)
    )


def with_channels(data: Shape | None, each: Shape | None, whole: bool) -> Maybe:
    """The input's shape, with the number of channels as definite as the parameters tell it."""
    if data is None or each is None or len(data) < 2:
        return data
    return (data[0], *each) if whole else (data[0], each[0], *data[2:])


@rule("InstanceNormalization", since=(1, 6, 22))
def instance_normalization(ctx: Context) -> Result:
    """The input's shape."""
    data = image(ctx, 0, least=2)
    each: Shape | None = (data[1],) if data is not None else None
    for which in (1, 2):
        each = parameter(ctx, which, each, 1)
    return with_channels(data, each, False)


@rule("GroupNormalization", since=(18, 21))
def group_normalization(ctx: Context) -> Result:
    """The input's shape."""
    groups = positive(ctx, "num_groups")
    data = image(ctx, 0, least=2)
    if data is not None:
        what = "channels by num_groups"
        ctx.require_divisible(data[1], groups, codes.DIVISIBLE, what=what, dim=data[1], divisor=groups)
    each: Shape | None = (groups,) if ctx.version < 21 else (data[1],) if data is not None else None
    for which in (1, 2):
        each = parameter(ctx, which, each, 1)
    return data if ctx.version < 21 else with_channels(data, each, False)


@rule("LayerNormalization", since=(17,))
def layer_normalization(ctx: Context) -> Result:
    """The input's shape; its leading dims and ones for Mean and InvStdDev."""
    stash = ctx.element_type_attr("stash_type", output=1)
    unknown = TensorType(stash, None)
    ctx.best([None, unknown, unknown])
    shape = ctx.shape("X")
    axis = ctx.axis(ctx.attr_int("axis"), len(shape))
    for which in (1, 2):
        shape = scaled(ctx, which, shape)
    statistics = TensorType(stash, (*shape[:axis], *(1 for _ in shape[axis:])))
    return [shape, statistics, statistics]


@rule("RMSNormalization", since=(23,))
def rms_normalization(ctx: Context) -> Result:
    """The input's shape, in the type of the scale."""
    shape = ctx.shape("X")
    ctx.axis(ctx.attr_int("axis"), len(shape))
    return scaled(ctx, 1, shape)


def scaled(ctx: Context, which: int, shape: Shape) -> Shape:
    """The input's shape, to which a scale or bias must broadcast: a size that is not 1 is that of the input."""
    other = ctx.shape_or_none(which)
    if other is None:
        return shape
    found = list(shape)
    for axis, size in enumerate(other, len(shape) - len(other)):
        if axis >= 0 and ctx.facts.equal(size, 1) is False:
            left = found[axis]
            found[axis] = ctx.require_equal(left, size, codes.BROADCAST, left=left, right=size, a=shape, b=other)
    return unidirectional(ctx, tuple(found), other, ctx.input_name(which))


@rule("LRN", since=(1, 13))
def lrn(ctx: Context) -> Result:
    """The input's shape, ``(N, C, D1, ...)``."""
    positive(ctx, "size")
    return image(ctx, 0, least=2)


@rule("LpNormalization", since=(1, 22))
def lp_normalization(ctx: Context) -> Result:
    """The input's shape."""
    if ctx.attr_int("p") not in (1, 2):
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute="p", value=ctx.attr_int("p"), expected="1 or 2")
    shape = ctx.shape(0)
    ctx.axis(ctx.attr_int("axis"), len(shape))
    return shape


@rule("MeanVarianceNormalization", since=(9, 13))
def mean_variance_normalization(ctx: Context) -> Result:
    """The input's shape."""
    shape = ctx.shape(0)
    for axis in ctx.attr_ints("axes") or ():
        ctx.axis(axis, len(shape))
    return shape
