from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import assert_rule_agrees, errors, graph, model, node_model, onnxruntime, requirements, type_of


def joined(shapes: list[str], attributes: str = "<axis = 0>") -> str:
    inputs = ", ".join(f"float{shape} x{i}" for i, shape in enumerate(shapes))
    return graph(inputs, f"y = Concat {attributes} ({', '.join(f'x{i}' for i in range(len(shapes)))})")


def of(*shapes: str, attributes: str = "<axis = 0>", opset: int = 21) -> str:
    return type_of(joined(list(shapes), attributes), opset=opset)


@pytest.mark.parametrize("opset", [1, 4, 11, 13])
def test_sums(opset: int) -> None:
    assert of("[N, 3]", "[M, 3]", "[2, 3]", opset=opset) == "float[M + N + 2, 3]"
    assert of("[N, 3]", "[N, K]", attributes="<axis = -1>", opset=opset) == "float[N, K + 3]"


def test_the_axis_of_version_1_is_1_by_default() -> None:
    assert of("[N, 3]", "[N, K]", attributes="", opset=1) == "float[N, K + 3]"
    assert errors(model(joined(["[N, 3]"], ""), 4)) == ["attribute-missing"]


def test_other_dims_agree() -> None:
    assert of("[N, M]", "[N, 3]", "[N, K]") == "float[3*N, 3]"
    assert requirements(joined(["[N, M]", "[N, 3]", "[N, K]"])) == ["M == 3", "K == 3"]
    assert errors(joined(["[2, 3]", "[2, 4]"])) == ["sizes-differ"]
    assert errors(joined(["[2, 3]", "[2]"])) == ["rank"]
    assert errors(joined(["[2, 3]"], "<axis = 2>")) == ["axis-range"]
    assert errors(joined(["", ""])) == ["axis-range"]  # scalars


def test_a_rank_is_enough_from_one_input() -> None:
    assert of("[]", "[2, 3]") == "float[u0, 3]"
    assert of("[]", "[]") == "float[...]"


def test_elements_are_followed() -> None:
    body = "s = Shape (x) r = Concat <axis = 0> (s, two, t) y = Expand (o, r)"
    text = graph("float[A, B] x, int64[1] t, float[1] o", f"two = Constant <value_ints = [2]> () {body}")
    assert type_of(text) == "float[A, B, 2, u0]"


@settings(max_examples=50, deadline=None)
@given(st.integers(-2, 1), st.integers(0, 3), st.lists(st.integers(0, 3), min_size=1, max_size=4))
def test_claims_hold_in_a_run(axis: int, other: int, sizes: list[int]) -> None:
    at = axis % 2
    shapes = [[other] * at + [size] + [other] * (1 - at) for size in sizes]
    proto = node_model("Concat", [(1, [f"a{i}", f"b{i}"]) for i in range(len(sizes))], 13, axis=axis)
    assert_rule_agrees(proto, {f"x{i}": np.ones(shape, np.float32) for i, shape in enumerate(shapes)}, onnxruntime)
