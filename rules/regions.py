"""Operators on regions of images.

RoiAlign pools each region of ``rois``, ``(num_rois, 4)``, of the image that ``batch_indices`` names; 16 adds
``coordinate_transformation_mode``, 22 bfloat16.

NonMaxSuppression (10, 11) picks among ``boxes``, ``(batches, spatial, 4)``, by ``scores``, ``(batches, classes,
spatial)``: a row (batch, class, box) for each one picked, so their number is known only when run. Without
``max_output_boxes_per_class``, or where it is 0, none is. It and the thresholds are scalars; tensors of one element are
in use, and taken as well.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Result, codes, rule

from .conv import per_tensor
from .image import same_batch
from .windows import positive


@rule("RoiAlign", since=(10, 16, 22))
def roi_align(ctx: Context) -> Result:
    """Regions, channels, and the size of the output of one region."""
    ctx.attr_choice("mode", ("avg", "max"))
    if ctx.version >= 16:
        ctx.attr_choice("coordinate_transformation_mode", ("half_pixel", "output_half_pixel"))
    height, width = positive(ctx, "output_height"), positive(ctx, "output_width")
    if ctx.attr_int("sampling_ratio") < 0:
        value = ctx.attr_int("sampling_ratio")
        ctx.fail(codes.SIZE_VALUE, what="sampling_ratio", value=value, expected="at least 0")
    data, rois = ctx.shape_or_none(0), ctx.shape_or_none(1)
    if data is not None:
        ctx.require_rank(0, 4)
    if rois is not None:
        ctx.require_rank(1, 2)
        what = "a region of rois is (x1, y1, x2, y2)"
        ctx.require_equal(rois[1], 4, codes.SIZES_DIFFER, what=what, left=rois[1], right=4)
    regions = same_batch(ctx, rois[0] if rois is not None else None, ctx.length(2), "regions and batch_indices")
    return (regions, data[1] if data is not None else None, height, width)


@rule("NonMaxSuppression", since=(10, 11))
def non_max_suppression(ctx: Context) -> Result:
    """The boxes picked, each in three numbers."""
    if ctx.attr_int("center_point_box") not in (0, 1):
        value = ctx.attr_int("center_point_box")
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute="center_point_box", value=value, expected="0 or 1")
    boxes, scores = ctx.shape_or_none(0), ctx.shape_or_none(1)
    if boxes is not None:
        ctx.require_rank(0, 3)
        what = "a box is four numbers"
        ctx.require_equal(boxes[2], 4, codes.SIZES_DIFFER, what=what, left=boxes[2], right=4)
    if scores is not None:
        ctx.require_rank(1, 3)
    if boxes is not None and scores is not None:
        same_batch(ctx, boxes[0], scores[0], "batches of boxes and of scores")
        same_batch(ctx, boxes[1], scores[2], "boxes and their scores")
    for which in (2, 3, 4):
        per_tensor(ctx, which)
    return (0 if picks_none(ctx) else None, 3)


def picks_none(ctx: Context) -> bool:
    """Whether at most 0 boxes are picked per class."""
    if not ctx.given(2):
        return True
    limit = ctx.elements(2)
    return limit is not None and limit.size == 1 and limit.item() == 0
