from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto as T

from tests.support import Array, assert_rule_agrees, errors, node_model, onnxruntime, type_of

ML = "ai.onnx.ml"
ROWS = (T.FLOAT, ["N", "F"])
LINEAR = {"coefficients": [1.0] * 9, "intercepts": [1.0] * 3}
KERNEL: dict[str, Any] = {"kernel_type": "RBF", "kernel_params": [0.1, 0.0, 0.0]}
SVM: dict[str, Any] = {
    **KERNEL,
    "coefficients": [1.0] * 6,
    "support_vectors": [1.0] * 9,
    "vectors_per_class": [1, 1, 1],
    "rho": [0.0] * 3,
}
TREE: dict[str, Any] = {
    "nodes_treeids": [0, 0, 0],
    "nodes_nodeids": [0, 1, 2],
    "nodes_featureids": [0, 0, 0],
    "nodes_values": [0.5, 0.0, 0.0],
    "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
    "nodes_truenodeids": [1, 0, 0],
    "nodes_falsenodeids": [2, 0, 0],
}
TARGETS = {"target_treeids": [0, 0], "target_nodeids": [1, 2], "target_ids": [0, 1], "target_weights": [1.0, 2.0]}
CLASSES = {"class_treeids": [0, 0], "class_nodeids": [1, 2], "class_ids": [0, 2], "class_weights": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("op", "outputs", "attributes"),
    [
        ("Binarizer", 1, {"threshold": 0.5}),
        ("Scaler", 1, {"scale": [1.0], "offset": [0.0]}),
        ("Scaler", 1, {"scale": [1.0] * 3, "offset": [0.0] * 3}),
        ("Imputer", 1, {"imputed_value_floats": [1.0]}),
        ("Normalizer", 1, {"norm": "L2"}),
        ("OneHotEncoder", 1, {"cats_int64s": [0, 1, 2, 3]}),
        ("FeatureVectorizer", 1, {"inputdimensions": [3]}),
        ("LinearRegressor", 1, {"coefficients": [1.0] * 6, "targets": 2}),
        ("LinearClassifier", 2, {**LINEAR, "classlabels_ints": [1, 2, 3]}),
        ("LinearClassifier", 2, {**LINEAR, "classlabels_strings": ["a", "b", "c"]}),
        (
            "SVMRegressor",
            1,
            {**KERNEL, "coefficients": [1.0, 1.0], "support_vectors": [1.0] * 6, "n_supports": 2, "rho": [0.0]},
        ),
        ("SVMClassifier", 2, {**SVM, "classlabels_ints": [0, 1, 2]}),
        ("SVMClassifier", 2, {**SVM, "classlabels_ints": [0, 1, 2], "prob_a": [1.0] * 3, "prob_b": [1.0] * 3}),
        ("TreeEnsembleRegressor", 1, {**TREE, **TARGETS, "n_targets": 2}),
        ("TreeEnsembleClassifier", 2, {**TREE, **CLASSES, "classlabels_int64s": [0, 1, 2]}),
        ("TreeEnsembleClassifier", 2, {**TREE, **CLASSES, "classlabels_strings": ["a", "b", "c"]}),
    ],
)
def test_claims_hold_in_onnxruntime(op: str, outputs: int, attributes: dict[str, Any]) -> None:
    for rows in (1, 4):
        proto = node_model(op, [ROWS], 18, outputs, ML, **attributes)
        assert_rule_agrees(proto, {"x0": np.ones((rows, 3), np.float32)}, onnxruntime)


@pytest.mark.parametrize("indices", [np.array([0, 2, 1, 0]), np.array([[1]]), np.array(2)])
@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 1, 3)])
def test_array_feature_extractor(shape: tuple[int, ...], indices: Array) -> None:
    proto = node_model("ArrayFeatureExtractor", [(T.FLOAT, list("ABC"[: len(shape)])), indices], 18, 1, ML)
    assert_rule_agrees(proto, {"x0": np.ones(shape, np.float32)})


def kinds(op: str, given: str, attributes: str = "", outputs: str = "y", version: int = 1) -> list[str]:
    header = f'<ir_version: 10, opset_import: ["" : 21, "ai.onnx.ml" : {version}]>\n'
    stated = f"<{attributes}> " if attributes else ""
    text = f"{header}g ({given} x) => ({outputs}) {{ {outputs} = ai.onnx.ml.{op} {stated}(x) }}"
    return [type_of(text, value.strip()) for value in outputs.split(",")]


def test_encoders() -> None:
    assert kinds("LabelEncoder", "string[N]", 'classes_strings = ["a"]') == ["int64[N]"]
    assert kinds("LabelEncoder", "int64[N]", 'classes_strings = ["a"]') == ["string[N]"]
    assert kinds("LabelEncoder", "string[N]", 'keys_strings = ["a"], values_floats = [1.0]', version=2) == ["float[N]"]
    assert kinds("CategoryMapper", "int64[N]", 'cats_strings = ["a"], cats_int64s = [1]') == ["string[N]"]


def test_maps() -> None:
    assert kinds("CastMap", "map(int64, float)") == ["float[1, u0]"]
    assert kinds("CastMap", "map(int64, float)", 'map_form = "SPARSE", max_map = 5, cast_to = "TO_INT64"') == [
        "int64[1, 5]"
    ]
    assert kinds("ZipMap", "float[N, 2]", 'classlabels_strings = ["a", "b"]') == ["seq(map(string, float))"]
    # One row of a matrix in ONNX Runtime, 1-D by the specification and in onnx.reference: nothing is said of the rank.
    assert kinds("DictVectorizer", "map(string, float)", 'string_vocabulary = ["a", "b"]') == ["float[...]"]


@pytest.mark.parametrize(
    ("op", "attributes", "expected"),
    [
        ("Scaler", {"scale": [1.0, 2.0]}, "sizes-differ"),
        ("Normalizer", {"norm": "L3"}, "attribute-value"),
        ("Imputer", {}, "attribute-missing"),
        ("OneHotEncoder", {"cats_int64s": [1], "cats_strings": ["a"]}, "attribute-value"),
        ("OneHotEncoder", {"cats_strings": ["a"]}, "type-not-allowed"),
        ("FeatureVectorizer", {"inputdimensions": [1, 2]}, "length"),
        ("LinearRegressor", {"targets": 0}, "attribute-value"),
        ("LinearRegressor", {"targets": 2, "intercepts": [1.0]}, "length"),
        ("LinearClassifier", {"coefficients": [1.0]}, "attribute-missing"),
        (
            "LinearClassifier",
            {"coefficients": [1.0], "classlabels_ints": [1], "post_transform": "MAX"},
            "attribute-value",
        ),
        ("SVMRegressor", {"kernel_params": [1.0]}, "length"),
        ("SVMClassifier", {"classlabels_ints": [1], "prob_a": [1.0]}, "length"),
        ("TreeEnsembleRegressor", {"nodes_featureids": [0], "nodes_nodeids": [0, 1]}, "length"),
        ("ZipMap", {"classlabels_int64s": [1, 2]}, "sizes-differ"),
    ],
)
def test_faults(op: str, attributes: dict[str, Any], expected: str) -> None:
    outputs = 2 if op.endswith("Classifier") else 1
    assert errors(node_model(op, [(T.FLOAT, ["N", 3])], 18, outputs, ML, **attributes)) == [expected]


def test_tree_ensembles_take_matrices() -> None:
    proto = node_model("TreeEnsembleRegressor", [(T.FLOAT, ["F"])], 18, 1, ML, n_targets=1)
    assert errors(proto) == ["rank"]
