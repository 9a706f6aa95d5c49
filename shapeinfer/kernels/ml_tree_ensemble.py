"""ai.onnx.ml: TreeEnsemble, in which inner nodes and leaves are separate lists and refer to each other by position."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.ml_arguments import ML, prepared, transformed
from shapeinfer.kernels.ml_forest import LEAF, MEMBER, Forest, Votes, parallel, votes_of
from shapeinfer.kernels.registry import kernel

Ints = Sequence[int]
_AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")
_TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")


def _forest(
    roots: Ints,
    features: Ints,
    modes: Array,
    splits: Array,
    true_ids: Ints,
    true_leaves: Ints,
    false_ids: Ints,
    false_leaves: Ints,
    missing: Ints | None,
    members: Array | None,
    leaves: int,
) -> Forest:
    """The leaves become nodes behind the inner ones."""
    parallel(
        nodes_featureids=features,
        nodes_modes=modes,
        nodes_splits=splits,
        nodes_truenodeids=true_ids,
        nodes_trueleafs=true_leaves,
        nodes_falsenodeids=false_ids,
        nodes_falseleafs=false_leaves,
        nodes_missing_value_tracks_true=missing or features,
    )
    count = len(features)
    filler = np.zeros(leaves, dtype=np.intp)
    yes, no = _children(true_ids, true_leaves, count, leaves), _children(false_ids, false_leaves, count, leaves)
    tracks = np.zeros(count + leaves, dtype=bool)
    if missing:
        tracks[:count] = missing
    first = np.array(roots, dtype=np.intp)
    if first.size and not (first.min() >= 0 and first.max() < count):
        raise KernelError(f"tree_roots names the node {first.max()} of {count}")
    numbers = np.concatenate([modes.astype(np.int8), np.full(leaves, LEAF, dtype=np.int8)])
    if modes.size and int(modes.max()) > MEMBER:
        raise KernelError(f"there is no mode {int(modes.max())}")
    thresholds = np.concatenate([splits, np.zeros(leaves, dtype=splits.dtype)])
    columns = np.concatenate([np.array(features, dtype=np.intp), filler])
    return Forest(columns, thresholds, numbers, yes, no, tracks, first, *_membership(numbers, members))


def _children(ids: Ints, flags: Ints, count: int, leaves: int) -> Array:
    """The next node of each inner node; leaves come behind the ``count`` inner ones."""
    at, is_leaf = np.array(ids, dtype=np.intp), np.array(flags, dtype=bool)
    limit = np.where(is_leaf, leaves, count)
    if ((at < 0) | (at >= limit)).any():
        raise KernelError("a node refers to a node or leaf that is not there")
    return np.concatenate([at + np.where(is_leaf, count, 0), np.zeros(leaves, dtype=np.intp)])


def _membership(modes: Array, values: Array | None) -> tuple[Array, Array, Array] | tuple[None, None, None]:
    """Which of all candidates each membership node accepts; the lists of the nodes are separated by NaN."""
    nodes = np.flatnonzero(modes == MEMBER)
    if not nodes.size:
        return None, None, None
    if values is None:
        raise KernelError("membership_values is required by the mode BRANCH_MEMBER")
    breaks = np.isnan(values)
    owners = np.cumsum(breaks)[~breaks]
    if owners.max(initial=0) >= nodes.size:
        raise KernelError(f"membership_values has more than the {nodes.size} lists that nodes ask for")
    candidates, at = np.unique(values[~breaks], return_inverse=True)
    table = np.zeros((nodes.size, candidates.size), dtype=bool)
    table[owners, at] = True
    row_of = np.zeros(modes.size, dtype=np.intp)
    row_of[nodes] = np.arange(nodes.size)
    return row_of, table, candidates


def _leaf_votes(targets: Ints, weights: Array, nodes: int) -> Votes:
    parallel(leaf_targetids=targets, leaf_weights=weights)
    places = nodes + np.arange(len(targets))
    return votes_of(places, np.array(targets, dtype=np.intp), weights, nodes + len(targets))


@kernel("TreeEnsemble", since=(5,), domain=ML)
def tree_ensemble(
    x: Array,
    *,
    aggregate_function: int,
    post_transform: int,
    leaf_targetids: Ints,
    leaf_weights: Array,
    membership_values: Array | None = None,
    n_targets: int = 1,
    nodes_falseleafs: Ints,
    nodes_falsenodeids: Ints,
    nodes_featureids: Ints,
    nodes_hitrates: Array | None = None,
    nodes_missing_value_tracks_true: Ints | None = None,
    nodes_modes: Array,
    nodes_splits: Array,
    nodes_trueleafs: Ints,
    nodes_truenodeids: Ints,
    tree_roots: Ints,
) -> Array:
    """The weights of the leaves that a row comes to, put together for each target, ``[N, n_targets]``."""
    if x.ndim != 2:
        raise KernelError(f"the input must be [N, F], not of shape {shape_text(x.shape)}")
    if aggregate_function not in range(len(_AGGREGATES)) or post_transform not in range(len(_TRANSFORMS)):
        raise KernelError(f"there is no aggregate function {aggregate_function} or transform {post_transform}")
    forest = prepared(
        _forest, tree_roots, nodes_featureids, nodes_modes, nodes_splits, nodes_truenodeids, nodes_trueleafs,
        nodes_falsenodeids, nodes_falseleafs, nodes_missing_value_tracks_true, membership_values, leaf_weights.size,
    )  # fmt: skip
    votes = prepared(_leaf_votes, leaf_targetids, leaf_weights, len(nodes_featureids))
    dtype = np.dtype(np.float64 if x.dtype == np.float64 else np.float32)
    scores = votes.gathered(forest.leaves(x), n_targets, _AGGREGATES[aggregate_function], dtype)
    return transformed(scores, _TRANSFORMS[post_transform]).astype(x.dtype)
