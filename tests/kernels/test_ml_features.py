from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import numpy_helper

from shapeinfer.kernels import KernelError
from tests.kernels.domains import agrees, run

ML = "ai.onnx.ml"
Array = NDArray[Any]


def singles(values: Any) -> Array:
    return np.array(values, dtype=np.float32)


NAN = float("nan")


def floats(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng((seed, *shape)).standard_normal(shape).astype(np.float32)


def text(*values: str) -> Array:
    return np.array(values, dtype=object)


ROWS = [floats(3, 4), floats(4), floats(3, 4).astype(np.float64), np.arange(8).reshape(2, 4)]


def test_array_feature_extractor() -> None:
    agrees(ML, "ArrayFeatureExtractor", [floats(3, 4), np.array([0, 2])])
    agrees(ML, "ArrayFeatureExtractor", [floats(4), np.array([0, 2])])
    agrees(ML, "ArrayFeatureExtractor", [floats(2, 3, 4), np.array([[3], [3]])])
    agrees(ML, "ArrayFeatureExtractor", [text("a", "b"), np.array([1])])
    with pytest.raises(KernelError, match="out of range for 4 features"):
        run(ML, "ArrayFeatureExtractor", [floats(3, 4), np.array([4])])


def test_binarizer() -> None:
    agrees(ML, "Binarizer", [floats(3, 4)], threshold=0.3)
    assert run(ML, "Binarizer", [np.array([0, 1, -1])]).tolist() == [0, 1, 0]


@pytest.mark.parametrize("x", ROWS)
def test_scaler(x: Array) -> None:
    agrees(ML, "Scaler", [x], offset=[1.0, 2.0, 3.0, 4.0], scale=[0.5, 1.0, 2.0, 3.0])
    agrees(ML, "Scaler", [x], offset=[1.0], scale=[0.5])
    with pytest.raises(KernelError, match="2 entries for 4 features"):
        run(ML, "Scaler", [x], offset=[1.0, 2.0], scale=[1.0])


@pytest.mark.parametrize("norm", ["MAX", "L1", "L2"])
@pytest.mark.parametrize("x", [*ROWS, np.zeros((2, 3), np.float32), -np.ones((2, 3), np.float32)])
def test_normalizer(x: Array, norm: str) -> None:
    # The specification's formulas, sum(X) and sqrt(X^2 / sum(X^2)), would lose signs; the runtimes keep them.
    agrees(ML, "Normalizer", [x], norm=norm)


def test_imputer() -> None:
    x = singles([[1, NAN], [0, 2]])
    agrees(ML, "Imputer", [x], replaced_value_float=NAN, imputed_value_floats=[7.0, 8.0])
    agrees(ML, "Imputer", [np.array([1, 2, 3])], replaced_value_int64=2, imputed_value_int64s=[9])
    with pytest.raises(KernelError, match="is stated for an input of float32"):
        run(ML, "Imputer", [x], imputed_value_int64s=[9])


def test_feature_vectorizer() -> None:
    agrees(ML, "FeatureVectorizer", [floats(2, 3), floats(2, 1)], inputdimensions=[3, 1])
    agrees(ML, "FeatureVectorizer", [floats(2, 3), floats(2, 1)], inputdimensions=[2, 2])
    agrees(ML, "FeatureVectorizer", [floats(3), floats(1)], inputdimensions=[3, 1])
    assert run(ML, "FeatureVectorizer", [floats(2, 3), floats(2, 1)]).shape == (2, 4)


def test_strings_for_integers_and_back() -> None:
    for op, lists in (
        ("LabelEncoder", {"classes_strings": ["b", "a"]}),
        ("CategoryMapper", {"cats_strings": ["b", "a"], "cats_int64s": [7, 8]}),
    ):
        agrees(ML, op, [text("a", "b", "z")], **lists)
        agrees(ML, op, [np.array([0, 1, 7, 8, -1])], **lists)


@pytest.mark.parametrize("version", [2, 4])
def test_label_encoder(version: int) -> None:
    agrees(ML, "LabelEncoder", [np.array([1, 2, 3])], version=version, keys_int64s=[2, 1], values_strings=["b", "a"])
    agrees(ML, "LabelEncoder", [text("a", "c")], version=version, keys_strings=["a", "b"], values_floats=[0.5, 1.0])
    numbers = {"keys_floats": [0.5, 2.0], "values_int64s": [4, 5], "default_int64": 9}
    agrees(ML, "LabelEncoder", [singles([[0.5], [1.0]])], version=version, **numbers)
    with pytest.raises(KernelError, match="keys_int64s has 2 entries"):
        run(ML, "LabelEncoder", [np.array([1])], version=version, keys_int64s=[1, 2], values_int64s=[1])


def test_label_encoder_nan_and_zero() -> None:
    x, lists = singles([NAN, 0.0, -0.0]), {"keys_floats": [NAN, 0.0], "values_int64s": [1, 2]}
    # Version 2 compares bits, by the specification; ONNX Runtime finds neither NaN nor tells -0 from 0.
    assert run(ML, "LabelEncoder", [x], version=2, **lists).tolist() == [1, 2, -1]
    agrees(ML, "LabelEncoder", [x], version=4, **lists)
    # "If a key is repeated, the last key takes precedence"; ONNX Runtime takes the first.
    twice = {"keys_int64s": [1, 1], "values_int64s": [5, 6]}
    assert run(ML, "LabelEncoder", [np.array([1])], version=4, **twice).tolist() == [6]


def test_label_encoder_of_tensors() -> None:
    lists = {
        "keys_tensor": numpy_helper.from_array(np.array([1.0, 2.0])),
        "values_tensor": numpy_helper.from_array(np.array([3, 4], np.int16)),
    }
    x = np.array([1.0, 5.0])
    assert run(ML, "LabelEncoder", [x], version=4, **lists).tolist() == [3, -1]
    default = numpy_helper.from_array(np.array([7], np.int16))
    assert run(ML, "LabelEncoder", [x], version=4, default_tensor=default, **lists).tolist() == [3, 7]


def test_one_hot_encoder() -> None:
    for x in (np.array([[1, 2, 5]]), singles([1, 0]), np.array(2)):
        agrees(ML, "OneHotEncoder", [x], cats_int64s=[2, 1, 0])
    agrees(ML, "OneHotEncoder", [text("a", "b")], cats_strings=["b", "c"])
    with pytest.raises(KernelError, match="none of the 2 categories"):
        run(ML, "OneHotEncoder", [text("a")], cats_strings=["b", "c"], zeros=0)


def test_zip_map() -> None:
    agrees(ML, "ZipMap", [floats(2, 3)], classlabels_strings=["a", "b", "c"])
    agrees(ML, "ZipMap", [floats(3)], classlabels_int64s=[4, 5, 6])
    with pytest.raises(KernelError, match="2 columns for the 3 labels"):
        run(ML, "ZipMap", [floats(2, 2)], classlabels_int64s=[4, 5, 6])


def test_cast_map() -> None:
    numbers = {3: 1.5, 0: 2.0}
    assert run(ML, "CastMap", [numbers]).tolist() == [[2.0, 1.5]]
    assert run(ML, "CastMap", [numbers], cast_to="TO_INT64", map_form="SPARSE", max_map=5).tolist() == [[2, 0, 0, 1, 0]]
    assert run(ML, "CastMap", [{1: "2.5"}]).tolist() == [[2.5]]
    assert run(ML, "CastMap", [{1: "2.5"}], cast_to="TO_STRING").tolist() == [["2.5"]]
    with pytest.raises(KernelError, match="do not lie in 0 to 2"):
        run(ML, "CastMap", [numbers], map_form="SPARSE", max_map=3)
    with pytest.raises(KernelError, match="must be a map"):
        run(ML, "CastMap", [floats(3)])


def test_dict_vectorizer() -> None:
    # 1-D by the specification; ONNX Runtime gives one row of a matrix.
    got = run(ML, "DictVectorizer", [{"a": 4, "c": 8}], string_vocabulary=["a", "c", "b", "z"])
    assert (got.dtype, got.tolist()) == (np.int64, [4, 8, 0, 0])
    assert run(ML, "DictVectorizer", [{2: 0.5}], int64_vocabulary=[1, 2]).dtype == np.float32
    assert run(ML, "DictVectorizer", [{2: "x"}], int64_vocabulary=[1, 2]).tolist() == ["", "x"]
    with pytest.raises(KernelError, match="'q' is not in the vocabulary"):
        run(ML, "DictVectorizer", [{"q": 1}], string_vocabulary=["a"])


def test_exactly_one_list() -> None:
    with pytest.raises(KernelError, match="exactly one of cats_int64s, cats_strings"):
        run(ML, "OneHotEncoder", [np.array([1])])
