from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import assert_rule_agrees, errors, graph, model, node_model, onnxruntime, requirements, type_of

IR = {25: 12, 24: 11, 23: 11}


def padded(shape: str, pads: str, axes: str = "", attributes: str = "") -> str:
    body = f"p = Constant <value = int64[{pads.count(',') + 1}] {{{pads}}}> ()"
    if axes:
        body += f" a = Constant <value = int64[{axes.count(',') + 1}] {{{axes}}}> ()"
    return graph(f"float{shape} x", f"{body} y = Pad {attributes} (x, p{', , a' if axes else ''})")


def test_attributes() -> None:
    for opset, name in ((1, "paddings"), (2, "pads")):

        def of(pads: str, shape: str = "[N, 3]", opset: int = opset, name: str = name) -> str:
            return type_of(graph(f"float{shape} x", f"y = Pad <{name} = {pads}> (x)"), opset=opset, ir=3)

        assert of("[0, 1, 2, 3]") == "float[N + 2, 7]"
        assert of("[0, 1, 2, 3]", "[]") == "float[u0, u1]"
        text = graph("float[N, 3] x", f"y = Pad <{name} = [1, 2]> (x)")
        assert errors(model(text, opset, 3)) == ["length"]


@pytest.mark.parametrize("opset", [11, 13, 18, 19, 21, 23, 24, 25])
def test_pads_are_an_input(opset: int) -> None:
    def of(text: str) -> str:
        return type_of(text, opset=opset, ir=IR.get(opset, 10))

    assert of(padded("[N, 3]", "0, 1, 2, 3")) == "float[N + 2, 7]"
    assert of(padded("[N, 3]", "0, -1, 2, -1")) == "float[N + 2, 1]"
    assert of(padded("[]", "0, 1, 2, 3")) == "float[u0, u1]"
    assert of(graph("float[N, 3] x, int64[4] p", "y = Pad (x, p)")) == "float[u0, u1]"
    if opset >= 18:
        assert of(padded("[N, 3]", "1, 2", "-1")) == "float[N, 6]"
        assert of(graph("float[N, 3] x, int64[2] p, int64[1] a", "y = Pad (x, p, , a)")) == "float[u0, u1]"


def test_faults() -> None:
    assert errors(padded("[2, 3]", "1, 2")) == ["length"]
    assert errors(padded("[]", "1, 2, 3")) == ["length"]
    assert errors(padded("[2, 3]", "1, 2, 3, 4", "0")) == ["length"]
    assert errors(padded("[2, 3]", "1, 2", "2")) == ["axis-range"]
    assert errors(padded("[2, 3]", "1, 2, 3, 4", "0, -2")) == ["repeated-axis"]
    assert errors(padded("[2, 3]", "-2, 0, -1, 0")) == ["too-small"]
    assert errors(padded("[0, 3]", "1, 0, 0, 0", attributes='<mode = "edge">')) == ["too-small"]
    assert errors(padded("[2, 3]", "1, 0, 0, 0", attributes='<mode = "circular">')) == ["attribute-value"]
    wrap = padded("[2, 3]", "1, 0, 0, 0", attributes='<mode = "wrap">')
    assert errors(model(wrap, 18)) == ["attribute-value"]
    assert errors(model(wrap, 19)) == []


def test_what_is_removed_must_be_there() -> None:
    assert requirements(padded("[N]", "-2, -1")) == ["N >= 3"]


def test_open_pads() -> None:
    body = "k = Constant <value_ints = [1]> () p = Concat <axis = 0> (k, t, k, k) y = Pad (x, p)"
    assert type_of(graph("float[N, 3] x, int64[1] t", body)) == "float[N + 2, u0]"
    body = "p = Constant <value_ints = [0, 0]> () y = Pad (x, p, , a)"
    assert type_of(graph("float[N, 3] x, int64[1] a", body)) == "float[N, 3]"


def test_symbolic_pads() -> None:
    body = "s = Shape (z) k = Constant <value_ints = [1]> () p = Concat <axis = 0> (k, s) y = Pad (x, p)"
    assert type_of(graph("float[N] x, float[D] z", body)) == "float[D + N + 1]"


def test_elements_are_followed() -> None:
    body = (
        "s = Shape (z) p = Constant <value_ints = [0, 1]> () c = Constant <value = int64 {7}> ()"
        " r = Pad (s, p, c) y = Expand (o, r)"
    )
    assert type_of(graph("float[D] z, float[1] o", body)) == "float[D, 7]"


@st.composite
def cases(draw: st.DrawFn) -> tuple[onnx.ModelProto, dict[str, Any]]:
    rank = draw(st.integers(1, 3))
    shape = draw(st.lists(st.integers(0, 5), min_size=rank, max_size=rank))
    pads = draw(st.lists(st.integers(-2, 3), min_size=2 * rank, max_size=2 * rank))
    proto = node_model("Pad", [(1, [f"d{i}" for i in range(rank)]), np.array(pads, np.int64)], 18)
    return proto, {"x0": np.ones(shape, np.float32)}


@settings(max_examples=100, deadline=None)
@given(cases())
def test_claims_hold_in_a_run(case: tuple[onnx.ModelProto, dict[str, Any]]) -> None:
    proto, feeds = case
    try:
        onnxruntime(proto, feeds)
    except Exception:  # more is removed than there is
        return
    assert_rule_agrees(proto, feeds, onnxruntime)
