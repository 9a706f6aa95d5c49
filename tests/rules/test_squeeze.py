from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from shapeinfer.engine import analyse
from tests.support import assert_kernel_agrees, errors, model, names, requirements, type_of

VERSIONS = (1, 11, 13, 21, 23, 24, 25)


def squeeze(shape: str, axes: str = "", opset: int = 21) -> str:
    """The type of ``y`` when ``x`` of this shape is squeezed by constant axes (``"0, -1"``), or without axes.

    The shape is in ONNX's text form: ``""`` is a scalar, ``"[]"`` is of unknown rank.
    """
    return type_of(text(shape, axes, opset))


def text(shape: str, axes: str = "", opset: int = 21) -> str:
    header = f'<ir_version: 10, opset_import: ["" : {opset}]>\n'
    if not axes:
        return f"{header}g (float{shape} x) => (y) {{ y = Squeeze (x) }}"
    if opset < 13:
        return f"{header}g (float{shape} x) => (y) {{ y = Squeeze <axes = [{axes}]> (x) }}"
    count = len(axes.split(","))
    return f"{header}g (float{shape} x) => (y) <int64[{count}] a = {{{axes}}}> {{ y = Squeeze (x, a) }}"


def at_run_time(shape: str, axes_shape: str) -> str:
    return type_of(f"g (float{shape} x, int64{axes_shape} a) => (y) {{ y = Squeeze (x, a) }}")


@pytest.mark.parametrize("opset", VERSIONS)
def test_named_axes_go(opset: int) -> None:
    assert squeeze("[1, 3, 1, N]", "0", opset) == "float[3, 1, N]"
    assert squeeze("[1, 3, 1, N]", "2, 0", opset) == "float[3, N]"


@pytest.mark.parametrize("opset", VERSIONS)
def test_without_axes_every_one_goes(opset: int) -> None:
    assert squeeze("[1, 3, 1]", "", opset) == "float[3]"
    assert squeeze("[1, 1]", "", opset) == "float[]"
    assert squeeze("[0, 1]", "", opset) == "float[0]"


@pytest.mark.parametrize("opset", VERSIONS[1:])
def test_negative_axes_from_11(opset: int) -> None:
    assert squeeze("[1, 3, 1]", "-1", opset) == "float[1, 3]"


def test_negative_axes_before_11_are_an_error_that_says_so() -> None:
    report = __import__("shapeinfer").check(model(text("[1, 3]", "-2", 1)))
    assert "version 11" in report.errors[0].message


def test_without_axes_a_symbol_leaves_the_rank_open() -> None:
    assert squeeze("[N, 1, 3]") == "float[...]"
    assert names(text("[N, 1, 3]")) == ["squeeze-rank-unknown"]


def test_facts_decide_whether_a_symbol_may_be_one() -> None:
    proto = model(text("[N, 1, C]"))
    from shapeinfer import check

    assert check(proto, dims={"N": "2..", "C": ">=2"}).values["y"].type == "float[N, C]"
    assert check(proto, dims={"N": 1, "C": "2..8"}).values["y"].type == "float[C]"


def test_a_symbol_that_is_squeezed_is_required_to_be_one() -> None:
    assert squeeze("[N, 3]", "0") == "float[3]"
    assert requirements(text("[N, 3]", "0")) == ["N == 1"]


def test_a_requirement_is_used_from_there_on() -> None:
    proto = "g (float[N, 3] x) => (y, z) <int64[1] a = {0}> { y = Squeeze (x, a) z = Squeeze (x) }"
    assert type_of(proto, "z") == "float[3]"


def test_an_axis_of_another_size_is_an_error_with_axis_size_and_origin() -> None:
    from shapeinfer import check

    error = check(model(text("[2, 3]", "0"))).errors[0]
    assert error.name == "squeeze-not-one"
    assert "axis 0" in error.message
    assert "size 2" in error.message
    assert any("x: float[2, 3], input" in source for source in error.sources)


def test_a_dim_of_zero_cannot_be_squeezed() -> None:
    assert errors(text("[0, 3]", "0")) == ["squeeze-not-one"]


@pytest.mark.parametrize("axes", ["2", "-3"])
def test_axes_out_of_range(axes: str) -> None:
    assert errors(text("[1, 1]", axes)) == ["axis-range"]


def test_a_scalar_has_no_axis() -> None:
    assert errors(text("", "0")) == ["axis-range"]
    assert squeeze("") == "float[]"


def test_repeated_axes_are_a_set_with_a_warning() -> None:
    assert squeeze("[1, 3, 1]", "0, -3") == "float[3, 1]"
    assert names(text("[1, 3, 1]", "0, -3")) == ["squeeze-repeated-axes"]


