from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

from hypothesis import given

from shapeinfer import dims
from shapeinfer.dims import add, mul, neg, scale, sub, symbol, text
from tests.dims.expressions import Case, Sizes, cases, sizes

N, H = symbol("N"), symbol("H")


def test_importing_dims_does_not_import_sympy() -> None:
    code = "import sys, shapeinfer.dims as d; d.floordiv(d.add(3, 4), 2); d.Facts(); assert 'sympy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_numbers_stay_python_ints() -> None:
    for value in (add(2, 3), sub(add(N, 5), N), mul(N, 0), neg(3), add(neg(N), N), mul(2, 3)):
        assert type(value) is int


def test_symbols_are_interned() -> None:
    assert symbol("N") is symbol("N")
    assert symbol("N").is_integer
    assert symbol("N").is_nonnegative


def test_operations_are_memoised() -> None:
    assert add(N, 1) is add(N, 1)
    assert mul(N, H) is mul(N, H)


def test_the_empty_sum_and_product() -> None:
    assert add() == 0
    assert mul() == 1
    assert add(N) is N


def test_a_number_is_multiplied_into_a_sum_and_a_symbol_is_not() -> None:
    assert text(mul(2, add(N, 1))) == "2*N + 2"
    assert text(mul(N, add(H, 1))) == "N*(H + 1)"


def test_is_symbolic() -> None:
    assert dims.is_symbolic(N)
    assert not any(map(dims.is_symbolic, (3, None, 0.5, "N")))


def test_halves_add_up() -> None:
    half = scale(N, Fraction(1, 2))
    assert add(half, half) is N


@given(cases, sizes())
def test_expressions_are_worth_what_python_says(case: Case, at: Sizes) -> None:
    assert dims.evaluate(case.dim, at) == case.value(at)


@given(cases, cases, cases)
def test_laws(a: Case, b: Case, c: Case) -> None:
    x, y, z = a.dim, b.dim, c.dim
    equal = dims.Facts().equal
    assert equal(add(x, y), add(y, x)) is True
    assert equal(mul(x, y), mul(y, x)) is True
    assert equal(mul(x, add(y, z)), add(mul(x, y), mul(x, z))) is True
    assert equal(sub(add(x, y), y), x) is True
    assert equal(dims.expand(x), x) is True
