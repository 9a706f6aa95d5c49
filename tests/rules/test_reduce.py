from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import assert_rule_agrees, errors, graph, model, node_model, reference, requirements, type_of

OPERATORS = ["Sum", "Max", "Min", "Mean", "Prod", "L1", "L2", "LogSum", "LogSumExp", "SumSquare"]
EARLY = [(op, v) for op in OPERATORS for v in (1, 11, 13) if not (op == "Sum" and v == 13)]
LATE = [(op, 18) for op in OPERATORS] + [("Sum", 13), ("Max", 20), ("Min", 20)]


@pytest.mark.parametrize(("op", "opset"), EARLY)
def test_axes_are_an_attribute(op: str, opset: int) -> None:
    def of(attributes: str) -> str:
        return type_of(graph("float[N, 2, M] x", f"y = Reduce{op} {attributes} (x)"), opset=opset)

    assert of("<axes = [1]>") == "float[N, 1, M]"
    assert of("<axes = [0, 2], keepdims = 0>") == "float[2]"
    assert of("") == "float[1, 1, 1]"
    assert of("<keepdims = 0>") == "float[]"
    assert errors(model(graph("float[N, 2] x", f"y = Reduce{op} <axes = [2]> (x)"), opset)) == ["axis-range"]


def late(op: str, axes: str, attributes: str = "", shape: str = "[N, 2, M]") -> str:
    return graph(
        f"float{shape} x, int64[1] one, int64[2] two, int64[K] some", f"{axes} y = Reduce{op} {attributes} (x, a)"
    )


@pytest.mark.parametrize(("op", "opset"), LATE)
def test_axes_are_an_input(op: str, opset: int) -> None:
    def of(axes: str, attributes: str = "", shape: str = "[N, 2, M]") -> str:
        return type_of(late(op, axes, attributes, shape), opset=opset)

    known = "a = Constant <value_ints = [-2]> ()"
    empty = "a = Constant <value = int64[0] {}> ()"
    assert of(known) == "float[N, 1, M]"
    assert of(known, "<keepdims = 0>") == "float[N, M]"
    assert of(empty) == "float[1, 1, 1]"
    assert of(empty, "<noop_with_empty_axes = 1>") == "float[N, 2, M]"
    assert of(known, "<noop_with_empty_axes = 1>") == "float[N, 1, M]"
    assert errors(model(late(op, "a = Constant <value_ints = [3]> ()"), opset)) == ["axis-range"]
    assert type_of(graph("float[N] x", f"y = Reduce{op} (x)"), opset=opset) == "float[1]"
    assert type_of(graph("float[] x", f"y = Reduce{op} <keepdims = 0> (x)"), opset=opset) == "float[]"
    assert type_of(graph("float[N] x", f"y = Reduce{op} <noop_with_empty_axes = 1> (x)"), opset=opset) == "float[N]"


def test_axes_of_the_run() -> None:
    def of(axes: str, keep: int, shape: str = "[N, 2, M]") -> str:
        return type_of(late("Sum", f"a = Identity ({axes})", f"<keepdims = {keep}>", shape))

    assert of("one", 1) == "float[u0, u1, u2]"
    assert of("one", 1, "[1, 1, N]") == "float[1, 1, u0]"
    assert of("one", 1, "[N]") == "float[1]"
    assert of("one", 0) == "float[u0, u1]"
    assert of("one", 0, "[N, N]") == "float[N]"
    assert of("two", 0) == "float[...]"  # ONNX Runtime takes two equal axes as one
    assert of("two", 0, "[N]") == "float[]"
    assert of("some", 1) == "float[u0, u1, u2]"
    assert of("some", 0) == "float[...]"
    assert of("one", 1, "[]") == "float[...]"


@pytest.mark.parametrize("op", ["ArgMax", "ArgMin"])
@pytest.mark.parametrize("opset", [1, 11, 12, 13])
def test_arg(op: str, opset: int) -> None:
    assert type_of(graph("float[N, M] x", f"y = {op} (x)"), opset=opset) == "int64[1, M]"
    assert type_of(graph("float[N, M] x", f"y = {op} <axis = 1, keepdims = 0> (x)"), opset=opset) == "int64[N]"
    assert errors(model(graph("float[N, M] x", f"y = {op} <axis = 2> (x)"), opset)) == ["axis-range"]
    assert errors(model(graph("float[0, 3] x", f"y = {op} (x)"), opset)) == ["too-small"]
    assert requirements(model(graph("float[0, M] x", f"y = {op} (x)"), opset)) == ["M == 0"]  # then there is no result
    assert type_of(graph("float[] x", f"y = {op} (x)"), opset=opset) == "int64[...]"


@pytest.mark.parametrize(("op", "opset", "ir"), [("CumSum", 11, 10), ("CumSum", 14, 10), ("CumProd", 26, 13)])
def test_cumulate(op: str, opset: int, ir: int) -> None:
    def of(axis: int) -> onnx.ModelProto:
        return model(graph("float[N, 3] x", f"a = Constant <value = int64 {{{axis}}}> () y = {op} (x, a)"), opset, ir)

    assert errors(of(-1)) == []
    assert errors(of(2)) == ["axis-range"]
    assert type_of(graph("float[N, 3] x, int64 a", f"y = {op} (x, a)"), opset=opset, ir=ir) == "float[N, 3]"
    assert errors(model(graph("float[N, 3] x, int64[2] a", f"y = {op} (x, a)"), opset, ir)) == ["rank"]


@st.composite
def cases(draw: st.DrawFn) -> tuple[onnx.ModelProto, dict[str, Any]]:
    rank = draw(st.integers(0, 3))
    shape = draw(st.lists(st.integers(0, 3), min_size=rank, max_size=rank))
    axes = draw(st.lists(st.integers(-rank, rank - 1), max_size=rank, unique_by=lambda a: a % rank)) if rank else []
    known = draw(st.booleans())
    attributes: dict[str, Any] = {"keepdims": draw(st.integers(0, 1)), "noop_with_empty_axes": draw(st.integers(0, 1))}
    stored = np.array(axes, np.int64)
    second = stored if known else (7, [len(axes)])
    proto = node_model("ReduceSum", [(1, [f"d{i}" for i in range(rank)]), second], 13, **attributes)
    proto.graph.output[0].type.tensor_type.elem_type = 1
    feeds = {"x0": np.ones(shape, np.float32)}
    return proto, feeds if known else {**feeds, "x1": stored}


@settings(max_examples=150, deadline=None)
@given(cases())
def test_claims_hold_in_a_run(case: tuple[onnx.ModelProto, dict[str, Any]]) -> None:
    proto, feeds = case
    assert_rule_agrees(proto, feeds, reference)
