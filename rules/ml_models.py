"""The domain ai.onnx.ml: models. Linear ones, support vectors and ensembles of trees.

Regressors give ``[N, targets]`` for N rows of features, classifiers the label of each row, ``[N]``, and its scores,
``[N, classes]``. Labels are integers or strings, whichever list of them is stated. Versions of the tree ensembles: 3
takes numbers of double precision from tensors, 5 deprecates two of them for TreeEnsemble.
"""

from __future__ import annotations

from shapeinfer.rule import Context, ElementType, Maybe, Result, TensorType, codes, rule

from .ml_shared import ML, TRANSFORMS, only_one, rows, stated_length
from .sizes import positive_attr


@rule("LinearRegressor", since=(1,), domain=ML)
def linear_regressor(ctx: Context) -> Result:
    """``[N, targets]``; for a single row without a batch the runtimes differ."""
    ctx.attr_choice("post_transform", TRANSFORMS)
    targets = positive_attr(ctx, "targets") or 1
    intercepts = stated_length(ctx, "intercepts")
    if intercepts not in (None, targets):
        ctx.fail(codes.LENGTH, what="intercepts", found=intercepts, expected=targets)
    if len(ctx.shape("X")) == 1:
        return None
    return (rows(ctx, flat=True), targets)


@rule("LinearClassifier", since=(1,), domain=ML)
def linear_classifier(ctx: Context) -> Result:
    """The labels ``[N]`` and the scores ``[N, classes]``."""
    ctx.attr_choice("post_transform", TRANSFORMS)
    return classified(ctx, only_one(ctx, "classlabels_ints", "classlabels_strings"), flat=True)


def classified(ctx: Context, labels: str, *, flat: bool) -> list[Maybe]:
    """The labels of all rows, of the type of the list of labels, and their scores."""
    elem = ElementType.STRING if labels.endswith("strings") else ElementType.INT64
    count = rows(ctx, flat=flat)
    return [TensorType(elem, (count,)), (count, stated_length(ctx, labels))]


@rule("SVMRegressor", since=(1,), domain=ML)
def svm_regressor(ctx: Context) -> Result:
    """``[N, 1]``."""
    check_kernel(ctx)
    if ctx.attr_int("one_class") not in (0, 1):
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute="one_class", value=ctx.attr_int("one_class"), expected="0 or 1")
    return (rows(ctx, flat=True), 1)


@rule("SVMClassifier", since=(1,), domain=ML)
def svm_classifier(ctx: Context) -> Result:
    """The labels and the scores: probabilities for each class, or raw ones, which may be for each pair of classes."""
    check_kernel(ctx)
    a, b = stated_length(ctx, "prob_a"), stated_length(ctx, "prob_b")
    if a != b:
        ctx.fail(codes.LENGTH, what="prob_b", found=b or 0, expected=f"{a or 0}, as prob_a")
    labels, scores = classified(ctx, only_one(ctx, "classlabels_ints", "classlabels_strings"), flat=True)
    shape = ctx.shape_or_none("X")
    if shape is not None and len(shape) == 1:  # a single row without a batch, on which the runtimes differ
        elem = labels.elem if isinstance(labels, TensorType) else 0
        return [TensorType(elem, (None,)), (None, None)]
    return [labels, scores if a else (rows(ctx, flat=True), None)]


def check_kernel(ctx: Context) -> None:
    """The kernel's name, and its parameters, which are three."""
    ctx.attr_choice("post_transform", TRANSFORMS)
    ctx.attr_choice("kernel_type", ("LINEAR", "POLY", "RBF", "SIGMOID"))
    found = stated_length(ctx, "kernel_params")
    if found not in (None, 0, 3):
        ctx.fail(codes.LENGTH, what="kernel_params", found=found, expected=3)


@rule("TreeEnsemble", since=(5,), domain=ML)
def tree_ensemble(ctx: Context) -> Result:
    """``[N, n_targets]``."""
    for name, choices in (("aggregate_function", 4), ("post_transform", 5)):
        if ctx.attr_int(name) not in range(choices):
            expected = f"0 to {choices - 1}"
            ctx.fail(codes.ATTRIBUTE_VALUE, attribute=name, value=ctx.attr_int(name), expected=expected)
    same_lengths(ctx, "nodes_featureids", *(f"nodes_{n}" for n in NODE_LISTS))
    return (rows(ctx, flat=False), positive_attr(ctx, "n_targets"))


NODE_LISTS = ("truenodeids", "falsenodeids", "trueleafs", "falseleafs", "missing_value_tracks_true")
TREE_LISTS = ("treeids", "nodeids", "modes", "truenodeids", "falsenodeids", "values", "hitrates")


def same_lengths(ctx: Context, first: str, *others: str) -> None:
    """Requires lists that are parallel to have one length."""
    expected = stated_length(ctx, first)
    for name in others:
        found = stated_length(ctx, name)
        if expected is not None and found is not None and found != expected:
            ctx.fail(codes.LENGTH, what=name, found=found, expected=f"{expected}, as {first}")


@rule("TreeEnsembleRegressor", since=(1, 3, 5), domain=ML)
def tree_ensemble_regressor(ctx: Context) -> Result:
    """``[N, n_targets]``."""
    ctx.attr_choice("post_transform", TRANSFORMS)
    ctx.attr_choice("aggregate_function", ("AVERAGE", "SUM", "MIN", "MAX"))
    same_lengths(ctx, "nodes_featureids", *(f"nodes_{n}" for n in TREE_LISTS))
    same_lengths(ctx, "target_ids", "target_nodeids", "target_treeids", "target_weights")
    return (rows(ctx, flat=False), positive_attr(ctx, "n_targets"))


@rule("TreeEnsembleClassifier", since=(1, 3, 5), domain=ML)
def tree_ensemble_classifier(ctx: Context) -> Result:
    """The labels ``[N]`` and the scores ``[N, classes]``."""
    ctx.attr_choice("post_transform", TRANSFORMS)
    same_lengths(ctx, "nodes_featureids", *(f"nodes_{n}" for n in TREE_LISTS))
    same_lengths(ctx, "class_ids", "class_nodeids", "class_treeids", "class_weights")
    return classified(ctx, only_one(ctx, "classlabels_int64s", "classlabels_strings"), flat=False)
