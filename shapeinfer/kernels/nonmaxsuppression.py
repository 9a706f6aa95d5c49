"""NonMaxSuppression."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import scalar, shape_text
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("NonMaxSuppression", since=(10, 11))
def non_max_suppression(
    boxes: Array,
    scores: Array,
    max_output_boxes_per_class: Array | None = None,
    iou_threshold: Array | None = None,
    score_threshold: Array | None = None,
    *,
    center_point_box: int,
) -> Array:
    """``[selected, 3]``: batch, class and box of those that no box of a better score overlaps too much.

    By batch and class, in the order of their scores; equal ones in that of the boxes.
    """
    if boxes.ndim != 3 or scores.ndim != 3 or boxes.shape != (scores.shape[0], scores.shape[2], 4):
        raise KernelError(f"boxes {shape_text(boxes.shape)} for scores {shape_text(scores.shape)}")
    most = 0 if max_output_boxes_per_class is None else int(scalar(max_output_boxes_per_class, "the number of boxes"))
    limit = np.float32(0 if iou_threshold is None else scalar(iou_threshold, "iou_threshold"))
    if not 0 <= limit <= 1:
        raise KernelError(f"iou_threshold {limit} is not in [0, 1]")
    least = None if score_threshold is None else np.float32(scalar(score_threshold, "score_threshold"))
    found = [np.zeros((0, 3), np.int64)]
    if most > 0:
        corners = _corners(boxes, bool(center_point_box))
        for batch in range(boxes.shape[0]):
            for which in range(scores.shape[1]):
                chosen = _selected(corners[batch], scores[batch, which], most, limit, least)
                rows = np.empty((len(chosen), 3), np.int64)
                rows[:, 0], rows[:, 1], rows[:, 2] = batch, which, chosen
                found.append(rows)
    return np.concatenate(found)


def _corners(boxes: Array, by_centre: bool) -> Array:
    """``[..., 4]``: the lower and then the upper ends of both axes."""
    first, second = boxes[..., :2], boxes[..., 2:]
    if by_centre:
        return np.concatenate((first - second / 2, first + second / 2), axis=-1)
    return np.concatenate((np.minimum(first, second), np.maximum(first, second)), axis=-1)


def _selected(corners: Array, scores: Array, most: int, limit: np.float32, least: np.float32 | None) -> list[int]:
    left = np.argsort(-scores, kind="stable")
    if least is not None:
        left = left[scores[left] >= least]
    box = corners[left]
    area = (box[:, 2:] - box[:, :2]).prod(axis=1)
    chosen: list[int] = []
    while len(left) and len(chosen) < most:
        chosen.append(int(left[0]))
        ends = np.minimum(box[0, 2:], box[1:, 2:]) - np.maximum(box[0, :2], box[1:, :2])
        common = np.maximum(ends, 0).prod(axis=1)
        union = area[0] + area[1:] - common
        overlap = np.divide(common, union, out=np.zeros_like(common), where=union > 0)
        kept = np.flatnonzero(overlap <= limit) + 1
        left, box, area = left[kept], box[kept], area[kept]
    return chosen
