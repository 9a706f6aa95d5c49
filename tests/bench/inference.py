"""Times ``infer_shapes`` beside the engines that are installed, in one run.

Every engine gets the same model without ``value_info``; each figure is
the best of several rounds in which the engines take turns, so that a slow moment of the machine hits all alike.
"""

from __future__ import annotations

import contextlib
import gc
import io
import math
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import onnx

Engine = Callable[[onnx.ModelProto], object]


def engines() -> dict[str, Engine]:
    """The engines to time: ours, onnx's, and the symbolic ones that are installed."""
    import shapeinfer

    found: dict[str, Engine] = {
        "shapeinfer": shapeinfer.infer_shapes,
        "onnx": lambda model: onnx.shape_inference.infer_shapes(model, data_prop=True),
    }
    found.update(_onnx_shape_inference())
    found.update(_onnxruntime_script())
    return found


def _onnx_shape_inference() -> dict[str, Engine]:
    try:
        import onnx_ir
        import onnx_shape_inference
    except ImportError:
        return {}

    def symbolic(model: onnx.ModelProto) -> object:
        inner = onnx_ir.from_proto(model)
        onnx_shape_inference.infer_symbolic_shapes(inner)
        return onnx_ir.to_proto(inner)

    return {"onnx-shape-inference": symbolic}


def _onnxruntime_script() -> dict[str, Engine]:
    try:
        from onnxruntime.tools import symbolic_shape_infer
    except ImportError:
        return {}
    symbolic_shape_infer.logger.disabled = True

    def script(model: onnx.ModelProto) -> object:
        with (
            tempfile.TemporaryDirectory() as directory,  # the script leaves files where it runs
            contextlib.chdir(directory),
            contextlib.redirect_stdout(io.StringIO()),
        ):
            result = symbolic_shape_infer.SymbolicShapeInference.infer_shapes(model, auto_merge=True)
        if result is None:
            raise RuntimeError("the script takes opset 7 and above")
        return result

    return {"onnxruntime's script": script}


def time_once(engine: Engine, model: onnx.ModelProto) -> float:
    """Seconds for one call on a fresh copy; infinity when the engine raises."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    gc.collect()
    start = time.perf_counter()
    try:
        engine(copy)
    except Exception as error:  # a peer's crash is a result of the comparison, not of ours
        print(f"    {type(error).__name__}: {error}"[:160], file=sys.stderr)
        return math.inf
    return time.perf_counter() - start


def report(paths: Sequence[Path], rounds: int) -> None:
    """Prints a row per model: nodes, and per engine milliseconds and microseconds per node."""
    found = engines()
    logs: dict[str, list[float]] = {name: [] for name in found}
    print(f"{'model':28} {'nodes':>6}" + "".join(f"{name + ' ms':>26} {'µs/node':>8}" for name in found))
    for path in paths:
        model = onnx.load(path, load_external_data=False)
        del model.graph.value_info[:]
        nodes = max(len(model.graph.node), 1)
        best = dict.fromkeys(found, math.inf)
        for _ in range(rounds):
            for name, engine in found.items():
                best[name] = min(best[name], time_once(engine, model))
        cells = "".join(f"{seconds * 1e3:26.2f} {seconds / nodes * 1e6:8.1f}" for seconds in best.values())
        print(f"{path.stem:28} {len(model.graph.node):6}{cells}", flush=True)
        for name, seconds in best.items():
            if name != "shapeinfer" and math.isfinite(seconds):
                logs[name].append(math.log(seconds / best["shapeinfer"]))
    for name, values in logs.items():
        if values:
            ratio = math.exp(sum(values) / len(values))
            print(f"{name}: {ratio:.2f} times shapeinfer's time (geometric mean over {len(values)} models)")
