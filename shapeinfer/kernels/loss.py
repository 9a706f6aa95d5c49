"""NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.errors import OUT_OF_RANGE, KernelError
from shapeinfer.kernels.registry import kernel
from shapeinfer.kernels.softmax import log_softmax


@kernel("NegativeLogLikelihoodLoss", since=(12, 13, 22))
def negative_log_likelihood_loss(
    input: Array, target: Array, weight: Array | None = None, *, reduction: str, ignore_index: int | None = None
) -> Array:
    """Of each sample the negative log probability of its class, times the weight of that; or their sum or mean.

    The mean is over the weights that were applied; samples of the class ``ignore_index`` have none.
    """
    return narrow(_loss(widen(input), target, weight, reduction, ignore_index), input.dtype)


@kernel("SoftmaxCrossEntropyLoss", since=(12, 13))
def softmax_cross_entropy_loss(
    scores: Array, labels: Array, weights: Array | None = None, *, reduction: str, ignore_index: int | None = None
) -> tuple[Array, Array]:
    """The loss as above of the logarithm of the softmax over the classes; and that logarithm."""
    if scores.ndim < 2:
        raise KernelError(f"scores must be [N, C, ...], not of shape {shape_text(scores.shape)}")
    logs = log_softmax(widen(scores), 1)
    return narrow(_loss(logs, labels, weights, reduction, ignore_index), scores.dtype), narrow(logs, scores.dtype)


def _loss(logs: Array, target: Array, weight: Array | None, reduction: str, ignore_index: int | None) -> Array:
    if logs.ndim < 2 or target.shape != (logs.shape[0], *logs.shape[2:]):
        raise KernelError(f"classes {shape_text(target.shape)} for an input {shape_text(logs.shape)}")
    classes = logs.shape[1]
    if weight is not None and weight.shape != (classes,):
        raise KernelError(f"weights {shape_text(weight.shape)} for {classes} classes")
    kept = np.ones(target.shape, bool) if ignore_index is None else target != ignore_index
    wrong = kept & ((target < 0) | (target >= classes))
    if wrong.any():
        raise KernelError(f"there is no class {target[wrong][0]} of {classes}", code=OUT_OF_RANGE)
    chosen = np.where(kept, target, 0)
    applied = kept.astype(logs.dtype) if weight is None else np.where(kept, widen(weight)[chosen], 0)
    picked = np.take_along_axis(logs, chosen[:, None], axis=1)[:, 0] if classes else np.zeros(target.shape, logs.dtype)
    loss = np.where(kept, -picked * applied, 0).astype(logs.dtype)
    if reduction == "none":
        return loss
    if reduction == "sum":
        return np.asarray(loss.sum())
    if reduction == "mean":
        return np.asarray(loss.sum() / applied.sum(), dtype=logs.dtype)
    raise KernelError(f"there is no reduction {reduction!r}")