def test_empty_axes_squeeze_nothing_with_a_warning() -> None:
    empty = "g (float[1, 3] x) => (y) <int64[0] a = {}> { y = Squeeze (x, a) }"
    assert type_of(empty) == "float[1, 3]"
    assert names(empty) == ["squeeze-empty-axes"]
    assert at_run_time("[1, 3]", "[0]") == "float[1, 3]"


def test_an_empty_attribute_squeezes_nothing() -> None:
    node = helper.make_node("Squeeze", ["x"], ["y"])
    node.attribute.add(name="axes", type=onnx.AttributeProto.INTS)
    proto = helper.make_model(
        helper.make_graph(
            [node],
            "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3])],
            [onnx.ValueInfoProto(name="y")],
        ),
        opset_imports=[helper.make_opsetid("", 11)],
        ir_version=6,
    )
    assert names(proto) == ["squeeze-empty-axes"]


def test_an_empty_name_is_no_axes() -> None:
    assert type_of('g (float[1, 3] x) => (y) { y = Squeeze (x, "") }') == "float[3]"


def test_the_attribute_after_13_is_an_error_that_says_it_became_an_input() -> None:
    from shapeinfer import check

    report = check(model("g (float[1, 3] x) => (y) { y = Squeeze <axes = [0]> (x) }"))
    assert "became an input with version 13" in report.errors[0].message


def test_one_run_time_axis_lowers_the_rank_by_one() -> None:
    assert at_run_time("[1, 5]", "[1]") == "float[5]"
    assert at_run_time("[N, 5]", "[1]") == "float[5]"
    assert at_run_time("[N, 1, C]", "[1]") == "float[N, C]"
    assert at_run_time("[1, 5, 1]", "[1]") == "float[u0, u1]"


def test_run_time_axes_may_repeat_so_two_leave_the_rank_open() -> None:
    assert at_run_time("[1, 5, 1]", "[2]") == "float[...]"
    assert at_run_time("[1, 5, 2]", "[2]") == "float[5, 2]"
    assert at_run_time("[1]", "[3]") == "float[]"


def test_run_time_axes_that_fit_no_dim_are_an_error() -> None:
    assert errors("g (float[2, 3] x, int64[1] a) => (y) { y = Squeeze (x, a) }") == ["squeeze-nothing-fits"]


def test_run_time_axes_of_unknown_number() -> None:
    assert at_run_time("[1, 5]", "[K]") == "float[...]"
    assert at_run_time("[2, 5]", "[K]") == "float[2, 5]"
    assert at_run_time("[2, 5]", "[]") == "float[2, 5]"


def test_axes_that_are_known_in_part() -> None:
    partly = """g (float[1, 3, 1] x, int64[1] r) => (y) <int64[1] c = {0}>
    { a = Concat <axis = 0> (c, r) y = Squeeze (x, a) }"""
    assert type_of(partly) == "float[...]"
    assert type_of(partly.replace("[1, 3, 1]", "[1, 3, 4]")) == "float[3, 4]"


def test_axes_from_a_computation() -> None:
    # the shape of a rank-2 tensor, gathered: 1
    computed = """g (float[1, 3, 1] x, float[2, 7] z) => (y) <int64[1] one = {1}, int64[1] seven = {7}>
    { s = Shape (z) d = Gather (s, one) a = Sub (d, seven) y = Squeeze (x, a) }"""
    assert type_of(computed) == "float[3, 1]"


def test_axes_from_a_constant_node() -> None:
    assert type_of("g (float[1, 3] x) => (y) { a = Constant <value_ints = [0]> () y = Squeeze (x, a) }") == "float[3]"


@pytest.mark.parametrize("raw", [True, False])
def test_axes_from_raw_or_typed_initializers(raw: bool) -> None:
    proto = model("g (float[1, 3] x, int64[1] a) => (y) { y = Squeeze (x, a) }")
    del proto.graph.input[1]
    array = np.array([0], np.int64)
    proto.graph.initializer.append(
        numpy_helper.from_array(array, "a") if raw else helper.make_tensor("a", TensorProto.INT64, [1], [0])
    )
    assert shape_text(proto) == "[3]"


def test_a_default_that_callers_may_override_is_unknown() -> None:
    proto = model("g (float[1, 1] x, int64[1] a) => (y) { y = Squeeze (x, a) }")
    proto.graph.initializer.append(helper.make_tensor("a", TensorProto.INT64, [1], [0]))
    assert shape_text(proto) == "[1]"
    proto.graph.input[0].type.tensor_type.shape.dim[1].dim_value = 5
    proto.graph.input[0].type.tensor_type.shape.dim.add().dim_value = 1
    assert shape_text(proto) == "[u0, u1]"


