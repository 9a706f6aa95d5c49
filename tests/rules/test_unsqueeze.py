from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from shapeinfer import check
from tests.support import assert_kernel_agrees, errors, model, names, type_of

VERSIONS = (1, 11, 13, 21, 23, 24, 25)


def text(shape: str, axes: str, opset: int = 21) -> str:
    header = f'<ir_version: 10, opset_import: ["" : {opset}]>\n'
    if opset < 13:
        return f"{header}g (float{shape} x) => (y) {{ y = Unsqueeze <axes = [{axes}]> (x) }}"
    count = len(axes.split(","))
    return f"{header}g (float{shape} x) => (y) <int64[{count}] a = {{{axes}}}> {{ y = Unsqueeze (x, a) }}"


def unsqueeze(shape: str, axes: str, opset: int = 21) -> str:
    return type_of(text(shape, axes, opset))


def at_run_time(shape: str, axes_shape: str) -> str:
    return type_of(f"g (float{shape} x, int64{axes_shape} a) => (y) {{ y = Unsqueeze (x, a) }}")


@pytest.mark.parametrize("opset", VERSIONS)
def test_axes_are_positions_in_the_output(opset: int) -> None:
    assert unsqueeze("[3, N]", "0, 3", opset) == "float[1, 3, N, 1]"
    assert unsqueeze("[3, N]", "1", opset) == "float[3, 1, N]"


@pytest.mark.parametrize("opset", VERSIONS)
def test_the_order_of_axes_is_free(opset: int) -> None:
    assert unsqueeze("[3, N]", "3, 0, 1", opset) == "float[1, 1, 3, 1, N]"


@pytest.mark.parametrize("opset", VERSIONS[1:])
def test_negative_axes_count_from_the_back_of_the_output(opset: int) -> None:
    assert unsqueeze("[3, N]", "-1", opset) == "float[3, N, 1]"
    assert unsqueeze("[A, B]", "4, -3, 0", opset) == "float[1, A, 1, B, 1]"


def test_negative_axes_before_11_are_an_error_that_says_so() -> None:
    assert "version 11" in check(model(text("[3]", "-1", 1))).errors[0].message


def test_scalars_and_zero_sizes() -> None:
    assert unsqueeze("", "0") == "float[1]"
    assert unsqueeze("[0]", "0") == "float[1, 0]"
    assert unsqueeze("[0, N]", "-1") == "float[0, N, 1]"


@pytest.mark.parametrize("axes", ["2", "-3"])
def test_axes_out_of_range_of_the_output(axes: str) -> None:
    assert errors(text("[3]", axes)) == ["axis-range"]


@pytest.mark.parametrize("axes", ["0, 0", "1, -2", "-1, 2"])
def test_repeated_axes_are_errors_also_after_normalising(axes: str) -> None:
    assert errors(text("[3]", axes)) == ["unsqueeze-repeated-axes"]


def test_axes_are_required() -> None:
    assert errors("g (float[3] x) => (y) { y = Unsqueeze (x) }") == ["missing-input"]
    assert errors('<ir_version: 6, opset_import: ["" : 11]> g (float[3] x) => (y) { y = Unsqueeze (x) }') == [
        "attribute-missing"
    ]


def test_the_attribute_after_13_is_an_error_that_says_it_became_an_input() -> None:
    report = check(model("g (float[3] x, int64[1] a) => (y) { y = Unsqueeze <axes = [0]> (x, a) }"))
    assert "became an input with version 13" in report.errors[0].message


def test_axes_must_be_one_d_int64() -> None:
    assert errors("g (float[3] x, int64[1, 1] a) => (y) { y = Unsqueeze (x, a) }") == ["not-one-d"]
    assert errors("g (float[3] x, int32[1] a) => (y) { y = Unsqueeze (x, a) }") == ["type-not-allowed"]


@pytest.mark.parametrize("op", ["Squeeze", "Unsqueeze"])
def test_scalar_axes_are_one_axis_before_23_and_an_error_since(op: str) -> None:
    # onnx's own function for AffineGrid has such an Unsqueeze, and ONNX Runtime runs it.
    scalar = f"g (float[1, 3] x) => (y) <int64 a = {{0}}> {{ y = {op} (x, a) }}"
    assert names(scalar) == ["scalar-axes"]
    assert type_of(scalar) == ("float[3]" if op == "Squeeze" else "float[1, 1, 3]")
    assert errors(f'<ir_version: 11, opset_import: ["" : 23]> {scalar}') == ["not-one-d"]


