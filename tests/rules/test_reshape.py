from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import assert_rule_agrees, errors, graph, model, onnxruntime, requirements, type_of

VERSIONS = [5, 13, 14, 19, 21, 23, 24, 25]
IR = {25: 12, 24: 11, 23: 11}


def reshaped(shape: str, entries: str, attributes: str = "") -> str:
    return graph(
        shape,
        f"s = Constant <value = int64[{entries.count(',') + 1}] {{{entries}}}> () y = Reshape {attributes} (x, s)",
    )


def of(shape: str, entries: str, attributes: str = "") -> str:
    return type_of(reshaped(shape, entries, attributes))


@pytest.mark.parametrize("opset", VERSIONS)
def test_shape_is_an_input(opset: int) -> None:
    text = reshaped("float[N, 6] x", "0, -1, 2")
    assert type_of(text, opset=opset, ir=IR.get(opset, 10)) == "float[N, 3, 2]"


def test_shape_is_an_attribute_in_version_1() -> None:
    assert type_of(graph("float[N, 6] x", "y = Reshape <shape = [0, 2, 3]> (x)"), opset=1, ir=3) == "float[N, 2, 3]"
    assert type_of(graph("float[N, 6] x", "y = Reshape <shape = [-1]> (x)"), opset=1, ir=3) == "float[6*N]"
    assert type_of(graph("float[N, 6] x", "y = Reshape (x)"), opset=1, ir=3) == "float[...]"


def test_inferred() -> None:
    assert of("float[N, C, H, W] x", "0, -1") == "float[N, C*H*W]"
    assert of("float[N, 6] x", "-1, 3") == "float[2*N, 3]"
    assert of("float[N, C] x", "-1, 3") == "float[(C*N)//3, 3]"
    assert of("float[0, N] x", "3, -1") == "float[3, 0]"
    assert requirements(reshaped("float[N, C] x", "-1, 3")) == ["(C*N) % 3 == 0"]
    assert requirements(reshaped("float[N, C] x", "0, -1")) == ["N >= 1"]
    assert requirements(reshaped("float[N, 6] x", "-1, 3")) == []


def test_without_the_input_the_rank_and_the_numbers_are_known() -> None:
    assert of("float[] x", "0, -1, 4") == "float[u0, u1, 4]"
    assert type_of(graph("float[N, 3] x, int64[3] s", "y = Reshape (x, s)")) == "float[u0, u1, u2]"
    assert type_of(graph("float[N, 3] x, int64[K] s", "y = Reshape (x, s)")) == "float[...]"
    assert type_of(graph("float[N] x, int64[0] s", "y = Reshape (x, s)")) == "float[]"


def test_faults() -> None:
    def found(shape: str, entries: str, attributes: str = "") -> list[str]:
        return errors(reshaped(shape, entries, attributes))

    assert found("float[2, 3] x", "4, 2") == ["sizes-differ"]
    assert found("float[2, 3] x", "4, -1") == ["not-divisible"]
    assert found("float[2, 3] x", "-1, -1") == ["size-value"]
    assert found("float[2, 3] x", "-2, 3") == ["size-value"]
    assert found("float[2, 3] x", "2, 3, 0") == ["size-value"]
    assert found("float[0, 3] x", "0, -1") == ["too-small"]
    assert found("float[0, 3] x", "0, -1", "<allowzero = 1>") == ["size-value"]
    assert found("float[0, 3] x", "0, 0, 5", "<allowzero = 1>") == []
    assert errors(graph("float[2, 3] x, int64[1, 2] s", "y = Reshape (x, s)")) == ["not-one-d"]


def test_count_is_required() -> None:
    assert requirements(reshaped("float[N] x", "2, 3")) == ["N == 6"]
    assert requirements(reshaped("float[N, 6] x", "2, 3")) == ["N == 1"]
    assert requirements(reshaped("float[N, 6] x", "0, 2, 3")) == []


def computed(inputs: str, entries: str) -> str:
    constants = " ".join(f"k{n} = Constant <value_ints = [{n}]> ()" for n in (0, 1, 2, 12, 64))
    return graph(
        inputs,
        f"{constants} m = Constant <value_ints = [-1]> () shape = Shape (z) B = Gather (shape, k0)"
        f" S = Gather (shape, k1) R = Mul (B, k12) less = Sub (B, k1)"
        f" s = Concat <axis = 0> ({entries}) y = Reshape (x, s)",
    )


def symbolic(shape: str, entries: str) -> str:
    return type_of(computed(f"float{shape} x, float[B, S] z", entries))


def test_symbolic_entries() -> None:
    assert symbolic("[B, S, 768]", "B, S, k12, k64") == "float[B, S, 12, 64]"
    assert symbolic("[B, S, 768]", "k0, k0, k12, m") == "float[B, S, 12, 64]"
    assert symbolic("[B, 12, S, 64]", "R, m, k64") == "float[12*B, S, 64]"
    assert symbolic("[B, S, 12, 64]", "B, S, m") == "float[B, S, 768]"
    assert symbolic("[M, 4]", "less, k2, k2") == "float[M, 2, 2]"


