from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeinfer import dims
from shapeinfer.dims import add, broadcast, floordiv, maximum, minimum, mod, mul, neg, parse, sub, symbol, text
from tests.dims.expressions import Case, Sizes, cases, sizes

N, H, L = map(symbol, "NHL")


@pytest.mark.parametrize(
    ("dim", "expected"),
    [
        (7, "7"),
        (-7, "-7"),
        (N, "N"),
        (neg(N), "-N"),
        (add(mul(2, N), 1), "2*N + 1"),
        (sub(N, 1), "N - 1"),
        (sub(3, N), "3 - N"),
        (sub(-3, N), "-N - 3"),
        (add(symbol("past"), symbol("seq")), "past + seq"),
        (add(N, mul(N, N), 1), "N**2 + N + 1"),
        (mul(2, N, H), "2*H*N"),
        (mul(N, add(H, 1)), "N*(H + 1)"),
        (neg(mul(N, add(H, 1))), "-N*(H + 1)"),
        (floordiv(add(H, 31), 32), "(H + 31)//32"),
        (mul(8, floordiv(add(H, 7), 8)), "8*((H + 7)//8)"),
        (sub(N, floordiv(H, 2)), "N - H//2"),
        (neg(floordiv(H, 2)), "-(H//2)"),
        (neg(mod(H, 2)), "-(H % 2)"),
        (mul(-3, floordiv(H, 2)), "-3*(H//2)"),
        (sub(0, add(N, floordiv(H, 2))), "-N - H//2"),
        (floordiv(N, mul(2, H)), "N//(2*H)"),
        (floordiv(neg(N), H), "(-N)//H"),
        (mod(N, 4), "N % 4"),
        (minimum(L, 128), "min(L, 128)"),
        (maximum(128, L, 3), "max(L, 128)"),
        (maximum(sub(N, 3), 0), "max(N - 3, 0)"),
        (broadcast(symbol("B"), symbol("A")), "broadcast(A, B)"),
        (add(symbol("u10"), symbol("u2")), "u2 + u10"),
        (symbol("a b"), "a b"),
        (add(symbol("a b"), 1), "`a b` + 1"),
        (add(symbol("a`b"), 1), "`a``b` + 1"),
        (add(symbol("batch-size"), 1), "`batch-size` + 1"),
        (mul(2, symbol("p2o.DynamicDimension.1")), "2*p2o.DynamicDimension.1"),
        (add(symbol("unk__3:0"), symbol("x.2")), "unk__3:0 + x.2"),
        (add(symbol("3"), 1), "`3` + 1"),
    ],
)
def test_form(dim: dims.Dim, expected: str) -> None:
    assert text(dim) == expected


def test_a_rational_multiple_shows_its_fraction() -> None:
    assert text(dims.scale(N, Fraction(3, 4))) == "3*N/4"


@given(cases)
def test_the_text_form_parses_back(case: Case) -> None:
    if dims.size(case.dim):  # a dim that is one name is that very name
        assert dims.Facts().equal(parse(text(case.dim)), case.dim) is True


@given(cases, sizes())
def test_the_text_form_means_in_python_what_the_dim_is_worth(case: Case, at: Sizes) -> None:
    source = text(case.dim).replace("`a b`", "a_b").replace("a b", "a_b").replace("x.2", "x_2")
    names = {name.replace(".", "_").replace(" ", "_"): size for name, size in at.items()}
    assert eval(source, {}, names) == case.value(at)  # our own text, not a model's


@given(st.lists(st.text(min_size=1), min_size=2, max_size=3, unique=True))
def test_any_names_survive_in_an_expression(names: list[str]) -> None:
    dim = floordiv(add(*[mul(i + 2, symbol(name)) for i, name in enumerate(names)], 1), 7)
    assert parse(text(dim)) == dim
