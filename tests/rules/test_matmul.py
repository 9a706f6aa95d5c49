from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import assert_rule_agrees, errors, graph, model, node_model, onnxruntime, requirements, type_of


def product(a: str, b: str) -> str:
    return graph(f"float{a} a, float{b} b", "y = MatMul (a, b)")


@pytest.mark.parametrize("opset", [1, 9, 13])
@pytest.mark.parametrize(
    ("a", "b", "result"),
    [
        ("[N, K]", "[K, M]", "[N, M]"),
        ("[B, N, K]", "[K, M]", "[B, N, M]"),
        ("[1, N, K]", "[B, 1, K, M]", "[B, 1, N, M]"),
        ("[A, N, K]", "[B, K, M]", "[broadcast(A, B), N, M]"),
        ("[K]", "[K, M]", "[M]"),
        ("[N, K]", "[K]", "[N]"),
        ("[K]", "[K]", "[]"),
        ("[K]", "[B, K, M]", "[B, M]"),
        ("[B, N, K]", "[K]", "[B, N]"),
        ("[]", "[K, M]", "[...]"),
    ],
)
def test_matmul(opset: int, a: str, b: str, result: str) -> None:
    assert type_of(product(a, b), opset=opset) == f"float{result}"


def test_inner_dims_agree() -> None:
    assert requirements(product("[N, K]", "[L, M]")) == ["K == L"]
    assert errors(product("[2, 3]", "[4, 5]")) == ["sizes-differ"]
    assert errors(product("[3]", "[4, 5]")) == ["sizes-differ"]
    assert errors(product("[2, 3, 4]", "[5, 4, 2]")) == ["broadcast"]
    assert errors(product("", "[4, 5]")) == ["rank"]


def test_integers() -> None:
    assert type_of(graph("uint8[N, K] a, int8[K, M] b", "y = MatMulInteger (a, b)")) == "int32[N, M]"
    inputs = "uint8[N, K] a, float s, uint8 z, int8[K, M] b, int8 w, float t, uint8 v"
    assert type_of(graph(inputs, "y = QLinearMatMul (a, s, z, b, s, w, t, v)")) == "uint8[N, M]"


def gemm(a: str, b: str, c: str = "", attributes: str = "") -> str:
    bias = f", float{c} c" if c else ""
    return graph(f"float{a} a, float{b} b{bias}", f"y = Gemm {attributes} (a, b{', c' if c else ''})")


@pytest.mark.parametrize("opset", [7, 9, 11, 13])
def test_gemm(opset: int) -> None:
    def of(a: str, b: str, c: str, attributes: str = "") -> str:
        return type_of(gemm(a, b, c, attributes), opset=opset)

    assert of("[N, K]", "[K, M]", "[M]") == "float[N, M]"
    assert of("[K, N]", "[M, K]", "[1, 1]", "<transA = 1, transB = 1>") == "float[N, M]"
    assert of("[N, K]", "[K, M]", "[5]") == "float[N, 5]"
    assert of("[]", "[K, M]", "[2, 1]") == "float[2, M]"
    assert of("[]", "[]", "[]") == "float[u0, u1]"
    assert of("[N, K]", "[]", "[1]") == "float[N, u0]"
    assert of("[N, K]", "[]", "[5]") == "float[N, 5]"


def test_faults_of_gemm() -> None:
    assert errors(gemm("[2, 3]", "[4, 5]")) == ["sizes-differ"]
    assert errors(gemm("[2, 3]", "[3, 5]", "[4]")) == ["broadcast"]
    assert errors(gemm("[2, 3]", "[3, 5]", "[1, 2, 5]")) == ["rank"]
    assert errors(gemm("[1, 3]", "[3, 5]", "[2, 5]")) == ["broadcast"]  # the result does not grow
    assert errors(gemm("[2, 3, 1]", "[3, 5]")) == ["rank"]
    assert type_of(gemm("[N, 3]", "[3, 5]", "[2, 5]")) == "float[2, 5]"


@pytest.mark.parametrize("opset", [1, 6])
def test_gemm_with_the_attribute_broadcast(opset: int) -> None:
    assert type_of(gemm("[N, K]", "[K, M]", "[N, M]"), opset=opset, ir=3) == "float[N, M]"
    assert type_of(gemm("[]", "[K, M]", "[N, 4]"), opset=opset, ir=3) == "float[N, 4]"
    assert type_of(gemm("[N, K]", "[K, M]", "[M]", "<broadcast = 1>"), opset=opset, ir=3) == "float[N, M]"
    assert errors(model(gemm("[2, 3]", "[3, 4]", "[4]"), opset, 3)) == ["rank"]
    assert errors(model(gemm("[2, 3]", "[3, 4]", "[1, 4]"), opset, 3)) == ["sizes-differ"]


def test_det() -> None:
    assert type_of(graph("float[B, M, M] x", "y = Det (x)")) == "float[B]"
    assert type_of(graph("float[M, 3] x", "y = Det (x)"), opset=22) == "float[]"
    assert errors(graph("float[2, 3] x", "y = Det (x)")) == ["sizes-differ"]
    assert errors(graph("float[2] x", "y = Det (x)")) == ["rank"]


@st.composite
def cases(draw: st.DrawFn) -> tuple[onnx.ModelProto, dict[str, Any]]:
    inner = draw(st.integers(0, 2))
    size = st.sampled_from([0, 1, 1, 2])
    left, right = ([*draw(st.lists(size, max_size=3))] for _ in range(2))
    left, right = [*left, inner], [*right[:-1], inner, *right[-1:]]
    inputs = [(1, [f"{name}{i}" for i in range(len(shape))]) for name, shape in (("a", left), ("b", right))]
    return node_model("MatMul", inputs, 13), {"x0": np.ones(left, np.float32), "x1": np.ones(right, np.float32)}


@settings(max_examples=100, deadline=None)
@given(cases())
def test_claims_hold_in_a_run(case: tuple[onnx.ModelProto, dict[str, Any]]) -> None:
    proto, feeds = case
    try:
        onnxruntime(proto, feeds)
    except Exception:  # batch dims that do not broadcast
        return
    assert_rule_agrees(proto, feeds, onnxruntime)
