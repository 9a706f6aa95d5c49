from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto as T

from tests.support import (
    Array,
    assert_rule_agrees,
    errors,
    graph,
    model,
    names,
    node_model,
    reference,
    requirements,
    type_of,
)


def dft(x: str, attributes: str = "onesided = 0", more: str = "", stored: str = "") -> str:
    return f"g (float{x} x) => (y) {stored} {{ y = DFT <{attributes}> (x{more}) }}"


def test_dft_20() -> None:
    assert type_of(dft("[B, N, 1]")) == "float[B, N, 2]"
    assert type_of(dft("[B, N, M, 2]")) == "float[B, N, M, 2]"
    assert type_of(dft("[B, N, 1]", "onesided = 1")) == "float[B, N//2 + 1, 2]"
    assert type_of(dft("[B, N, 2]", "onesided = 1, inverse = 1")) == "float[B, 2*N - 2, 1]"
    assert type_of(dft("[B, N, 1]", more=", n", stored="<int64 n = {6}>")) == "float[B, 6, 2]"
    assert type_of(dft("[B, N, 1]", "onesided = 1", ", n", "<int64 n = {6}>")) == "float[B, 4, 2]"
    assert type_of(dft("[B, N, M, 1]", "onesided = 1", ", , a", "<int64 a = {1}>")) == "float[B, N//2 + 1, M, 2]"


def test_dft_17_counts_the_axis_from_the_front() -> None:
    assert type_of(dft("[B, N, M, 1]", "onesided = 1"), opset=17) == "float[B, N//2 + 1, M, 2]"
    assert type_of(dft("[B, N, M, 1]", "onesided = 1, axis = -2"), opset=17) == "float[B, N, M//2 + 1, 2]"


def test_dft_with_what_only_a_run_can_tell() -> None:
    text = graph("float[B, N, M, 1] x, int64 n, int64 a", "y = DFT (x, n, a)")
    assert type_of(text) == "float[u0, u1, u2, 2]"
    assert type_of(graph("float[B, N, 1] x, int64 n", "y = DFT (x, n)")) == "float[B, u0, 2]"
    assert type_of(graph("float[B, N, M, 1] x, int64 a", "y = DFT (x, , a)")) == "float[B, N, M, 2]"


def test_dft_errors() -> None:
    assert errors(dft("[3]")) == ["rank"]
    assert errors(dft("[2, 3, 3]")) == ["size-value"]
    assert errors(dft("[2, 3, 2]", "onesided = 1")) == ["sizes-differ"]
    assert errors(dft("[2, 3, 1]", "onesided = 1, inverse = 1")) == ["sizes-differ"]
    assert errors(dft("[2, 3, 1]", "onesided = 2")) == ["attribute-value"]
    assert errors(dft("[2, 3, 1]", more=", , a", stored="<int64 a = {-1}>")) == ["axis-range"]
    assert errors(dft("[2, 3, 1]", more=", , a", stored="<int64 a = {3}>")) == ["axis-range"]
    assert errors(dft("[2, 3, 1]", more=", n", stored="<int64 n = {0}>")) == ["too-small"]
    assert errors(model(dft("[2, 3, 1]", "axis = 2"), 17)) == ["axis-range"]
    assert requirements(dft("[2, 3, P]", "onesided = 1")) == ["P == 1"]


def stft(inputs: str, stored: str, call: str, attributes: str = "") -> str:
    return f"g ({inputs}) => (y) {stored} {{ y = STFT {attributes} ({call}) }}"


def test_stft() -> None:
    text = stft("float[B, L, 1] x", "<int64 s = {8}, int64 n = {16}>", "x, s, , n")
    assert type_of(text) == "float[B, L//8 - 1, 9, 2]"
    assert requirements(text) == ["L >= 16"]
    text = stft("float[B, 64, 1] x, float[16] w", "<int64 s = {8}>", "x, s, w", "<onesided = 0>")
    assert type_of(text) == "float[B, 7, 16, 2]"
    assert type_of(stft("float[B, L, 1] x, int64 s", "", "x, s")) == "float[B, 1, L//2 + 1, 2]"
    assert type_of(stft("float[B, L, 1] x, int64 s, int64 n", "", "x, s, , n")) == "float[B, u0, u1, 2]"


def test_stft_of_a_signal_without_its_last_dim_is_only_a_warning() -> None:
    # the specification wants rank 3, but models of several exporters have rank 2, and ONNX Runtime runs them
    text = stft("float[B, 64] x", "<int64 s = {8}, int64 n = {16}>", "x, s, , n")
    assert names(text) == ["signal-rank"]
    assert type_of(text) == "float[B, 7, 9, 2]"


def test_stft_errors() -> None:
    assert errors(stft("float[64] x", "<int64 s = {8}>", "x, s")) == ["rank"]
    assert errors(stft("float[B, 64, 1] x", "<int64 s = {0}>", "x, s")) == ["too-small"]
    assert errors(stft("float[B, 8, 1] x", "<int64 s = {1}, int64 n = {16}>", "x, s, , n")) == ["too-small"]
    assert errors(stft("float[B, 8, 1] x, float[3] w", "<int64 s = {1}, int64 n = {4}>", "x, s, w, n")) == [
        "sizes-differ"
    ]
    assert errors(stft("float[B, 8, 2] x", "<int64 s = {1}>", "x, s")) == ["sizes-differ"]


@pytest.mark.parametrize("op", ["HannWindow", "HammingWindow", "BlackmanWindow"])
def test_windows(op: str) -> None:
    stored = "<int64 n = {10}>"
    assert type_of(f"g () => (y) {stored} {{ y = {op} (n) }}") == "float[10]"
    assert type_of(f"g () => (y) {stored} {{ y = {op} <output_datatype = 11> (n) }}") == "double[10]"
    assert type_of(graph("int64 n", f"y = {op} (n)")) == "float[u0]"
    sized = f"s = Size (x) y = {op} (s)"
    assert type_of(graph("float[N, 2] x", sized)) == "float[2*N]"
    assert errors(f"g () => (y) <int64 n = {{-1}}> {{ y = {op} (n) }}") == ["too-small"]
    assert errors(f"g () => (y) {stored} {{ y = {op} <output_datatype = 8> (n) }}") == ["element-type"]


def test_mel_weight_matrix() -> None:
    stored = "<int64 m = {8}, int64 n = {17}, int64 r = {8192}, float l = {0}, float h = {4096}>"
    assert type_of(f"g () => (y) {stored} {{ y = MelWeightMatrix (m, n, r, l, h) }}") == "float[9, 8]"


@settings(max_examples=40, deadline=None)
@given(
    st.tuples(st.integers(1, 3), st.integers(2, 5), st.integers(2, 5)),
    st.sampled_from([(0, 0), (0, 1), (1, 0)]),
    st.sampled_from([None, 3, 6]),
    st.sampled_from([0, 1, -2]),
)
def test_dft_claims_hold(sizes: tuple[int, int, int], flags: tuple[int, int], length: int | None, axis: int) -> None:
    onesided, inverse = flags
    inputs: list[tuple[int, list[str]] | Array | None] = [(T.FLOAT, ["A", "B", "C", "P"])]
    inputs += [None if length is None else np.array(length), np.array(axis)]
    proto = node_model("DFT", inputs, 20, onesided=onesided, inverse=inverse)
    feeds = {"x0": np.ones((*sizes, 1), np.float32)}
    assert_rule_agrees(proto, feeds, reference)
