from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import assert_rule_agrees, errors, graph, node_model, type_of

NUMBERS = "z = Constant <value_int = 0> () o = Constant <value_int = 1> () k = Constant <value_int = 3> () d = Neg (k)"


def of(body: str, inputs: str = "float[N, M] x, int64 v") -> str:
    return type_of(graph(inputs, f"{NUMBERS} n = Size (x) {body}"))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("y = Range (z, n, o)", "int64[M*N]"),
        ("y = Range (z, n, k)", "int64[(M*N + 2)//3]"),
        ("y = Range (n, z, d)", "int64[(M*N + 2)//3]"),
        ("y = Range (k, n, o)", "int64[max(M*N - 3, 0)]"),
        ("m = Add (n, k) y = Range (n, m, o)", "int64[3]"),
        ("y = Range (v, v, o)", "int64[u0]"),
        ("y = Range (z, v, o)", "int64[u0]"),
        ("y = Range (n, n, o)", "int64[0]"),
        ("y = Range (k, z, o)", "int64[0]"),
        ("y = Range (z, k, v)", "int64[u0]"),
        ("f = Cast <to = 1> (n) a = Cast <to = 1> (z) b = Cast <to = 1> (o) y = Range (a, f, b)", "float[M*N]"),
    ],
)
def test_lengths(body: str, expected: str) -> None:
    assert of(body) == expected


def test_elements_are_followed() -> None:
    body = "m = Add (n, k) r = Range (n, m, o) y = ConstantOfShape (r)"
    assert of(body) == "float[M*N, M*N + 1, M*N + 2]"


def test_faults() -> None:
    assert errors(graph("float[N] x", f"{NUMBERS} y = Range (z, k, z)")) == ["size-value"]
    assert errors(graph("int64[2] x", f"{NUMBERS} y = Range (x, k, o)")) == ["rank"]


def test_nothing_large_is_made() -> None:
    assert of("b = Constant <value_int = 2000000000> () y = Range (z, b, o)") == "int64[2000000000]"


@settings(max_examples=60, deadline=None)
@given(
    st.integers(-9, 9),
    st.integers(-9, 9),
    st.integers(-4, 4).filter(bool),
    st.sampled_from([np.int64, np.int32, np.float32]),
)
def test_lengths_are_what_comes_out(start: int, limit: int, delta: int, dtype: type[Any]) -> None:
    divisor = 4 if dtype is np.float32 else 1
    proto = node_model("Range", [np.array(v / divisor, dtype) for v in (start, limit, delta)], 11)
    proto.ir_version = 8
    proto.graph.output[0].type.tensor_type.elem_type = {np.int64: 7, np.int32: 6, np.float32: 1}[dtype]
    assert_rule_agrees(proto, {})
