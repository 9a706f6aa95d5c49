from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from onnx import TensorProto

from tests.support import (
    Array,
    Feeds,
    assert_rule_agrees,
    errors,
    graph,
    model,
    node_model,
    onnxruntime,
    requirements,
    type_of,
)

FLOAT = int(TensorProto.FLOAT)


def transposed(x: str, w: str, attributes: str = "", opset: int = 22) -> str:
    return type_of(graph(f"float{x} x, float{w} w", f"y = ConvTranspose {attributes} (x, w)"), opset=opset)


def transposed_errors(x: str, w: str, attributes: str = "", opset: int = 22) -> list[str]:
    return errors(model(graph(f"float{x} x, float{w} w", f"y = ConvTranspose {attributes} (x, w)"), opset))


@pytest.mark.parametrize("opset", [1, 11, 22])
def test_sizes(opset: int) -> None:
    assert transposed("[N, 4, H, W]", "[4, 8, 3, 3]", opset=opset) == "float[N, 8, H + 2, W + 2]"
    assert transposed("[N, 4, L]", "[4, 8, 4]", "<strides = [2], pads = [1, 1]>", opset) == "float[N, 8, 2*L]"
    assert (
        transposed("[N, 4, L]", "[4, 8, 3]", "<strides = [2], output_padding = [1]>", opset) == "float[N, 8, 2*L + 2]"
    )
    assert transposed("[N, 4, L]", "[4, 8, 3]", "<dilations = [2]>", opset) == "float[N, 8, L + 4]"
    assert transposed("[N, 4, L]", "[4, 3, 3]", "<group = 2>", opset) == "float[N, 6, L + 2]"
    assert transposed("[N, 4, L]", "[4, 3, 3]", "<output_shape = [7]>", opset) == "float[N, 3, 7]"


def test_same_is_the_size_times_the_stride() -> None:
    same = '<strides = [2], auto_pad = "SAME_UPPER">'
    assert transposed("[N, 4, L]", "[4, 8, 3]", same) == "float[N, 8, 2*L]"
    assert transposed("[N, 4, L]", "[4, 8, 3]", '<strides = [2], auto_pad = "VALID">') == "float[N, 8, 2*L + 1]"
    symbolic = model(graph("float[N, 4, L] x, float[4, 8, K] w", f"y = ConvTranspose {same} (x, w)"))
    assert requirements(symbolic) == ["K >= 2"]


def test_same_with_a_window_shorter_than_the_stride_is_not_decided() -> None:
    # By the equations the pads would be negative and the size 6; ONNX Runtime and the C++ inference say 5.
    assert transposed("[1, 1, 3]", "[1, 1, 1]", '<strides = [2], auto_pad = "SAME_LOWER">') == "float[1, 1, u0]"


def test_faults() -> None:
    assert transposed_errors("[N, 3, L]", "[4, 8, 3]") == ["sizes-differ"]
    assert transposed_errors("[N, 3, L]", "[3, 8, 3]", "<group = 2>") == ["not-divisible"]
    assert transposed_errors("[N, 4, L]", "[4, 8, 3]", "<output_padding = [1]>") == ["size-value"]
    assert transposed_errors("[N, 4, L]", "[4, 8, 3]", "<output_padding = [1]>", 1) == []
    assert transposed_errors("[N, 4, L]", "[4, 8, 3]", "<output_shape = [1, 8, 7]>") == ["length"]
    assert transposed_errors("[N, 4, 1]", "[4, 8, 1]", "<pads = [1, 1]>") == ["too-small"]
    assert transposed_errors("[N, 4, L]", "[4, 8, 3, 3]") == ["rank"]
    assert transposed_errors("[N, 4, L]", "[4, 8, 3]", '<auto_pad = "VALID", pads = [1, 1]>') == ["pads-and-auto-pad"]
    assert errors(
        model(graph("float[1, 4, 5] x, float[4, 3, 1] w, float[3] b", "y = ConvTranspose <group = 2> (x, w, b)"))
    ) == ["sizes-differ"]


def test_unknown_ranks() -> None:
    assert transposed("[]", "[4, 8, 3, 3]", "<group = 2>") == "float[u0, 16, u1, u2]"
    assert transposed("[N, 4, L]", "[]") == "float[N, u0, u1]"
    assert transposed("[]", "[]", "<output_shape = [5, 7]>") == "float[u0, u1, 5, 7]"
    assert transposed("[]", "[]") == "float[...]"


@st.composite
def cases(draw: st.DrawFn) -> tuple[dict[str, Any], list[int], int]:
    stride, dilation, kernel = draw(st.integers(1, 3)), draw(st.integers(1, 2)), draw(st.integers(1, 4))
    attributes: dict[str, Any] = {"strides": [stride], "dilations": [dilation], "group": draw(st.integers(1, 2))}
    padding = draw(st.sampled_from(["none", "pads", "SAME_UPPER", "SAME_LOWER", "VALID"]))
    if padding == "pads":
        attributes["pads"] = [draw(st.integers(0, 2)), draw(st.integers(0, 2))]
    elif padding != "none":
        attributes["auto_pad"] = padding
    if draw(st.booleans()):
        attributes["output_padding"] = [draw(st.integers(0, max(stride, dilation) - 1))]
    return attributes, [draw(st.integers(1, 2)), 2, draw(st.integers(1, 6))], kernel


@settings(max_examples=150, deadline=None)
@given(cases())
def test_claims_hold_whenever_onnxruntime_runs(case: tuple[dict[str, Any], list[int], int]) -> None:
    attributes, image, kernel = case
    proto = node_model("ConvTranspose", [(FLOAT, ["N", 2, "L"]), np.ones((2, 1, kernel), np.float32)], 22, **attributes)
    feeds = {"x0": np.zeros(image, np.float32)}
    try:
        run(proto, feeds)
    except Exception:  # whatever the runtime refuses is no run
        assume(False)
    assert errors(proto) == []
    assert_rule_agrees(proto, feeds, run)


def run(proto: onnx.ModelProto, feeds: Feeds) -> list[Array]:
    copy = onnx.ModelProto()
    copy.CopyFrom(proto)
    copy.ir_version = 10
    return onnxruntime(copy, feeds)
