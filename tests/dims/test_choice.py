from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shapeinfer import dims
from shapeinfer.dims import BroadcastError, add, broadcast, maximum, minimum, mul, neg, symbol, text
from tests.dims.expressions import NAMES, Case, Sizes, cases, sizes

N, M, C = map(symbol, "NMC")


@pytest.mark.parametrize(
    ("dim", "expected"),
    [
        (maximum(N, 1), "max(N, 1)"),
        (maximum(N, 0), "N"),
        (maximum(N, -3), "N"),
        (minimum(N, 0), "0"),
        (maximum(N, add(N, 1)), "N + 1"),
        (minimum(N, add(N, 1)), "N"),
        (maximum(3, 7, 5), "7"),
        (maximum(maximum(N, 4), M, 2), "max(M, N, 4)"),
        (minimum(N, minimum(M, N)), "min(M, N)"),
        (maximum(N, add(N, M)), "M + N"),
        (minimum(symbol("L"), 128), "min(L, 128)"),
        (maximum(neg(N), 0), "0"),
        (broadcast(N, 1), "N"),
        (broadcast(1, N), "N"),
        (broadcast(N, N), "N"),
        (broadcast(N, 4), "4"),
        (broadcast(0, N), "0"),
        (broadcast(N, M), "broadcast(M, N)"),
        (broadcast(broadcast(N, M), N), "broadcast(M, N)"),
        (broadcast(broadcast(N, M), C), "broadcast(C, M, N)"),
        (broadcast(add(N, 2), M), "N + 2"),
        (broadcast(M, mul(2, N)), "2*N"),
    ],
)
def test_simplification(dim: dims.Dim, expected: str) -> None:
    assert text(dim) == expected


def test_the_order_of_arguments_does_not_matter() -> None:
    assert maximum(N, M, 3) is maximum(3, M, N)
    assert broadcast(N, M) is broadcast(M, N)


def test_numbers_that_do_not_broadcast() -> None:
    assert (broadcast(0, 1), broadcast(1, 0), broadcast(5, 5)) == (0, 0, 5)
    with pytest.raises(BroadcastError):
        broadcast(2, 3)


def test_many_arguments_stay_cheap() -> None:
    assert dims.size(maximum(*[symbol(f"s{i}") for i in range(500)])) == 499


@given(st.lists(st.sampled_from([*NAMES, 0, 1, 2, "2*N", "N + 2"]), min_size=2, max_size=4), sizes(0, 3))
def test_broadcast_is_the_size_that_is_not_one(parts: list[int | str], at: Sizes) -> None:
    shapes = [part if isinstance(part, int) else dims.read_name(part, NAMES) for part in parts]
    numbers = [dims.evaluate(shape, at) for shape in shapes if shape is not None]
    others = {number for number in numbers if number != 1}
    assume(len(others) <= 1)
    result: dims.Dim = 1
    for shape in shapes:
        assert shape is not None
        result = broadcast(result, shape)
    assert dims.evaluate(result, at) == (others.pop() if others else 1)


@given(cases, cases, sizes())
def test_min_and_max_share_their_arguments(a: Case, b: Case, at: Sizes) -> None:
    both = add(minimum(a.dim, b.dim), maximum(a.dim, b.dim))
    assert dims.evaluate(both, at) == a.value(at) + b.value(at)
