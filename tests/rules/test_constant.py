from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from tests.support import errors, graph, model, names, requirements, type_of

PLAIN = [
    ("value_int = 3", "int64[]"),
    ("value_ints = [1, 2]", "int64[2]"),
    ("value_float = 1.5", "float[]"),
    ("value_floats = [1.5, 2.5, 3.5]", "float[3]"),
    ('value_string = "a"', "string[]"),
    ('value_strings = ["a", "b"]', "string[2]"),
    ("value = int32[2] {1, 2}", "int32[2]"),
    ("value = float {1.0}", "float[]"),
]


def constant(attributes: str, opset: int = 21) -> onnx.ModelProto:
    return model(graph("", f"y = Constant <{attributes}> ()"), opset)


@pytest.mark.parametrize("opset", [12, 13, 19, 21])
@pytest.mark.parametrize(("attribute", "expected"), PLAIN)
def test_the_attribute_says_the_type(attribute: str, expected: str, opset: int) -> None:
    assert type_of(graph("", f"y = Constant <{attribute}> ()"), opset=opset).replace("[]", "[]") == expected


@pytest.mark.parametrize("opset", [1, 9, 11])
def test_early_versions_have_tensors_only(opset: int) -> None:
    assert type_of(graph("", "y = Constant <value = float[2] {1, 2}> ()"), opset=opset) == "float[2]"
    assert "attribute-unknown" in errors(constant("value_int = 3", opset))


def test_version_1_has_floats_only() -> None:
    text = "y = Constant <value = int64[2] {1, 2}> ()"
    assert names(model(graph("", text), 8)) == ["constant-early-type"]
    assert type_of(graph("", text), opset=8) == "int64[2]"
    assert errors(model(graph("", text), 9)) == []


def test_exactly_one_attribute() -> None:
    assert errors(constant("value_int = 1, value_float = 1.0")) == ["constant-values"]
    assert errors(model(graph("", "y = Constant ()"))) == ["constant-values"]


def test_a_type_that_the_version_cannot_give() -> None:
    proto = constant("value = int64[1] {1}", 9)
    proto.graph.node[0].attribute[0].t.CopyFrom(helper.make_tensor("v", onnx.TensorProto.BFLOAT16, [1], [1.0]))
    assert errors(proto) == ["element-type"]


def test_sparse_values_make_dense_tensors() -> None:
    values = numpy_helper.from_array(np.array([1.0], np.float32), "v")
    indices = numpy_helper.from_array(np.array([4], np.int64), "i")
    node = helper.make_node("Constant", [], ["y"], sparse_value=helper.make_sparse_tensor(values, indices, [2, 3]))
    proto = helper.make_model(
        helper.make_graph([node], "g", [], [onnx.ValueInfoProto(name="y")]), opset_imports=[helper.make_opsetid("", 21)]
    )
    import shapeinfer

    inferred = shapeinfer.infer_shapes(proto).graph.output[0].type.tensor_type
    assert (inferred.elem_type, [d.dim_value for d in inferred.shape.dim]) == (1, [2, 3])


def of_shape(shape: str, value: str = "") -> str:
    return graph("float[N, 3] x, int64[2] s, int64[K] k, int64[] r", f"{shape} y = ConstantOfShape {value} (t)")


@pytest.mark.parametrize("opset", [9, 20, 21])
def test_the_shape_is_what_the_input_holds(opset: int) -> None:
    assert type_of(of_shape("t = Shape (x)"), opset=opset) == "float[N, 3]"
    assert type_of(of_shape("t = Constant <value = int64[2] {2, 0}> ()"), opset=opset) == "float[2, 0]"
    assert type_of(of_shape("t = Constant <value = int64[0] {}> ()"), opset=opset) == "float[]"
    assert type_of(of_shape("t = Identity (s)"), opset=opset) == "float[u0, u1]"
    assert type_of(of_shape("t = Identity (k)"), opset=opset) == "float[...]"
    assert type_of(of_shape("t = Identity (r)"), opset=opset) == "float[...]"
    assert type_of(of_shape("t = Shape (x)", "<value = int32[1] {7}>"), opset=opset) == "int32[N, 3]"


def test_faults_of_constant_of_shape() -> None:
    assert errors(of_shape("t = Constant <value_ints = [2, -1]> ()")) == ["size-value"]
    assert errors(of_shape("t = Shape (x)", "<value = int32[2] {7, 7}>")) == ["length"]
    assert errors(of_shape("t = Shape (x)", "<value = int32[0] {}>")) == ["length"]
    assert errors(of_shape("t = Shape (x)", '<value = string[1] {"a"}>')) == ["element-type"]
    assert errors(of_shape("t = Constant <value_ints = [[2]]> ()".replace("[[2]]", "[2]"))) == []
    assert errors(of_shape("t = Constant <value_int = 2> ()")) == ["not-one-d"]


def test_a_size_that_may_be_negative_is_required_not_to_be() -> None:
    text = of_shape("n = Shape <end = 1> (x) o = Constant <value_ints = [2]> () t = Sub (n, o)")
    assert type_of(text) == "float[N - 2]"
    assert requirements(text) == ["N >= 2"]


def test_nothing_large_is_made() -> None:
    assert type_of(of_shape("t = Constant <value_ints = [70000, 70000, 70000]> ()")) == "float[70000, 70000, 70000]"
