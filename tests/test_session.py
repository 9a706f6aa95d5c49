from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import shapeinfer
from shapeinfer import KernelError, ModelError, Session
from shapeinfer.diagnostics import defined_codes
from shapeinfer.kernels import errors
from shapeinfer.session import finding
from tests.support import model

TEXT = "g (float[N, 3] x) => (y, s) <float[3] w = {1.0, 2.0, 3.0}> { y = Add (x, w) s = Shape (y) }"
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_run_gives_the_outputs_in_order() -> None:
    y, s = shapeinfer.run(model(TEXT), {"x": X})
    assert np.array_equal(y, X + np.array([1, 2, 3]))
    assert s.tolist() == [2, 3]
    assert (y.dtype.name, s.dtype.name) == ("float32", "int64")


def test_a_session_runs_often_with_other_sizes() -> None:
    session = Session(model(TEXT))
    assert session.input_names == ("x",)
    assert session.output_names == ("y", "s")
    for n in (0, 1, 5):
        assert session.run({"x": np.zeros((n, 3), np.float32)})[1].tolist() == [n, 3]


def test_some_outputs_or_any_value() -> None:
    text = "g (float[N] x) => (y) { inner = Neg (x) y = Abs (inner) }"
    assert shapeinfer.run(model(text), {"x": X[0]}, ["inner"])[0].tolist() == [0, -1, -2]
    assert len(shapeinfer.run(model(TEXT), {"x": X}, ["s"])) == 1


