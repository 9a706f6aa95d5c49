"""Small models, each of one family of operators: what is hard to do well in NumPy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import onnx
import onnx.parser
from onnx import helper, numpy_helper

Feeds = dict[str, Any]


def small_models() -> Iterator[tuple[str, onnx.ModelProto, Feeds]]:
    """Each model with its name and inputs."""
    rng = np.random.default_rng(0)
    yield _lstm(rng)
    yield _transformer(rng)
    yield _non_max_suppression(rng)
    yield _resize(rng)
    yield _conv(rng, "conv 3x3", [1, 64, 56, 56], [64, 64, 3, 3], 1)
    yield _conv(rng, "conv 1x1", [1, 256, 28, 28], [128, 256, 1, 1], 1)
    yield _conv(rng, "conv depthwise", [1, 96, 56, 56], [96, 1, 3, 3], 96)
    yield _trees(rng)


def _normal(rng: np.random.Generator, *shape: int, scale: float = 0.1) -> Any:
    return (rng.standard_normal(shape) * scale).astype(np.float32)


def _model(
    text: str, stored: Mapping[str, Any], opset: int = 21, domain: str = "", version: int = 0
) -> onnx.ModelProto:
    more = f', "{domain}" : {version}' if domain else ""
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : {opset}{more}]>\n{text}')
    model.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in stored.items())
    return model


def _lstm(rng: np.random.Generator) -> tuple[str, onnx.ModelProto, Feeds]:
    text = "g (float[50, 8, 64] x) => (float[50, 1, 8, 64] y) { y = LSTM <hidden_size = 64> (x, w, r, b) }"
    stored = {"w": _normal(rng, 1, 256, 64), "r": _normal(rng, 1, 256, 64), "b": _normal(rng, 1, 512)}
    return "LSTM 50x8x64", _model(text, stored), {"x": _normal(rng, 50, 8, 64, scale=1)}


TRANSFORMER = """g (float[1, 128, 256] x) => (float[1, 128, 256] y) {
    q0 = MatMul (x, wq) k0 = MatMul (x, wk) v0 = MatMul (x, wv)
    q1 = Reshape (q0, heads) k1 = Reshape (k0, heads) v1 = Reshape (v0, heads)
    q = Transpose <perm = [0, 2, 1, 3]> (q1)
    k = Transpose <perm = [0, 2, 3, 1]> (k1)
    v = Transpose <perm = [0, 2, 1, 3]> (v1)
    s0 = MatMul (q, k)
    s = Mul (s0, factor)
    p = Softmax <axis = -1> (s)
    a0 = MatMul (p, v)
    a1 = Transpose <perm = [0, 2, 1, 3]> (a0)
    a2 = Reshape (a1, whole)
    a = MatMul (a2, wo)
    r0 = Add (x, a)
    n = LayerNormalization (r0, g1, b1)
    f0 = MatMul (n, w1)
    f = Gelu (f0)
    f1 = MatMul (f, w2)
    r1 = Add (n, f1)
    y = LayerNormalization (r1, g1, b1)
}"""


def _transformer(rng: np.random.Generator) -> tuple[str, onnx.ModelProto, Feeds]:
    stored = {name: _normal(rng, 256, 256) for name in ("wq", "wk", "wv", "wo")}
    stored |= {"w1": _normal(rng, 256, 1024), "w2": _normal(rng, 1024, 256)}
    stored |= {"g1": _normal(rng, 256) + 1, "b1": _normal(rng, 256), "factor": np.float32(0.125).reshape(())}
    stored |= {"heads": np.array([1, 128, 4, 64]), "whole": np.array([1, 128, 256])}
    return "transformer layer", _model(TRANSFORMER, stored), {"x": _normal(rng, 1, 128, 256, scale=1)}


def _non_max_suppression(rng: np.random.Generator) -> tuple[str, onnx.ModelProto, Feeds]:
    text = """g (float[1, 1000, 4] boxes, float[1, 4, 1000] scores) => (int64[N, 3] y) {
        y = NonMaxSuppression (boxes, scores, most, overlap, least)
    }"""
    stored = {"most": np.array([50]), "overlap": np.array([0.5], np.float32), "least": np.array([0.1], np.float32)}
    corners = rng.random((1, 1000, 2)) * 100
    boxes = np.concatenate([corners, corners + 5 + rng.random((1, 1000, 2)) * 20], axis=2).astype(np.float32)
    feeds = {"boxes": boxes, "scores": rng.random((1, 4, 1000)).astype(np.float32)}
    return "NonMaxSuppression 1000", _model(text, stored), feeds


def _resize(rng: np.random.Generator) -> tuple[str, onnx.ModelProto, Feeds]:
    text = """g (float[1, 16, 64, 64] x) => (float[1, 16, 128, 128] y) {
        y = Resize <mode = "linear"> (x, , scales)
    }"""
    scales = np.array([1, 1, 2, 2], np.float32)
    return "Resize linear", _model(text, {"scales": scales}), {"x": _normal(rng, 1, 16, 64, 64)}


def _conv(
    rng: np.random.Generator, title: str, x: list[int], w: list[int], group: int
) -> tuple[str, onnx.ModelProto, Feeds]:
    pad = w[2] // 2
    attributes = f"group = {group}, pads = [{pad}, {pad}, {pad}, {pad}]"
    text = f"g (float{x} x) => (float[A, B, C, D] y) {{ y = Conv <{attributes}> (x, w) }}"
    return title, _model(text, {"w": _normal(rng, *w)}), {"x": _normal(rng, *x)}


def _trees(rng: np.random.Generator, count: int = 50, depth: int = 6) -> tuple[str, onnx.ModelProto, Feeds]:
    inner, leaves = 2**depth - 1, 2**depth
    nodes = np.arange(inner + leaves)
    lists: dict[str, Any] = {
        "nodes_treeids": np.repeat(np.arange(count), nodes.size).tolist(),
        "nodes_nodeids": np.tile(nodes, count).tolist(),
        "nodes_featureids": rng.integers(0, 20, count * nodes.size).tolist(),
        "nodes_values": rng.standard_normal(count * nodes.size).tolist(),
        "nodes_modes": ["BRANCH_LEQ" if node < inner else "LEAF" for _ in range(count) for node in nodes],
        "nodes_truenodeids": np.tile(np.where(nodes < inner, 2 * nodes + 1, 0), count).tolist(),
        "nodes_falsenodeids": np.tile(np.where(nodes < inner, 2 * nodes + 2, 0), count).tolist(),
        "target_treeids": np.repeat(np.arange(count), leaves).tolist(),
        "target_nodeids": np.tile(nodes[inner:], count).tolist(),
        "target_ids": [0] * (count * leaves),
        "target_weights": rng.standard_normal(count * leaves).tolist(),
    }
    node = helper.make_node("TreeEnsembleRegressor", ["x"], ["y"], domain="ai.onnx.ml", n_targets=1, **lists)
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1000, 20])
    y = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1000, 1])
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.ml", 3)]
    model = helper.make_model(helper.make_graph([node], "g", [x], [y]), opset_imports=imports, ir_version=10)
    return "TreeEnsembleRegressor", model, {"x": _normal(rng, 1000, 20, scale=1)}
