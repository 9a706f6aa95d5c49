from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import numpy_helper

from shapeinfer.kernels import KernelError
from tests.kernels.domains import agrees, onnxruntime_gives, run

ML = "ai.onnx.ml"
Array = NDArray[Any]


def singles(values: Any) -> Array:
    return np.array(values, dtype=np.float32)


TRANSFORMS = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"]
MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]


def floats(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng((seed, *shape)).standard_normal(shape).astype(np.float32)


def listed(*shape: int, seed: int = 0) -> list[float]:
    return list(map(float, floats(*shape, seed=seed).reshape(-1) * np.float32(0.3)))


def close(transform: str) -> dict[str, float]:
    """The runtimes approximate the probit to three digits."""
    return {"rtol": 5e-3, "atol": 5e-3} if transform == "PROBIT" else {}


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_linear_regressor(transform: str) -> None:
    options = {"coefficients": listed(3, 4), "intercepts": listed(3), "targets": 3, "post_transform": transform}
    agrees(ML, "LinearRegressor", [floats(5, 4)], **options, **close(transform))
    assert run(ML, "LinearRegressor", [floats(4)], **options).shape == (1, 3)
    with pytest.raises(KernelError, match="12 coefficients for 3 times 5 features"):
        run(ML, "LinearRegressor", [floats(5, 5)], **options)


def test_linear_regressor_of_one_target() -> None:
    # ONNX Runtime leaves the transforms of a single target out; the specification does not.
    options = {"coefficients": [1.0, 2.0], "post_transform": "LOGISTIC"}
    got = run(ML, "LinearRegressor", [singles([[1, 0], [0, 1]])], **options)
    np.testing.assert_allclose(got[:, 0], 1 / (1 + np.exp([-1, -2])), rtol=1e-6)


def test_probit() -> None:
    got = run(ML, "LinearRegressor", [singles([[0.975], [0.5], [0], [2]])], coefficients=[1.0], post_transform="PROBIT")
    np.testing.assert_allclose(got[:, 0], [1.959964, 0, -np.inf, np.nan], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("x", [floats(5, 4), floats(4), floats(5, 4).astype(np.float64), np.arange(8).reshape(2, 4)])
def test_linear_classifier(x: Array, transform: str) -> None:
    options = {"coefficients": listed(3, 4), "intercepts": listed(3), "post_transform": transform}
    agrees(ML, "LinearClassifier", [x], 2, classlabels_strings=["a", "b", "c"], **options, **close(transform))
    if transform != "PROBIT":
        single = {"coefficients": listed(4), "intercepts": [0.1], "post_transform": transform}
        agrees(ML, "LinearClassifier", [x], 2, classlabels_ints=[7, 8], **single)


KERNELS = ["LINEAR", "POLY", "RBF", "SIGMOID"]


@pytest.mark.parametrize("kind", KERNELS)
@pytest.mark.parametrize("one_class", [0, 1])
def test_svm_regressor(kind: str, one_class: int) -> None:
    parameters = {"kernel_type": kind, "kernel_params": [0.3, 0.2, 2.0], "rho": [0.1], "one_class": one_class}
    vectors = {"coefficients": listed(4), "support_vectors": listed(4, 2), "n_supports": 4}
    agrees(ML, "SVMRegressor", [floats(5, 2)], **parameters, **vectors)
    if kind == "LINEAR":
        agrees(ML, "SVMRegressor", [floats(5, 2)], coefficients=listed(2), **parameters)


@pytest.mark.parametrize("kind", KERNELS)
@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize("probabilities", [False, True])
def test_svm_classifier(kind: str, classes: int, probabilities: bool) -> None:
    pairs = classes * (classes - 1) // 2
    options: dict[str, Any] = {
        "kernel_type": kind, "kernel_params": [0.3, 0.2, 2.0], "rho": listed(pairs), "vectors_per_class": [2] * classes,
        "coefficients": listed(classes - 1, 2 * classes), "support_vectors": listed(2 * classes, 2),
        "classlabels_ints": list(range(10, 10 + classes)),
    }  # fmt: skip
    if probabilities:
        options |= {"prob_a": listed(pairs, seed=1), "prob_b": listed(pairs, seed=2)}
    for transform in TRANSFORMS[:4]:
        agrees(ML, "SVMClassifier", [floats(6, 2)], 2, post_transform=transform, **options)


def forest(trees: int, depth: int, features: int, modes: list[str]) -> tuple[dict[str, Any], list[tuple[int, int]]]:
    """Full trees of random nodes, and the leaves by tree and node."""
    rng = np.random.default_rng(trees)
    inner, count = 2**depth - 1, 2 ** (depth + 1) - 1
    names = "treeids nodeids featureids modes values truenodeids falsenodeids missing_value_tracks_true"
    lists: dict[str, list[Any]] = {name: [] for name in names.split()}
    for tree in range(trees):
        for node in range(count):
            leaf = node >= inner
            row = (
                tree, node, int(rng.integers(features)), "LEAF" if leaf else modes[int(rng.integers(len(modes)))],
                float(np.float32(rng.integers(-2, 3) / 2)), 0 if leaf else 2 * node + 1, 0 if leaf else 2 * node + 2,
                int(rng.integers(2)),
            )  # fmt: skip
            for values, value in zip(lists.values(), row, strict=True):
                values.append(value)
    leaves = [(tree, node) for tree in range(trees) for node in range(inner, count)]
    return {f"nodes_{name}": values for name, values in lists.items()}, leaves


def weights(prefix: str, leaves: list[tuple[int, int]], ids: list[int], low: float = 0) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    every = [(tree, node, each) for tree, node in leaves for each in ids]
    numbers = list(map(float, rng.uniform(low, 0.2, len(every)).astype(np.float32)))
    trees, nodes, targets = zip(*every, strict=True)
    return {
        f"{prefix}_treeids": trees, f"{prefix}_nodeids": nodes, f"{prefix}_ids": targets, f"{prefix}_weights": numbers,
    }  # fmt: skip


def points() -> Array:
    x = np.random.default_rng(0).integers(-3, 4, (9, 4)).astype(np.float32) / 2
    x[0, 1] = x[4, 0] = np.nan
    return x


@pytest.mark.parametrize("modes", [MODES[:1], MODES])
@pytest.mark.parametrize("trees", [1, 3, 40])
@pytest.mark.parametrize("targets", [1, 3])
def test_tree_ensemble_regressor(modes: list[str], trees: int, targets: int) -> None:
    nodes, leaves = forest(trees, 3, 4, modes)
    for aggregate in ("SUM", "AVERAGE", "MIN", "MAX"):
        for transform in TRANSFORMS if targets > 1 else TRANSFORMS[:1]:
            options: dict[str, Any] = {
                "n_targets": targets,
                "aggregate_function": aggregate,
                "post_transform": transform,
            }
            options |= weights("target", leaves, list(range(targets)))
            options["base_values"] = [0.1] * targets
            agrees(ML, "TreeEnsembleRegressor", [points()], version=3, **nodes, **options, **close(transform))


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("trees", [1, 3, 40])
def test_tree_ensemble_classifier(trees: int, transform: str) -> None:
    nodes, leaves = forest(trees, 3, 4, MODES)
    options = {"classlabels_strings": ["a", "b", "c"], "post_transform": transform, "base_values": [0.1, 0.0, 0.05]}
    options |= weights("class", leaves, [0, 1, 2])
    agrees(ML, "TreeEnsembleClassifier", [points()], 2, version=3, **nodes, **options, **close(transform))
    if transform == "PROBIT":
        return
    for low in (0, -0.2):  # probabilities, or scores around 0
        single = {"classlabels_int64s": [5, 6], "post_transform": transform, **weights("class", leaves, [0], low)}
        agrees(ML, "TreeEnsembleClassifier", [points()], 2, version=3, **nodes, **single)


def test_the_better_of_two_classes() -> None:
    # The top class; ONNX Runtime takes the second whenever its score is positive.
    nodes = {
        "nodes_treeids": [0, 0, 0], "nodes_nodeids": [0, 1, 2], "nodes_featureids": [0, 0, 0],
        "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"], "nodes_values": [0.0, 0.0, 0.0],
        "nodes_truenodeids": [1, 0, 0], "nodes_falsenodeids": [2, 0, 0],
    }  # fmt: skip
    votes = {
        "class_treeids": [0] * 4, "class_nodeids": [1, 1, 2, 2], "class_ids": [0, 1, 0, 1],
        "class_weights": [0.75, 0.25, 0.25, 0.75], "classlabels_int64s": [0, 1],
    }  # fmt: skip
    x = singles([[-1], [1]])
    label, scores = run(ML, "TreeEnsembleClassifier", [x], 2, version=3, **nodes, **votes)
    assert (label.tolist(), scores.tolist()) == ([0, 1], [[0.75, 0.25], [0.25, 0.75]])
    assert onnxruntime_gives(ML, "TreeEnsembleClassifier", [x], 2, version=3, **nodes, **votes)[0].tolist() == [1, 1]


def test_doubles() -> None:
    nodes, leaves = forest(3, 3, 4, MODES)
    thresholds = np.array(nodes.pop("nodes_values"))
    options = weights("target", leaves, [0])
    doubles = np.array(options.pop("target_weights"), dtype=np.float64)
    options["nodes_values_as_tensor"] = numpy_helper.from_array(thresholds)
    options["target_weights_as_tensor"] = numpy_helper.from_array(doubles)
    agrees(ML, "TreeEnsembleRegressor", [points().astype(np.float64)], version=3, n_targets=1, **nodes, **options)


def test_trees_that_are_broken() -> None:
    nodes, leaves = forest(1, 2, 4, MODES)
    options = weights("target", leaves, [0])
    with pytest.raises(KernelError, match=r"ask for feature \d of 1"):
        run(ML, "TreeEnsembleRegressor", [points()[:, :1]], version=3, n_targets=1, **nodes, **options)
    options["target_nodeids"] = [99] * 4
    with pytest.raises(KernelError, match="names a node that is not there"):
        run(ML, "TreeEnsembleRegressor", [points()], version=3, n_targets=1, **nodes, **options)


@pytest.mark.parametrize("mode", range(7))
@pytest.mark.parametrize("aggregate", range(4))
def test_tree_ensemble(mode: int, aggregate: int) -> None:
    options: dict[str, Any] = {
        "tree_roots": [0, 2], "nodes_featureids": [0, 1, 2], "nodes_splits": singles([0.5, 1, 0]),
        "nodes_modes": np.array([0, mode, mode], np.uint8), "nodes_truenodeids": [1, 0, 2],
        "nodes_trueleafs": [0, 1, 1], "nodes_falsenodeids": [1, 1, 0], "nodes_falseleafs": [1, 1, 1],
        "leaf_targetids": [0, 1, 1], "leaf_weights": singles([0.2, 0.3, 0.4]),
        "nodes_missing_value_tracks_true": [1, 0, 1], "n_targets": 2, "aggregate_function": aggregate,
    }  # fmt: skip
    if mode == 6:
        options["membership_values"] = singles([1, -1, np.nan, 0, -1, np.nan])
    stored = {k: numpy_helper.from_array(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
    x = np.trunc(points()) if mode == 6 else points()  # ONNX Runtime looks for whole numbers only
    agrees(ML, "TreeEnsemble", [x], version=5, **stored)
    narrow = run(ML, "TreeEnsemble", [points().astype(np.float16)], version=5, **stored)
    assert (narrow.dtype, narrow.shape) == (np.float16, (9, 2))