def test_message_bytes_and_path(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(model(TEXT), path)
    for source in (model(TEXT), path.read_bytes(), path, str(path)):
        assert shapeinfer.run(source, {"x": X})[1].tolist() == [2, 3]


def test_plain_python_numbers() -> None:
    text = "g (double x) => (y) { y = Neg (x) }"
    (y,) = shapeinfer.run(model(text), {"x": 3.0})
    assert y == -3.0


def test_the_inputs_and_the_model_are_not_changed() -> None:
    proto, x = model("g (float[N] x) => (x, y) { y = Neg (x) }"), X[0].copy()
    before = proto.SerializeToString()
    same, _ = shapeinfer.run(proto, {"x": x})
    same += 1
    assert x.tolist() == [0, 1, 2]
    assert proto.SerializeToString() == before


def test_types_that_numpy_lacks() -> None:
    (y,) = shapeinfer.run(model("g (bfloat16[N] x) => (y) { y = Neg (x) }"), {"x": np.ones(2, ml_dtypes.bfloat16)})
    assert y.dtype == ml_dtypes.bfloat16
    assert y.astype(float).tolist() == [-1, -1]


def test_weights_in_a_file_of_their_own(tmp_path: Path) -> None:
    w = np.arange(3, dtype=np.float32)
    proto = model("g (float[N, 3] x) => (y) <float[3] w = {0.0, 0.0, 0.0}> { y = Add (x, w) }")
    tensor = proto.graph.initializer[0]
    tensor.ClearField("float_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="w.bin")
    path = tmp_path / "m.onnx"
    path.write_bytes(proto.SerializeToString())
    with pytest.raises(KernelError, match=r"w\.bin"):
        shapeinfer.run(path, {"x": X})
    (tmp_path / "w.bin").write_bytes(w.tobytes())
    assert np.array_equal(shapeinfer.run(path, {"x": X})[0], X + w)


@pytest.mark.parametrize(
    ("feeds", "words"),
    [
        ({}, "'x' is missing"),
        ({"x": X, "z": X}, "no input 'z'"),
        ({"x": X.astype(np.float64)}, "not of type float"),
        ({"x": X[0]}, "not of rank 2"),
        ({"x": X[:, :2]}, "axis 1 is declared as 3"),
    ],
)
def test_inputs_that_do_not_fit(feeds: dict[str, np.ndarray], words: str) -> None:
    with pytest.raises(KernelError, match=words):
        shapeinfer.run(model(TEXT), feeds)


def test_one_dim_name_is_one_size() -> None:
    text = "g (float[N] a, float[N] b) => (y) { y = Add (a, b) }"
    with pytest.raises(KernelError, match="N at axis 0 is 3"):
        shapeinfer.run(model(text), {"a": X[0], "b": X[0, :1]})


def test_a_node_that_cannot_run_is_named_with_the_actual_shapes() -> None:
    text = "g (float[N] a, float[M] b) => (y) { [sum] y = Add (a, b) }"
    with pytest.raises(KernelError, match=r"Add-14 'sum': .*float\[3\], float\[2\]"):
        shapeinfer.run(model(text), {"a": X[0], "b": X[0, :2]})


def test_an_operator_that_is_not_known() -> None:
    for text in (
        "g (float[N] x) => (y) { y = Reluu (x) }",
        '<ir_version: 10, opset_import: ["" : 21, "c" : 1]> g (float[N] x) => (y) { y = c.Op (x) }',
    ):
        with pytest.raises(KernelError, match="no operator"):
            Session(model(text))


def test_graphs_that_are_not_well_formed() -> None:
    for text in (
        "g (float[N] x) => (y) { y = Add (x, z) z = Relu (y) }",
        "g (float[N] x) => (y) { y = Add (x, gone) }",
        "g (float[N] x) => (y) { y = Relu (x) y = Neg (x) }",
        "g (float[N] x) => (gone) { y = Relu (x) }",
    ):
        with pytest.raises(KernelError):
            shapeinfer.run(model(text), {"x": X[0]})


def test_nodes_may_stand_in_any_order() -> None:
    (y,) = shapeinfer.run(model("g (float[N] x) => (y) { y = Neg (z) z = Neg (x) }"), {"x": X[0]})
    assert y.tolist() == [0, 1, 2]


def test_an_initializer_that_is_an_input_is_a_default() -> None:
    proto = model("g (float[N, 3] x, float[3] w) => (y) { y = Add (x, w) }")
    proto.graph.initializer.append(helper.make_tensor("w", TensorProto.FLOAT, [3], [1, 1, 1]))
    session = Session(proto)
    assert session.input_names == ("x",)
    assert np.array_equal(session.run({"x": X})[0], X + 1)
    assert np.array_equal(session.run({"x": X, "w": np.zeros(3, np.float32)})[0], X)


def test_a_branch_runs_when_its_condition_says_so() -> None:
    text = """g (bool c, float[N] x) => (y) {
        y = If (c) <then_branch = t () => (a) { a = Neg (x) }, else_branch = e () => (b) { b = Abs (x) }>
    }"""
    assert shapeinfer.run(model(text), {"c": True, "x": X[0]})[0].tolist() == [0, -1, -2]
    assert shapeinfer.run(model(text), {"c": False, "x": X[0]})[0].tolist() == [0, 1, 2]


def test_a_model_that_cannot_be_read() -> None:
    with pytest.raises(ModelError, match="M104"):
        shapeinfer.run(b"", {})


def test_a_seed_fixes_what_is_random() -> None:
    proto = model("g (float[N] x) => (y) <float r = {0.5}, bool t = {1}> { y = Dropout (x, r, t) }")
    x = np.ones(64, np.float32)
    (first,), (second,) = Session(proto, seed=3).run({"x": x}), Session(proto, seed=3).run({"x": x})
    assert np.array_equal(first, second)
    assert not np.array_equal(first, Session(proto, seed=4).run({"x": x})[0])


def test_every_value_can_be_watched() -> None:
    seen: dict[str, list[float]] = {}
    session = Session(model("g (float[N] x) => (y) { [n] inner = Neg (x) y = Abs (inner) }"))
    session.run({"x": X[0]}, watch=lambda name, value: seen.update({name: value.tolist()}))
    assert seen == {"x": [0, 1, 2], "inner": [0, -1, -2], "y": [0, 1, 2]}


def test_progress_is_told_after_each_node() -> None:
    told: list[tuple[int, int]] = []
    session = Session(model("g (float[N] x) => (y) { inner = Neg (x) y = Abs (inner) }"))
    session.run({"x": X[0]}, progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]


def test_what_never_changes_is_worked_out_once() -> None:
    text = """g (float[N] x) => (y, c) {
        one = Constant <value_float = 1.0> ()
        c = Add (one, one)
        y = Add (x, c)
    }"""
    session = Session(model(text))
    told: list[tuple[int, int]] = []
    y, c = session.run({"x": X[0]}, progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 1)]
    c += 5  # the caller's own
    assert session.run({"x": X[0]})[0].tolist() == y.tolist() == [2, 3, 4]
    assert session.run({"x": X[0]}, ["c"])[0] == 2
    assert session.run({"x": X[0]}, ["one"])[0] == 1
    seen: list[str] = []
    session.run({"x": X[0]}, watch=lambda name, _: seen.append(name))
    assert seen == ["x", "one", "c", "y"]


def test_the_seed_repeats_what_is_random() -> None:
    text = """g (float[N] x) => (y) {
        r = Constant <value_float = 0.5> ()
        t = Constant <value = bool {1}> ()
        y = Dropout (x, r, t)
    }"""
    x = np.ones(64, np.float32)
    session = Session(model(text), seed=1)
    assert session.run({"x": x})[0].tolist() == session.run({"x": x})[0].tolist()


def test_sequences_and_optionals_go_in_and_out() -> None:
    text = "g (seq(float[N]) s, optional(float[N]) o) => (s2, o2) { s2 = Identity (s) o2 = Identity (o) }"
    s, o = shapeinfer.run(model(text), {"s": [X[0], X[1, :1]], "o": None})
    assert [each.tolist() for each in s] == [[0, 1, 2], [3]]
    assert o is None
    assert shapeinfer.run(model(text), {"s": [], "o": X[0]})[1].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("text", "feeds", "code"),
    [
        (TEXT, {}, "R701"),
        (TEXT, {"x": X, "z": X}, "R703"),
        (TEXT, {"x": X.astype(np.float64)}, "R704"),
        (TEXT, {"x": X[0]}, "R705"),
        ("g (seq(float[N]) s) => (y) { y = Identity (s) }", {"s": X}, "R704"),
        ("g (seq(float[N]) s) => (y) { y = Identity (s) }", {"s": [X]}, "R705"),
        ("g (float[N] x) => (y) { y = Reluu (x) }", {"x": X[0]}, "R706"),
        ("g (float[N] x) => (y) { y = Relu (z) }", {"x": X[0]}, "R707"),
        ("g (float[N, M] x) => (y) { c = Cast <to = 11> (x) y = Add (x, c) }", {"x": X}, "R709"),
        ("g (float[N, M] x) => (y) { y = MatMul (x, x) }", {"x": X}, "R710"),
        ("g (float[N, M] x, int64[K] i) => (y) { y = Gather (x, i) }", {"x": X, "i": np.array([7])}, "R711"),
        ("g (float[N, M] x) => (y) { y = Softmax <axis = 3> (x) }", {"x": X}, "R711"),
        ("g (float[N, M] x) => (y) { y = Relu <alpha = 1> (x) }", {"x": X}, "R713"),
        ("g (float[N, M] x) => (y) <int64[1] a = {0}> { y = Squeeze (x, a) }", {"x": X}, "R702"),
    ],
)
def test_every_failure_has_a_code(text: str, feeds: dict[str, Any], code: str) -> None:
    with pytest.raises(KernelError) as caught:
        shapeinfer.run(model(text), feeds)
    assert caught.value.code == code
    assert finding(caught.value).code.id == code
    assert finding(caught.value).message == str(caught.value)


def test_a_value_that_there_is_not() -> None:
    with pytest.raises(KernelError, match="there is no value 'gone'") as caught:
        shapeinfer.run(model(TEXT), {"x": X}, ["gone"])
    assert caught.value.code == "R712"


def test_every_code_of_the_kernels_is_in_the_catalogue() -> None:
    codes = {value for name, value in vars(errors).items() if name.isupper()}
    assert codes <= defined_codes().keys()
    assert all(defined_codes()[code].message == "{reason}" for code in codes)
