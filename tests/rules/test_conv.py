from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from onnx import TensorProto, numpy_helper

from tests.support import (
    assert_rule_agrees,
    errors,
    graph,
    model,
    node_model,
    onnxruntime,
    reference,
    requirements,
    type_of,
)

FLOAT = int(TensorProto.FLOAT)


def conv(x: str, w: str, attributes: str = "", bias: str = "", opset: int = 22) -> str:
    given_bias = f", float{bias} b" if bias else ""
    inputs = f"float{x} x, float{w} w{given_bias}"
    return type_of(graph(inputs, f"y = Conv {attributes} (x, w{', b' if bias else ''})"), opset=opset)


def conv_errors(x: str, w: str, attributes: str = "", opset: int = 22) -> list[str]:
    return errors(model(graph(f"float{x} x, float{w} w", f"y = Conv {attributes} (x, w)"), opset))


@pytest.mark.parametrize("opset", [1, 11, 22])
def test_windows_along_each_axis(opset: int) -> None:
    assert conv("[N, 3, H, W]", "[8, 3, 3, 3]", opset=opset) == "float[N, 8, H - 2, W - 2]"
    assert conv("[N, 3, 224, 224]", "[64, 3, 7, 7]", "<strides = [2, 2], pads = [3, 3, 3, 3]>", opset=opset) == (
        "float[N, 64, 112, 112]"
    )
    assert conv("[N, 3, L]", "[8, 3, 3]", "<strides = [2], pads = [1, 1]>", opset=opset) == "float[N, 8, (L + 1)//2]"
    assert conv("[N, 3, L]", "[8, 3, 3]", "<dilations = [2]>", opset=opset) == "float[N, 8, L - 4]"
    assert conv("[N, 3, 9]", "[M, 3, K]", opset=opset) == "float[N, M, 10 - K]"


@pytest.mark.parametrize("auto_pad", ["SAME_UPPER", "SAME_LOWER"])
def test_same_is_the_size_by_the_stride_rounded_up(auto_pad: str) -> None:
    assert conv("[N, 3, L]", "[8, 3, K]", f'<strides = [2], auto_pad = "{auto_pad}">') == "float[N, 8, (L + 1)//2]"


def test_valid_pads_nothing() -> None:
    assert conv("[N, 3, L]", "[8, 3, 3]", '<auto_pad = "VALID">') == "float[N, 8, L - 2]"
    assert conv("[N, 3, L]", "[8, 3, 3]", '<auto_pad = "VALID", pads = [0, 0]>') == "float[N, 8, L - 2]"
    assert conv_errors("[N, 3, L]", "[8, 3, 3]", '<auto_pad = "VALID", pads = [1, 0]>') == ["pads-and-auto-pad"]
    assert conv_errors("[N, 3, L]", "[8, 3, 3]", '<auto_pad = "SAME_UPPER", pads = [0, 0]>') == ["pads-and-auto-pad"]


def test_channels_groups_and_bias() -> None:
    assert conv("[N, 6, L]", "[4, 3, 1]", "<group = 2>") == "float[N, 4, L]"
    assert conv_errors("[N, 6, L]", "[4, 3, 1]") == ["sizes-differ"]
    assert conv_errors("[N, 3, L]", "[4, K, 1]", "<group = 2>") == ["sizes-differ"]
    assert conv_errors("[N, 3, L]", "[]", "<group = 2>") == ["not-divisible"]
    assert conv_errors("[N, 4, L]", "[3, 2, 1]", "<group = 2>") == ["not-divisible"]
    assert conv_errors("[N, 4, L]", "[4, 4, 1]", "<group = 0>") == ["size-value"]
    assert requirements(model(graph("float[N, C, 5] x, float[4, 3, 1] w", "y = Conv <group = 2> (x, w)"))) == ["C == 6"]
    assert errors(model(graph("float[1, 3, 5] x, float[4, 3, 1] w, float[5] b", "y = Conv (x, w, b)"))) == [
        "sizes-differ"
    ]
    assert errors(model(graph("float[1, 3, 5] x, float[4, 3, 1] w, float[4, 1] b", "y = Conv (x, w, b)"))) == [
        "not-one-d"
    ]
    assert conv("[1, 3, 5]", "[M, 3, 1]", bias="[4]") == "float[1, 4, 5]"


