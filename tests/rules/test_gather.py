from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import assert_rule_agrees, errors, graph, model, node_model, onnxruntime, requirements, type_of


@pytest.mark.parametrize("opset", [1, 11, 13])
def test_gather(opset: int) -> None:
    def of(data: str, indices: str, attributes: str = "") -> str:
        text = graph(f"float{data} x, int64{indices} i", f"y = Gather {attributes} (x, i)")
        return type_of(text, opset=opset)

    assert of("[N, M]", "[K, 2]") == "float[K, 2, M]"
    assert of("[N, M]", "[K, 2]", "<axis = -1>") == "float[N, K, 2]"
    assert of("[N, M]", "") == "float[M]"
    assert of("[N]", "") == "float[]"
    assert of("[N, M]", "[]") == "float[...]"
    assert of("[]", "[K]") == "float[...]"


def constant(op: str, data: str, indices: str, attributes: str = "") -> str:
    return graph(f"float{data} x", f"i = Constant <value = {indices}> () y = {op} {attributes} (x, i)")


def test_constant_indices_are_in_range() -> None:
    assert errors(constant("Gather", "[3, M]", "int64 {3}")) == ["index-range"]
    assert errors(constant("Gather", "[3, M]", "int64 {-4}")) == ["index-range"]
    assert errors(constant("Gather", "[3, M]", "int64[2] {-3, 2}")) == []
    assert requirements(constant("Gather", "[N, M]", "int64[2] {-2, 3}")) == ["N >= 4"]
    assert errors(constant("Gather", "[2, 3]", "int64 {0}", "<axis = 2>")) == ["axis-range"]
    assert errors(constant("Gather", "", "int64 {0}")) == ["axis-range"]
    assert errors(constant("GatherElements", "[3]", "int64[1] {3}")) == ["index-range"]
    assert errors(constant("GatherND", "[3, 2]", "int64[1, 2] {2, 2}")) == ["index-range"]


def test_gather_elements() -> None:
    def of(data: str, indices: str) -> str:
        return type_of(graph(f"float{data} x, int64{indices} i", "y = GatherElements <axis = 1> (x, i)"))

    assert of("[N, M]", "[K, 2]") == "float[K, 2]"
    assert of("[]", "[K, 2]") == "float[K, 2]"
    assert of("[N, M]", "[]") == "float[u0, u1]"
    both = "y = GatherElements (x, i)"
    assert errors(graph("float[2, 3] x, int64[2] i", both)) == ["rank"]
    assert errors(graph("float[2, 3] x, int64[2, 4] i", both)) == ["too-small"]
    assert errors(graph("float[2, 3] x, int64[4, 3] i", both)) == []


def test_gather_nd() -> None:
    def of(data: str, indices: str, attributes: str = "", opset: int = 13) -> str:
        text = graph(f"float{data} x, int64{indices} i", f"y = GatherND {attributes} (x, i)")
        return type_of(text, opset=opset)

    for opset in (11, 12, 13):
        assert of("[A, B, C]", "[N, 2]", opset=opset) == "float[N, C]"
        assert of("[A, B, C]", "[N, M, 3]", opset=opset) == "float[N, M]"
    assert of("[A, B, C]", "[N, M, 1]", "<batch_dims = 1>") == "float[N, M, C]"
    assert of("[A, B, C]", "[N, K]") == "float[...]"
    assert of("[A]", "[N, K]") == "float[N]"  # a tuple can only have the length 1
    assert of("[]", "[N, 2]") == "float[...]"


@pytest.mark.parametrize(
    ("data", "indices", "batch", "name"),
    [
        ("[2, 3]", "[4, 3]", 0, "size-value"),
        ("[2, 3]", "[4, 0]", 0, "size-value"),
        ("[2, 3]", "[4, 1]", 2, "attribute-value"),
        ("[2, 3]", "[4, 1]", 1, "sizes-differ"),
        ("[2, 3]", "[2, 2]", 1, "size-value"),
        ("[2, 3]", "", 0, "rank"),
    ],
)
def test_faults_of_gather_nd(data: str, indices: str, batch: int, name: str) -> None:
    text = graph(f"float{data} x, int64{indices} i", f"y = GatherND <batch_dims = {batch}> (x, i)")
    found = errors(text)
    assert found[:1] == [name] if indices else found in (["rank"], ["attribute-value"])


def test_elements_are_followed() -> None:
    body = "s = Shape (x) i = Constant <value_ints = [2, -3]> () r = {} (s, i) y = Expand (o, r)"
    for op in ("Gather", "GatherElements"):
        assert type_of(graph("float[A, B, C] x, float[1] o", body.format(op))) == "float[C, A]"


@st.composite
def cases(draw: st.DrawFn) -> tuple[onnx.ModelProto, dict[str, Any]]:
    rank = draw(st.integers(1, 3))
    shape = draw(st.lists(st.integers(1, 3), min_size=rank, max_size=rank))
    batch = draw(st.integers(0, rank - 1))
    count = draw(st.integers(1, rank - batch))
    outer = shape[:batch] + draw(st.lists(st.integers(0, 3), max_size=2))
    indices = np.zeros([*outer, count], np.int64)
    names: list[int | str] = [f"i{i}" for i in range(len(outer))]
    proto = node_model("GatherND", [(1, [f"d{i}" for i in range(rank)]), (7, [*names, count])], 13, batch_dims=batch)
    return proto, {"x0": np.ones(shape, np.float32), "x1": indices}


@settings(max_examples=60, deadline=None)
@given(cases())
def test_claims_hold_in_a_run(case: tuple[onnx.ModelProto, dict[str, Any]]) -> None:
    assert_rule_agrees(*case, onnxruntime)


@settings(max_examples=40, deadline=None)
@given(st.integers(-2, 1), st.lists(st.integers(0, 2), max_size=2))
def test_gather_claims_hold_in_a_run(axis: int, shape: list[int]) -> None:
    proto = node_model("Gather", [(1, ["A", "B"]), (7, [f"i{i}" for i in range(len(shape))])], 13, axis=axis)
    assert_rule_agrees(proto, {"x0": np.ones((2, 3), np.float32), "x1": np.zeros(shape, np.int64)}, onnxruntime)


def test_versions_share_their_faults() -> None:
    assert errors(model(constant("Gather", "[3]", "int64 {3}"), 11)) == ["index-range"]
