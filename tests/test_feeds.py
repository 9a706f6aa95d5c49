from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from shapeinfer import Session, dims, feeds
from shapeinfer.catalogue import SIZES_DIFFER
from shapeinfer.diagnostics import Where
from shapeinfer.engine import analyse
from shapeinfer.feeds import FeedError, choose_sizes, holds, random_feeds, read_array
from shapeinfer.options import Options
from shapeinfer.requirements import Requirement
from tests.support import Array, model


def fed(text: str, given: dict[str, Array] | None = None, seed: int = 0, **facts: str) -> dict[str, Array]:
    return random_feeds(analyse(model(text), Options(dims=facts)), seed, given)


def sizes(text: str, **facts: str) -> dict[str, int]:
    return choose_sizes(analyse(model(text), Options(dims=facts)), {})


def test_every_input_gets_a_value_of_its_type_and_shape() -> None:
    made = fed("g (float[N, 3] x, int64[N] i, bool b, bfloat16[2] h, string[1] s) => (y) { y = Relu (x) }")
    n = len(made["i"])
    assert made["x"].shape == (n, 3)
    assert made["x"].dtype == np.float32
    assert set(made["i"].tolist()) <= {0, 1}
    assert (made["b"].shape, made["b"].dtype.name) == ((), "bool")
    assert made["h"].dtype.name == "bfloat16"
    assert made["s"].dtype == object


def test_the_seed_fixes_the_values() -> None:
    text = "g (float[N, 3] x) => (y) { y = Relu (x) }"
    assert np.array_equal(fed(text)["x"], fed(text)["x"])
    assert not np.array_equal(fed(text)["x"], fed(text, seed=1)["x"])


def test_what_is_given_stays_and_fixes_sizes() -> None:
    text = "g (float[N, 3] x, float[N] z) => (y) { y = Relu (x) }"
    x = np.zeros((7, 3), np.float32)
    made = fed(text, {"x": x})
    assert made["x"] is x
    assert made["z"].shape == (7,)


def test_sizes_follow_facts() -> None:
    text = "g (float[N, M] x) => (y) { y = Relu (x) }"
    assert fed(text, N="5", M="7*k")["x"].shape[0] == 5
    assert fed(text, M="7*k")["x"].shape[1] % 7 == 0
    assert 20 <= sizes(text, N="20..40")["N"] <= 40


def test_sizes_meet_requirements() -> None:
    squeeze = "g (float[N, M] x) => (y) <int64[1] a = {0}> { y = Squeeze (x, a) }"
    assert sizes(squeeze)["N"] == 1
    matmul = "g (float[A, B] x, float[C, 12] w) => (y) { y = MatMul (x, w) }"
    found = sizes(matmul)
    assert found["B"] == found["C"]


def test_a_model_made_up_runs() -> None:
    text = "g (float[N, M] x, float[K] z) => (y) <int64[1] a = {0}> { s = Squeeze (x, a) y = Add (s, z) }"
    (y,) = Session(model(text)).run(fed(text))
    assert y.ndim == 1


def test_requirements_that_no_size_tried_meets() -> None:
    text = "g (float[A, B] x) => (y) <int64[2] s = {1009, 1013}> { y = Reshape (x, s) }"
    with pytest.raises(FeedError, match=r"A\*B == 1022117"):
        fed(text)
    assert fed(text, A="1013", B="1009")["x"].shape == (1013, 1009)


def test_a_size_that_a_requirement_fixes() -> None:
    assert fed("g (float[N] x, float[1009] w) => (y) { y = MatMul (x, w) }")["x"].shape == (1009,)


def test_an_input_that_cannot_be_made_up() -> None:
    proto = model("g (float[N] x) => (y) { y = Relu (x) }")
    proto.graph.input[0].type.tensor_type.ClearField("shape")
    with pytest.raises(FeedError, match="input 'x' is no tensor of known rank"):
        random_feeds(analyse(proto), 0)
    with pytest.raises(FeedError, match="too large"):
        fed("g (float[N] x) => (y) { y = Relu (x) }", N="999999999999")


def test_an_initializer_that_is_an_input_keeps_its_default() -> None:
    proto = model("g (float[N] x, float[1] w) => (y) { y = Add (x, w) }")
    proto.graph.initializer.append(numpy_helper.from_array(np.ones(1, np.float32), "w"))
    assert list(random_feeds(analyse(proto), 0)) == ["x"]


@pytest.mark.parametrize(
    ("relation", "left", "right", "expected"),
    [
        ("==", "N", "3", True),
        ("==", "N", "4", False),
        ("==", "K", "3", None),
        (">=", "N", "3", True),
        (">=", "N", "4", False),
        ("divisible", "2*N", "3", True),
        ("divisible", "N", "2", False),
        ("divisible", "N", "0", False),
        ("broadcast", "N", "3", True),
        ("broadcast", "N", "1", True),
        ("broadcast", "N", "2", False),
        ("==", "N//(N - 3)", "3", False),
    ],
)
def test_whether_a_requirement_holds(relation: str, left: str, right: str, expected: bool | None) -> None:
    requirement = Requirement(relation, dims.parse(left), dims.parse(right), Where(), SIZES_DIFFER, {})
    assert holds(requirement, {"N": 3}) is expected


def test_arrays_from_files(tmp_path: Path) -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.save(tmp_path / "a.npy", array)
    onnx.save_tensor(numpy_helper.from_array(array), tmp_path / "a.pb")
    assert np.array_equal(read_array(tmp_path / "a.npy"), array)
    assert np.array_equal(read_array(tmp_path / "a.pb"), array)


@pytest.mark.parametrize("name", ["a.npy", "a.pb"])
@pytest.mark.parametrize("data", [b"", b"\xff" * 64, b"\x93NUMPY\x01\x00", b"hello\n" * 10], ids=repr)
def test_files_that_hold_no_array(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FeedError, match=re.escape(str(tmp_path / name))):
        read_array(tmp_path / name)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent.npy", Path("a\0b")):
        with pytest.raises(FeedError):
            read_array(path)


def test_pickled_objects_are_not_loaded(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(FeedError):
        feeds.read_array(tmp_path / "a.npy")