def test_lists_have_one_entry_for_each_axis_and_make_sense() -> None:
    for attribute, name in [
        ("strides = [1]", "length"),
        ("dilations = [1, 1, 1]", "length"),
        ("pads = [1, 1]", "length"),
        ("kernel_shape = [3]", "length"),
        ("strides = [0, 1]", "size-value"),
        ("dilations = [1, 0]", "size-value"),
        ("pads = [0, -1, 0, 0]", "size-value"),
        ("kernel_shape = [3, 2]", "sizes-differ"),
        ('auto_pad = "SAME"', "attribute-value"),
    ]:
        assert conv_errors("[1, 3, 8, 8]", "[4, 3, 3, 3]", f"<{attribute}>") == [name], attribute


def test_ranks() -> None:
    assert conv_errors("[3]", "[4, 3, 1]") == ["rank"]
    assert conv_errors("[1, 3]", "[4, 3]") == ["rank"]
    assert conv_errors("[1, 3, 5, 5]", "[4, 3, 1]") == ["rank"]
    assert conv("[]", "[4, 3, 3, 3]") == "float[u0, 4, u1, u2]"
    assert conv("[N, 3, H, W]", "[]") == "float[N, u0, u1, u2]"
    assert conv("[N, 3, H, W]", "[]", "<kernel_shape = [3, 3]>", "[4]") == "float[N, 4, H - 2, W - 2]"
    assert conv("[]", "[]", "<kernel_shape = [3, 3]>") == "float[u0, u1, u2, u3]"
    assert conv("[]", "[]", "<pads = [1, 1]>") == "float[u0, u1, u2]"
    assert conv("[]", "[]") == "float[...]"


def test_a_window_must_fit() -> None:
    assert conv_errors("[1, 1, 2]", "[1, 1, 3]") == ["too-small"]
    assert conv_errors("[1, 1, 2]", "[1, 1, 3]", "<pads = [0, 1]>") == []
    assert requirements(model(graph("float[N, 1, L] x, float[1, 1, 3] w", "y = Conv (x, w)"))) == ["L >= 3"]


def test_the_quantised_ones() -> None:
    assert type_of(graph("uint8[N, 3, H, 9] x, uint8[4, 3, 3, 3] w", "y = ConvInteger (x, w)")) == (
        "int32[N, 4, H - 2, 7]"
    )
    zero = "uint8[N, 3, 9] x, uint8[4, 3, 3] w, uint8{} p, uint8{} q"
    assert errors(model(graph(zero.format("", "[4]"), "y = ConvInteger (x, w, p, q)"))) == []
    assert errors(model(graph(zero.format("[2]", ""), "y = ConvInteger (x, w, p, q)"))) == ["sizes-differ"]
    assert errors(model(graph(zero.format("", "[3]"), "y = ConvInteger (x, w, p, q)"))) == ["sizes-differ"]
    assert errors(model(graph(zero.format("", "[4, 1]"), "y = ConvInteger (x, w, p, q)"))) == ["rank"]
    inputs = (
        "uint8[N, 3, L] x, float xs, uint8 xz, uint8[4, 3, 3] w, float{} ws, uint8{} wz, float ys, int8 yz, int32[4] b"
    )
    body = "y = QLinearConv (x, xs, xz, w, ws, wz, ys, yz, b)"
    assert type_of(graph(inputs.format("[4]", "[4]"), body)) == "int8[N, 4, L - 2]"
    assert errors(model(graph(inputs.format("[3]", "[3]"), body))) == ["sizes-differ"]


def test_deformable() -> None:
    body = "y = DeformConv (x, w, o)"
    inputs = "float{} x, float[M, 3, 2, 2] w, float{} o"
    assert type_of(graph(inputs.format("[N, 3, H, W]", "[N, 8, A, B]"), body)) == "float[N, M, H - 1, W - 1]"
    assert type_of(graph(inputs.format("[]", "[N, 8, A, B]"), body)) == "float[N, M, A, B]"
    assert errors(model(graph(inputs.format("[N, 3, 5, 5]", "[N, 7, 4, 4]"), body))) == ["sizes-differ"]
    assert errors(model(graph(inputs.format("[N, 3, 5, 5]", "[N, 8, 4, 5]"), body))) == ["sizes-differ"]
    assert errors(model(graph(inputs.format("[N, 3, 5, 5]", "[N, 8, 4]"), body))) == ["rank"]
    assert errors(
        model(
            graph("float[1, 3, 5] x, float[2, 3, 1] w, float[1, 2, 5] o", "y = DeformConv <offset_group = 2> (x, w, o)")
        )
    ) == ["not-divisible"]


