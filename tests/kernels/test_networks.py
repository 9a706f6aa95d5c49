"""Whole networks, against ONNX Runtime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import numpy_helper

from shapeinfer.kernels import Executor

LIGHT = Path(onnx.__file__).parent / "backend/test/data/light"
NAMES = ("bvlc_alexnet densenet121 inception_v1 inception_v2 resnet50 shufflenet squeezenet vgg19 zfnet512").split()


def onnxruntime(proto: onnx.ModelProto, feeds: dict[str, Any]) -> list[Any]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    result: list[Any] = session.run(None, feeds)
    return result


def images(proto: onnx.ModelProto, rng: np.random.Generator) -> dict[str, Any]:
    stored = {each.name for each in proto.graph.initializer}
    found = {}
    for given in proto.graph.input:
        if given.name not in stored:
            shape = [dim.dim_value for dim in given.type.tensor_type.shape.dim]
            found[given.name] = rng.standard_normal(shape).astype(np.float32)
    return found


def compare(proto: onnx.ModelProto, feeds: dict[str, Any], rtol: float = 1e-3, atol: float = 1e-3) -> None:
    for got, expected in zip(Executor(proto).run(feeds), onnxruntime(proto, feeds), strict=True):
        np.testing.assert_allclose(got, expected, rtol=rtol, atol=atol)


@pytest.mark.parametrize("name", NAMES)
def test_light_networks(rng: np.random.Generator, name: str) -> None:
    proto = onnx.load(LIGHT / f"light_{name}.onnx")
    compare(proto, images(proto, rng))


def with_random_weights(proto: onnx.ModelProto, rng: np.random.Generator) -> onnx.ModelProto:
    """The network with a random tensor in place of each ConstantOfShape, scaled to keep activations near 1."""
    shapes = {each.name: numpy_helper.to_array(each).tolist() for each in proto.graph.initializer}
    nodes = []
    for node in proto.graph.node:
        if node.op_type != "ConstantOfShape":
            nodes.append(node)
            continue
        shape = shapes[node.input[0]]
        if len(shape) == 1:
            values = np.abs(1 + rng.standard_normal(shape) * 0.1)
        else:
            values = rng.standard_normal(shape) * (2 / np.prod(shape[1:])) ** 0.5
        proto.graph.initializer.append(numpy_helper.from_array(values.astype(np.float32), node.output[0]))
    del proto.graph.node[:]
    proto.graph.node.extend(nodes)
    return proto


@pytest.mark.parametrize("name", ["squeezenet", "shufflenet", "densenet121", "inception_v2"])
def test_light_networks_with_random_weights(rng: np.random.Generator, name: str) -> None:
    proto = with_random_weights(onnx.load(LIGHT / f"light_{name}.onnx"), rng)
    compare(proto, images(proto, rng), rtol=1e-2)


SMALL = """<ir_version: 8, opset_import: ["" : 17]>
g (float[N, 3, 16, 16] x, float[8, 3, 3, 3] w1, float[8] b1, float[8] s, float[8] o, float[8] m, float[8] v,
   float[8, 1, 3, 3] w2, float[16, 8, 1, 1] w3, float[10, 64] w4, float[10] b4) => (float[N, 10] y) {
    c1 = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (x, w1, b1)
    n1 = BatchNormalization (c1, s, o, m, v)
    r1 = Relu (n1)
    c2 = Conv <group = 8, auto_pad = "SAME_UPPER"> (r1, w2)
    h2 = HardSigmoid (c2)
    a2 = Add (r1, h2)
    c3 = Conv (a2, w3)
    p3 = MaxPool <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (c3)
    p4 = AveragePool <kernel_shape = [2, 2], strides = [2, 2]> (p3)
    f4 = Flatten (p4)
    g4 = Gemm <transB = 1> (f4, w4, b4)
    y = Softmax (g4)
}"""


@pytest.mark.parametrize("batch", [1, 3])
def test_a_small_network_with_random_weights(rng: np.random.Generator, batch: int) -> None:
    proto = onnx.parser.parse_model(SMALL)
    feeds = {
        given.name: rng.random([dim.dim_value or batch for dim in given.type.tensor_type.shape.dim]).astype(np.float32)
        for given in proto.graph.input
    }
    compare(proto, feeds, atol=1e-5)
