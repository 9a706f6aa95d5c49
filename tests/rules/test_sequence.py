from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto

from shapeinfer.engine import analyse
from tests.support import Array, assert_rule_agrees, errors, graph, model, reference, requirements, type_of

MADE = "s = SequenceConstruct (a, b, c)"
SCALAR = "int64[]"
ABC = "float[2, N] a, float[3, N] b, float[4, N] c"


def value_of(text: str, value: str = "y") -> object:
    known = analyse(model(text)).values[value].elements
    return None if known is None else known.tolist()


def at(position: str, inputs: str = ABC) -> str:
    return f"g ({inputs}) => (y) <int64 i = {{{position}}}> {{ {MADE} y = SequenceAt (s, i) }}"


def test_construct_and_at() -> None:
    assert type_of(graph("float[N] a, float[N] b", "y = SequenceConstruct (a, b)")) == "seq(float[N])"
    assert type_of(graph("float[N] a, float[M] b", "y = SequenceConstruct (a, b)")) == "seq(float[...])"
    assert type_of(at("0")) == "float[2, N]"
    assert type_of(at("-1")) == "float[4, N]"
    assert errors(at("3")) == ["index-range"]
    assert errors(at("-4")) == ["index-range"]
    assert type_of(graph(f"{ABC}, int64 i", f"{MADE} y = SequenceAt (s, i)")) == "float[u0, N]"


def test_members_of_an_input_are_as_it_says() -> None:
    assert type_of(graph("seq(float[N, 3]) s, int64 i", "y = SequenceAt (s, i)")) == "float[N, 3]"
    assert type_of(graph("seq(float[?, 3]) s, int64 i", "y = SequenceAt (s, i)")) == "float[...]"


def test_insert_and_erase() -> None:
    text = graph(
        ABC, "e = SequenceEmpty () s = SequenceInsert (e, a) t = SequenceInsert (s, b) y = SequenceLength (t)", "y"
    )
    assert type_of(text) == SCALAR
    assert value_of(text) == 2
    assert type_of(text, "s") == "seq(float[2, N])"
    front = f"g ({ABC}) => (y) <int64 i = {{0}}> {{ {MADE} t = SequenceInsert (s, c, i) y = SequenceAt (t, i) }}"
    assert type_of(front) == "float[4, N]"
    erased = f"g ({ABC}) => (y) <int64 i = {{0}}> {{ {MADE} t = SequenceErase (s, i) y = SequenceAt (t, i) }}"
    assert type_of(erased) == "float[3, N]"


def test_insert_and_erase_errors() -> None:
    assert errors(graph("float[N] a", "e = SequenceEmpty <dtype = 7> () y = SequenceInsert (e, a)")) == [
        "type-mismatch"
    ]
    assert errors(graph("float[N] a", "e = SequenceEmpty () y = SequenceErase (e)")) == ["index-range"]
    far = "g (float[N] a) => (y) <int64 i = {2}> { s = SequenceConstruct (a) y = SequenceInsert (s, a, i) }"
    assert errors(far) == ["index-range"]
    assert errors(graph("int64 i", "e = SequenceEmpty () y = SequenceAt (e, i)")) == ["index-range"]


@pytest.mark.parametrize("dtype", [0, 16, 99])
def test_a_type_that_no_sequence_has(dtype: int) -> None:
    assert errors(graph("float x", f"z = Relu (x) y = SequenceEmpty <dtype = {dtype}> ()")) == ["element-type"]


def test_concat() -> None:
    assert type_of(graph(ABC, f"{MADE} y = ConcatFromSequence <axis = 0> (s)")) == "float[9, N]"
    assert type_of(graph("seq(float[N, 3]) s", "y = ConcatFromSequence <axis = -1> (s)")) == "float[N, u0]"
    assert (
        type_of(graph("seq(float[N, 3]) s", "y = ConcatFromSequence <axis = 2, new_axis = 1> (s)")) == "float[N, 3, u0]"
    )
    stack = "s = SequenceConstruct (a, a) y = ConcatFromSequence <axis = -1, new_axis = 1> (s)"
    assert type_of(graph("float[N, 3] a", stack)) == "float[N, 3, 2]"
    assert errors(graph(ABC, f"{MADE} y = ConcatFromSequence <axis = 1> (s)")) == ["sizes-differ"]
    assert errors(graph(ABC, f"{MADE} y = ConcatFromSequence <axis = 2> (s)")) == ["axis-range"]
    two = "s = SequenceConstruct (a, b) y = ConcatFromSequence <axis = 0> (s)"
    assert requirements(graph("float[2, N] a, float[2, M] b", two)) == ["N == M"]


