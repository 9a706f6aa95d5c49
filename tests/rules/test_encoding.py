from __future__ import annotations

import pytest

from tests.support import errors, graph, requirements, type_of


def one_hot(depth: str, attributes: str = "", shape: str = "[N, M]", values: str = "[2]") -> str:
    return graph(
        f"int64{shape} i, float{values} v", f"d = Constant <value = {depth}> () y = OneHot {attributes} (i, d, v)"
    )


@pytest.mark.parametrize("opset", [9, 11])
def test_one_hot(opset: int) -> None:
    assert type_of(one_hot("int64 {10}"), opset=opset) == "float[N, M, 10]"
    assert type_of(one_hot("float[1] {10}", "<axis = 0>"), opset=opset) == "float[10, N, M]"
    assert type_of(one_hot("int64 {10}", "<axis = -2>"), opset=opset) == "float[N, 10, M]"
    assert type_of(one_hot("int64 {10}", shape="[]"), opset=opset) == "float[...]"


def test_depth() -> None:
    assert type_of(graph("int64[N] i, int64 d, float[2] v", "y = OneHot (i, d, v)")) == "float[N, u0]"
    symbolic = graph("int64[N] i, float[K] z, float[2] v", "d = Shape (z) y = OneHot (i, d, v)")
    assert type_of(symbolic) == "float[N, K]"
    assert requirements(symbolic) == ["K >= 1"]
    assert errors(one_hot("int64 {0}")) == ["size-value"]
    assert errors(one_hot("int64[2] {2, 3}")) == ["length"]
    assert errors(one_hot("int64[1, 1] {2}")) == ["rank"]
    assert errors(one_hot("int64 {2}", values="[3]")) == ["length"]
    assert errors(one_hot("int64 {2}", values="[1, 2]")) == ["not-one-d"]
    assert errors(one_hot("int64 {2}", "<axis = 3>")) == ["axis-range"]


def test_trilu() -> None:
    assert type_of(graph("float[N, 3] x, int64 k", "y = Trilu <upper = 0> (x, k)")) == "float[N, 3]"
    assert type_of(graph("float[B, N, 3] x", "y = Trilu (x)")) == "float[B, N, 3]"
    assert errors(graph("float[3] x", "y = Trilu (x)")) == ["rank"]
    assert errors(graph("float[3, 3] x, int64[2] k", "y = Trilu (x, k)")) == ["length"]


def test_reverse_sequence() -> None:
    def of(shape: str, lengths: str, attributes: str = "") -> str:
        return graph(f"float{shape} x, int64{lengths} n", f"y = ReverseSequence {attributes} (x, n)")

    assert type_of(of("[T, B, 3]", "[4]")) == "float[T, 4, 3]"
    assert type_of(of("[T, B, 3]", "[]")) == "float[T, B, 3]"
    assert requirements(of("[T, B, 3]", "[4]")) == ["B == 4"]
    assert errors(of("[5, 2]", "[3]")) == ["sizes-differ"]
    assert errors(of("[5]", "[3]")) == ["rank"]
    assert errors(of("[5, 2]", "[2]", "<batch_axis = 2>")) == ["attribute-value"]
    assert errors(of("[5, 2]", "[2]", "<time_axis = 1>")) == ["attribute-value"]
