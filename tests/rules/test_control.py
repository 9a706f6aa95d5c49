from __future__ import annotations

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapeinfer import check
from shapeinfer.engine import analyse
from tests.support import (
    Feeds,
    assert_claims_hold,
    binding,
    errors,
    model,
    names,
    onnxruntime,
    requirements,
    type_of,
)


def branches(then: str, other: str, inputs: str = "bool c, float[N, 1] x", before: str = "") -> str:
    return f"""g ({inputs}) => (y) {{
        {before}
        y = If (c) <then_branch = t () => (a) {{ a = {then} }}, else_branch = e () => (b) {{ b = {other} }}>
    }}"""


def test_an_if_keeps_what_both_branches_agree_on() -> None:
    assert type_of(branches("Relu (x)", "Neg (x)")) == "float[N, 1]"
    assert type_of(branches("Relu (x)", "Transpose (x)")) == "float[u0, u1]"
    assert type_of(branches("Relu (x)", "Concat <axis = 0> (x, x)")) == "float[u0, 1]"


def test_ranks_that_differ_leave_the_rank_open() -> None:
    assert type_of(branches("Relu (x)", "ReduceSum <keepdims = 0> (x)")) == "float[...]"


def test_a_known_condition_takes_one_branch() -> None:
    known = "c = Constant <value = bool {1}> ()"
    assert type_of(branches("Transpose (x)", "Relu (x)", "float[N, 1] x", known)) == "float[1, N]"
    computed = "s = Shape <start = 1> (x) one = Constant <value_ints = [1]> () c = Equal (s, one)"
    assert type_of(branches("Transpose (x)", "Relu (x)", "float[N, 1] x", computed)) == "float[1, N]"


def test_a_branch_that_never_runs_to_its_end_is_not_taken_and_only_a_warning() -> None:
    failing = branches("Squeeze <axes = [1]> (x)", "Relu (x)", "bool c, float[N, 3] x")
    text = f'<ir_version: 6, opset_import: ["" : 11]> {failing}'
    assert type_of(text) == "float[N, 3]"
    report = check(model(text))
    assert report.ok
    assert [w.name for w in report.warnings] == ["squeeze-not-one"]
    assert report.warnings[0].path == ("node 0 (If)", "then_branch")


def test_what_a_branch_requires_is_not_required_of_the_model() -> None:
    text = branches("Squeeze <axes = [0]> (x)", "Squeeze <axes = [1]> (x)")
    assert requirements(f'<ir_version: 6, opset_import: ["" : 11]> {text}') == []


def test_a_type_fault_in_a_branch_is_an_error_even_if_it_need_not_run() -> None:
    assert errors(branches("Softmax <axis = 0.5> (x)", "Relu (x)")) == ["attribute-kind"]


def test_branches_must_agree_in_type_and_number() -> None:
    assert errors(branches("Relu (x)", "Shape (x)")) == ["branch-types"]
    assert errors(branches("Relu (x)", "Relu (x)").replace("y = If", "y, z = If")) == ["inner-graph-count"]


def test_the_condition_is_one_bool() -> None:
    assert errors(branches("Relu (x)", "Neg (x)", "bool[2] c, float[N, 1] x")) == ["sizes-differ"]
    assert errors(branches("Relu (x)", "Neg (x)", "int64 c, float[N, 1] x")) == ["type-not-allowed"]


def test_inner_graphs_see_what_is_around_them_and_may_not_redefine_it() -> None:
    assert names(branches("Relu (x)", "Neg (x)", before="a = Neg (x)")) == ["shadowed-name"]


# ------------------------------------------------------------------------------------------------------------- loops


def loop(body: str, inputs: str = "int64 m, bool c, float[N, 3] x", before: str = "", outputs: str = "l, w, p") -> str:
    return f"""g ({inputs}) => (y, s) {{
        {before}
        y, s = Loop (m, c, x) <body = b (int64 i, bool k, float[] v) => ({outputs}) {{ {body} }}>
    }}"""


def test_a_carried_value_keeps_what_the_body_keeps() -> None:
    same = loop("l = Identity (k) w = Relu (v) p = Neg (v)")
    assert type_of(same) == "float[N, 3]"


def test_a_dim_that_changes_is_left_to_the_run() -> None:
    grows = loop("l = Identity (k) w = Concat <axis = 0> (v, v) p = ReduceSum <keepdims = 0> (v)")
    kind = type_of(grows)
    assert kind.startswith("float[u")
    assert kind.endswith(", 3]")


def test_a_rank_that_changes_is_left_to_the_run() -> None:
    deeper = loop("l = Identity (k) z = Constant <value_ints = [0]> () w = Unsqueeze (v, z) p = Identity (k)")
    assert type_of(deeper) == "float[...]"


def test_the_number_of_iterations() -> None:
    counted = "m = Constant <value_int = 4> () c = Constant <value = bool {1}> ()"
    always = loop("l = Identity (k) w = Relu (v) p = Neg (v)", "float[N, 3] x", counted)
    assert type_of(always, "s") == "float[4, N, 3]"
    early = loop("l = Not (k) w = Relu (v) p = Neg (v)", "float[N, 3] x", counted)
    assert type_of(early, "s") != "float[4, N, 3]"
    by_shape = "m = Size (x) c = Constant <value = bool {1}> ()"
    symbolic = loop("l = Identity (k) w = Relu (v) p = Neg (v)", "float[N, 3] x", by_shape)
    # with N = 0 the body never runs, and ONNX Runtime then gives [0, 0, 3]: the specification is silent
    assert type_of(symbolic, "s").startswith("float[3*N, u")
    assert type_of(symbolic, "s").endswith(", 3]")
    assert check(model(symbolic), dims={"N": "1.."}).values["s"].type == "float[3*N, N, 3]"


