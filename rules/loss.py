"""Losses of a classification: NegativeLogLikelihoodLoss of log-probabilities, SoftmaxCrossEntropyLoss of scores.

The input is ``(N, C, d1, ..., dk)`` for C classes, the target ``(N, d1, ..., dk)``, and the optional weights have
length C. ``reduction`` is ``none``, for a loss of the target's shape, or ``sum`` or ``mean``, for a scalar.
SoftmaxCrossEntropyLoss may also give the logarithms of the probabilities, of the input's shape.

Versions: 12; 13 allows an index that is ignored to lie outside of the classes, and SoftmaxCrossEntropyLoss-13 and
NegativeLogLikelihoodLoss-22 add bfloat16.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, Maybe, Result, codes, rule

from .sizes import tie

REDUCTIONS = ("none", "sum", "mean")


@rule("NegativeLogLikelihoodLoss", since=(12, 13, 22))
def negative_log_likelihood_loss(ctx: Context) -> Result:
    """The loss."""
    return loss(ctx)


@rule("SoftmaxCrossEntropyLoss", since=(12, 13))
def softmax_cross_entropy_loss(ctx: Context) -> Result:
    """The loss and the log-probabilities."""
    scores = ctx.shape_or_none(0)
    labels = ctx.shape_or_none(1)
    log_prob: Maybe = scores
    if scores is None and labels:
        log_prob = (labels[0], class_count(ctx), *labels[1:])
    return [loss(ctx), log_prob]


def class_count(ctx: Context) -> Dim | None:
    """The length of the weights: one per class."""
    return ctx.length(2) if ctx.given(2) else None


def loss(ctx: Context) -> Maybe:
    """The shape of the loss, after the classes and positions have been held against each other."""
    reduction = ctx.attr_choice("reduction", REDUCTIONS)
    scores, target = ctx.shape_or_none(0), ctx.shape_or_none(1)
    classes = class_count(ctx)
    name, target_name = ctx.input_name(0), ctx.input_name(1)
    if scores is not None and len(scores) < 2:
        ctx.fail(codes.RANK, input=name, shape=scores, expected="at least 2")
    if target is not None and not target:
        ctx.fail(codes.RANK, input=target_name, shape=target, expected="at least 1")
    if scores is not None and classes is not None:
        tie(ctx, f"classes of {name} and length of {ctx.input_name(2)}", scores[1], classes)
    each = target
    if scores is not None:
        each = (scores[0], *scores[2:])
        if target is not None:
            if len(target) != len(each):
                ctx.fail(codes.RANK, input=target_name, shape=target, expected=len(each))
            what = f"sizes of {name} without the classes and of {target_name}"
            each = tuple(tie(ctx, what, a, b) for a, b in zip(each, target, strict=True))
    return each if reduction == "none" else ()