def test_a_symbolic_entry_of_0_copies_the_dim() -> None:
    assert symbolic("[B, 12, S, 64]", "R, S, k64") == "float[12*B, S + 12 - 12*min(S, 1), 64]"
    assert symbolic("[B, 12, S, 64]", "m, S, k64") == "float[12*B*min(S, 1), S + 12 - 12*min(S, 1), 64]"
    assert symbolic("[B, 1, S]", "B, S, k1") == "float[B, max(S, 1), 1]"


def test_a_symbolic_entry_that_cannot_be_0() -> None:
    text = computed(
        "float[12, S, 64] x, float[B, S] z", "S, k12, k64"
    )  # a 0 would copy 12, for which there are no elements
    assert type_of(text) == "float[S, 12, 64]"
    assert requirements(text) == ["S >= 1"]
    assert requirements(computed("float[M] x, float[B, S] z", "m, S")) == ["S >= 1", "M % S == 0"]


def test_unknown_entries() -> None:
    def unknown(entries: str) -> str:
        body = (
            f"k = Constant <value_ints = [12]> () c = Constant <value_ints = [0]> () s = Concat <axis = 0> ({entries})"
        )
        return type_of(graph("float[M, 48] x, int64[1] t", f"{body} y = Reshape (x, s)"))

    assert unknown("k, t") == "float[12, 4*M]"  # whether it is -1 or a number
    assert unknown("c, t") == "float[M, u0]"  # 0 elements fit any second dim
    assert unknown("t, t") == "float[u0, u1]"


def test_flatten() -> None:
    def flat(attributes: str, opset: int = 21, ir: int = 10) -> str:
        return type_of(graph("float[N, 3, M] x", f"y = Flatten {attributes} (x)"), opset=opset, ir=ir)

    for opset in (1, 9, 11, 13, 21, 23, 24, 25):
        assert flat("", opset, IR.get(opset, 10)) == "float[N, 3*M]"
        assert flat("<axis = 0>", opset, IR.get(opset, 10)) == "float[1, 3*M*N]"
        assert flat("<axis = 3>", opset, IR.get(opset, 10)) == "float[3*M*N, 1]"
    assert flat("<axis = -1>", 11) == "float[3*N, M]"
    assert errors(model(graph("float[N, 3, M] x", "y = Flatten <axis = -1> (x)"), 9)) == ["axis-negative"]
    assert errors(graph("float[N, 3, M] x", "y = Flatten <axis = 4> (x)")) == ["axis-range"]
    assert type_of(graph("float[] x", "y = Flatten <axis = 2> (x)")) == "float[u0, u1]"
    assert type_of(graph("float[] x", "y = Flatten <axis = 0> (x)")) == "float[1, u0]"


def test_elements_are_followed() -> None:
    body = (
        "s = Shape (x) m = Constant <value_ints = [2, -1]> () r = Reshape (s, m) f = Flatten (r)"
        " c = Constant <value_ints = [-1]> () t = Reshape (f, c) y = Expand (o, t)"
    )
    assert type_of(graph("float[A, B, C, D] x, float[1] o", body)) == "float[A, B, C, D]"


@st.composite
def cases(draw: st.DrawFn) -> tuple[onnx.ModelProto, dict[str, Any]]:
    sizes = st.sampled_from([0, 1, 2, 3, 4, 12])
    names = {name: draw(sizes) for name in "ABC"}
    given = [draw(st.sampled_from("ABC")) for _ in range(draw(st.integers(1, 3)))]
    entry = st.sampled_from(["A", "B", "C", "AB", "zero", "two", "minus", "less", "t"])
    entries = draw(st.lists(entry, min_size=1, max_size=4))
    # Under allowzero, ONNX Runtime also takes -1 beside a size of 0, which the specification calls invalid.
    allow = draw(st.integers(0, 1)) if "minus" not in entries and "t" not in entries else 0
    constants = " ".join(
        f"{n} = Constant <value_ints = [{v}]> ()" for n, v in (("zero", 0), ("one", 1), ("two", 2), ("minus", -1))
    )
    body = (
        f"{constants} shape = Shape (z) A = Gather (shape, zero) B = Gather (shape, one) C = Gather (shape, two)"
        f" AB = Mul (A, B) less = Sub (A, one) s = Concat <axis = 0> ({', '.join(entries)})"
        f" y = Reshape <allowzero = {allow}> (x, s)"
    )
    proto = model(graph(f"float[{', '.join(given)}] x, float[A, B, C] z, int64[1] t", body))
    feeds = {
        "x": np.zeros([names[name] for name in given], np.float32),
        "z": np.zeros(list(names.values()), np.float32),
        "t": np.array([draw(st.sampled_from([-1, 0, 1, 2, 4]))], np.int64),
    }
    return proto, feeds


@settings(max_examples=400, deadline=None)
@given(cases())
def test_claims_hold_in_a_run(case: tuple[onnx.ModelProto, dict[str, Any]]) -> None:
    proto, feeds = case
    try:
        onnxruntime(proto, feeds)
    except Exception:  # these sizes do not run: nothing is claimed of them
        return
    assert_rule_agrees(proto, feeds, onnxruntime)
