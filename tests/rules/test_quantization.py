from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto as T

from tests.support import assert_rule_agrees, errors, graph, model, node_model, requirements, type_of


def quantize(x: str, scale: str, zero: str = "", attributes: str = "", op: str = "QuantizeLinear") -> str:
    inputs = f"{x} x, {scale} s" + (f", {zero} z" if zero else "")
    stated = f"<{attributes}> " if attributes else ""
    return graph(inputs, f"y = {op} {stated}(x, s{', z' if zero else ''})")


@pytest.mark.parametrize("opset", [10, 13, 19, 21, 23, 24, 25])
def test_the_zero_point_gives_the_type_or_it_is_uint8(opset: int) -> None:
    assert type_of(quantize("float[N, 3]", "float", "int8"), opset=opset, ir=9) == "int8[N, 3]"
    assert type_of(quantize("float[N, 3]", "float"), opset=opset, ir=9) == "uint8[N, 3]"
    assert type_of(quantize("float[]", "float"), opset=opset, ir=9) == "uint8[...]"


def test_output_dtype_of_quantize_from_21() -> None:
    assert type_of(quantize("float[N]", "float", "", "output_dtype = 3")) == "int8[N]"
    assert type_of(quantize("float[N]", "float", "", "output_dtype = 0")) == "uint8[N]"
    assert errors(quantize("float[N]", "float", "int8", "output_dtype = 2")) == ["element-type"]
    assert errors(quantize("float[N]", "float", "", "output_dtype = 7")) == ["element-type"]


@pytest.mark.parametrize("opset", [10, 13, 19, 21, 23])
def test_dequantize_gives_the_type_of_the_scale(opset: int) -> None:
    assert type_of(quantize("uint8[N, 3]", "float", op="DequantizeLinear"), opset=opset) == "float[N, 3]"
    if opset >= 19:
        assert type_of(quantize("uint8[N]", "float16", op="DequantizeLinear"), opset=opset) == "float16[N]"


def test_output_dtype_of_dequantize_from_23() -> None:
    text = quantize("uint8[N]", "float", "", "output_dtype = 10", "DequantizeLinear")
    assert type_of(text, opset=23) == "float16[N]"


def test_dynamic_quantize_linear() -> None:
    text = graph("float[N, 3] x", "y, s, z = DynamicQuantizeLinear (x)", "y, s, z")
    kinds = [type_of(text, value) for value in "ysz"]
    assert kinds == ["uint8[N, 3]", "float[]", "uint8[]"]


def test_per_axis() -> None:
    assert type_of(quantize("float[N, 3]", "float[3]")) == "uint8[N, 3]"
    assert errors(quantize("float[N, 3]", "float[4]")) == ["sizes-differ"]
    assert errors(quantize("float[N, 3]", "float[1]")) == []
    assert requirements(quantize("float[4, N]", "float[3]")) == ["N == 3"]
    assert errors(quantize("float[4, 3]", "float[3]", "", "axis = 2")) == ["axis-range"]
    assert errors(quantize("float[4, 3]", "float", "", "axis = 2")) == []
    assert errors(quantize("float[4, 3]", "float[4, 3]")) == ["rank"]


def test_blocks() -> None:
    assert type_of(quantize("float[N, 8]", "float[N, 2]", "", "block_size = 4")) == "uint8[N, 8]"
    assert errors(quantize("float[2, 9]", "float[2, 2]", "", "block_size = 4")) == ["sizes-differ"]
    assert errors(quantize("float[2, 9]", "float[2, 3]", "", "block_size = 4")) == []
    assert errors(quantize("float[2, 9]", "float[3, 3]", "", "block_size = 4")) == ["sizes-differ"]
    assert errors(quantize("float[2, 9]", "float[2, 3]", "", "block_size = -4")) == ["attribute-value"]


def test_zero_point_and_scale_have_one_shape() -> None:
    assert errors(quantize("float[2, 3]", "float[3]", "uint8[2]")) == ["sizes-differ"]
    assert errors(quantize("float[2, 3]", "float[3]", "uint8")) == ["rank"]
    assert errors(quantize("float[2, 3]", "float[1]", "uint8")) == []


def test_version_10_scales_whole_tensors() -> None:
    text = quantize("float[2, 3]", "float[3]")
    assert errors(model(text, 10)) == ["sizes-differ"]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
    st.integers(0, 2),
    st.sampled_from(["tensor", "axis"]),
    st.sampled_from(["QuantizeLinear", "DequantizeLinear"]),
    st.sampled_from([13, 19, 21]),
)
def test_claims_hold_in_onnxruntime(sizes: list[int], axis: int, kind: str, op: str, opset: int) -> None:
    axis %= len(sizes)
    names = [f"D{i}" for i in range(len(sizes))]
    dtype: Any = np.float32 if op == "QuantizeLinear" else np.uint8
    elem = T.FLOAT if op == "QuantizeLinear" else T.UINT8
    scale = np.ones(() if kind == "tensor" else sizes[axis], np.float32)
    proto = node_model(op, [(elem, names), scale], opset, axis=axis)
    assert_rule_agrees(proto, {"x0": np.ones(sizes, dtype)})
