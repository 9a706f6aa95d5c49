from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import assert_rule_agrees, errors, graph, model, node_model, onnxruntime, requirements, type_of


def expanded(shape: str, entries: str, count: int) -> str:
    return graph(f"float{shape} x", f"s = Constant <value = int64[{count}] {{{entries}}}> () y = Expand (x, s)")


def test_both_ways() -> None:
    assert type_of(expanded("[3, 1]", "2, 1, 6", 3), opset=8) == "float[2, 3, 6]"
    assert type_of(expanded("[N, 1]", "1, 6", 2)) == "float[N, 6]"
    assert type_of(expanded("[N, 3]", "3", 1)) == "float[N, 3]"
    assert type_of(expanded("[N, 3]", "4, 1", 2)) == "float[4, 3]"
    assert requirements(expanded("[N, 3]", "4, 1", 2)) == ["N == 4 or N == 1"]
    assert type_of(expanded("[1]", "0", 1)) == "float[0]"
    assert errors(expanded("[2, 3]", "4, 3", 2)) == ["broadcast"]
    assert errors(expanded("[2, 3]", "-1, 3", 2)) == ["size-value"]
    assert type_of(expanded("[]", "4, 3", 2)) == "float[...]"


def test_symbolic_entries() -> None:
    assert type_of(graph("float[1, 3] x, float[A, B] z", "s = Shape (z) y = Expand (x, s)")) == "float[A, 3]"
    assert (
        type_of(graph("float[N, 1] x, float[A, B] z", "s = Shape (z) y = Expand (x, s)")) == "float[broadcast(A, N), B]"
    )


def test_unknown_entries() -> None:
    assert type_of(graph("float[2, N, 1] x, int64[2] s", "y = Expand (x, s)")) == "float[2, u0, u1]"
    assert type_of(graph("float[2, 3] x, int64[3] s", "y = Expand (x, s)")) == "float[u0, 2, 3]"
    assert type_of(graph("float[2, 3] x, int64[K] s", "y = Expand (x, s)")) == "float[...]"


def test_tile() -> None:
    def of(shape: str, repeats: str, opset: int = 13) -> str:
        text = graph(f"float{shape} x", f"r = Constant <value = int64[2] {{{repeats}}}> () y = Tile (x, r)")
        return type_of(text, opset=opset)

    assert of("[N, 3]", "2, 4", 6) == "float[2*N, 12]"
    assert of("[N, 3]", "2, 0") == "float[2*N, 0]"
    assert of("[]", "2, 0") == "float[u0, 0]"
    assert type_of(graph("float[N, 0] x, int64[2] r", "y = Tile (x, r)")) == "float[u0, 0]"
    assert type_of(graph("float[N, 3] x, int64[K] r", "y = Tile (x, r)")) == "float[u0, u1]"
    assert requirements(graph("float[N, 3] x, int64[K] r", "y = Tile (x, r)")) == ["K == 2"]
    assert type_of(graph("float[N] x, float[M] z", "s = Shape (z) y = Tile (x, s)")) == "float[M*N]"
    faults = {"r = Constant <value_ints = [2]> ()": "length", "r = Constant <value_ints = [2, -1]> ()": "size-value"}
    for constant, name in faults.items():
        assert errors(graph("float[2, 3] x", f"{constant} y = Tile (x, r)")) == [name]


def test_tile_of_version_1() -> None:
    body = "t = Constant <value = float {3}> () a = Constant <value = float {1}> () y = Tile (x, t, a)"
    assert type_of(graph("float[N, M] x", body), opset=1, ir=3) == "float[N, 3*M]"
    assert type_of(graph("float[N, M] x, float t, float a", "y = Tile (x, t, a)"), opset=1, ir=3) == "float[u0, u1]"
    assert errors(model(graph("float[N] x", body), 1, 3)) == ["axis-range"]


def test_elements_are_followed() -> None:
    body = "s = Shape (z) two = Constant <value_ints = [2]> () r = Tile (s, two) e = Expand (s, two) y = Expand (o, {})"
    assert type_of(graph("float[D] z, float[1] o", body.format("r"))) == "float[D, D]"
    assert type_of(graph("float[D] z, float[1] o", body.format("e"))) == "float[D, D]"


@st.composite
def cases(draw: st.DrawFn) -> tuple[onnx.ModelProto, dict[str, Any]]:
    size = st.sampled_from([0, 1, 1, 2])
    shape, other = draw(st.lists(size, max_size=3)), draw(st.lists(size, max_size=3))
    proto = node_model("Expand", [(1, [f"d{i}" for i in range(len(shape))]), np.array(other, np.int64)], 13)
    return proto, {"x0": np.ones(shape, np.float32)}


@settings(max_examples=100, deadline=None)
@given(cases())
def test_claims_hold_in_a_run(case: tuple[onnx.ModelProto, dict[str, Any]]) -> None:
    proto, feeds = case
    try:
        onnxruntime(proto, feeds)
    except Exception:  # shapes that do not broadcast
        return
    assert_rule_agrees(proto, feeds, onnxruntime)
