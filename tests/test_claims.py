from __future__ import annotations

import onnx

from tests.support import errors, model, names


def test_a_declared_type_that_is_wrong() -> None:
    assert errors("g (float[N] x) => (int64[N] y) { y = Relu (x) }") == ["declared-type"]


def test_a_declared_shape_that_is_never_right() -> None:
    assert errors("g (float[2, 3] x) => (float[2, 3] y) { y = Transpose (x) }") == ["declared-shape"]
    assert errors("g (float[2, 3] x) => (float[2, 3, 1] y) { y = Relu (x) }") == ["declared-shape"]


def test_a_declared_shape_that_is_proved_says_nothing() -> None:
    assert names("g (float[N, 3] x) => (float[3, N] y) { y = Transpose (x) }") == []
    assert names("g (float[N, 3] x) => (float[?, ?] y) { y = Transpose (x) }") == []


def test_a_declared_shape_that_depends_is_a_note() -> None:
    assert names("g (float[N, 3] x) => (float[8, 3] y) { y = Relu (x) }") == ["declared-unproved"]


def test_value_info_is_held_against_what_is_found() -> None:
    assert errors("g (float[2] x) => (y) <float[3] z> { z = Relu (x) y = Relu (z) }") == ["declared-shape"]


def test_an_element_type_that_is_none() -> None:
    proto = model("g (float[N] x) => (y) <float[1] w = {1.0}> { y = Add (x, w) }")
    proto.graph.input[0].type.tensor_type.elem_type = 77
    assert errors(proto) == ["unknown-element-type"]
    proto.graph.initializer[0].data_type = 78
    assert errors(proto) == ["unknown-element-type"] * 2


def test_a_name_that_no_input_has_is_a_name_for_what_is_found() -> None:
    assert names("g (float[N, 3] x) => (float[M, 3] y) { y = Relu (x) }") == []
    assert names("g (float[N, 3] x) => (float[M, 3] y, float[3, M] z) { y = Relu (x) z = Transpose (x) }") == []


def test_such_a_name_stands_for_one_size_only() -> None:
    twice = "g (float[N, K] x) => (float[M, K] y, float[M, N] z) { y = Relu (x) z = Transpose (x) }"
    assert names(twice) == ["declared-unproved"]
    assert errors("g (float[2, 3] x) => (float[M, 3] y, float[3, M] z) { y = Relu (x) z = Relu (x) }") == [
        "declared-shape"
    ]


def test_the_element_type_of_a_sparse_initializer() -> None:
    proto = model("g (float[N] x) => (y) { y = Relu (x) }")
    sparse = proto.graph.sparse_initializer.add(dims=[3])
    sparse.values.name = "w"
    sparse.values.data_type = 79
    assert errors(proto) == ["unknown-element-type"]
    sparse.values.data_type = onnx.TensorProto.INT4
    proto.ir_version = 9
    assert errors(proto) == ["type-not-in-ir"]
