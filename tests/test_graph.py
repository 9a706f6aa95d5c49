from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from shapeinfer import check
from shapeinfer.graph import data_fault
from shapeinfer.values import tensor_type
from tests.support import errors, model, type_of


def test_an_undefined_value_is_told_with_its_position() -> None:
    error = check(model("g (float[N] x) => (y) { y = Add (x, gone) }")).errors
    assert [e.name for e in error] == ["undefined-value"]
    assert "input 1 is 'gone'" in error[0].message


def test_a_value_made_twice_keeps_its_first_type() -> None:
    proto = "g (float[N] x) => (y) { y = Relu (x) y = Shape (x) }"
    assert errors(proto) == ["defined-twice"]
    assert type_of(proto) == "float[N]"


def test_a_node_may_not_redefine_an_input_or_an_initializer() -> None:
    assert errors("g (float[N] x) => (x) { x = Relu (x) }") == ["defined-twice"]
    assert errors("g (float[1] x) => (w) <float[1] w = {1.0}> { w = Relu (x) }") == ["defined-twice"]


def test_unsorted_nodes_are_an_error_and_inferred_all_the_same() -> None:
    proto = "g (float[N] x) => (y) { y = Neg (b) b = Neg (a) a = Relu (x) }"
    assert errors(proto) == ["used-before-defined"]
    assert "2 inputs" in check(model(proto)).errors[0].message
    assert type_of(proto) == "float[N]"


def test_a_cycle_is_told_once_and_the_rest_is_inferred() -> None:
    proto = "g (float[N] x) => (y, w) { a = Add (x, b) b = Relu (a) y = Neg (b) w = Relu (x) }"
    assert errors(proto) == ["cycle"]
    assert type_of(proto, "w") == "float[N]"


def test_a_node_that_feeds_itself() -> None:
    assert errors("g (float[N] x) => (y) { y = Add (x, y) }") == ["cycle"]


def test_a_deep_graph_of_unsorted_nodes_does_not_recurse() -> None:
    nodes = [helper.make_node("Relu", [f"v{i}"], [f"v{i + 1}"]) for i in range(3000)]
    proto = helper.make_model(
        helper.make_graph(
            nodes[::-1],
            "g",
            [helper.make_tensor_value_info("v0", TensorProto.FLOAT, ["N"])],
            [onnx.ValueInfoProto(name="v3000")],
        ),
        opset_imports=[helper.make_opsetid("", 21)],
        ir_version=10,
    )
    assert check(proto).values["v3000"].type == "float[N]"


def test_an_output_that_nothing_defines() -> None:
    assert errors("g (float[N] x) => (z) { y = Relu (x) }") == ["output-undefined"]


def test_several_faults_are_all_told() -> None:
    proto = """g (float[2, 3] x) => (y) {
        a = Relu (gone)
        s = Shape (x)
        b = Exp (s)
        c = Reluu (x)
        y = Softmax <axis = 7> (x)
    }"""
    assert errors(proto) == ["undefined-value", "type-not-allowed", "unknown-operator", "axis-range"]


@pytest.mark.parametrize("elem", [e for e in range(1, 27) if e != TensorProto.STRING])
@pytest.mark.parametrize("count", [0, 1, 3, 4, 5])
def test_stored_data_fits_its_dims(elem: int, count: int) -> None:
    dtype = helper.tensor_dtype_to_np_dtype(elem)
    array = np.zeros(count, np.float32).astype(dtype)
    raw = numpy_helper.from_array(array, "w")
    assert data_fault(raw, tensor_type(raw), "initializer", "w") is None
    raw.dims[0] += 8
    assert data_fault(raw, tensor_type(raw), "initializer", "w") is not None


@pytest.mark.parametrize("elem", [TensorProto.FLOAT, TensorProto.INT64, TensorProto.COMPLEX64, TensorProto.INT4])
def test_typed_data_fits_its_dims(elem: int) -> None:
    tensor = helper.make_tensor("w", elem, [3], [1, 2, 3])
    assert data_fault(tensor, tensor_type(tensor), "initializer", "w") is None
    tensor.dims[0] = 9
    assert data_fault(tensor, tensor_type(tensor), "initializer", "w") is not None


@pytest.mark.parametrize("version", [0, -3])
def test_an_operator_set_below_one_is_told_once(version: int) -> None:
    proto = model("g (float[N] x) => (y) { z = Relu (x) y = Add (z, z) }")
    proto.opset_import[0].version = version
    report = check(proto)
    assert [(each.name, each.where) for each in report.diagnostics] == [("opset-invalid", "model")]
