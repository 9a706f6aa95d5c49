from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto as T

from tests.support import Array, assert_rule_agrees, errors, graph, model, node_model, reference, requirements, type_of

QKV = "float[B, H, S, D] q, float[B, H, T, D] k, float[B, H, T, V] v"


def attention(inputs: str = QKV, call: str = "q, k, v", attributes: str = "", outputs: str = "y") -> str:
    return graph(inputs, f"{outputs} = Attention {attributes} ({call})", outputs)


@pytest.mark.parametrize("opset", [23, 24, 25])
def test_four_dims(opset: int) -> None:
    assert type_of(attention(), opset=opset) == "float[B, H, S, V]"
    past = f"{QKV}, float[B, H, P, D] pk, float[B, H, P, V] pv"
    text = attention(past, "q, k, v, , pk, pv", "", "y, a, b, s")
    kinds = [type_of(text, value, opset) for value in "yabs"]
    assert kinds == ["float[B, H, S, V]", "float[B, H, P + T, D]", "float[B, H, P + T, V]", "float[B, H, S, P + T]"]


def test_packed_heads() -> None:
    packed = "float[B, S, 24] q, float[B, T, 12] k, float[B, T, 10] v"
    heads = "<q_num_heads = 4, kv_num_heads = 2>"
    text = attention(packed, attributes=heads, outputs="y, a, b")
    assert [type_of(text, value, 23) for value in "yab"] == [
        "float[B, S, 20]",
        "float[B, 2, T, 6]",
        "float[B, 2, T, 5]",
    ]
    assert errors(model(attention(packed), 23)) == ["attribute-missing"]
    fewer = packed.replace("12", "8")
    assert errors(model(attention(fewer, attributes=heads), 23)) == ["sizes-differ"]
    assert errors(model(attention(packed, attributes="<q_num_heads = 5, kv_num_heads = 2>"), 23)) == ["not-divisible"]


def test_what_must_agree() -> None:
    assert errors(model(attention(QKV.replace("[B, H, S, D]", "[B, S, D]")), 23)) == ["rank"]
    assert errors(model(attention("float[2, 4, 3, 8] q, float[2, 3, 5, 8] k, float[2, 3, 5, 8] v"), 23)) == [
        "not-divisible"
    ]
    assert errors(model(attention("float[2, 4, 3, 8] q, float[2, 4, 5, 7] k, float[2, 4, 5, 8] v"), 23)) == [
        "sizes-differ"
    ]
    assert errors(model(attention(f"{QKV}, float[B, H, P, D] pk", "q, k, v, , pk"), 23)) == ["missing-input"]
    assert errors(model(attention(attributes="<qk_matmul_output_mode = 4>"), 23)) == ["attribute-value"]


def test_masks() -> None:
    sized = "float[2, 4, 3, 8] q, float[2, 4, 6, 8] k, float[2, 4, 6, 8] v, float"
    assert errors(model(attention(f"{sized}[3, 6] m", "q, k, v, m"), 23)) == []
    assert errors(model(attention(f"{sized}[2, 1, 1, 6] m", "q, k, v, m"), 23)) == []
    assert errors(model(attention(f"{sized}[4, 6] m", "q, k, v, m"), 23)) == ["broadcast"]
    assert errors(model(attention(f"{sized}[3, 5] m", "q, k, v, m"), 23)) == ["broadcast"]
    assert errors(model(attention(f"{sized}[3, 5] m", "q, k, v, m"), 24)) == []
    assert errors(model(attention(f"{sized}[3, 7] m", "q, k, v, m"), 24)) == ["too-small"]


def test_a_mask_that_may_be_longer_than_scores_of_one_query() -> None:
    # By the text of the specification the mask broadcasts to the scores only; by the body of the function both do.
    text = attention(f"{QKV}, float[M, T] m", "q, k, v, m")
    assert type_of(text, opset=23) in ("float[B, H, broadcast(S, M), V]", "float[B, H, broadcast(M, S), V]")
    assert type_of(attention(f"{QKV}, float[S, T] m", "q, k, v, m"), opset=23) == "float[B, H, S, V]"


def test_rotary_embedding() -> None:
    def rotary(x: str, cache: str, attributes: str = "", more: str = "") -> str:
        inputs = f"float{x} x, float{cache} c, float{cache} s" + (f", int64{more} p" if more else "")
        return graph(inputs, f"y = RotaryEmbedding {attributes} (x, c, s{', p' if more else ''})")

    assert type_of(rotary("[B, H, S, 8]", "[B, S, 4]"), opset=23) == "float[B, H, S, 8]"
    assert type_of(rotary("[B, S, 16]", "[M, 4]", "<num_heads = 2>", "[B, S]"), opset=23) == "float[B, S, 16]"
    assert errors(model(rotary("[B, S, 16]", "[B, S, 4]"), 23)) == ["attribute-missing"]
    assert errors(model(rotary("[B, H, S, 8]", "[B, S, 3]"), 23)) == ["sizes-differ"]
    assert errors(model(rotary("[B, H, S, 8]", "[M, 4]"), 23)) == ["rank"]
    assert errors(model(rotary("[B, H, S, 8]", "[B, S, 2]", "<rotary_embedding_dim = 4>"), 23)) == []
    assert errors(model(rotary("[B, H, S, 8]", "[B, S, 8]", "<rotary_embedding_dim = 16>"), 23)) == ["too-small"]


