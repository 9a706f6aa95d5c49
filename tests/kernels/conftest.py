"""Runs a node with the kernels and with an independent runtime, and compares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import NodeProto, defs, helper

from shapeinfer.kernels import run_node

Array = NDArray[Any]
OLDEST_OF_ONNXRUNTIME = 7


def _node(op: str, inputs: Sequence[Any], outputs: int, attributes: dict[str, Any]) -> NodeProto:
    names = ["" if each is None else f"x{i}" for i, each in enumerate(inputs)]
    return helper.make_node(op, names, [f"y{i}" for i in range(outputs)], **attributes)


def _elem(array: Array) -> int:
    return int(onnx.TensorProto.STRING if array.dtype == object else helper.np_dtype_to_tensor_dtype(array.dtype))


def _model(node: NodeProto, inputs: Sequence[Any], opset: int) -> onnx.ModelProto:
    declared = [
        helper.make_tensor_value_info(f"x{i}", _elem(each), each.shape)
        for i, each in enumerate(inputs)
        if each is not None
    ]
    results = [onnx.ValueInfoProto(name=name) for name in node.output]
    graph = helper.make_graph([node], "g", declared, results)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10 if opset < 23 else 13)


def _onnxruntime(model: onnx.ModelProto, feeds: dict[str, Any]) -> list[Any]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    result: list[Any] = session.run(None, feeds)
    return result


def _reference(model: onnx.ModelProto, feeds: dict[str, Any]) -> list[Any]:
    from onnx.reference import ReferenceEvaluator

    with np.errstate(all="ignore"):
        return list(ReferenceEvaluator(model).run(None, feeds))


def _independent(node: NodeProto, inputs: Sequence[Any], opset: int) -> list[Any]:
    """The outputs by ONNX Runtime or, for what that cannot run, by onnx.reference."""
    model = _model(node, inputs, opset)
    feeds = {f"x{i}": np.asarray(each) for i, each in enumerate(inputs) if each is not None}
    if opset >= OLDEST_OF_ONNXRUNTIME:
        try:
            return _onnxruntime(model, feeds)
        except Exception:  # no kernel for this version or type; what it refuses, the reference may still run
            pass
    return _reference(model, feeds)


def _compare(got: Array, expected: Any, rtol: float, atol: float) -> None:
    wanted = np.asarray(expected)
    assert got.shape == wanted.shape
    if got.dtype == object:
        assert got.tolist() == wanted.tolist()
        return
    assert got.dtype == wanted.dtype
    if got.dtype.kind in "fc":
        np.testing.assert_allclose(got, wanted, rtol=rtol, atol=atol, equal_nan=True)
    else:
        np.testing.assert_array_equal(got, wanted)


@pytest.fixture
def run() -> Callable[..., Any]:
    """``run("Squeeze", [x, axes], opset, **attributes)``: the first output of the kernel, or all of ``outputs``."""

    def run_one(op: str, inputs: Sequence[Any], opset: int, outputs: int = 1, **attributes: Any) -> Any:
        results = run_node(_node(op, inputs, outputs, attributes), opset, inputs)
        return results[0] if outputs == 1 else results

    return run_one


@pytest.fixture
def agrees() -> Callable[..., list[Array]]:
    """As ``run``, and the outputs are equal to an independent runtime's, which may be asked at another opset."""

    def agree(
        op: str,
        inputs: Sequence[Any],
        opset: int,
        outputs: int = 1,
        *,
        rtol: float = 1e-5,
        atol: float = 1e-6,
        like: int | None = None,
        **attributes: Any,
    ) -> list[Array]:
        inputs = [each if each is None else np.asarray(each) for each in inputs]
        node = _node(op, inputs, outputs, attributes)
        got: list[Array] = run_node(node, opset, inputs)
        for each, expected in zip(got, _independent(node, inputs, opset if like is None else like), strict=True):
            _compare(each, expected, rtol, atol)
        return got

    return agree


@pytest.fixture
def versions() -> Callable[[str], list[int]]:
    """Every version of an operator that is not deprecated."""

    @cache
    def every(op: str) -> list[int]:
        known = (s for s in defs.get_all_schemas_with_history() if s.name == op and s.domain == "")
        return sorted(s.since_version for s in known if not s.deprecated)

    return every


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20240229)
