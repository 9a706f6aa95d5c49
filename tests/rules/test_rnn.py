from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto as T

from tests.support import assert_rule_agrees, errors, graph, model, node_model, requirements, type_of

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
OUTPUTS = {"RNN": 2, "GRU": 2, "LSTM": 3}


def layer(op: str, attributes: str = "hidden_size = 5", x: str = "float[L, B, 2]", directions: int = 1) -> str:
    g = GATES[op]
    weights = f"float[{directions}, {g * 5}, 2] w, float[{directions}, {g * 5}, 5] r"
    outputs = ", ".join("yhc"[: OUTPUTS[op]])
    return graph(f"{x} x, {weights}", f"{outputs} = {op} <{attributes}> (x, w, r)", outputs)


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("opset", [1, 3, 7, 14, 22])
def test_shapes(op: str, opset: int) -> None:
    assert type_of(layer(op), opset=opset) == "float[L, 1, B, 5]"
    assert type_of(layer(op), "h", opset=opset) == "float[1, B, 5]"


def test_the_cell_state_of_lstm() -> None:
    assert type_of(layer("LSTM"), "c") == "float[1, B, 5]"


def test_both_directions() -> None:
    assert type_of(layer("GRU", 'direction = "bidirectional"', directions=2)) == "float[L, 2, B, 5]"
    assert errors(layer("GRU", 'direction = "bidirectional"')) == ["sizes-differ"]
    assert errors(layer("GRU", 'direction = "both"')) == ["attribute-value"]


def test_layout_from_14() -> None:
    assert type_of(layer("RNN", "layout = 1", "float[B, L, 2]")) == "float[B, L, 1, 5]"
    assert type_of(layer("RNN", "layout = 1", "float[B, L, 2]"), "h") == "float[B, 1, 5]"
    assert errors(layer("RNN", "layout = 2")) == ["attribute-value"]


def test_the_hidden_size_is_that_of_r() -> None:
    assert type_of(layer("LSTM", 'direction = "reverse"')) == "float[L, 1, B, 5]"
    assert errors(layer("LSTM", "hidden_size = 6")) == ["sizes-differ"]


def test_an_unknown_rank_still_leaves_the_rank() -> None:
    assert type_of(layer("GRU", x="float[]")) == "float[u0, 1, u1, 5]"


def test_weights() -> None:
    assert errors(layer("RNN", x="float[L, B, 3]")) == ["sizes-differ"]
    assert requirements(layer("RNN", x="float[L, B, C]")) == ["C == 2"]
    assert errors(layer("RNN", x="float[L, B]")) == ["rank"]
    assert errors(layer("RNN", 'activations = ["Tan"]')) == ["attribute-value"]
    assert errors(layer("LSTM", 'activations = ["Tanh"]')) == ["length"]


def test_symbolic_weights() -> None:
    text = graph("float[L, B, I] x, float[1, G, I] w, float[1, G, H] r", "y = LSTM (x, w, r)")
    assert type_of(text) == "float[L, 1, B, H]"
    assert requirements(text) == ["G == 4*H"]


def test_optional_inputs_share_the_sizes() -> None:
    inputs = "float[L, B, 2] x, float[1, 20, 2] w, float[1, 20, 5] r, float[1, 40] b, int32[B] n, float[1, B, 5] h"
    assert errors(graph(inputs, "y = LSTM (x, w, r, b, n, h)")) == []
    assert errors(graph(inputs.replace("[1, 40]", "[1, 41]"), "y = LSTM (x, w, r, b, n, h)")) == ["sizes-differ"]


def test_outputs_may_be_left_out() -> None:
    text = graph("float[L, B, 2] x, float[1, 5, 2] w, float[1, 5, 5] r", ", h = RNN (x, w, r)", "h")
    assert type_of(text, "h") == "float[1, B, 5]"


def test_the_misspelt_default_of_gru_1() -> None:
    assert errors(model(layer("GRU"), 1)) == []


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(sorted(GATES)),
    st.sampled_from(["forward", "reverse", "bidirectional"]),
    st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3)),
    st.sampled_from([7, 14, 22]),
)
def test_claims_hold_in_onnxruntime(op: str, direction: str, sizes: tuple[int, int, int, int], opset: int) -> None:
    length, batch, width, hidden = sizes
    d, g = 1 + (direction == "bidirectional"), GATES[op]
    feeds = {
        "x0": np.ones((length, batch, width), np.float32),
        "x1": np.ones((d, g * hidden, width), np.float32),
        "x2": np.ones((d, g * hidden, hidden), np.float32),
    }
    inputs = [(T.FLOAT, [f"S{i}_{axis}" for axis in range(3)]) for i in range(3)]
    proto = node_model(op, inputs, opset, OUTPUTS[op], direction=direction, hidden_size=hidden)
    assert_rule_agrees(proto, feeds)
