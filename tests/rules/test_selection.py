from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapeinfer.diagnostics import type_text
from shapeinfer.engine import analyse
from tests.support import assert_rule_agrees, errors, graph, model, node_model, onnxruntime, requirements, type_of


def all_of(text: str, names: str, opset: int = 21) -> list[str]:
    values = analyse(model(text, opset)).values
    return [type_text(values[name].type) for name in names.split()]


def top(k: str, attributes: str = "", shape: str = "[N, 5]") -> str:
    return graph(f"float{shape} x", f"k = Constant <value = {k}> () y, z = TopK {attributes} (x, k)")


@pytest.mark.parametrize("opset", [10, 11, 24])
def test_top_k(opset: int) -> None:
    found = [type_of(top("int64[1] {3}"), value, opset, 11 if opset == 24 else 10) for value in ("y", "z")]
    assert found == ["float[N, 3]", "int64[N, 3]"]


def test_top_k_of_version_1() -> None:
    assert all_of(graph("float[N, 5] x", "y, z = TopK <k = 2, axis = 0> (x)"), "y z", 1) == [
        "float[2, 5]",
        "int64[2, 5]",
    ]


def test_k() -> None:
    assert requirements(top("int64[1] {3}", "<axis = 0>")) == ["N >= 3"]
    assert errors(top("int64[1] {6}")) == ["size-value"]
    assert errors(top("int64[1] {-1}")) == ["size-value"]
    assert errors(top("int64[2] {1, 2}")) == ["length"]
    assert errors(top("int64 {1}")) == ["not-one-d"]
    assert errors(top("int64[1] {1}", "<axis = 2>")) == ["axis-range"]
    opened = graph("float[N, 5] x, int64[1] k", "y, z = TopK (x, k)")
    assert all_of(opened, "y z") == ["float[N, u0]", "int64[N, u0]"]
    symbolic = graph("float[N, M] x, float[K] w", "k = Shape (w) y, z = TopK (x, k)")
    assert all_of(symbolic, "y z") == ["float[N, K]", "int64[N, K]"]
    assert requirements(symbolic) == ["M >= K"]


def test_non_zero() -> None:
    for opset in (9, 13):
        assert type_of(graph("float[N, M] x", "y = NonZero (x)"), opset=opset) == "int64[2, u0]"
    assert type_of(graph("float[] x", "y = NonZero (x)")) == "int64[u0, u1]"
    assert type_of(graph("float x", "y = NonZero (x)")) == "int64[0, u0]"  # NumPy has a row even for a scalar
    assert type_of(graph("float[N, 0] x", "y = NonZero (x)")) == "int64[2, 0]"
    assert type_of(graph("float[N] x", "c = Constant <value_ints = [1, 0, 2]> () y = NonZero (c)")) == "int64[1, 2]"


def compressed(attributes: str, condition: str = "bool[K] c", shape: str = "[N, 3]", body: str = "") -> str:
    return graph(f"float{shape} x{', ' + condition if condition else ''}", f"{body} y = Compress {attributes} (x, c)")


def test_compress() -> None:
    known = "c = Constant <value = bool[3] {1, 0, 1}> ()"
    for opset in (9, 11):
        assert type_of(compressed("<axis = 1>"), opset=opset) == "float[N, u0]"
        assert type_of(compressed(""), opset=opset) == "float[u0]"
    assert type_of(compressed("<axis = -2>", "", body=known)) == "float[2, 3]"
    assert type_of(compressed("", "", body=known)) == "float[2]"
    assert type_of(compressed("", shape="[]")) == "float[u0]"
    assert type_of(compressed("<axis = 1>", "bool[0] c")) == "float[N, 0]"
    assert requirements(compressed("<axis = 0>", "", body=known)) == ["N >= 3"]
    assert errors(compressed("<axis = 2>")) == ["axis-range"]
    assert errors(compressed("<axis = 0>", "bool[2, 2] c")) == ["not-one-d"]
    assert errors(compressed("<axis = 0>", "", "[2]", known)) == ["too-small"]


def test_unique() -> None:
    def of(shape: str, attributes: str = "") -> list[str]:
        return all_of(graph(f"float{shape} x", f"y, a, b, c = Unique {attributes} (x)"), "y a b c")

    assert of("[N, 3]") == ["float[u0]", "int64[u0]", "int64[3*N]", "int64[u0]"]
    assert of("[N, 3]", "<axis = -1>") == ["float[N, u0]", "int64[u0]", "int64[3]", "int64[u0]"]
    assert of("[1]") == ["float[1]", "int64[1]", "int64[1]", "int64[1]"]
    assert of("[]", "<axis = 0>")[0] == "float[...]"
    assert errors(graph("float[N, 3] x", "y = Unique <axis = 2> (x)")) == ["axis-range"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=2, max_size=2), st.integers(0, 3), st.integers(-2, 1))
def test_claims_hold_in_a_run(shape: list[int], k: int, axis: int) -> None:
    data = np.arange(np.prod(shape), dtype=np.float32).reshape(shape) % 2
    if k <= shape[axis]:
        proto = node_model("TopK", [(1, ["A", "B"]), np.array([k], np.int64)], 11, outputs=2, axis=axis)
        assert_rule_agrees(proto, {"x0": data}, onnxruntime)
    assert_rule_agrees(node_model("NonZero", [(1, ["A", "B"])], 13), {"x0": data}, onnxruntime)
    proto = node_model("Compress", [(1, ["A", "B"]), (9, ["C"])], 11, axis=axis)
    assert_rule_agrees(proto, {"x0": data, "x1": np.ones(min(k, shape[axis]), np.bool_)}, onnxruntime)
    if 0 not in shape:
        proto = node_model("Unique", [(1, ["A", "B"])], 11, outputs=4, axis=axis)
        assert_rule_agrees(proto, {"x0": data}, onnxruntime)