def test_the_iteration_number_is_below_the_limit() -> None:
    counted = "m = Constant <value_int = 5> () c = Constant <value = bool {1}> () t = Range (z0, m, z1)"
    text = loop(
        "l = Identity (k) w = Relu (v) j = Unsqueeze (i, z) e = Add (j, o) p = Slice (t, j, e)",
        "float[N, 3] x",
        "z = Constant <value_ints = [0]> () o = Constant <value_ints = [1]> () "
        "z0 = Constant <value_int = 0> () z1 = Constant <value_int = 1> () " + counted,
    )
    assert type_of(text, "s") == "int64[5, 1]"


def test_no_symbol_of_the_body_leaves_it() -> None:
    data = loop("l = Identity (k) w = Relu (v) p = NonZero (v)")
    analysis = analyse(model(data))
    inner = type_of(data, "s")
    assert inner.startswith("int64[")
    assert len({*inner[6:-1].split(", ")}) == 3
    assert not [f for f in analysis.findings if f.severity == "error"]


def test_a_carried_type_must_stay() -> None:
    assert errors(loop("l = Identity (k) w = Shape (v) p = Neg (v)")) == ["carried-type"]


def test_a_loop_that_never_runs_gives_back_what_it_got() -> None:
    never = "m = Constant <value_int = 4> () c = Constant <value = bool {0}> ()"
    text = loop("l = Identity (k) w = Relu (v) p = Neg (v)", "float[N, 3] x", never)
    assert type_of(text, "s").startswith("float[0, u")


# ------------------------------------------------------------------------------------------------------------- scans


def scan(inputs: str, attributes: str = "num_scan_inputs = 1") -> str:
    return f"""g ({inputs}) => (y, s) {{
        y, s = Scan (h, x) <{attributes}, body = b (float[] st, float[] p) => (w, o) {{ w = Add (st, p) o = Neg (w) }}>
    }}"""


def test_a_scan_runs_along_its_input() -> None:
    text = scan("float[4] h, float[T, 4] x")
    assert type_of(text) == "float[4]"
    assert type_of(text, "s") == "float[T, 4]"


def test_a_state_keeps_its_shape_as_the_specification_requires() -> None:
    text = scan("float[A] h, float[5, B] x")
    assert type_of(text) == "float[A]"
    assert errors(scan("float[3, 4] h, float[5, 2, 3, 4] x")) == ["sizes-differ"]


def test_scan_axes() -> None:
    text = scan("float[4] h, float[4, T] x", "num_scan_inputs = 1, scan_input_axes = [-1], scan_output_axes = [-1]")
    assert type_of(text, "s") == "float[4, T]"
    assert errors(scan("float[4] h, float[4, T] x", "num_scan_inputs = 1, scan_input_axes = [2]")) == ["axis-range"]
    assert errors(scan("float[4] h, float[4, T] x", "num_scan_inputs = 3")) == ["attribute-value"]
    wrong = scan("float[4] h, float[T, 4] x", "num_scan_inputs = 1, scan_input_directions = [2]")
    assert errors(wrong) == ["attribute-value"]


def test_scan_8_has_a_batch_dim_in_front() -> None:
    text = """<ir_version: 4, opset_import: ["" : 8]>
    g (float[B, 4] h, float[B, T, 4] x) => (y, s) {
        y, s = Scan ("", h, x) <num_scan_inputs = 1, body = b (float[] st, float[] p) => (w, o) {
            w = Add (st, p) o = Neg (w)
        }>
    }"""
    assert type_of(text) == "float[B, 4]"
    assert type_of(text, "s") == "float[B, T, 4]"


# --------------------------------------------------------------------------------------------- rule against a runtime


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 3), st.integers(0, 3), st.booleans(), st.sampled_from(["Relu (v)", "Concat <axis = 0> (v, v)"]))
def test_loop_claims_hold_when_run(trips: int, n: int, cond: bool, step: str) -> None:
    text = loop(f"l = Identity (k) w = {step} p = Neg (x)", "int64 m, bool c, float[N, 3] x")
    proto = model(text, opset=17, ir=8)
    feeds = {"m": np.array(trips), "c": np.array(cond), "x": np.ones((n, 3), np.float32)}
    run_and_hold(proto, feeds)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 4), st.integers(1, 3), st.integers(1, 3))
def test_scan_claims_hold_when_run(steps: int, a: int, b: int) -> None:
    proto = model(scan("float[A] h, float[T, B] x"), opset=17, ir=8)
    feeds = {"h": np.ones(a, np.float32), "x": np.ones((steps, b), np.float32)}
    try:
        run_and_hold(proto, feeds)
    except onnxruntime_errors():
        assert a != b  # a state must keep its shape, as the specification requires


def run_and_hold(proto: onnx.ModelProto, feeds: Feeds) -> None:
    for output in proto.graph.output:
        output.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
    results = onnxruntime(proto, feeds)
    actual = {o.name: r for o, r in zip(proto.graph.output, results, strict=True)}
    assert_claims_hold(analyse(proto), actual, binding(proto, feeds))


def onnxruntime_errors() -> tuple[type[Exception], ...]:
    state = pytest.importorskip("onnxruntime.capi.onnxruntime_pybind11_state")
    return (state.Fail, state.InvalidArgument)
