from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, numpy_helper

import shapeinfer
from shapeinfer import OptionError, VerifyReport, dims, loader, registry
from shapeinfer.feeds import FeedError, read_array
from shapeinfer.kernels import registry as kernel_registry
from shapeinfer.rule import Context, TensorType
from shapeinfer.runtimes import difference
from tests.support import model

PLAIN = "g (float[N, M] x) => (y) { r = Relu (x) nz = NonZero (r) t = Transpose (nz) y = Add (r, x) }"
RELU = ("", "Relu", 14)


def verified(text: str, **options: Any) -> VerifyReport:
    return shapeinfer.verify(model(text), **options)


@pytest.fixture
def wrong_relu(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that says that Relu adds one to the first dim."""

    def rule(ctx: Context) -> TensorType:
        first, *rest = ctx.shape("X")
        return TensorType(ctx.elem(0), (dims.add(first, 1), *rest))

    loader.load_own_rules()
    monkeypatch.setitem(registry._rules, RELU, rule)


def test_a_model_whose_runs_bear_out_what_is_inferred() -> None:
    report = verified(PLAIN)
    assert report.ok
    assert [run.outcome for run in report.runs] == ["done"] * 3
    assert len({tuple(run.sizes.items()) for run in report.runs}) == 3
    assert all(run.compared == 5 and not run.undecided for run in report.runs)


def test_sizes_that_are_asked_for() -> None:
    report = verified(PLAIN, sizes={"N": [1, 2, 7], "M": [4]})
    assert [run.sizes for run in report.runs] == [{"N": n, "M": 4} for n in (1, 2, 7)]


def test_sizes_that_a_requirement_forbids_are_skipped() -> None:
    report = verified("g (float[N, M] x) => (y) <int64[1] a = {0}> { y = Squeeze (x, a) }", sizes={"N": [1, 2]})
    assert [run.outcome for run in report.runs] == ["done", "skipped"]
    assert "N == 1" in report.runs[1].reason
    assert report.ok


@pytest.mark.parametrize("sizes", [{"K": [1]}, {"N": []}, {"N": [-1]}, {"N": range(11), "M": range(11)}])
def test_sizes_that_cannot_be(sizes: Any) -> None:
    with pytest.raises(OptionError):
        verified(PLAIN, sizes=sizes)


def test_facts_and_inputs() -> None:
    x = np.zeros((5, 4), np.float32)
    (run,) = verified(PLAIN, inputs={"x": x}).runs
    assert run.sizes == {"N": 5, "M": 4}
    assert all(run.sizes["N"] == 6 for run in verified(PLAIN, input_shapes={"x": "[N, 3]"}, sizes={"N": [6]}).runs)
    assert all(run.sizes["N"] >= 20 for run in verified(PLAIN, dims={"N": "20..40"}).runs)


def test_a_run_that_fails_contradicts_nothing() -> None:
    text = "g (float[N] x, int64[1] i) => (y) { y = Gather (x, i) }"
    report = verified(text, inputs={"i": np.array([99])})
    assert [run.outcome for run in report.runs] == ["failed"] * 3
    assert {run.code for run in report.runs} == {"R711"}
    assert not report.ok
    assert not report.mismatches


def test_an_operator_without_a_kernel() -> None:
    text = '<ir_version: 10, opset_import: ["" : 21, "c" : 1]> g (float[2] x) => (y) { y = c.Op (x) }'
    (run,) = verified(text).runs
    assert (run.outcome, run.code) == ("failed", "R706")


def test_a_fresh_symbol_is_one_size_in_each_run() -> None:
    text = """g (float[N] x) => (y) {
        nz = NonZero (x)
        a = Squeeze (nz)
        b = Add (a, a)
        s = Shape (b)
        y = Concat <axis = 0> (b, b)
    }"""
    assert verified(text).ok


def test_sequences_and_optionals() -> None:
    text = """g (float[N, 3] x) => (y) {
        s = SequenceConstruct (x, x)
        o = Optional (x)
        one = Constant <value_int = 1> ()
        y = SequenceAt (s, one)
    }"""
    assert verified(text).ok


@pytest.mark.usefixtures("wrong_relu")
def test_a_wrong_rule_is_found_and_reproduced(tmp_path: Path) -> None:
    text = "g (float[N, M] x) => (y) { a = Abs (x) r = Relu (a) y = Neg (r) }"
    report = verified(text, save=tmp_path)
    assert not report.ok
    found = {wrong.value: wrong for wrong in report.mismatches}
    assert list(found) == ["r", "y"]
    wrong = found["r"]
    assert (wrong.code, wrong.kind) == ("R720", "size")
    assert wrong.message == "'r' is inferred as float[N + 1, M] but is float[2, 2] in a run with N=2, M=2"
    assert "Relu" in wrong.where
    assert wrong.model is not None
    small = onnx.load(wrong.model)
    assert [node.op_type for node in small.graph.node] == ["Relu"]
    values = {"a": read_array(Path(wrong.model).with_suffix(".a.npy"))}
    again = shapeinfer.verify(wrong.model, inputs=values)
    assert [each.value for each in again.mismatches] == ["r"]


@pytest.mark.usefixtures("wrong_relu")
def test_constants_stay_in_the_small_model(tmp_path: Path) -> None:
    text = "g (float[N] x) => (y) <float[1] w = {1.0}> { a = Add (x, w) y = Relu (a) }"
    (wrong,) = verified(text, save=tmp_path).mismatches
    assert wrong.model is not None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["y.a.npy", "y.onnx"]


def test_numbers_agree_with_onnxruntime() -> None:
    pytest.importorskip("onnxruntime")
    report = verified(PLAIN, values=True)
    assert report.ok
    assert not report.runs[0].reason


def test_on_onnxruntime() -> None:
    pytest.importorskip("onnxruntime")
    report = verified(PLAIN, backend="onnxruntime")
    assert report.ok
    assert report.backend == "onnxruntime"
    assert all(run.compared == 4 for run in report.runs)


def test_numbers_that_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnxruntime")
    right = kernel_registry.find("", "Abs", 13)
    assert right is not None
    wrong = kernel_registry.Kernel("", "Abs", 13, lambda x: x + 1, (), 1, 1, frozenset(), frozenset())
    monkeypatch.setitem(kernel_registry._kernels, ("", "Abs", 13), wrong)
    text = "g (float[N] x) => (y) { a = Abs (x) b = Neg (a) y = Relu (x) }"
    report = verified(text, values=True, save=tmp_path)
    (found,) = report.mismatches
    assert (found.value, found.kind, found.code) == ("a", "numbers", "R721")
    assert found.model is not None
    assert [node.op_type for node in onnx.load(found.model).graph.node] == ["Abs"]


@pytest.mark.parametrize(
    ("ours", "theirs", "apart"),
    [
        (np.array([1.0], np.float32), np.array([1.0001], np.float32), False),
        (np.array([1.0], np.float32), np.array([1.1], np.float32), True),
        (np.array([np.nan, np.inf], np.float32), np.array([np.nan, np.inf], np.float32), False),
        (np.array([np.nan], np.float32), np.array([1.0], np.float32), True),
        (np.array([3], np.int8), np.array([4], np.int8), False),
        (np.array([3], np.int64), np.array([4], np.int64), True),
        (np.array([True]), np.array([False]), True),
        (np.array([1j], np.complex64), np.array([2j], np.complex64), True),
        (np.array(["a"], object), np.array(["b"], object), False),
        ([np.array(1)], [np.array(2)], False),
    ],
)
def test_when_numbers_differ(ours: Any, theirs: Any, apart: bool) -> None:
    assert (difference(ours, theirs) is not None) is apart


def test_weights_beside_the_model(tmp_path: Path) -> None:
    w = np.arange(3, dtype=np.float32)
    proto = model("g (float[N, 3] x) => (y) <float[3] w = {0.0, 0.0, 0.0}> { y = Add (x, w) }")
    tensor = proto.graph.initializer[0]
    tensor.ClearField("float_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="w.bin")
    (tmp_path / "w.bin").write_bytes(w.tobytes())
    path = tmp_path / "m.onnx"
    path.write_bytes(proto.SerializeToString())
    assert shapeinfer.verify(path).ok


def test_an_input_that_cannot_be_made_up() -> None:
    proto = model("g (float[N] x) => (y) { y = Relu (x) }")
    proto.graph.input[0].type.tensor_type.ClearField("shape")
    with pytest.raises(FeedError):
        shapeinfer.verify(proto)


def test_a_default_is_kept() -> None:
    proto = model("g (float[N] x, float[1] w) => (y) { y = Add (x, w) }")
    proto.graph.initializer.append(numpy_helper.from_array(np.ones(1, np.float32), "w"))
    assert shapeinfer.verify(proto).ok


def test_a_network_of_the_wheel() -> None:
    light = Path(onnx.__file__).parent / "backend/test/data/light/light_squeezenet.onnx"
    report = shapeinfer.verify(light)
    assert report.ok
    assert report.runs[0].compared > 90


def test_control_flow_and_functions() -> None:
    text = """<ir_version: 10, opset_import: ["" : 21, "own" : 1]>
    g (bool c, float[N, 2] x) => (y) {
        t = own.Twice (x)
        y = If (c) <
            then_branch = one () => (float[A, B] a) { a = Concat <axis = 0> (t, x) },
            else_branch = two () => (float[A, B] b) { b = Neg (t) }
        >
    }
    <domain: "own", opset_import: ["" : 21]> Twice (x) => (y) { y = Add (x, x) }"""
    assert verified(text).ok


def test_the_report_has_a_json_schema() -> None:
    schema = VerifyReport.model_json_schema()
    assert {"runs", "mismatches"} <= schema["properties"].keys()
    report = verified(PLAIN)
    assert VerifyReport.model_validate_json(report.model_dump_json()) == report
