"""What tests share: models in a line, their inferred types as text, and claims held against real runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import onnx
import onnx.parser
from numpy.typing import NDArray
from onnx import helper, numpy_helper

import shapeinfer
from shapeinfer import dims
from shapeinfer.diagnostics import Severity, type_text
from shapeinfer.engine import Analysis, analyse
from shapeinfer.kernels import Executor, KernelError
from shapeinfer.types import TensorType

Array = NDArray[Any]
Feeds = Mapping[str, Array]


def model(text: str, opset: int = 21, ir: int = 10) -> onnx.ModelProto:
    """A model from ONNX's text form: the graph alone, or with a header of its own."""
    if not text.lstrip().startswith("<"):
        text = f'<ir_version: {ir}, opset_import: ["" : {opset}]>\n{text}'
    return onnx.parser.parse_model(text)


def graph(inputs: str, body: str, output: str = "y") -> str:
    """``graph("float[N, 3] x", "y = Relu (x)")``."""
    return f"g ({inputs}) => ({output}) {{ {body} }}"


def type_of(text: str, value: str = "y", opset: int = 21, ir: int = 10) -> str:
    """The inferred type of one value as text: ``float[N, 3]``."""
    return type_text(analyse(model(text, opset, ir)).values[value].type)


def node_model(
    op: str,
    inputs: Sequence[tuple[int, Sequence[int | str] | None] | Array | None],
    opset: int,
    outputs: int = 1,
    domain: str = "",
    **attributes: Any,
) -> onnx.ModelProto:
    """A model of one node. An input is ``(element type, shape)``, an array for an initializer, ``None`` if left out.

    Inputs are called ``x0``, ``x1`` …, outputs ``y0``, ``y1`` …; output types are left open.
    """
    names, given, stored = [], [], []
    for i, each in enumerate(inputs):
        names.append("" if each is None else f"x{i}")
        if isinstance(each, np.ndarray):
            stored.append(numpy_helper.from_array(each, f"x{i}"))
        elif each is not None:
            elem, shape = each
            given.append(helper.make_tensor_value_info(f"x{i}", elem, shape))
    made = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(op, names, made, domain=domain, **attributes)
    results = [onnx.ValueInfoProto(name=name) for name in made]
    proto = helper.make_graph([node], "g", given, results, stored)
    imports = [helper.make_opsetid("", opset)] + ([helper.make_opsetid(domain, 1)] if domain else [])
    return helper.make_model(proto, opset_imports=imports, ir_version=14)


def errors(proto: onnx.ModelProto | str) -> list[str]:
    """The names of the errors that a check finds."""
    report = shapeinfer.check(model(proto) if isinstance(proto, str) else proto)
    return [d.name for d in report.errors]


def names(proto: onnx.ModelProto | str) -> list[str]:
    """The names of all findings of a check, of any severity."""
    report = shapeinfer.check(model(proto) if isinstance(proto, str) else proto)
    return [d.name for d in report.diagnostics]


def requirements(proto: onnx.ModelProto | str) -> list[str]:
    """The recorded conditions, as text."""
    report = shapeinfer.check(model(proto) if isinstance(proto, str) else proto)
    return [c.condition for c in report.requirements]


def onnxruntime(proto: onnx.ModelProto, feeds: Feeds) -> list[Array]:
    """Runs a model in ONNX Runtime, on one thread and without optimisations."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    result: list[Array] = session.run(None, dict(feeds))
    return result


def reference(proto: onnx.ModelProto, feeds: Feeds) -> list[Array]:
    """Runs a model in ``onnx.reference``."""
    from onnx.reference import ReferenceEvaluator

    result: Any = ReferenceEvaluator(proto).run(None, dict(feeds))
    return list(result)


def binding(proto: onnx.ModelProto, feeds: Feeds) -> dict[str, int]:
    """The number that each dim name of the graph inputs stands for in these feeds."""
    found: dict[str, int] = {}
    for given in proto.graph.input:
        if isinstance(feeds.get(given.name), np.ndarray):
            for dim, size in zip(given.type.tensor_type.shape.dim, feeds[given.name].shape, strict=False):
                if dim.dim_param:
                    found[dim.dim_param] = size
    return found


def assert_claims_hold(analysis: Analysis, actual: Mapping[str, Array], bound: Mapping[str, int]) -> None:
    """Every claim about these values holds for what they really are; fresh symbols may stand for any one size each."""
    free = dict(bound)
    for name, array in actual.items():
        value = analysis.values.get(name)
        if value is None or not isinstance(value.type, TensorType) or not isinstance(array, np.ndarray):
            continue
        kind = value.type
        assert not kind.elem or kind.elem == _elem(array), f"{name}: {type_text(kind)} but {array.dtype}"
        if kind.shape is None:
            continue
        text = f"{name}: {type_text(kind)} but {array.shape} at {free}"
        assert len(kind.shape) == array.ndim, text
        for dim, size in zip(kind.shape, array.shape, strict=True):
            if type(dim) is not int and dims.text(dim) not in free and dims.size(dim) == 0:
                free[dims.text(dim)] = size
            assert Fraction(dims.evaluate(dim, free)) == size, text


def _elem(array: Array) -> int:
    if array.dtype.kind in "OUST":
        return int(onnx.TensorProto.STRING)
    return int(helper.np_dtype_to_tensor_dtype(array.dtype))


def assert_rule_agrees(
    proto: onnx.ModelProto, feeds: Feeds, run: Callable[[onnx.ModelProto, Feeds], list[Array]] = onnxruntime
) -> None:
    """Runs the model and holds the claims about its outputs against what came out."""
    outputs = run(proto, feeds)
    actual = {o.name: np.asarray(a) for o, a in zip(proto.graph.output, outputs, strict=True)}
    assert_claims_hold(analyse(proto), actual, binding(proto, feeds))


def assert_kernel_agrees(proto: onnx.ModelProto, feeds: Sequence[dict[str, Any]]) -> Analysis:
    """Runs the model on the kernels with each of the feeds.

    Whenever it runs, every claim holds; a model that the rules reject never runs.
    """
    analysis = analyse(proto)
    rejected = [f for f in analysis.findings if f.severity is Severity.ERROR]
    executor = Executor(proto)
    names = [output.name for output in proto.graph.output]
    for feed in feeds:
        try:
            results = executor.run(feed)
        except KernelError:
            continue
        assert not rejected, f"{rejected[0].message}, but it runs"
        assert_claims_hold(analysis, dict(zip(names, results, strict=True)), binding(proto, feed))
    return analysis
