"""For every operator that ONNX has test cases of: claims made once, with symbolic sizes, hold at any sizes that run.

Each case gives a node with fitting attributes and inputs. Short inputs after the first (axes, shapes, scales) become
constants, every other dim becomes a symbol of its own, and Hypothesis draws sizes for these.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper, numpy_helper
from onnx.backend.test.case.node import collect_testcases
from onnx.backend.test.case.test_case import TestCase

from tests.support import assert_kernel_agrees

FEW = 16
ZERO_TRIPS = "the specification is silent on the shape of scan outputs of a loop that never runs"
LEFT_OUT = {"Loop": ZERO_TRIPS, "Gradient": "it differentiates the graph around it", "ImageDecoder": "files, not sizes"}


def by_operator() -> dict[str, list[TestCase]]:
    """The cases of single nodes by operator."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        cases = collect_testcases(None)
    found = defaultdict(list)
    for case in cases:
        if case.model is not None and len(case.model.graph.node) == 1 and case.data_sets:
            found[case.model.graph.node[0].op_type].append(case)
    return {op: found[op] for op in sorted(found) if op not in LEFT_OUT}


CASES = by_operator()


def opened(case: TestCase) -> tuple[onnx.ModelProto, dict[str, Any], dict[str, int]]:
    """The model with symbols for the dims of its data, the inputs of the case, and what each symbol is there."""
    proto = onnx.ModelProto()
    proto.CopyFrom(case.model)
    graph = proto.graph
    feeds: dict[str, Any] = {}
    sizes: dict[str, int] = {}
    given = list(graph.input)
    del graph.input[:]
    data_sets = case.data_sets or [([], [])]
    for position, (info, value) in enumerate(zip(given, data_sets[0][0], strict=True)):
        array = numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value
        if not isinstance(array, np.ndarray) or not info.type.HasField("tensor_type"):
            graph.input.append(info)
            feeds[info.name] = array
        elif position and array.ndim <= 1 and array.size <= FEW and array.dtype != object:
            graph.initializer.append(numpy_helper.from_array(array, info.name))
        else:
            names = [f"d{len(sizes) + axis}" for axis in range(array.ndim)]
            sizes.update(zip(names, array.shape, strict=True))
            elem = info.type.tensor_type.elem_type
            graph.input.append(helper.make_tensor_value_info(info.name, elem, names))
            feeds[info.name] = array
    for output in graph.output:
        output.ClearField("type")
    return proto, feeds, sizes


def resized(proto: onnx.ModelProto, feeds: dict[str, Any], sizes: dict[str, int]) -> dict[str, Any]:
    """The inputs at other sizes, filled up with what they hold."""
    found = dict(feeds)
    for info in proto.graph.input:
        dims = [dim.dim_param for dim in info.type.tensor_type.shape.dim]
        if dims and all(dims):
            found[info.name] = np.resize(feeds[info.name], [sizes[dim] for dim in dims])
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("op", CASES)
@settings(max_examples=8, deadline=None, derandomize=True)
@given(data=st.data())
def test_claims_hold_at_all_sizes_that_run(op: str, data: st.DataObject) -> None:
    proto, feeds, sizes = opened(data.draw(st.sampled_from(CASES[op])))
    drawn = [sizes]
    for _ in range(3):
        changed = data.draw(st.sets(st.sampled_from([*sizes]), max_size=2)) if sizes else set()
        drawn.append({**sizes, **{name: data.draw(st.integers(0, 4)) for name in sorted(changed)}})
    with np.errstate(all="ignore"):
        assert_kernel_agrees(proto, [resized(proto, feeds, each) for each in drawn])


def test_most_operators_are_held_against_their_kernels() -> None:
    assert len(CASES) > 150
