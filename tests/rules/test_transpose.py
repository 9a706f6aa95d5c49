from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import assert_rule_agrees, errors, graph, node_model, reference, type_of

IR = {25: 12, 24: 11, 23: 11}


@pytest.mark.parametrize("opset", [1, 13, 21, 23, 24, 25])
def test_shapes(opset: int) -> None:
    def of(shape: str, attributes: str = "") -> str:
        return type_of(graph(f"float{shape} x", f"y = Transpose {attributes} (x)"), opset=opset, ir=IR.get(opset, 10))

    assert of("[N, 3, M]") == "float[M, 3, N]"
    assert of("[N, 3, M]", "<perm = [1, 2, 0]>") == "float[3, M, N]"
    assert of("[]", "<perm = [1, 2, 0]>") == "float[u0, u1, u2]"
    assert of("[]") == "float[...]"
    assert of("") == "float[]"


@pytest.mark.parametrize(
    ("shape", "perm", "name"),
    [
        ("[2, 3]", "[0]", "length"),
        ("[2, 3]", "[0, 2]", "axis-range"),
        ("[2, 3]", "[-1, 0]", "axis-range"),
        ("[2, 3]", "[1, 1]", "repeated-axis"),
        ("[]", "[1, 1]", "repeated-axis"),
    ],
)
def test_faults(shape: str, perm: str, name: str) -> None:
    assert errors(graph(f"float{shape} x", f"y = Transpose <perm = {perm}> (x)")) == [name]


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(3)), st.lists(st.integers(0, 3), min_size=3, max_size=3))
def test_claims_hold_in_a_run(perm: list[int], shape: list[int]) -> None:
    proto = node_model("Transpose", [(1, ["A", "B", "C"])], 21, perm=perm)
    proto.graph.output[0].type.tensor_type.elem_type = 1
    assert_rule_agrees(proto, {"x0": np.ones(shape, np.float32)}, reference)
