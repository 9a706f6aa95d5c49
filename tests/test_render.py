from __future__ import annotations

import numpy as np
import onnx
import pytest

from shapeinfer import check, render
from shapeinfer.catalogue import SQUEEZE_NOT_ONE
from shapeinfer.diagnostics import defined_codes
from shapeinfer.report import Report
from tests.support import model

TEXT = """g (float[N, W] x) => (y, z) <int64[1] axes = {0}> {
    [pick] s = Squeeze (x, axes)
    [drop] y = Squeeze (s)
    [count] z = NonZero (x)
}"""


def printed(report: Report, capsys: pytest.CaptureFixture[str], *, values: bool = False) -> str:
    render.report(report, values=values)
    return capsys.readouterr().out


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str]) -> str:
    return printed(check(model(TEXT)), capsys)


def test_inputs_and_outputs_with_their_shapes(shown: str) -> None:
    assert "  input  x: float[N, W]\n" in shown
    assert "  output y: float[...]\n" in shown


def test_conditions_with_the_node_that_needs_them(shown: str) -> None:
    assert "  needs  N == 1   node 0 'pick' (Squeeze-21)\n" in shown


def test_a_finding_with_place_sources_and_hint(shown: str) -> None:
    assert "warning S422 squeeze-rank-unknown\n  node 1 'drop' (Squeeze-21): " in shown
    assert "    data = s: float[W], from node 0 'pick' (Squeeze); W is dim 1 of input 'x'\n" in shown
    assert "  hint: give the axes" in shown


def test_the_last_line_sums_up(shown: str) -> None:
    assert shown.splitlines()[-1].startswith("ok; 2 warnings, 1 note")


def test_a_fresh_size_is_traced_to_its_node(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(check(model("g (float[N] x) => (y) { y = NonZero (x) }")), capsys)
    assert "  output y: int64[1, u0]\n" in out
    assert "  where  u0 is dim 1 of 'y', made by node 0 (NonZero)\n" in out


def test_all_values_on_demand(capsys: pytest.CaptureFixture[str]) -> None:
    report = check(model(TEXT))
    assert "  value  s: float[W]" not in printed(report, capsys)
    assert "  value  s: float[W]" in printed(report, capsys, values=True)


def test_many_inputs_and_notes_are_counted_rather_than_listed(capsys: pytest.CaptureFixture[str]) -> None:
    inputs = ", ".join(f"float[N] x{i}" for i in range(45))
    body = " ".join(f"y{i} = c.Op{i} (x{i})" for i in range(45))
    text = f'<ir_version: 10, opset_import: ["" : 21, "c" : 1]> g ({inputs}) => (y0) {{ {body} }}'
    out = printed(check(model(text), lint=False), capsys)
    assert "… and 5 more inputs" in out
    assert "… and 25 more notes" in out


def test_summaries() -> None:
    assert render.summary(Report(model="m")) == "ok"
    assert render.summary(check(b"")) == "1 error"
    assert render.summary(check(model("g (float[N] x) => (y) { y = Relu (x) }"))) == "ok; 2 of 2 shapes known"


def test_a_warning_is_not_ok_to_a_command_that_it_makes_fail() -> None:
    report = check(model("g (float[N, 1] x) => (y) { y = Squeeze (x) }"))
    assert render.summary(report) == "ok; 1 warning; 1 of 2 shapes known"
    assert render.summary(report, strict=True) == "1 warning; 1 of 2 shapes known"


def test_names_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    proto = model("g (float[N] x) => (y) { y = Reluu (x) }")
    proto.graph.node[0].name = "evil\x1b[31m\nname"
    proto.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "\x07bell"
    out = printed(check(proto), capsys)
    assert "\x1b" not in out
    assert "\x07" not in out
    assert "evil\\x1b[31m\\nname" in out


def test_markup_in_names_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    proto = model("g (float[N] x) => (y) { y = Reluu (x) }")
    proto.graph.node[0].name = "[red]layer[/red] :smile:"
    assert "[red]layer[/red] :smile:" in printed(check(proto), capsys)


def test_a_code_with_explanation_and_examples(capsys: pytest.CaptureFixture[str]) -> None:
    render.code(SQUEEZE_NOT_ONE)
    out = capsys.readouterr().out
    assert out.startswith("S421 squeeze-not-one (error)\n")
    assert SQUEEZE_NOT_ONE.explanation in out
    assert "Squeeze (x, axes)" in out.split("Bad")[1].split("Good")[0]


def test_examples_are_whole_and_hints_have_no_braces(capsys: pytest.CaptureFixture[str]) -> None:
    for code in defined_codes().values():
        render.code(code)
        out = capsys.readouterr().out
        assert "{" not in out.partition("What to do: ")[2].partition("\n")[0]
        for text in (code.bad, code.good):
            for line in text.splitlines():
                assert f"  {line}\n" in out


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (np.array([1.0, 3.0], np.float32), "  output y: float32[2]  min 1, mean 2, max 3\n    [1., 3.]\n"),
        (np.zeros((0, 3), np.int64), "  output y: int64[0, 3]\n"),
        (np.array(True), "  output y: bool[]  min 1, mean 1, max 1\n    True\n"),
        (np.array(["a"], object), "  output y: object[1]\n    ['a']\n"),
        ([np.zeros(2)], "  output y: list\n"),
    ],
)
def test_arrays(value: object, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    render.array("output", "y", value)
    assert capsys.readouterr().out == line


def test_coverage_counts_the_values_that_nodes_make() -> None:
    proto = onnx.shape_inference.infer_shapes(model("g (float[N] x) => (y) { s = Relu (x) y = Relu (s) }"))
    assert render.coverage(proto) == (2, 2)
    assert render.coverage(model("g (float[N] x) => (y) { s = Relu (x) y = Relu (s) }")) == (0, 2)