# ------------------------------------------------------------------------------------------------ rule against runs


@st.composite
def convolutions(draw: st.DrawFn) -> tuple[dict[str, Any], list[int], list[int], list[int]]:
    """Attributes, sizes of the image, of the filters, and which image dims are symbolic."""
    axes = draw(st.integers(1, 2))
    group = draw(st.integers(1, 2))
    kernel = [draw(st.integers(1, 3)) for _ in range(axes)]
    attributes: dict[str, Any] = {"group": group}
    if draw(st.booleans()):
        attributes["strides"] = [draw(st.integers(1, 3)) for _ in range(axes)]
    if draw(st.booleans()):
        attributes["dilations"] = [draw(st.integers(1, 2)) for _ in range(axes)]
    padding = draw(st.sampled_from(["none", "pads", "SAME_UPPER", "SAME_LOWER", "VALID"]))
    if padding == "pads":
        attributes["pads"] = [draw(st.integers(0, 2)) for _ in range(2 * axes)]
    elif padding != "none":
        attributes["auto_pad"] = padding
    if draw(st.booleans()):
        attributes["kernel_shape"] = kernel
    image = [draw(st.integers(0, 2)), group, *(draw(st.integers(1, 9)) for _ in range(axes))]
    return attributes, image, [2 * group, 1, *kernel], [draw(st.integers(0, 1)) for _ in image]


@settings(max_examples=150, deadline=None)
@given(convolutions())
def test_claims_hold_whenever_onnxruntime_runs(case: tuple[dict[str, Any], list[int], list[int], list[int]]) -> None:
    attributes, image, filters, symbolic = case
    declared = [f"D{i}" if each else size for i, (size, each) in enumerate(zip(image, symbolic, strict=True))]
    proto = node_model("Conv", [(FLOAT, declared), (FLOAT, filters)], 22, **attributes)
    feeds = {"x0": np.zeros(image, np.float32), "x1": np.zeros(filters, np.float32)}
    try:
        onnxruntime(_loose(proto), feeds)
    except Exception:  # whatever the runtime refuses is no run
        assume(False)
    assert errors(proto) == []
    assert_rule_agrees(proto, feeds, lambda m, f: onnxruntime(_loose(m), f))


def _loose(proto: Any) -> Any:
    """The model at an IR version that this runtime knows, and with unnamed dims, so that only the run decides."""
    copy = type(proto)()
    copy.CopyFrom(proto)
    copy.ir_version = 10
    for each in copy.graph.input:
        for dim in each.type.tensor_type.shape.dim:
            dim.Clear()
    return copy


def test_reference_runs_deformable_convolutions_as_claimed() -> None:
    cases: list[dict[str, Any]] = [{}, {"pads": [1, 0, 0, 1]}, {"strides": [2, 1]}, {"dilations": [2, 2]}]
    for attributes in cases:
        x, w = np.ones((1, 1, 5, 6), np.float32), np.ones((2, 1, 2, 2), np.float32)
        plain = node_model("Conv", [(FLOAT, ["N", 1, "H", "W"]), w], 19, **attributes)
        out = onnxruntime(_loose(plain), {"x0": x})[0].shape
        offset = np.zeros((1, 8, *out[2:]), np.float32)
        inputs: list[Any] = [(FLOAT, ["N", 1, "H", "W"]), w, (FLOAT, ["N", 8, "A", "B"])]
        proto = node_model("DeformConv", inputs, 19, **attributes)
        assert_rule_agrees(proto, {"x0": x, "x2": offset}, reference)


def test_stored_filters_give_the_kernel() -> None:
    proto = node_model("Conv", [(FLOAT, ["N", 1, "H"]), np.ones((2, 1, 3), np.float32)], 22)
    assert numpy_helper.to_array(proto.graph.initializer[0]).shape == (2, 1, 3)
    assert_rule_agrees(proto, {"x0": np.ones((2, 1, 7), np.float32)}, lambda m, f: onnxruntime(_loose(m), f))
