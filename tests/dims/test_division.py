from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeinfer import dims
from shapeinfer.dims import add, ceil, ceildiv, divide_exact, floor, floordiv, mod, mul, scale, sub, symbol, text
from tests.dims.expressions import Case, Sizes, cases, sizes

N, M, C, H = map(symbol, "NMCH")


@pytest.mark.parametrize(
    ("dim", "expected"),
    [
        (floordiv(mul(6, N), 2), "3*N"),
        (add(floordiv(sub(N, 1), 2), 1), "(N + 1)//2"),
        (floordiv(add(mul(2, N), 4), 6), "(N + 2)//3"),
        (floordiv(add(mul(2, N), 5), 6), "(N + 2)//3"),
        (floordiv(add(floordiv(add(N, 1), 2), 1), 2), "(N + 3)//4"),
        (floordiv(N, -2), "(-N)//2"),
        (floordiv(mul(N, M), M), "N"),
        (floordiv(mul(4, N, M), mul(2, M)), "2*N"),
        (floordiv(mul(2, N), mul(2, M)), "N//M"),
        (floordiv(add(mul(N, M), 3), M), "N + 3//M"),
        (floordiv(mul(N, add(H, 1)), add(H, 1)), "N"),
        (ceildiv(N, 32), "(N + 31)//32"),
        (ceildiv(N, M), "-((-N)//M)"),
        (mod(add(mul(4, N), 1), 4), "1"),
        (mod(mul(N, M), M), "0"),
        (mod(add(mul(5, N), 7), 4), "(N + 3) % 4"),
        (mod(mul(2, N), 6), "2*(N % 3)"),
        (mod(mod(N, 8), 4), "N % 4"),
        (mod(N, M), "N % M"),
    ],
)
def test_canonical_form(dim: dims.Dim, expected: str) -> None:
    assert text(dim) == expected


def test_numbers_follow_python() -> None:
    assert (floordiv(-7, 2), mod(-7, 2), ceildiv(-7, 2), floordiv(7, -2), mod(7, -2)) == (-4, 1, -3, -4, -1)


@pytest.mark.parametrize("dim", [7, N])
def test_division_by_zero_raises(dim: dims.Dim) -> None:
    for operation in (floordiv, ceildiv, mod):
        with pytest.raises(ZeroDivisionError):
            operation(dim, 0)


def test_a_divisor_that_is_zero_in_disguise_raises() -> None:
    zero = sub(mul(N, add(M, 1)), add(mul(N, M), N))
    with pytest.raises(ZeroDivisionError):
        floordiv(C, zero)


def test_exact_division() -> None:
    assert divide_exact(mul(4, N, C), mul(2, N)) == mul(2, C)
    assert divide_exact(mul(N, add(H, 1)), add(H, 1)) == N
    assert divide_exact(add(mul(N, H), N), add(H, 1)) == N
    assert divide_exact(sub(mul(N, N), 1), add(N, 1)) == sub(N, 1)
    assert divide_exact(12, 4) == 3
    assert divide_exact(0, N) == 0


@pytest.mark.parametrize(("a", "b"), [(12, 5), (12, 0), (N, 2), (N, M), (mul(N, 3), mul(N, 2)), (add(N, 1), N), (4, N)])
def test_no_exact_division(a: dims.Dim, b: dims.Dim) -> None:
    assert divide_exact(a, b) is None


def test_exact_division_keeps_the_factors_that_are_left() -> None:
    assert text(divide_exact(mul(N, add(H, 1), M), M)) == "N*(H + 1)"


def test_rational_multiples_come_back_as_whole_numbers() -> None:
    half = scale(N, Fraction(1, 2))
    assert floor(half) == floordiv(N, 2)
    assert ceil(half) == floordiv(add(N, 1), 2)
    assert floor(add(half, half)) is N
    assert floor(scale(mul(2, N), Fraction(1, 2))) is N
    assert floordiv(half, 2) == floordiv(N, 4)
    assert floor(dims.maximum(half, 1)) == floordiv(dims.maximum(N, 2), 2)
    assert mod(half, 2) == scale(mod(N, 4), Fraction(1, 2))
    assert (floor(scale(3, Fraction(1, 2))), ceil(scale(3, Fraction(1, 2))), floor(2.5), ceil(Fraction(5, 2))) == (
        1,
        2,
        2,
        3,
    )


@given(cases, st.integers(1, 8), sizes())
def test_division_and_remainder_belong_together(case: Case, divisor: int, at: Sizes) -> None:
    q, r = floordiv(case.dim, divisor), mod(case.dim, divisor)
    assert dims.evaluate(add(mul(divisor, q), r), at) == case.value(at)


@given(cases, st.fractions(-3, 3, max_denominator=8), sizes())
def test_floor_and_ceil_of_rational_multiples(case: Case, factor: Fraction, at: Sizes) -> None:
    exact = factor * case.value(at)
    scaled = scale(case.dim, factor)
    assert dims.evaluate(floor(scaled), at) == exact.__floor__()
    assert dims.evaluate(ceil(scaled), at) == exact.__ceil__()


@given(cases, cases)
def test_a_quotient_times_the_divisor_is_the_dividend(a: Case, b: Case) -> None:
    product = mul(a.dim, b.dim)
    quotient = divide_exact(product, b.dim)
    if quotient is None:
        assert dims.expand(b.dim) == 0
    else:
        assert dims.Facts().equal(mul(quotient, b.dim), product) is True
