from __future__ import annotations

import pytest
from hypothesis import given

from shapeinfer import dims
from shapeinfer.dims import BroadcastError, add, broadcast, evaluate, floordiv, maximum, mul, size, substitute, symbol
from tests.dims.expressions import Case, Sizes, cases, sizes

N, M = symbol("N"), symbol("M")


def test_size_counts_operations() -> None:
    assert [size(d) for d in (3, N, add(N, 1), add(mul(2, N), 1), floordiv(add(N, 1), 2))] == [0, 0, 1, 2, 2]


def test_free_symbols() -> None:
    assert dims.free_symbols(3) == frozenset()
    assert dims.free_symbols(maximum(floordiv(N, 2), M)) == {N, M}


def test_substitute_simplifies_anew() -> None:
    assert substitute(floordiv(add(N, 1), 2), {N: mul(2, M)}) is M
    assert substitute(maximum(N, 1), {N: 0}) == 1
    assert substitute(3, {N: 1}) == 3
    assert substitute(add(N, M), {N: M, M: N}) is add(N, M)


def test_evaluate_says_what_is_missing() -> None:
    with pytest.raises(KeyError, match="M"):
        evaluate(add(N, M), {"N": 3})
    with pytest.raises(ZeroDivisionError):
        evaluate(floordiv(N, M), {"N": 3, "M": 0})
    with pytest.raises(BroadcastError):
        evaluate(broadcast(N, M), {"N": 3, "M": 2})


@given(cases, cases, sizes())
def test_substitution_agrees_with_evaluation(outer: Case, inner: Case, at: Sizes) -> None:
    if inner.value(at) >= 0:
        put_in = substitute(outer.dim, {N: inner.dim})
        assert evaluate(put_in, at) == outer.value({**at, "N": inner.value(at)})
