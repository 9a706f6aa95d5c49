"""Times running models on the kernels, on ONNX Runtime with one thread, and on ``onnx.reference``, in one run.

Each figure is the best of several rounds in which the engines take turns; models are prepared before. The reference
evaluator, which is slow, gets fewer rounds.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from tests.bench.small import small_models

Feeds = dict[str, Any]
Run = Callable[[Feeds], object]


def engines() -> dict[str, Callable[[onnx.ModelProto], Run]]:
    """What prepares a model on each engine."""
    import onnxruntime
    from onnx.reference import ReferenceEvaluator

    import shapeinfer

    def own(model: onnx.ModelProto) -> Run:
        return shapeinfer.Session(model).run

    def runtime(model: onnx.ModelProto) -> Run:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return lambda feeds: session.run(None, feeds)

    def reference(model: onnx.ModelProto) -> Run:
        session = ReferenceEvaluator(model)
        return lambda feeds: session.run(None, feeds)

    return {"shapeinfer": own, "onnxruntime": runtime, "onnx.reference": reference}


def random_inputs(model: onnx.ModelProto) -> Feeds:
    """Values for the inputs that have no default."""
    rng = np.random.default_rng(0)
    stored = {tensor.name for tensor in model.graph.initializer}
    return {
        given.name: rng.random([d.dim_value or 1 for d in given.type.tensor_type.shape.dim], np.float32)
        for given in model.graph.input
        if given.name not in stored
    }


def cases(paths: Sequence[Path], small: bool) -> Iterator[tuple[str, onnx.ModelProto, Feeds]]:
    """Each model with its name and inputs."""
    for path in paths:
        model = onnx.load(path)
        yield path.stem, model, random_inputs(model)
    if small:
        yield from small_models()


def report(paths: Sequence[Path], rounds: int, *, small: bool) -> None:
    """Prints a row per model: milliseconds per engine, and its ratio to our time; then the sums over the networks."""
    found = engines()
    print(
        f"{'model':24}"
        + "".join(f"{name + ' ms':>20}" for name in found)
        + f"{'ours/runtime':>14}{'reference/ours':>16}"
    )
    totals = dict.fromkeys(found, 0.0)
    for number, (title, model, feeds) in enumerate(cases(paths, small)):
        best = timed(found, model, feeds, rounds)
        if number < len(paths):
            totals = {name: totals[name] + best[name] for name in found}
        print(_row(title, best), flush=True)
        if number == len(paths) - 1:
            print(_row(f"all {len(paths)}", totals), flush=True)


def _row(title: str, best: dict[str, float]) -> str:
    own, runtime, reference = best.values()
    cells = "".join(f"{seconds * 1e3:20.2f}" for seconds in best.values())
    return f"{title:24}{cells}{own / runtime:14.2f}{reference / own:16.1f}"


def timed(
    found: dict[str, Callable[[onnx.ModelProto], Run]], model: onnx.ModelProto, feeds: Feeds, rounds: int
) -> dict[str, float]:
    """Seconds per engine for one run; infinity where it cannot run the model."""
    best = dict.fromkeys(found, math.inf)
    runs: dict[str, Run] = {}
    for name, prepare in found.items():
        try:
            runs[name] = prepare(model)
        except Exception as error:  # what an engine cannot do is a result of the comparison
            print(f"    {name}: {type(error).__name__}: {error}"[:160], file=sys.stderr)
    for turn in range(rounds + 1):  # the first warms up
        for name, run in list(runs.items()):
            if name == "onnx.reference" and turn > 1 and best[name] > 0.5:
                continue
            start = time.perf_counter()
            try:
                with np.errstate(all="ignore"):
                    run(feeds)
            except Exception as error:
                print(f"    {name}: {type(error).__name__}: {error}"[:160], file=sys.stderr)
                del runs[name]
                continue
            best[name] = min(best[name], time.perf_counter() - start)
    return best
