"""Sizes that are computed inside the graph: ``t`` becomes the shape of ``y``."""

from __future__ import annotations

from itertools import product

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapeinfer import check, dims
from shapeinfer.engine import analyse
from tests.support import Array, Feeds, assert_rule_agrees, graph, model, requirements, type_of


def chain(body: str, **constants: int | float) -> str:
    """``n`` and ``m`` hold the sizes N and M; ``t`` is what the body makes of them."""
    stored = " ".join(
        f"{name} = Constant <value_{'ints' if isinstance(v, int) else 'floats'} = [{v}]> ()"
        for name, v in constants.items()
    )
    sizes = "n = Shape <start = 0, end = 1> (x) m = Shape <start = 1> (x)"
    return graph("float[N, M] x", f"{sizes} {stored} {body} y = ConstantOfShape (t)")


def size(body: str, **constants: int | float) -> str:
    text = type_of(chain(body, **constants))
    return text.removeprefix("float[").removesuffix("]")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("t = Add (n, m)", "M + N"),
        ("t = Sub (n, n)", "0"),
        ("t = Mul (n, m)", "M*N"),
        ("t = Mul (n, k)", "3*N"),
        ("t = Div (n, k)", "N//3"),
        ("a = Mul (n, k) t = Div (a, k)", "N"),
        ("a = Mul (n, m) t = Div (a, n)", "M"),
        ("t = Mod (n, k)", "N % 3"),
        ("t = Pow (n, k)", "N**3"),
        ("a = Neg (n) t = Neg (a)", "N"),
        ("a = Neg (n) t = Abs (a)", "N"),
        ("t = Min (n, k)", "min(N, 3)"),
        ("t = Max (n, k)", "max(N, 3)"),
        ("t = Relu (n)", "N"),
        ("t = Sign (n)", "min(N, 1)"),
        ("a = Sub (n, k) t = Relu (a)", "max(N - 3, 0)"),
        ("z = Constant <value_int = 5> () t = Clip (n, z)", "max(N, 5)"),
        ("z = Constant <value_int = 5> () t = Clip (n, , z)", "min(N, 5)"),
        ("b = Constant <value_int = 0> () c = Cast <to = 6> (n) t = Cast <to = 7> (c)", "N"),
        ("c = CastLike (n, k) t = Identity (c)", "N"),
        ("p = Shape (x) t = ReduceProd <keepdims = 1> (p)", "M*N"),
        ("p = Shape (x) t = ReduceMax (p)", "max(M, N)"),
    ],
)
def test_whole_numbers(body: str, expected: str) -> None:
    assert dims.parse(size(body, k=3)) == dims.parse(expected)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("g = Mul (f, h) i = Floor (g) t = Cast <to = 7> (i)", "N//2"),
        ("g = Mul (f, h) i = Ceil (g) t = Cast <to = 7> (i)", "(N + 1)//2"),
        ("g = Mul (f, h) t = Cast <to = 7> (g)", "N//2"),
        ("g = Div (f, h) t = Cast <to = 7> (g)", "2*N"),
        ("g = Mul (f, h) i = Add (g, h) j = Floor (i) t = Cast <to = 7> (j)", "(N + 1)//2"),
        ("g = Mul (f, f) i = Sqrt (h) t = Cast <to = 7> (g)", "N**2"),
        ("g = Round (f) t = Cast <to = 7> (g)", "N"),
    ],
)
def test_floats_while_exact(body: str, expected: str) -> None:
    assert size(f"f = Cast <to = 1> (n) {body}", h=0.5) == expected


def test_the_condition_under_which_floats_are_exact_is_recorded() -> None:
    text = chain("f = Cast <to = 1> (n) g = Mul (f, h) t = Cast <to = 7> (g)", h=1.5)
    assert requirements(model(text)) == ["16777216 >= 3*N"]
    report = check(model(text), dims={"N": "1..64"})
    assert [c.condition for c in report.requirements] == []


def test_a_cast_alone_records_nothing() -> None:
    assert requirements(model(graph("float[N] x", "s = Shape (x) y = Cast <to = 1> (s)"))) == []


@pytest.mark.parametrize("h", [0.1, 1.1])
def test_floats_that_are_rounded_are_not_followed(h: float) -> None:
    assert size("f = Cast <to = 1> (n) g = Mul (f, h) t = Cast <to = 7> (g)", h=h) == "u0"
    assert requirements(model(chain("f = Cast <to = 1> (n) g = Mul (f, h) t = Cast <to = 7> (g)", h=h))) == []


def test_narrow_types_may_wrap() -> None:
    assert size("c = Cast <to = 3> (n) t = Cast <to = 7> (c)") == "u0"


def test_an_entry_that_wraps_is_not_followed() -> None:
    least, most = -(2**63), 2**63 - 1
    for op, constant, other in (("Sub", least, 1), ("Add", most, 1), ("Mul", most, 2)):
        text = chain(f"p = Concat <axis = 0> (n, c) t = {op} (p, d)", c=constant, d=other)
        known = analyse(model(text)).values["t"].elements
        assert known is not None
        assert known[1] is None
        assert known[0] is not None


def test_division_truncates_toward_zero() -> None:
    # 0 - 3 over 2 is -1, and not -2 as it would be with floor
    text = graph(
        "float[N] x",
        "n = Shape (x) k = Constant <value_ints = [3]> () d = Sub (n, k)"
        " h = Constant <value_ints = [2]> () q = Div (d, h) e = Add (q, k) y = ConstantOfShape (e)",
    )
    proto = model(text)
    proto.graph.output[0].type.tensor_type.elem_type = 1
    for n in range(7):
        assert_rule_agrees(proto, {"x": np.zeros(n, np.float32)})


# ---------------------------------------------------------------------------------------------- chains that really run

STEPS = ["Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "Where"]


@st.composite
def programs(draw: st.DrawFn) -> onnx.ModelProto:
    """A few steps of integer arithmetic on two sizes; the absolute value becomes a length."""
    names, lines = ["n", "m"], []
    for i, k in enumerate(draw(st.lists(st.integers(-4, 7), min_size=1, max_size=3))):
        lines.append(f"k{i} = Constant <value_ints = [{k}]> ()")
        names.append(f"k{i}")
    for i in range(draw(st.integers(1, 4))):
        op = draw(st.sampled_from(STEPS))
        a, b = draw(st.sampled_from(names)), draw(st.sampled_from(names))
        if op == "Where":
            lines.append(f"c{i} = Less ({a}, {b}) v{i} = Where (c{i}, {b}, {a})")
        else:
            lines.append(f"v{i} = {op} ({a}, {b})")
        names.append(f"v{i}")
    proto = model(chain(f"{' '.join(lines)} w = Constant <value_ints = [60]> () r = Abs ({names[-1]}) t = Min (r, w)"))
    proto.graph.output[0].type.tensor_type.elem_type = 1
    return proto


@settings(max_examples=60, deadline=None)
@given(programs())
def test_followed_sizes_are_what_comes_out(proto: onnx.ModelProto) -> None:
    from onnx.reference import ReferenceEvaluator

    evaluator = ReferenceEvaluator(proto)

    def run(_: onnx.ModelProto, feeds: Feeds) -> list[Array]:
        return list(evaluator.run(None, dict(feeds)))

    for n, m in product((0, 1, 2, 5), repeat=2):
        with np.errstate(all="raise"):
            try:
                evaluator.run(None, {"x": np.zeros((n, m), np.float32)})
            except (FloatingPointError, RuntimeWarning, ZeroDivisionError):
                continue  # a division by zero
        assert_rule_agrees(proto, {"x": np.zeros((n, m), np.float32)}, run)
