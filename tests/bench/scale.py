"""How inference grows with a model: transformer layers repeated to 1,000, 10,000 and 100,000 nodes.

Batch and length are symbolic, and heads are split by shapes that the graph computes, as exporters write it. Each size
runs in a process of its own, so that the peak of its memory is its own.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

SIZES = (1_000, 10_000, 100_000)
WIDTH, HEADS, INNER = 64, 4, 256


def layer(index: int, previous: str) -> Iterator[onnx.NodeProto]:
    """One layer: attention with shapes computed in the graph, a residual, and two linear maps."""
    here = f"l{index}/"

    def node(op: str, inputs: str, output: str, **attributes: Any) -> onnx.NodeProto:
        names = [previous if name == "@" else name if name.startswith("w_") else here + name for name in inputs.split()]
        return helper.make_node(op, names, [here + output], name=here + output, **attributes)

    yield node("LayerNormalization", "@ w_scale w_bias", "norm", axis=-1)
    for part in "qkv":
        yield node("MatMul", f"norm w_{part}", f"{part}0")
        yield node("Add", f"{part}0 w_bias", f"{part}1")
        yield node("Shape", f"{part}1", f"{part}s")
        yield node("Gather", f"{part}s w_zero", f"{part}b")
        yield node("Gather", f"{part}s w_one", f"{part}l")
        yield node("Unsqueeze", f"{part}b w_axis", f"{part}b1")
        yield node("Unsqueeze", f"{part}l w_axis", f"{part}l1")
        yield node("Concat", f"{part}b1 {part}l1 w_heads w_size", f"{part}t", axis=0)
        yield node("Reshape", f"{part}1 {part}t", f"{part}2")
        yield node("Transpose", f"{part}2", part, perm=[0, 2, 3, 1] if part == "k" else [0, 2, 1, 3])
    yield node("MatMul", "q k", "scores0")
    yield node("Div", "scores0 w_root", "scores")
    yield node("Softmax", "scores", "weights", axis=-1)
    yield node("MatMul", "weights v", "context0")
    yield node("Transpose", "context0", "context1", perm=[0, 2, 1, 3])
    yield node("Concat", "qb1 ql1 w_width", "joined", axis=0)
    yield node("Reshape", "context1 joined", "context")
    yield node("MatMul", "context w_q", "attended")
    yield node("Add", "attended @", "residual")
    yield node("MatMul", "residual w_up", "up")
    yield node("Relu", "up", "active")
    yield node("MatMul", "active w_down", "down")
    yield node("Add", "down residual", "out")


def layers(nodes: int) -> onnx.ModelProto:
    """A model of about so many nodes."""
    made: list[onnx.NodeProto] = []
    previous, index = "x", 0
    while len(made) < nodes:
        made.extend(layer(index, previous))
        previous, index = made[-1].output[0], index + 1
    floats = {"w_scale": (WIDTH,), "w_bias": (WIDTH,), "w_root": (), "w_up": (WIDTH, INNER), "w_down": (INNER, WIDTH)}
    floats |= {f"w_{part}": (WIDTH, WIDTH) for part in "qkv"}
    numbers = {
        "w_zero": 0,
        "w_one": 1,
        "w_axis": [0],
        "w_heads": [HEADS],
        "w_size": [WIDTH // HEADS],
        "w_width": [WIDTH],
    }
    graph = helper.make_graph(
        made,
        "layers",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["batch", "length", WIDTH])],
        [helper.make_tensor_value_info(previous, onnx.TensorProto.FLOAT, None)],
        [
            *(numpy_helper.from_array(np.ones(shape, np.float32), name) for name, shape in floats.items()),
            *(numpy_helper.from_array(np.array(value, np.int64), name) for name, value in numbers.items()),
        ],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def measure(path: str, rounds: int) -> None:
    """Prints a row: nodes, microseconds per node of both functions and of onnx, and the growth of peak memory."""
    import shapeinfer

    model = onnx.load(path)
    count = len(model.graph.node)
    shapeinfer.check(layers(1))
    before, grown = peak(), 0.0
    times = []
    for work in (shapeinfer.infer_shapes, shapeinfer.check, onnx.shape_inference.infer_shapes):
        best = float("inf")
        for _ in range(rounds):
            gc.collect()
            start = time.perf_counter()
            result = work(model)
            best = min(best, time.perf_counter() - start)
            del result
        times.append(best / count * 1e6)
        grown = grown or peak() - before
    cells = "".join(f"{each:16.1f}" for each in times)
    print(f"{count:8}{cells}{grown / count:14.2f}", flush=True)


def peak() -> float:
    """The greatest memory that this process has used, in KiB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "darwin" else 1)


def report(rounds: int) -> None:
    """A row for each size, each from a process of its own."""
    heads = ("infer µs/node", "check µs/node", "onnx µs/node")
    print(f"{'nodes':>8}" + "".join(f"{head:>16}" for head in heads) + f"{'KiB/node':>14}", flush=True)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "layers.onnx"
        for nodes in SIZES:
            path.write_bytes(layers(nodes).SerializeToString())
            script = f"from tests.bench.scale import measure; measure({str(path)!r}, {rounds})"
            subprocess.run([sys.executable, "-c", script], check=True)
