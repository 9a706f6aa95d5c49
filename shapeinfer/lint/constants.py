"""Lints about the numbers that a model stores."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx
from onnx import numpy_helper

from shapeinfer import catalogue as codes
from shapeinfer.diagnostics import Code
from shapeinfer.lint.registry import Lint, found, lint
from shapeinfer.lint.view import View, attribute, plural
from shapeinfer.values import Array, Node

_FLOATS = {onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE, onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16}


@lint(codes.NAN_CONSTANT, codes.INF_CONSTANT, codes.DENORMAL_CONSTANT, everywhere=True)
def odd_numbers(view: View) -> Iterator[Lint]:
    """NaN, infinite and denormal numbers in initializers and constants."""
    for tensor in view.graph.initializer:
        yield from _judge(view, tensor, f"initializer '{tensor.name}'", None)
    for node in view.each("Constant"):
        value = attribute(node, "value")
        if value is not None and value.type == onnx.AttributeProto.TENSOR:
            yield from _judge(view, value.t, "the constant", node)


def _judge(view: View, tensor: onnx.TensorProto, what: str, node: Node | None) -> Iterator[Lint]:
    if tensor.data_type not in _FLOATS or tensor.data_location == onnx.TensorProto.EXTERNAL:
        return
    try:
        array = numpy_helper.to_array(tensor)
    except (ValueError, TypeError, KeyError):
        return  # check tells
    for code, count, least in _odd(array):
        yield found(
            view, code, node, about="" if node else tensor.name, what=what, count=plural(count, "element"), least=least
        )


def _odd(array: Array) -> Iterator[tuple[Code, int, str]]:
    """What is odd about the numbers: the code and how many there are."""
    if array.size == 0:
        return
    numbers = array if array.dtype.itemsize >= 4 else array.astype(np.float32)
    with np.errstate(all="ignore"):
        size = np.abs(numbers)
        largest = size.max()
        if not np.isfinite(largest):
            for code, count in (
                (codes.NAN_CONSTANT, int(np.isnan(numbers).sum())),
                (codes.INF_CONSTANT, int(np.isinf(numbers).sum())),
            ):
                if count:
                    yield code, count, ""
        least = _least_normal(array)
        count = int(np.count_nonzero((size < least) & (size > 0)))
        if count:
            yield codes.DENORMAL_CONSTANT, count, f"{least:.3g}"


def _least_normal(array: Array) -> float:
    if array.dtype.kind == "f":
        return float(np.finfo(array.dtype).smallest_normal)
    return float(np.finfo(np.float32).smallest_normal)  # bfloat16 has the exponents of float