def test_tensor_scatter() -> None:
    def scatter(cache: str, update: str, attributes: str = "") -> str:
        return graph(f"float{cache} x, float{update} u, int64[B] i", f"y = TensorScatter {attributes} (x, u, i)")

    assert type_of(scatter("[B, 8, 5]", "[B, 2, 5]"), opset=24) == "float[B, 8, 5]"
    assert type_of(scatter("[]", "[B, 2, 5]"), opset=24) == "float[B, u0, 5]"
    assert errors(model(scatter("[B, 8, 5]", "[B, 9, 5]"), 24)) == ["too-small"]
    assert errors(model(scatter("[B, 8, 5]", "[B, 2, 4]"), 24)) == ["sizes-differ"]
    assert errors(model(scatter("[B, 8, 5]", "[B, 2, 5]", "<axis = 0>"), 24)) == ["attribute-value"]
    assert errors(model(scatter("[B, 8, 5]", "[B, 2, 5]", '<mode = "ring">'), 24)) == ["attribute-value"]


def test_linear_attention() -> None:
    inputs = "float[B, T, 16] q, float[B, T, 8] k, float[B, T, 12] v, float16[B, 2, 4, 6] s"
    heads = '<q_num_heads = 4, kv_num_heads = 2, update_rule = "linear">'
    text = graph(inputs, f"y, p = LinearAttention {heads} (q, k, v, s)", "y, p")
    assert [type_of(text, value, 27) for value in "yp"] == ["float[B, T, 24]", "float16[B, 2, 4, 6]"]
    text = graph(inputs, f"y, p = LinearAttention {heads} (q, k, v)", "y, p")
    assert type_of(text, "p", 27) == "float[B, 2, 4, 6]"
    assert errors(model(text.replace("linear", "gated"), 27)) == ["missing-input"]
    assert errors(model(text.replace("kv_num_heads = 2", "kv_num_heads = 3"), 27)) == ["not-divisible"]


def test_causal_conv_with_state() -> None:
    text = graph("float[B, C, L] x, float[C, 1, 4] w", "y, s = CausalConvWithState (x, w)", "y, s")
    assert [type_of(text, value, 27) for value in "ys"] == ["float[B, C, L]", "float[B, C, 3]"]
    assert errors(model(text.replace("[C, 1, 4]", "[C, 2, 4]"), 27)) == ["sizes-differ"]
    assert requirements(model(text.replace("[C, 1, 4]", "[M, 1, 4]"), 27)) == ["C == M"]


def test_swiglu() -> None:
    assert type_of(graph("float[N, 3] a, float[M, 3] b", "y = SwiGLU (a, b)"), opset=28, ir=14) == "float[N, 3]"
    assert errors(model(graph("float[N, 3] a, float[N, 1] b", "y = SwiGLU (a, b)"), 28, 14)) == ["sizes-differ"]


FLEX = '<ir_version: 10, opset_import: ["" : 23, "ai.onnx.preview" : 1]>\n'


def test_flex_attention() -> None:
    def flex(modifier: str) -> str:
        inner = f"m (float[a, b, c, d] s) => (float[a, b, c, d] t) {{{modifier}}}"
        return f"{FLEX}g ({QKV}) => (y) {{ y = ai.onnx.preview.FlexAttention <score_mod = {inner}> (q, k, v) }}"

    assert type_of(flex("t = Relu (s)")) == "float[B, H, S, V]"
    assert requirements(flex("t = Transpose <perm = [0, 1, 3, 2]> (s)")) == ["S == T"]
    assert errors(flex("t = ReduceMax <keepdims = 0> (s)")) == ["rank"]


@settings(max_examples=30, deadline=None)
@given(st.tuples(*[st.integers(1, 3)] * 6), st.booleans(), st.booleans(), st.sampled_from([None, 2, 4]))
def test_claims_hold_in_the_reference(sizes: tuple[int, ...], packed: bool, past: bool, mask: int | None) -> None:
    batch, queries, keys, size, v_size, old = sizes
    heads, shared = 4, 2
    shapes: list[tuple[int, ...]] = [
        (batch, heads, queries, size),
        (batch, shared, keys, size),
        (batch, shared, keys, v_size),
    ]
    if packed:
        shapes = [(shape[0], shape[2], shape[1] * shape[3]) for shape in shapes]
    given_inputs: list[tuple[int, tuple[int, ...]] | None] = [(T.FLOAT, shape) for shape in shapes]
    total = keys + (old if past else 0)
    given_inputs.append(None if mask is None else (T.FLOAT, (batch, heads, queries, total)[4 - mask :]))
    if past:
        given_inputs += [(T.FLOAT, (batch, shared, old, size)), (T.FLOAT, (batch, shared, old, v_size))]
    feeds: dict[str, Array] = {}
    inputs: list[tuple[int, list[int | str]] | None] = []
    for i, each in enumerate(given_inputs):
        inputs.append(None if each is None else (each[0], [f"x{i}_{axis}" for axis in range(len(each[1]))]))
        if each is not None:
            feeds[f"x{i}"] = np.ones(each[1], np.float32)
    stated: dict[str, Any] = {"q_num_heads": heads, "kv_num_heads": shared} if packed else {}
    proto = node_model("Attention", inputs, 23, 4 if past else 1, **stated)
    assert_rule_agrees(proto, feeds, reference)
