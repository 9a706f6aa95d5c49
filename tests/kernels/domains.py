"""Runs a node of another domain than ONNX's own with the kernel and with ONNX Runtime, and compares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper

from shapeinfer.kernels.nodes import decode
from shapeinfer.kernels.registry import call, find

Array = NDArray[Any]


def run(domain: str, op: str, inputs: Sequence[Any], outputs: Any = 1, *, version: Any = 1, **attributes: Any) -> Any:
    """The first output of the kernel, or all of ``outputs``; attributes of ai.onnx.ml get their defaults."""
    kernel = find(domain, op, version)
    assert kernel is not None, op
    node = _node(domain, op, inputs, outputs, attributes)
    given = {each.name: decode(each) for each in node.attribute}
    results = call(kernel, inputs, {**_defaults(domain, op, version), **given}, outputs=outputs)
    return results[0] if outputs == 1 else results


def _defaults(domain: str, op: str, version: int) -> dict[str, Any]:
    if domain != "ai.onnx.ml":
        return {}
    schema = onnx.defs.get_schema(op, version, domain)
    return {name: decode(each.default_value) for name, each in schema.attributes.items() if each.default_value.type}


def _node(domain: str, op: str, inputs: Sequence[Any], outputs: int, attributes: dict[str, Any]) -> onnx.NodeProto:
    names = ["" if each is None else f"x{i}" for i, each in enumerate(inputs)]
    return helper.make_node(op, names, [f"y{i}" for i in range(outputs)], domain=domain, **attributes)


def onnxruntime_gives(
    domain: str, op: str, inputs: Sequence[Any], outputs: Any = 1, *, version: Any = 1, **attributes: Any
) -> list[Any]:
    """All outputs by ONNX Runtime."""
    import onnxruntime

    declared, feeds = [], {}
    for i, each in enumerate(inputs):
        if each is not None:
            elem = onnx.TensorProto.STRING if each.dtype == object else helper.np_dtype_to_tensor_dtype(each.dtype)
            declared.append(helper.make_tensor_value_info(f"x{i}", elem, each.shape))
            feeds[f"x{i}"] = each
    node = _node(domain, op, inputs, outputs, attributes)
    graph = helper.make_graph([node], "g", declared, [onnx.ValueInfoProto(name=name) for name in node.output])
    imports = [helper.make_opsetid("", 21)] + ([helper.make_opsetid(domain, version)] if domain else [])
    model = helper.make_model(graph, opset_imports=imports, ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    result: list[Any] = session.run(None, feeds)
    return result


def agrees(
    domain: str,
    op: str,
    inputs: Sequence[Any],
    outputs: Any = 1,
    *,
    version: Any = 1,
    atol: Any = 1e-5,
    rtol: Any = 1e-4,
    steps: Any = 0,
    **attributes: Any,
) -> Any:
    """As :func:`run`, and the outputs are those of ONNX Runtime; integers may differ by ``steps``."""
    got = run(domain, op, inputs, outputs, version=version, **attributes)
    every = [got] if outputs == 1 else got
    expected = onnxruntime_gives(domain, op, inputs, outputs, version=version, **attributes)
    for each, other in zip(every, expected, strict=True):
        if isinstance(each, list):
            assert len(each) == len(other)
            for mine, theirs in zip(each, other, strict=True):
                assert mine.keys() == theirs.keys()
                np.testing.assert_allclose(list(mine.values()), list(theirs.values()), rtol=rtol)
            continue
        wanted = np.asarray(other)
        assert each.shape == wanted.shape
        if each.dtype == object:
            assert each.tolist() == wanted.tolist()
            continue
        assert each.dtype == wanted.dtype
        if each.dtype.kind == "f":
            np.testing.assert_allclose(each, wanted, rtol=rtol, atol=atol, equal_nan=True)
        else:
            np.testing.assert_allclose(each.astype(np.int64), wanted.astype(np.int64), rtol=0, atol=steps)
    return got
