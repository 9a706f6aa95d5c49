"""ai.onnx.ml: ensembles of trees with a name for each node, TreeEnsembleRegressor and TreeEnsembleClassifier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.ml_arguments import ML, floats, labels, prepared, transformed
from shapeinfer.kernels.ml_forest import LEAF, MODES, Forest, Votes, parallel, votes_of
from shapeinfer.kernels.ml_scores import best, two_scores
from shapeinfer.kernels.registry import kernel

Ints = Sequence[int]
Floats = Sequence[float]


def _positions(trees: Array, nodes: Array, wanted_trees: Array, wanted_nodes: Array, what: str) -> Array:
    """Where the pairs of tree and node stand among all of them.

    Raises:
        KernelError: when one does not stand there.
    """
    order = np.lexsort((nodes, trees))
    width = int(max(nodes.max(initial=0), wanted_nodes.max(initial=0))) + 1
    keys, wanted = (trees * width + nodes)[order], wanted_trees * width + wanted_nodes
    at = np.minimum(np.searchsorted(keys, wanted), max(keys.size - 1, 0))
    if wanted.size and (not keys.size or (keys[at] != wanted).any()):
        raise KernelError(f"{what} names a node that is not there")
    return np.asarray(order[at])


def _forest(
    treeids: Ints,
    nodeids: Ints,
    featureids: Ints,
    modes: Sequence[str],
    values: Any,
    truenodeids: Ints,
    falsenodeids: Ints,
    missing: Ints | None,
) -> Forest:
    parallel(
        nodes_treeids=treeids,
        nodes_nodeids=nodeids,
        nodes_featureids=featureids,
        nodes_modes=modes,
        nodes_values=values,
        nodes_truenodeids=truenodeids,
        nodes_falsenodeids=falsenodeids,
        nodes_missing_value_tracks_true=missing or treeids,
    )
    unknown = set(modes) - set(MODES) | (set(modes) & {"BRANCH_MEMBER"})
    if unknown:
        raise KernelError(f"there is no mode {min(unknown)!r}")
    numbers = np.array([MODES.index(mode) for mode in modes], dtype=np.int8)
    trees, nodes = np.array(treeids, dtype=np.int64), np.array(nodeids, dtype=np.int64)
    children = []
    inner = numbers != LEAF
    for name, ids in (("nodes_truenodeids", truenodeids), ("nodes_falsenodeids", falsenodeids)):
        child = np.zeros(trees.size, dtype=np.intp)
        child[inner] = _positions(trees, nodes, trees[inner], np.array(ids, dtype=np.int64)[inner], name)
        children.append(child)
    _, firsts = np.unique(trees, return_index=True)
    has_parent = np.zeros(trees.size, dtype=bool)
    for child in children:
        has_parent[child[inner]] = True
    roots = np.flatnonzero(~has_parent)
    if roots.size != firsts.size:
        raise KernelError(f"{roots.size} nodes of {firsts.size} trees have no parent")
    thresholds = values if isinstance(values, np.ndarray) else np.array(values, dtype=np.float32)
    tracks = np.array(missing, dtype=bool) if missing else np.zeros(trees.size, dtype=bool)
    yes, no = children
    return Forest(np.array(featureids, dtype=np.intp), thresholds, numbers, yes, no, tracks, roots)


def _votes(treeids: Ints, nodeids: Ints, wanted: Ints, ids: Ints, to: Ints, weights: Any) -> Votes:
    parallel(treeids=wanted, nodeids=ids, ids=to, weights=weights)
    trees, nodes, of_trees, of_nodes = (np.array(each, dtype=np.int64) for each in (treeids, nodeids, wanted, ids))
    at = _positions(trees, nodes, of_trees, of_nodes, "a weight")
    numbers = weights if isinstance(weights, np.ndarray) else np.array(weights, dtype=np.float32)
    return votes_of(at, np.array(to, dtype=np.intp), numbers, len(treeids))


def _either(plain: Any, tensor: Array | None) -> Any:
    """A list of floats, or the tensor of doubles that takes its place."""
    if plain and tensor is not None:
        raise KernelError("a list is stated both as floats and as a tensor")
    return tensor if tensor is not None else plain


def _table(x: Array) -> Array:
    if x.ndim == 1:
        return floats(x[None])
    if x.ndim != 2:
        raise KernelError(f"the input must be [N, F], not of shape {shape_text(x.shape)}")
    return floats(x)


def _precision(x: Array, *lists: Any) -> np.dtype[Any]:
    double = x.dtype == np.float64 or any(isinstance(each, np.ndarray) for each in lists)
    return np.dtype(np.float64 if double else np.float32)


@kernel("TreeEnsembleRegressor", since=(1, 3), domain=ML)
def tree_ensemble_regressor(
    x: Array,
    *,
    nodes_treeids: Ints = (),
    nodes_nodeids: Ints = (),
    nodes_featureids: Ints = (),
    nodes_modes: Sequence[str] = (),
    nodes_values: Floats = (),
    nodes_values_as_tensor: Array | None = None,
    nodes_truenodeids: Ints = (),
    nodes_falsenodeids: Ints = (),
    nodes_missing_value_tracks_true: Ints | None = None,
    nodes_hitrates: Floats = (),
    nodes_hitrates_as_tensor: Array | None = None,
    target_treeids: Ints = (),
    target_nodeids: Ints = (),
    target_ids: Ints = (),
    target_weights: Floats = (),
    target_weights_as_tensor: Array | None = None,
    base_values: Floats = (),
    base_values_as_tensor: Array | None = None,
    n_targets: int = 1,
    aggregate_function: str,
    post_transform: str,
) -> Array:
    """The weights of the leaves that a row comes to, put together for each target, and the base values added."""
    data = _table(x)
    values = _either(nodes_values, nodes_values_as_tensor)
    weights, base = _either(target_weights, target_weights_as_tensor), _either(base_values, base_values_as_tensor)
    forest = prepared(
        _forest, nodes_treeids, nodes_nodeids, nodes_featureids, nodes_modes, values,
        nodes_truenodeids, nodes_falsenodeids, nodes_missing_value_tracks_true,
    )  # fmt: skip
    votes = prepared(_votes, nodes_treeids, nodes_nodeids, target_treeids, target_nodeids, target_ids, weights)
    dtype = _precision(data, values, weights, base)
    scores = votes.gathered(forest.leaves(data), n_targets, aggregate_function, dtype)
    if len(base):
        if len(base) != n_targets:
            raise KernelError(f"{len(base)} base values for {n_targets} targets")
        scores = scores + np.asarray(base, dtype=dtype)
    return transformed(scores, post_transform).astype(np.float32)


@kernel("TreeEnsembleClassifier", since=(1, 3), domain=ML)
def tree_ensemble_classifier(
    x: Array,
    *,
    nodes_treeids: Ints = (),
    nodes_nodeids: Ints = (),
    nodes_featureids: Ints = (),
    nodes_modes: Sequence[str] = (),
    nodes_values: Floats = (),
    nodes_values_as_tensor: Array | None = None,
    nodes_truenodeids: Ints = (),
    nodes_falsenodeids: Ints = (),
    nodes_missing_value_tracks_true: Ints | None = None,
    nodes_hitrates: Floats = (),
    nodes_hitrates_as_tensor: Array | None = None,
    class_treeids: Ints = (),
    class_nodeids: Ints = (),
    class_ids: Ints = (),
    class_weights: Floats = (),
    class_weights_as_tensor: Array | None = None,
    base_values: Floats = (),
    base_values_as_tensor: Array | None = None,
    classlabels_int64s: Ints | None = None,
    classlabels_strings: Sequence[str] | None = None,
    post_transform: str,
) -> tuple[Array, Array]:
    """The class with the highest sum of weights, and the sums, to which the base values are added."""
    data, names = _table(x), labels(classlabels_int64s, classlabels_strings)
    values = _either(nodes_values, nodes_values_as_tensor)
    weights, base = _either(class_weights, class_weights_as_tensor), _either(base_values, base_values_as_tensor)
    forest = prepared(
        _forest, nodes_treeids, nodes_nodeids, nodes_featureids, nodes_modes, values,
        nodes_truenodeids, nodes_falsenodeids, nodes_missing_value_tracks_true,
    )  # fmt: skip
    votes = prepared(_votes, nodes_treeids, nodes_nodeids, class_treeids, class_nodeids, class_ids, weights)
    dtype = _precision(data, values, weights, base)
    scores = votes.gathered(forest.leaves(data), names.size, "SUM", dtype)
    if names.size == 2 and votes.targets.size and (votes.targets == votes.targets[0]).all():
        return _two_classes(scores[:, votes.targets[0], None], names, votes, base, post_transform)
    if len(base):
        if len(base) != names.size:
            raise KernelError(f"{len(base)} base values for {names.size} classes")
        scores = scores + np.asarray(base, dtype=dtype)
    return names[best(scores)], transformed(scores, post_transform).astype(np.float32)


def _two_classes(score: Array, names: Array, votes: Votes, base: Any, transform: str) -> tuple[Array, Array]:
    """Labels and scores of two classes from votes for one of them, which count for the second.

    They are taken for probabilities, with the border at 0.5, where no weight is negative; else the border is 0.
    """
    if len(base):
        score = score + np.asarray(base[-1], dtype=score.dtype)
    probabilities = bool((votes.weights >= 0).all())
    second = score[:, 0] > (0.5 if probabilities else 0)
    scores = two_scores(score, transform, complement=probabilities)
    return names[second.astype(np.intp)], scores.astype(np.float32)
