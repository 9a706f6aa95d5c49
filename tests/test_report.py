from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from shapeinfer import InferenceError, Report, check, infer_shapes
from tests.support import model

TEXT = """<ir_version: 10, opset_import: ["" : 21]>
agraph (float[N, ?] x, float[M, 4] w) => (y, z) <int64[1] axes = {0}> {
    [first] s = Squeeze (x, axes)
    [second] y = Squeeze (s)
    [third] z = Squeeze (w, s)
}"""


@pytest.fixture(scope="module")
def report() -> Report:
    return check(model(TEXT))


def test_findings_by_severity(report: Report) -> None:
    assert [d.name for d in report.errors] == ["type-not-allowed"]
    assert [d.name for d in report.warnings] == ["squeeze-rank-unknown"]
    assert report.notes == ()
    assert not report.ok
    assert set(report.diagnostics) == {*report.errors, *report.warnings, *report.notes}


def test_where_a_finding_is(report: Report) -> None:
    found = report.errors[0]
    assert (found.node, found.node_index, found.op, found.domain, found.version) == ("third", 2, "Squeeze", "", 21)
    assert found.where == "node 2 'third' (Squeeze-21)"
    assert str(found).startswith("error T304 type-not-allowed at node 2 'third' (Squeeze-21): ")


def test_what_a_finding_rests_on(report: Report) -> None:
    assert report.warnings[0].sources == (
        "data = s: float[x_1], from node 0 'first' (Squeeze); x_1 is dim 1 of input 'x', unnamed in the model",
    )
    assert "--dim" in report.warnings[0].hint


def test_values(report: Report) -> None:
    assert list(report.values) == ["axes", "x", "w", "s", "y", "z"]
    s = report.values["s"]
    assert (s.type, s.elem_type, s.shape, s.origin) == ("float[x_1]", "float", ("x_1",), "node 0 'first' (Squeeze)")
    assert report.values["y"].shape is None
    assert report.values["axes"].origin == "initializer"
    assert [v.name for v in report.inputs] == ["x", "w"]
    assert [v.name for v in report.outputs] == ["y", "z"]


def test_requirements(report: Report) -> None:
    (condition,) = report.requirements
    assert (condition.condition, condition.where) == ("N == 1", "node 0 'first' (Squeeze-21)")
    assert condition.code == "S421"


def test_symbols(report: Report) -> None:
    assert report.symbols["N"] == "dim 0 of input 'x'"
    assert report.symbols["x_1"] == "dim 1 of input 'x', unnamed in the model"


def test_a_report_survives_json(report: Report) -> None:
    assert Report.model_validate_json(report.model_dump_json()) == report


def test_the_schema_describes_the_json(report: Report) -> None:
    schema = Report.model_json_schema()
    assert set(json.loads(report.model_dump_json())) == set(schema["properties"])
    assert schema["$defs"]["Severity"]["enum"] == ["error", "warning", "note"]
    assert set(schema["$defs"]) >= {"Diagnostic", "ValueReport", "Condition"}


def test_a_report_is_frozen(report: Report) -> None:
    with pytest.raises(ValidationError):
        report.model = "other"


def test_the_model_is_named_by_its_path_or_called_model() -> None:
    assert check("absent.onnx").model == "absent.onnx"
    assert check(b"").model == "model"


def test_strict_mode_raises_the_report() -> None:
    with pytest.raises(InferenceError, match="T304 type-not-allowed") as caught:
        infer_shapes(model(TEXT), strict_mode=True)
    assert caught.value.report == check(model(TEXT), lint=False)
    with pytest.raises(InferenceError):
        infer_shapes(model(TEXT), check_type=True)


def test_each_condition_is_told_once() -> None:
    text = "g (float[N] x) => (y, z) <int64[1] a = {0}> { y = Squeeze (x, a) z = Squeeze (x, a) }"
    assert len(check(model(text)).requirements) == 1


def test_sequences_and_optionals_have_no_shape() -> None:
    report = check(model("g (float[N] x) => (y) { y = SequenceConstruct (x) }"))
    assert report.values["y"].shape is None
    assert report.values["y"].type.startswith(("seq(", "?"))
