"""Declared names for sizes that only a run can tell."""

from __future__ import annotations

import onnx

from shapeinfer import check, infer_shapes
from tests.support import model, names

TWO = "y = NonZero (x) z = Transpose (y)"


def outputs(text: str) -> list[str]:
    return [output.type for output in check(model(text)).outputs]


def test_a_declared_name_names_a_fresh_symbol_everywhere() -> None:
    report = check(model(f"g (float[N, 3] x) => (int64[2, found] y, z) {{ {TWO} }}"))
    assert [output.type for output in report.outputs] == ["int64[2, found]", "int64[found, 2]"]
    assert report.diagnostics == ()
    assert report.symbols["found"].startswith("dim 1 of 'y', made by node 0")


def test_the_name_is_written_too_and_stands_in_expressions() -> None:
    text = f"g (float[N, 3] x) => (int64[2, found] y, w) {{ {TWO} w = Concat <axis = 0> (z, z) }}"
    result = infer_shapes(model(text))
    assert result.graph.output[1].type.tensor_type.shape.dim[0].dim_param == "2*found"


def test_a_name_that_is_declared_for_a_value_in_between() -> None:
    assert outputs(f"g (float[N, 3] x) => (z) <int64[2, found] y> {{ {TWO} }}") == ["int64[found, 2]"]


def test_one_name_for_one_symbol_in_two_places() -> None:
    assert outputs(f"g (float[N] x) => (int64[1, found] y, int64[found, 1] z) {{ {TWO} }}") == [
        "int64[1, found]",
        "int64[found, 1]",
    ]


def test_one_name_for_two_symbols_names_neither() -> None:
    text = "g (float[N] x, float[M] w) => (int64[1, found] y, int64[1, found] z) { y = NonZero (x) z = NonZero (w) }"
    assert outputs(text) == ["int64[1, u0]", "int64[1, u1]"]
    assert names(text) == ["declared-unproved"]


def test_one_name_for_a_symbol_and_a_number_names_nothing() -> None:
    text = "g (float[N] x, float[5] w) => (int64[1, found] y, float[found] z) { y = NonZero (x) z = Relu (w) }"
    assert outputs(text) == ["int64[1, u0]", "float[5]"]


def test_one_name_for_a_symbol_and_a_value_of_unknown_shape_names_nothing() -> None:
    text = "g (float[N] x, float w) => (int64[1, found] y, float[found] z) { y = NonZero (x) z = Squeeze (w) }"
    proto = model(text)
    proto.graph.input[1].type.tensor_type.ClearField("shape")
    assert check(proto).outputs[0].type == "int64[1, u0]"


def test_the_name_of_an_input_dim_names_nothing_else() -> None:
    assert outputs("g (float[N] x) => (int64[1, N] y) { y = NonZero (x) }") == ["int64[1, u0]"]


def test_two_names_for_one_symbol_the_first_holds() -> None:
    assert outputs(f"g (float[N] x) => (int64[1, a] y, int64[b, 1] z) {{ {TWO} }}") == ["int64[1, a]", "int64[a, 1]"]


def test_an_expression_names_nothing() -> None:
    proto = model("g (float[N] x) => (int64[1, found] y) { y = NonZero (x) }")
    proto.graph.output[0].type.tensor_type.shape.dim[1].dim_param = "found + 1"
    assert check(proto).outputs[0].type == "int64[1, u0]"


def test_a_name_of_an_inner_graph_names_nothing_outside() -> None:
    text = """g (float[N] x, bool c) => (int64[1, found] y, z) {
        y = NonZero (x)
        z = If (c) <then_branch = a () => (float[found] p) { p = Relu (x) }, else_branch = b () => (q) { q = Exp (x) }>
    }"""
    assert outputs(text)[0] == "int64[1, u0]"


def test_requirements_and_findings_use_the_name() -> None:
    text = (
        "g (float[N] x, float[M] w) => (int64[1, found] y, z) { y = NonZero (x) c = Cast <to = 1> (y) z = Add (c, w) }"
    )
    report = check(model(text))
    assert "u0" not in report.model_dump_json()
    assert any("found" in condition.condition for condition in report.requirements)


def test_what_is_written_is_inferred_again() -> None:
    first = infer_shapes(model("g (float[N] x) => (y, z) { y = NonZero (x) z = Transpose (y) }"))
    second = infer_shapes(first)
    assert first.SerializeToString(deterministic=True) == second.SerializeToString(deterministic=True)
    assert isinstance(second, onnx.ModelProto)