def test_before_ir_4_an_initializer_that_is_an_input_is_a_constant() -> None:
    proto = model("g (float[1, 5, 1] x, int64[1] a) => (y) { y = Squeeze (x, a) }", opset=13, ir=3)
    proto.graph.initializer.append(helper.make_tensor("a", TensorProto.INT64, [1], [0]))
    assert shape_text(proto) == "[5, 1]"


def shape_text(proto: onnx.ModelProto) -> str:
    from shapeinfer.diagnostics import shape_text as show

    kind = analyse(proto).values["y"].type
    return show(kind.shape)  # type: ignore[union-attr]


@pytest.mark.parametrize("opset", [11, 21])
def test_an_unknown_rank_stays_unknown_and_all_that_can_be_checked_is(opset: int) -> None:
    assert squeeze("[]", "0", opset) == "float[...]"
    assert names(text("[]", "0, 0", opset)) == ["squeeze-repeated-axes"]


def test_axes_must_be_one_d_int64() -> None:
    assert errors("g (float[1, 3] x, int64[1, 1] a) => (y) { y = Squeeze (x, a) }") == ["not-one-d"]
    assert errors("g (float[1, 3] x, int32[1] a) => (y) { y = Squeeze (x, a) }") == ["type-not-allowed"]


def test_elements_move_along() -> None:
    followed = """g (float[N, 3] x, float[M] z) => (y) <int64[1] zero = {0}>
    { s = Shape (x) n = Gather (s, zero) m = Unsqueeze (n, zero) k = Squeeze (m, zero) y = Expand (z, k) }"""
    assert requirements(followed) == ["M == N or M == 1 or N == 1"]


# ---------------------------------------------------------------------------------------------- rule against kernel

SIZES = (0, 1, 2)
dim: st.SearchStrategy[int | str] = st.sampled_from([0, 1, 1, 2, 3, "N", "M", "N"])


@st.composite
def cases(draw: st.DrawFn) -> tuple[onnx.ModelProto, list[dict[str, Any]]]:
    """A Squeeze of any version, and feeds for every binding of N and M and a choice of run-time axes."""
    version = draw(st.sampled_from(VERSIONS))
    shape = draw(st.lists(dim, max_size=4))
    rank = len(shape)
    axis = st.integers(-rank - 1, rank)
    kind = draw(
        st.sampled_from(["none", "constant", "run time", "mixed", "unknown length"][: 2 if version < 13 else 5])
    )
    constant = draw(st.lists(axis, max_size=3)) if kind in ("constant", "mixed") else []
    later = draw(st.lists(axis, max_size=3)) if kind in ("run time", "mixed", "unknown length") else []
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)]
    nodes, stored = [], []
    if version < 13:
        node = helper.make_node("Squeeze", ["x"], ["y"])
        if kind == "constant":
            node.attribute.add(name="axes", type=onnx.AttributeProto.INTS, ints=constant)
    else:
        node = helper.make_node("Squeeze", ["x"] if kind == "none" else ["x", "a"], ["y"])
        if kind == "constant":
            stored.append(numpy_helper.from_array(np.array(constant, np.int64), "a"))
        elif kind == "mixed":
            stored.append(numpy_helper.from_array(np.array(constant, np.int64), "c"))
            nodes.append(helper.make_node("Concat", ["c", "r"], ["a"], axis=0))
            inputs.append(helper.make_tensor_value_info("r", TensorProto.INT64, [len(later)]))
        elif kind != "none":
            length = len(later) if kind == "run time" else "K"
            inputs.append(helper.make_tensor_value_info("a", TensorProto.INT64, [length]))
    proto = helper.make_model(
        helper.make_graph([*nodes, node], "g", inputs, [onnx.ValueInfoProto(name="y")], stored),
        opset_imports=[helper.make_opsetid("", version)],
        ir_version=13,
    )
    feeds = []
    for n, m in product(SIZES, SIZES):
        sizes = [{"N": n, "M": m}[d] if isinstance(d, str) else d for d in shape]
        feed: dict[str, Any] = {"x": np.zeros(sizes, np.float32)}
        if kind in ("run time", "unknown length", "mixed"):
            feed["r" if kind == "mixed" else "a"] = np.array(later, np.int64)
        feeds.append(feed)
    return proto, feeds


@settings(max_examples=400, deadline=None)
@given(cases())
def test_claims_hold_whenever_the_kernel_runs(case: tuple[onnx.ModelProto, list[dict[str, Any]]]) -> None:
    assert_kernel_agrees(*case)


def test_axes_as_an_input_before_13_are_one_finding() -> None:
    early = '<ir_version: 6, opset_import: ["" : 11]> g (float[1, 3] x, int64[1] a) => (y) { y = Squeeze (x, a) }'
    assert names(early) == ["too-many-inputs"]
