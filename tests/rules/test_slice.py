from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import assert_rule_agrees, errors, graph, model, node_model, onnxruntime, type_of

END, START = 2**63 - 1, -(2**63)


def sliced(start: int, end: int, step: int = 1, shape: str = "[N]", axis: int = 0) -> str:
    numbers = {"a": start, "b": end, "c": axis, "d": step}
    constants = " ".join(f"{name} = Constant <value = int64[1] {{{value}}}> ()" for name, value in numbers.items())
    return graph(f"float{shape} x", f"{constants} y = Slice (x, a, b, c, d)")


def of(start: int, end: int, step: int = 1, shape: str = "[N]", axis: int = 0) -> str:
    return type_of(sliced(start, end, step, shape, axis))


@pytest.mark.parametrize(
    ("start", "end", "size"),
    [
        (0, END, "N"),
        (0, 2**31 - 1, "N"),
        (1, END, "max(N - 1, 0)"),
        (-1, END, "min(N, 1)"),
        (0, -1, "max(N - 1, 0)"),
        (1, -1, "max(N - 2, 0)"),
        (0, 5, "min(N, 5)"),
        (2, 5, "max(min(N - 2, 3), 0)"),
        (START, 3, "min(N, 3)"),
        (END, END, "0"),
        (0, START, "0"),
        (3, 3, "0"),
    ],
)
def test_forward(start: int, end: int, size: str) -> None:
    assert of(start, end) == f"float[{size}]"


@pytest.mark.parametrize(
    ("start", "end", "step", "size"),
    [
        (0, END, 2, "(N + 1)//2"),
        (1, END, 2, "N//2"),
        (-1, START, -1, "N"),
        (END, START, -1, "N"),
        (END, START, -2, "(N + 1)//2"),
        (-1, 0, -1, "max(N - 1, 0)"),
        (119, START, -1, "min(N, 120)"),
        (-1, 2, -1, "max(N - 3, 0)"),
        (START, 0, -1, "0"),
    ],
)
def test_steps(start: int, end: int, step: int, size: str) -> None:
    assert of(start, end, step) == f"float[{size}]"


def test_a_start_before_the_first_element_is_the_first_going_backwards() -> None:
    assert of(-10, START, -1, "[5]") == "float[1]"  # NumPy takes nothing; the specification clamps to [0, n-1]


def test_int_max_as_the_end_going_backwards() -> None:
    assert of(-1, END, -1) == "float[u0]"  # by the specification 0, in ONNX Runtime N


def test_versions() -> None:
    attributes = "<starts = [1, 0], ends = [100, -1]>"
    assert (
        type_of(graph("float[5, N, M] x", f"y = Slice {attributes} (x)"), opset=1, ir=3) == "float[4, max(N - 1, 0), M]"
    )
    attributes = "<starts = [1], ends = [3], axes = [1]>"
    assert (
        type_of(graph("float[5, N] x", f"y = Slice {attributes} (x)"), opset=9, ir=4)
        == "float[5, max(min(N - 1, 2), 0)]"
    )
    for opset in (10, 11, 13):
        assert type_of(sliced(1, 4, shape="[5, N]"), opset=opset) == "float[3, N]"
    assert of(1, END, shape="[5, N]", axis=-2) == "float[4, N]"


def test_open_ranges() -> None:
    def opened(body: str, inputs: str = "float[N, 0, M] x, int64[1] a, int64[1] b, int64[K] k, int64[1] c") -> str:
        return type_of(
            graph(inputs, f"one = Constant <value_ints = [1]> () two = Constant <value_ints = [2]> () {body}")
        )

    assert opened("y = Slice (x, a, b, two)") == "float[N, 0, u0]"
    assert opened("y = Slice (x, a, b, one)") == "float[N, 0, M]"
    assert opened("y = Slice (x, a, b, c)") == "float[u0, 0, u1]"
    assert opened("y = Slice (x, k, k, k)") == "float[u0, 0, u1]"
    assert opened("y = Slice (x, k, k)") == "float[u0, 0, u1]"
    assert opened("y = Slice (x, a, b)") == "float[u0, 0, M]"
    assert opened("y = Slice (x, one, two, two, c)") == "float[N, 0, u0]"
    assert opened("y = Slice (z, one, two)", "float[] z") == "float[...]"