def test_run_time_axes_of_known_number_fix_the_rank() -> None:
    assert at_run_time("[5]", "[1]") == "float[u0, u1]"
    assert at_run_time("[1]", "[2]") == "float[1, 1, 1]"
    assert at_run_time("", "[2]") == "float[1, 1]"
    assert at_run_time("[3, 1]", "[0]") == "float[3, 1]"


def test_run_time_axes_keep_dims_on_which_all_choices_agree() -> None:
    assert at_run_time("[1, 1, 5]", "[1]") == "float[1, 1, u0, u1]"


def test_axes_known_in_part() -> None:
    partly = """g (float[5] x, int64[1] r) => (y) <int64[1] c = {0}>
    { a = Concat <axis = 0> (c, r) y = Unsqueeze (x, a) }"""
    assert type_of(partly) == "float[1, u0, u1]"


def test_run_time_axes_of_unknown_number_leave_the_rank_open() -> None:
    assert at_run_time("[5]", "[K]") == "float[...]"


def test_an_unknown_rank_stays_unknown_and_all_that_can_be_checked_is() -> None:
    assert unsqueeze("[]", "0") == "float[...]"
    assert errors(text("[]", "1, 1")) == ["unsqueeze-repeated-axes"]
    assert errors(text("[]", "-1", 1)) == ["axis-negative"]


# ---------------------------------------------------------------------------------------------- rule against kernel

dim: st.SearchStrategy[int | str] = st.sampled_from([0, 1, 1, 2, "N", "M", "N"])


@st.composite
def cases(draw: st.DrawFn) -> tuple[onnx.ModelProto, list[dict[str, Any]]]:
    """An Unsqueeze of any version, and feeds for every binding of N and M."""
    version = draw(st.sampled_from(VERSIONS))
    shape = draw(st.lists(dim, max_size=3))
    kind = draw(st.sampled_from(["constant"] if version < 13 else ["constant", "run time", "mixed", "unknown length"]))
    bound = len(shape) + 3
    axes = draw(st.lists(st.integers(-bound, bound - 1), max_size=3, unique=draw(st.booleans())))
    split = draw(st.integers(0, len(axes))) if kind == "mixed" else 0
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)]
    nodes, stored = [], []
    node = helper.make_node("Unsqueeze", ["x"] if version < 13 else ["x", "a"], ["y"])
    later: dict[str, Any] = {}
    if version < 13:
        node.attribute.add(name="axes", type=onnx.AttributeProto.INTS, ints=axes)
    elif kind == "constant":
        stored.append(numpy_helper.from_array(np.array(axes, np.int64), "a"))
    elif kind == "mixed":
        stored.append(numpy_helper.from_array(np.array(axes[:split], np.int64), "c"))
        nodes.append(helper.make_node("Concat", ["c", "r"], ["a"], axis=0))
        inputs.append(helper.make_tensor_value_info("r", TensorProto.INT64, [len(axes) - split]))
        later["r"] = np.array(axes[split:], np.int64)
    else:
        length = len(axes) if kind == "run time" else "K"
        inputs.append(helper.make_tensor_value_info("a", TensorProto.INT64, [length]))
        later["a"] = np.array(axes, np.int64)
    proto = helper.make_model(
        helper.make_graph([*nodes, node], "g", inputs, [onnx.ValueInfoProto(name="y")], stored),
        opset_imports=[helper.make_opsetid("", version)],
        ir_version=13,
    )
    feeds = []
    for n, m in product((0, 1, 2), repeat=2):
        sizes = [{"N": n, "M": m}[d] if isinstance(d, str) else d for d in shape]
        feeds.append({"x": np.zeros(sizes, np.float32), **later})
    return proto, feeds


@settings(max_examples=400, deadline=None)
@given(cases())
def test_claims_hold_whenever_the_kernel_runs(case: tuple[onnx.ModelProto, list[dict[str, Any]]]) -> None:
    assert_kernel_agrees(*case)
