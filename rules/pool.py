"""Pools reduce each window of an image ``(N, C, D1, ..., Dn)`` to one number; see :mod:`.windows` for the sizes.

MaxPool: 8 adds the output Indices (int64) and ``storage_order``, 10 ``ceil_mode`` and ``dilations``, 12 int8 and uint8,
22 bfloat16. AveragePool: 7 adds ``count_include_pad``, 10 ``ceil_mode``, 19 ``dilations``. LpPool: 2 makes ``p`` an
integer and ``kernel_shape`` required, 18 adds ``ceil_mode`` and ``dilations``. In LpPool 1 an absent ``kernel_shape``
leaves the sizes open.

The global pools have the whole image for their window: each spatial size becomes 1.

MaxRoiPool (1, 22) pools each region of ``rois``, ``(num_rois, 5)``, of a 4-D image to ``pooled_shape``.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Maybe, Result, codes, rule, rules

from .windows import checked, image, read, spatial_rank


@rules({"AveragePool": (1, 7, 10, 11, 19, 22), "LpPool": (1, 2, 11, 18, 22)})
def pool(ctx: Context) -> Result:
    """Batch, channels, and the positions of the window."""
    return pooled(ctx)


@rule("MaxPool", since=(1, 8, 10, 11, 12, 22))
def max_pool(ctx: Context) -> Result:
    """As the other pools; Indices have the shape of the first output."""
    if ctx.version >= 8 and ctx.attr_int("storage_order") not in (0, 1):
        value = ctx.attr_int("storage_order")
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute="storage_order", value=value, expected="0 or 1")
    result = pooled(ctx)
    return [result, result] if ctx.version >= 8 else result


def pooled(ctx: Context) -> Maybe:
    """The shape after pooling."""
    data = image(ctx, 0)
    count = spatial_rank(ctx, data)
    if count is None:
        return None
    windows = read(ctx, count, pool=True)
    if data is None:
        return (None,) * (count + 2)
    return (*data[:2], *(windows.positions(ctx, size, axis) for axis, size in enumerate(data[2:])))


@rules({"GlobalAveragePool": (1, 22), "GlobalMaxPool": (1, 22), "GlobalLpPool": (1, 2, 22)})
def global_pool(ctx: Context) -> Result:
    """Batch and channels, and 1 for each spatial size."""
    data = image(ctx, 0, least=2)
    return None if data is None else (*data[:2], *(1 for _ in data[2:]))


@rule("MaxRoiPool", since=(1, 22))
def max_roi_pool(ctx: Context) -> Result:
    """Regions, channels, and ``pooled_shape``."""
    pooled_shape = checked(ctx, "pooled_shape", ctx.attr_ints("pooled_shape") or (), 2, 1)
    data, rois = ctx.shape_or_none(0), ctx.shape_or_none(1)
    if data is not None:
        ctx.require_rank(0, 4)
    if rois is not None:
        ctx.require_rank(1, 2)
        what = "a region of rois is (batch, x1, y1, x2, y2)"
        ctx.require_equal(rois[1], 5, codes.SIZES_DIFFER, what=what, left=rois[1], right=5)
    return (rois[0] if rois is not None else None, data[1] if data is not None else None, *pooled_shape)