def computed(start: str, end: str, shape: str = "[L]") -> str:
    body = (
        "shape = Shape (x) zero = Constant <value_ints = [0]> () one = Constant <value_ints = [1]> ()"
        " two = Constant <value_ints = [2]> () three = Constant <value_ints = [3]> () size = Gather (shape, zero)"
        " last = Sub (size, one) before = Sub (size, two) three_before = Sub (size, three) half = Div (size, two)"
        " minus = Sub (zero, size)"
    )
    return graph(f"float{shape} x", f"{body} y = Slice (x, {start}, {end}, zero)")


@pytest.mark.parametrize(
    ("start", "end", "size"),
    [
        ("zero", "size", "L"),
        ("zero", "half", "L//2"),
        ("half", "size", "L - L//2"),
        ("zero", "last", "max(L - 1, 0)"),
        ("last", "size", "min(L, 1)"),
        ("before", "size", "min(L, 2)"),
        ("zero", "before", "max(L - 2, 0)"),
        ("minus", "size", "L"),
    ],
)
def test_computed_ranges(start: str, end: str, size: str) -> None:
    assert type_of(computed(start, end)) == f"float[{size}]"


def test_faults() -> None:
    assert errors(sliced(0, 1, 0)) == ["size-value"]
    assert errors(sliced(0, 1, axis=1)) == ["axis-range"]
    two = "a = Constant <value_ints = [0, 0]> () b = Constant <value_ints = [1, 1]> ()"
    assert errors(graph("float[N] x", f"{two} y = Slice (x, a, b)")) == ["length"]
    assert errors(graph("float[N, M] x", f"{two} y = Slice (x, a, b, a)")) == ["repeated-axis"]
    assert errors(graph("float[N, M] x", f"{two} c = Constant <value_ints = [1]> () y = Slice (x, a, c)")) == ["length"]
    assert errors(model(graph("float[N] x", "y = Slice <starts = [0, 1], ends = [1]> (x)"), 9)) == ["length"]


def test_elements_are_followed() -> None:
    body = (
        "s = Shape (x) a = Constant <value_ints = [-1]> () b = Constant <value_ints = [0]> ()"
        " r = Slice (s, a, b, b, a) y = Expand (o, r)"
    )
    assert type_of(graph("float[A, B, C] x, float[1] o", body)) == "float[C, B]"


@st.composite
def cases(draw: st.DrawFn) -> tuple[onnx.ModelProto, dict[str, Any]]:
    rank = draw(st.integers(1, 3))
    shape = draw(st.lists(st.integers(0, 6), min_size=rank, max_size=rank))
    axes = draw(st.lists(st.integers(-rank, rank - 1), min_size=1, max_size=rank, unique_by=lambda a: a % rank))
    bound = st.integers(-8, 8) | st.sampled_from([START, -(2**31), 2**31 - 1, END])
    starts, ends = (draw(st.lists(bound, min_size=len(axes), max_size=len(axes))) for _ in range(2))
    steps = draw(st.lists(st.sampled_from([-3, -2, -1, 1, 2, 3]), min_size=len(axes), max_size=len(axes)))
    lists = [np.array(each, np.int64) for each in (starts, ends, axes, steps)]
    return node_model("Slice", [(1, [f"d{i}" for i in range(rank)]), *lists], 13), {"x0": np.ones(shape, np.float32)}


@settings(max_examples=300, deadline=None)
@given(cases())
def test_claims_hold_in_a_run(case: tuple[onnx.ModelProto, dict[str, Any]]) -> None:
    assert_rule_agrees(*case, onnxruntime)


NAMES = ["zero", "one", "two", "three", "size", "last", "before", "three_before", "half", "minus"]


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(0, 7))
def test_claims_hold_for_computed_ranges(start: str, end: str, size: int) -> None:
    assert_rule_agrees(model(computed(start, end)), {"x": np.ones(size, np.float32)}, onnxruntime)