def test_shapes_are_followed_through_sequences() -> None:
    body = "h = Shape (x) s = SplitToSequence (h) t = SequenceAt (s, i) u = SequenceConstruct (t, k) "
    body += "n = ConcatFromSequence <axis = 0> (u) y = Reshape (x, n)"
    assert (
        type_of(f"g (float[N, 2, C] x) => (y) <int64 i = {{0}}, int64[1] k = {{-1}}> {{ {body} }}") == "float[N, 2*C]"
    )


def split(x: str, stored: str = "", more: str = "", attributes: str = "axis = 0") -> str:
    return f"g (float{x} x) => (y) {stored} {{ y = SplitToSequence <{attributes}> (x{more}) }}"


@pytest.mark.parametrize("opset", [11, 24])
def test_split(opset: int) -> None:
    assert type_of(split("[4, N]"), opset=opset) == "seq(float[1, N])"
    assert type_of(split("[4, N]", attributes="axis = -1, keepdims = 0"), opset=opset) == "seq(float[4])"
    assert type_of(split("[4, N]", "<int64 n = {2}>", ", n"), opset=opset) == "seq(float[2, N])"
    assert type_of(split("[5, N]", "<int64 n = {2}>", ", n"), opset=opset) == "seq(float[...])"
    assert type_of(split("[N, 3]", "<int64[2] n = {2, 2}>", ", n"), opset=opset) == "seq(float[2, 3])"


def test_split_errors() -> None:
    assert requirements(split("[N, 3]", "<int64[2] n = {2, 3}>", ", n")) == ["N == 5"]
    assert errors(split("[4, 3]", "<int64[2] n = {2, 3}>", ", n")) == ["sizes-differ"]
    assert errors(split("[4, 3]", "<int64 n = {0}>", ", n")) == ["too-small"]
    assert errors(split("[4, 3]", "<int64[2] n = {5, -1}>", ", n")) == ["too-small"]
    assert errors(split("[4, 3]", attributes="axis = 2")) == ["axis-range"]


def test_parts_are_known_one_by_one() -> None:
    body = "s = SplitToSequence (x, n) y = SequenceAt (s, i)"
    assert type_of(f"g (float[5, N] x) => (y) <int64 n = {{2}}, int64 i = {{2}}> {{ {body} }}") == "float[1, N]"


def test_optional() -> None:
    assert type_of(graph("float[N] x", "y = Optional (x)"), opset=18) == "optional(float[N])"
    body = "o = Optional (x) y = OptionalGetElement (o) z = OptionalHasElement (o)"
    assert type_of(graph("float[N] x", body), opset=18) == "float[N]"
    assert value_of(graph("float[N] x", body, "z"), "z") is True
    assert type_of(graph("optional(seq(float[N])) x", "y = OptionalGetElement (x)"), opset=15) == "seq(float[N])"
    assert type_of(graph("float[N] x", "y = OptionalGetElement (x)"), opset=18) == "float[N]"
    assert errors(model(graph("float[N] x", "y = OptionalGetElement (x)"), 15)) == ["type-not-allowed"]
    assert errors(graph("float x", "z = Relu (x) y = Optional ()")) == ["attribute-missing"]
    assert value_of(graph("float x", "z = Relu (x) y = OptionalHasElement ()")) is False


def test_sequence_map() -> None:
    body = "body = inner (float[K, N] e) => (float[M, L] f) { f = Transpose (e) }"
    text = graph(ABC, f"{MADE} t = SequenceMap <{body}> (s) y = SequenceAt (t, i)").replace(
        "=> (y)", "=> (y) <int64 i = {1}>"
    )
    assert type_of(text) == "float[N, 3]"
    assert type_of(graph("seq(float[N, 3]) s", f"y = SequenceMap <{body}> (s)")) == "seq(float[3, N])"


def run(proto: onnx.ModelProto, feeds: dict[str, Array]) -> None:
    proto.graph.output[0].type.tensor_type.elem_type = TensorProto.FLOAT
    assert_rule_agrees(proto, feeds, reference)


def test_members_agree_with_a_run() -> None:
    proto = model(graph(ABC, f"{MADE} t = SequenceErase (s) y = ConcatFromSequence <axis = 0> (t)"))
    run(proto, {name: np.ones((rows, 7), np.float32) for name, rows in (("a", 2), ("b", 3), ("c", 4))})


@pytest.mark.parametrize("place", range(-3, 3))
@pytest.mark.parametrize("length", [2, 3])
@pytest.mark.parametrize("opset", [11, 24])
def test_parts_agree_with_a_run(place: int, length: int, opset: int) -> None:
    stored = f"<int64 n = {{{length}}}, int64 i = {{{place}}}>"
    body = "s = SplitToSequence <axis = 1> (x, n) y = SequenceAt (s, i)"
    sizes = (2, 3 * length - 1)
    for columns in (sizes[1], "N"):
        proto = model(f"g (float[M, {columns}] x) => (y) {stored} {{ {body} }}", opset)
        run(proto, {"x": np.ones(sizes, np.float32)})
