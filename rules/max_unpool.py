"""MaxUnpool puts the results of a MaxPool back at the places that its Indices name.

Along a spatial axis the output has ``stride * (size - 1) + kernel - begin - end`` entries, or what the optional input
``output_shape`` says: the whole shape, batch and channels included. Versions 9, 11 (defaults stated) and 22 (bfloat16)
have one meaning.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, Result, Shape, codes, rule

from .conv_transpose import spread
from .windows import image, read, spatial_rank


@rule("MaxUnpool", since=(9, 11, 22))
def max_unpool(ctx: Context) -> Result:
    """``output_shape`` if it is given, else the sizes that undo the pooling."""
    data = agreed(ctx, image(ctx, 0), image(ctx, 1))
    count = spatial_rank(ctx, data)
    if count is None:
        return None
    windows = read(ctx, count)
    if ctx.given(2):
        return stated(ctx, data, count)
    if data is None:
        return (None,) * (count + 2)
    return (*data[:2], *(spread(ctx, size, 0, axis, windows) for axis, size in enumerate(data[2:])))


def agreed(ctx: Context, data: Shape | None, indices: Shape | None) -> Shape | None:
    """The one shape of the data and the indices."""
    if data is None or indices is None:
        return indices if data is None else data
    if len(data) != len(indices):
        ctx.fail(codes.RANK, input=ctx.input_name(1), shape=indices, expected=len(data))
    what = "X and I have one shape"
    return tuple(
        ctx.require_equal(a, b, codes.SIZES_DIFFER, what=what, left=a, right=b)
        for a, b in zip(data, indices, strict=True)
    )


def stated(ctx: Context, data: Shape | None, count: int) -> tuple[Dim | None, ...]:
    """The sizes that ``output_shape`` lists."""
    length = ctx.length(2)
    if length is not None:
        what = "length of output_shape and rank of X"
        ctx.require_equal(length, count + 2, codes.SIZES_DIFFER, what=what, left=length, right=count + 2)
    sizes = ctx.ints("output_shape") or (None,) * (count + 2)
    for i, size in enumerate(sizes):
        if type(size) is int and size < 0:
            ctx.fail(codes.SIZE_VALUE, what=f"output_shape[{i}]", value=size, expected="at least 0")
    return sizes
