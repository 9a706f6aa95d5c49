from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import assert_rule_agrees, errors, graph, model, node_model, onnxruntime, requirements, type_of

BINARY = ["Add", "Sub", "Mul", "Div"]
VARIADIC = ["Sum", "Max", "Min", "Mean"]


def two(op: str, a: str, b: str, attributes: str = "", kind: str = "float") -> str:
    return graph(f"{kind}{a} a, {kind}{b} b", f"y = {op} {f'<{attributes}>' if attributes else ''} (a, b)")


@pytest.mark.parametrize("op", BINARY)
@pytest.mark.parametrize("opset", [7, 13, 14])
def test_both_sides_broadcast(op: str, opset: int) -> None:
    assert type_of(two(op, "[N, 1, C]", "[M, 1]"), opset=opset) == "float[N, M, C]"
    assert type_of(two(op, "[N]", "[0]"), opset=opset) == "float[0]"
    assert type_of(two(op, "[A]", "[B]"), opset=opset) == "float[broadcast(A, B)]"
    assert type_of(two(op, "[N, 2]", "[]"), opset=opset) == "float[...]"
    assert errors(model(two(op, "[2, N]", "[3, N]"), opset)) == ["broadcast"]


def test_a_scalar_changes_nothing() -> None:
    proto = node_model("Add", [(1, ["N", 2]), (1, [])], 21)
    assert errors(proto) == []


@pytest.mark.parametrize(("op", "opset"), [*product(BINARY, [1, 6]), ("Pow", 1)])
def test_early_versions_want_equal_shapes(op: str, opset: int) -> None:
    assert type_of(two(op, "[N, 2]", "[3, M]"), opset=opset) == "float[3, 2]"
    assert requirements(model(two(op, "[N, 2]", "[3, M]"), opset)) == ["N == 3", "M == 2"]
    assert errors(model(two(op, "[2, 3]", "[3]"), opset)) == ["rank"]
    assert errors(model(two(op, "[2, 3]", "[2, 1]"), opset)) == ["sizes-differ"]
    assert type_of(two(op, "[]", "[2, 3]"), opset=opset) == "float[2, 3]"


@pytest.mark.parametrize(("op", "opset"), [*product(BINARY, [1, 6]), ("Pow", 1)])
def test_early_versions_broadcast_the_second_to_the_first(op: str, opset: int) -> None:
    on = "broadcast = 1"
    assert type_of(two(op, "[2, N, 4, 5]", "[4, 5]", on), opset=opset) == "float[2, N, 4, 5]"
    assert type_of(two(op, "[2, N, 4, 5]", "[3, 4]", f"{on}, axis = 1"), opset=opset) == "float[2, 3, 4, 5]"
    assert type_of(two(op, "[2, N]", "[1, 1]", on), opset=opset) == "float[2, N]"
    assert type_of(two(op, "[2, N]", "[]", on), opset=opset) == "float[2, N]"
    assert type_of(two(op, "[]", "[3]", on), opset=opset) == "float[...]"
    assert errors(model(two(op, "[2, 3]", "[2]", on), opset)) == ["broadcast"]
    assert errors(model(two(op, "[2, 3]", "[2]", f"{on}, axis = 0"), opset)) == []
    assert errors(model(two(op, "[2, 3]", "[3, 4]", f"{on}, axis = 1"), opset)) == ["axis-range"]
    assert errors(model(two(op, "[3]", "[2, 3]", on), opset)) == ["rank"]


def test_dims_of_one_inside_the_second_operand_are_taken() -> None:
    # The text of Add-6 says that "1-dim expansion doesn't work yet"; onnx's own test
    # test_operator_add_size1_broadcast has it, and runtimes run it.
    assert type_of(two("Add", "[2, 3]", "[2, 1]", "broadcast = 1, axis = 0"), opset=6) == "float[2, 3]"
    assert errors(model(two("Add", "[2, 1]", "[2, 3]", "broadcast = 1"), 6)) == ["broadcast"]


def test_the_exponent_has_a_type_of_its_own_from_12() -> None:
    text = graph("float[N] x, int64[1] e", "y = Pow (x, e)")
    assert errors(model(text, 11)) == ["type-not-allowed"]
    assert type_of(text, opset=12) == "float[N]"


@pytest.mark.parametrize("opset", [11, 21])
def test_bits_are_shifted_left_or_right(opset: int) -> None:
    shift = two("BitShift", "[N]", "[1]", 'direction = "LEFT"', "uint8")
    assert type_of(shift, opset=opset) == "uint8[N]"
    assert errors(model(shift.replace("LEFT", "UP"), opset)) == ["attribute-value"]


@pytest.mark.parametrize("op", ["BitwiseAnd", "BitwiseOr", "BitwiseXor"])
def test_bitwise(op: str) -> None:
    assert type_of(two(op, "[N, 1]", "[M]", kind="int32")) == "int32[N, M]"


def test_mod_of_floats_needs_fmod_before_28() -> None:
    assert errors(model(two("Mod", "[N]", "[N]"), 13)) == ["attribute-value"]
    assert errors(model(two("Mod", "[N]", "[N]", "fmod = 1"), 13)) == []
    assert errors(model(two("Mod", "[N]", "[N]"), 28, 14)) == []
    assert errors(model(two("Mod", "[N]", "[N]", "fmod = 2", "int64"), 13)) == ["attribute-value"]


@pytest.mark.parametrize("op", VARIADIC)
def test_variadic(op: str) -> None:
    text = graph("float[N, 1] a, float[3] b, float[2, 1] c", f"y = {op} (a, b, c)")
    assert type_of(text, opset=8) == "float[2, 3]"
    assert requirements(model(text, 8)) == ["N == 2 or N == 1"]
    assert errors(model(text, 6)) == ["rank"]
    assert type_of(graph("float[] a, float[3, N] b", f"y = {op} (a, b)"), opset=6) == "float[3, N]"
    assert type_of(graph("float[] a, float[3, N] b", f"y = {op} (a, b)"), opset=8) == "float[...]"
    assert errors(model(graph("float[] a, float[3] b, float[2] c", f"y = {op} (a, b, c)"), 8)) == ["broadcast"]
    assert type_of(graph("float[3, N] a", f"y = {op} (a)"), opset=8) == "float[3, N]"


DIMS = st.lists(st.sampled_from([0, 1, 2, 3, "N", "M"]), max_size=3)


@settings(max_examples=80, deadline=None)
@given(DIMS, DIMS, st.sampled_from(["Add", "Mul", "Max", "Sum", "Pow"]))
def test_claims_hold_whenever_it_runs(a: list[int | str], b: list[int | str], op: str) -> None:
    proto = node_model(op, [(1, a), (1, b)], 21)
    proto.ir_version = 10
    proto.graph.output[0].type.tensor_type.elem_type = 1
    for n, m in product((0, 1, 2, 3), repeat=2):
        bound = {"N": n, "M": m}
        sizes = [tuple(bound[d] if isinstance(d, str) else d for d in shape) for shape in (a, b)]
        feeds = {f"x{i}": np.ones(shape, np.float32) for i, shape in enumerate(sizes)}
        try:
            np.broadcast_shapes(*sizes)
        except ValueError:
            continue
        assert errors(proto) == []
        assert_rule_agrees(proto, feeds, onnxruntime)
