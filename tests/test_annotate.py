from __future__ import annotations

import onnx

from shapeinfer import infer_shapes
from tests.support import model


def dims_of(proto: onnx.ModelProto, name: str) -> list[int | str | None]:
    values = [*proto.graph.value_info, *proto.graph.output, *proto.graph.input]
    found = next(v for v in values if v.name == name)
    return [d.dim_value if d.HasField("dim_value") else d.dim_param or None for d in found.type.tensor_type.shape.dim]


def test_the_argument_is_not_changed() -> None:
    proto = model("g (float[N, ?] x) => (y) { z = Relu (x) y = Relu (z) }")
    before = proto.SerializeToString(deterministic=True)
    assert infer_shapes(proto) is not proto
    assert proto.SerializeToString(deterministic=True) == before


def test_every_value_is_annotated() -> None:
    result = infer_shapes(model("g (float[N, 3] x) => (y) { z = Relu (x) y = Transpose (z) }"))
    assert dims_of(result, "z") == ["N", 3]
    assert dims_of(result, "y") == [3, "N"]


def test_an_unnamed_input_dim_gets_a_name_that_no_other_has_and_stays_unnamed_itself() -> None:
    result = infer_shapes(model("g (float[?, x_0] x) => (y) { z = Relu (x) y = Relu (z) }"))
    assert dims_of(result, "x") == [None, "x_0"]
    assert dims_of(result, "z") == ["x_0_2", "x_0"]


def test_a_shape_that_was_asked_for_is_written_to_the_input() -> None:
    proto = model("g (float[N, ?] x, float[N] z) => (y) { y = Relu (x) }")
    result = infer_shapes(proto, input_shapes={"x": "[2, C]"})
    assert (dims_of(result, "x"), dims_of(result, "z"), dims_of(result, "y")) == ([2, "C"], [2], [2, "C"])
    assert dims_of(infer_shapes(proto, dims={"N": "2*k"}), "x") == ["2*k", None]


def test_value_info_is_replaced_where_more_is_known_and_kept_where_nothing_is() -> None:
    proto = model(
        '<ir_version: 10, opset_import: ["" : 21, "c" : 1]>'
        "g (float[N] x) => (y) { z = Relu (x) y = c.Op (z) w = c.Op (z) }"
    )
    proto.graph.value_info.append(onnx.helper.make_tensor_value_info("z", onnx.TensorProto.FLOAT, None))
    proto.graph.value_info.append(onnx.helper.make_tensor_value_info("w", onnx.TensorProto.FLOAT, [7]))
    result = infer_shapes(proto)
    assert sorted(v.name for v in result.graph.value_info) == ["w", "z"]
    assert dims_of(result, "z") == ["N"]
    assert dims_of(result, "w") == [7]


def test_long_names_and_many_values_survive_the_framing() -> None:
    name = "v" * 5000
    result = infer_shapes(model(f"g (float[N] x) => (y) {{ {name} = Relu (x) y = Relu ({name}) }}"))
    assert dims_of(result, name) == ["N"]


def test_the_result_is_a_model_that_onnx_accepts() -> None:
    result = infer_shapes(model("g (float[N, 3] x) => (y) { z = Relu (x) y = Transpose (z) }"))
    onnx.checker.check_model(result, full_check=True)


def test_metadata_and_other_fields_are_kept() -> None:
    proto = model("g (float[N] x) => (y) { y = Relu (x) }")
    proto.doc_string = "words"
    onnx.helper.set_model_props(proto, {"k": "v"})
    result = infer_shapes(proto)
    assert result.doc_string == "words"
    assert result.metadata_props[0].value == "v"


def test_a_size_that_no_field_can_hold_is_left_out() -> None:
    result = infer_shapes(model("g (float[N, 3] x) => (y) { z = Relu (x) y = Relu (z) }"), dims={"N": 2**64})
    assert dims_of(result, "z") == [None, 3]
    assert dims_of(result, "y") == [None, 3]
    assert dims_of(result, "x") == ["N", 3]


def test_two_inputs_of_one_name_and_different_ranks() -> None:
    proto = model("g (float[N] x, float[N, M] z) => (y) { y = Relu (x) }")
    proto.graph.input[1].name = "x"
    assert dims_of(infer_shapes(proto), "y") == ["N"]


def test_a_scalar_shape_can_be_asked_for() -> None:
    proto = model("g (float[N] x) => (y) { y = Relu (x) }")
    proto.graph.input[0].type.tensor_type.ClearField("shape")
    result = infer_shapes(proto, input_shapes={"x": "[]"})
    assert result.graph.input[0].type.tensor_type.HasField("shape")
    assert dims_of(result, "y") == []
