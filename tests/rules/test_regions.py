from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto

from tests.support import assert_rule_agrees, errors, graph, model, node_model, type_of


@pytest.mark.parametrize("opset", [10, 16, 22])
def test_roi_align(opset: int) -> None:
    inputs = "float{} x, float{} r, int64{} i"
    body = "y = RoiAlign <output_height = 5, output_width = 7> (x, r, i)"
    assert type_of(graph(inputs.format("[N, C, H, W]", "[R, 4]", "[R]"), body), opset=opset) == "float[R, C, 5, 7]"
    assert type_of(graph(inputs.format("[]", "[]", "[3]"), body), opset=opset) == "float[3, u0, 5, 7]"
    assert errors(model(graph(inputs.format("[N, C, H]", "[R, 4]", "[R]"), body), opset)) == ["rank"]
    assert errors(model(graph(inputs.format("[N, C, H, W]", "[R, 5]", "[R]"), body), opset)) == ["sizes-differ"]
    assert errors(model(graph(inputs.format("[N, C, H, W]", "[2, 4]", "[3]"), body), opset)) == ["sizes-differ"]
    assert errors(model(graph(inputs.format("[N, C, H, W]", "[R, 4]", "[R, 1]"), body), opset)) == ["not-one-d"]


@pytest.mark.parametrize(
    "attribute", ['mode = "sum"', "sampling_ratio = -1", "output_width = 0", 'coordinate_transformation_mode = "none"']
)
def test_attributes_of_roi_align(attribute: str) -> None:
    text = graph("float[N, C, H, W] x, float[R, 4] r, int64[R] i", f"y = RoiAlign <{attribute}> (x, r, i)")
    assert errors(text) in (["attribute-value"], ["size-value"])


@pytest.mark.parametrize("opset", [10, 11])
def test_non_max_suppression(opset: int) -> None:
    inputs = "float{} b, float{} s, int64{} m"
    body = "y = NonMaxSuppression (b, s, m)"
    assert type_of(graph(inputs.format("[N, P, 4]", "[N, C, P]", ""), body), opset=opset) == "int64[u0, 3]"
    assert type_of(graph(inputs.format("[]", "[]", "[1]"), body), opset=opset) == "int64[u0, 3]"
    assert errors(model(graph(inputs.format("[N, P, 5]", "[N, C, P]", ""), body), opset)) == ["sizes-differ"]
    assert errors(model(graph(inputs.format("[1, 5, 4]", "[1, C, 6]", ""), body), opset)) == ["sizes-differ"]
    assert errors(model(graph(inputs.format("[1, P, 4]", "[2, C, P]", ""), body), opset)) == ["sizes-differ"]
    assert errors(model(graph(inputs.format("[P, 4]", "[N, C, P]", ""), body), opset)) == ["rank"]
    assert errors(model(graph(inputs.format("[N, P, 4]", "[C, P]", ""), body), opset)) == ["rank"]
    assert errors(model(graph(inputs.format("[N, P, 4]", "[N, C, P]", "[2]"), body), opset)) == ["sizes-differ"]


def test_without_a_limit_no_box_is_picked() -> None:
    inputs = "float[N, P, 4] b, float[N, C, P] s"
    assert type_of(graph(inputs, "y = NonMaxSuppression (b, s)")) == "int64[0, 3]"
    limited = f"g ({inputs}) => (y) <int64 m = {{{{{{}}}}}}> {{{{ y = NonMaxSuppression (b, s, m) }}}}"
    assert type_of(limited.format(0)) == "int64[0, 3]"
    assert type_of(limited.format(2)) == "int64[u0, 3]"
    elem = int(TensorProto.FLOAT)
    proto = node_model("NonMaxSuppression", [(elem, ["N", "P", 4]), (elem, ["N", "C", "P"])], 11)
    feeds = {"x0": np.zeros((1, 2, 4), np.float32), "x1": np.ones((1, 3, 2), np.float32)}
    proto.ir_version = 10
    assert_rule_agrees(proto, feeds)
