"""NonMaxSuppression."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import scalar, shape_text
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel

_RUN = 128


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


def _selected(corners: Array, scores: Array, most: int, limit: np.float32, least: np.float32 | None) -> Array:
    """The boxes that stay, best first: a run of candidates at a time, first against those chosen before it."""
    order = np.argsort(-scores, kind="stable")
    if least is not None:
        order = order[scores[order] >= least]
    box = corners[order]
    chosen: list[int] = []
    for start in range(0, len(order), _RUN):
        run = box[start : start + _RUN]
        alive: Array = np.logical_not((_overlap(box[chosen], run) > limit).any(axis=0))
        ruled_out: Array = np.asarray(_overlap(run, run) > limit)
        for i in np.flatnonzero(alive):
            if alive[i]:
                chosen.append(start + int(i))
                if len(chosen) == most:
                    break
                alive &= ~ruled_out[i]
        if len(chosen) == most:
            break
    best: Array = order[chosen]
    return best


def _overlap(a: Array, b: Array) -> Array:
    """``[len(a), len(b)]``: the common area over that of the union, 0 where there is none."""
    common: Array = np.ones((), a.dtype)
    for low, high in ((0, 2), (1, 3)):
        ends = np.minimum(a[:, None, high], b[:, high]) - np.maximum(a[:, None, low], b[:, low])
        common = common * np.maximum(ends, 0)
    area_a, area_b = ((each[:, 2:] - each[:, :2]).prod(axis=1) for each in (a, b))
    union = area_a[:, None] + area_b - common
    overlap: Array = np.divide(common, union, out=np.zeros_like(common), where=union > 0)
    return overlap
