"""Models of onnx_ir, where that package is installed."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import onnx
import pytest

import shapeinfer
from tests.support import model

ir = pytest.importorskip("onnx_ir")

TEXT = """g (float[N, 40] x, bool c) => (y, int64[2, found] z) {
    t = MatMul (x, w)
    y = If (c) <
        then_branch = a () => (p) { q = Relu (t) p = Exp (q) },
        else_branch = b () => (p) { r = Shape (t) p = Exp (t) }
    >
    z = NonZero (t)
}"""


def whole() -> onnx.ModelProto:
    proto = model(TEXT)
    proto.graph.initializer.append(onnx.numpy_helper.from_array(np.ones((40, 50), np.float32), "w"))
    return proto


def test_the_result_is_another_model_that_shares_the_tensors() -> None:
    given = ir.from_proto(whole())
    weights = given.graph.initializers["w"].const_value
    result = shapeinfer.infer_shapes(given)
    assert isinstance(result, ir.Model)
    assert result is not given
    assert given.graph.node(0).outputs[0].shape is None
    assert result.graph.initializers["w"].const_value is weights
    assert given.graph.initializers["w"].const_value is weights


def test_it_has_the_types_that_the_message_has() -> None:
    expected = shapeinfer.infer_shapes(whole())
    result = ir.to_proto(shapeinfer.infer_shapes(ir.from_proto(whole())))

    def types(graph: onnx.GraphProto) -> dict[str, bytes]:
        infos = (*graph.value_info, *graph.output)
        found = {info.name: info.type.SerializeToString(deterministic=True) for info in infos if info.name != "w"}
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.type == onnx.AttributeProto.GRAPH:
                    found |= {f"{attribute.name}/{name}": kind for name, kind in types(attribute.g).items()}
        return found

    named = {name: kind for name, kind in types(result.graph).items() if name in types(expected.graph)}
    assert named == types(expected.graph)


def test_a_check_says_the_same() -> None:
    assert shapeinfer.check(ir.from_proto(whole())).outputs == shapeinfer.check(whole()).outputs


def test_large_constants_are_put_back() -> None:
    proto = model("g (float[N, 1] x) => (y) { k = Constant <value = float[2] {1.0, 2.0}> () y = Add (x, k) }")
    big = onnx.numpy_helper.from_array(np.zeros(2000, np.float32))
    proto.graph.node[0].attribute[0].t.CopyFrom(big)
    result = shapeinfer.infer_shapes(ir.from_proto(proto))
    assert result.graph.outputs[0].shape == ["N", 2000]
    assert result.graph.node(0).attributes["value"].value.numpy().shape == (2000,)


def test_in_strict_mode_errors_raise() -> None:
    given = ir.from_proto(model("g (float[2] x, float[3] z) => (y) { y = Add (x, z) }"))
    with pytest.raises(shapeinfer.InferenceError):
        shapeinfer.infer_shapes(given, strict_mode=True)


def test_runs_take_one_too() -> None:
    given = ir.from_proto(model("g (float[N] x) => (y) { y = Neg (x) }"))
    (result,) = shapeinfer.run(given, {"x": np.ones(3, np.float32)})
    assert result.tolist() == [-1.0] * 3


def test_the_package_is_not_imported_for_others() -> None:
    script = """
import sys, onnx.parser, shapeinfer
m = onnx.parser.parse_model('<ir_version: 10, opset_import: ["" : 21]> g (float[2] x) => (y) { y = Relu (x) }')
shapeinfer.check(m)
assert "onnx_ir" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
