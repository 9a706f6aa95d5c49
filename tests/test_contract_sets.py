"""Sets of sizes: exact, whatever pieces they are put together from."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shapeinfer.contract.sets import ALL, EMPTY, Piece, SizeSet, intersection, interval, made, of_numbers

SHOWN = 120


@st.composite
def sets(draw: st.DrawFn) -> SizeSet:
    pieces, at = [], 0
    for _ in range(draw(st.integers(0, 3))):
        low = at + draw(st.integers(0, 5))
        high = low + draw(st.integers(0, 20))
        pieces.append(piece(draw, low, high))
        at = high + 1
    if draw(st.booleans()):
        pieces.append(piece(draw, at, None))
    return made(pieces)


def piece(draw: st.DrawFn, low: int, high: int | None) -> Piece:
    period = draw(st.sampled_from([1, 2, 3, 4, 6]))
    return Piece(low, high, period, frozenset(draw(st.sets(st.integers(0, period - 1)))))


def members(numbers: SizeSet) -> set[int]:
    return {n for n in range(SHOWN) if n in numbers}


@given(sets(), sets())
def test_the_operations_are_those_of_sets(a: SizeSet, b: SizeSet) -> None:
    assert members(a & b) == members(a) & members(b)
    assert members(a | b) == members(a) | members(b)
    assert members(a - b) == members(a) - members(b)
    assert (a <= b) == (not a - b)


@given(sets(), sets())
def test_equal_sets_are_equal_however_they_were_made(a: SizeSet, b: SizeSet) -> None:
    assert (a - b) | (a & b) == a
    assert made(a.pieces) == a
    assert (a == b) == (members(a) == members(b))


@given(sets())
def test_the_least_and_the_greatest_are_members(a: SizeSet) -> None:
    inside = members(a)
    assert (a.low is None) == (not a)
    assert a.low == min(inside, default=None)
    assert a.high is None or a.high == max(inside)


@given(st.sets(st.integers(0, SHOWN - 1)))
def test_a_set_of_numbers_has_these_members(numbers: set[int]) -> None:
    assert members(of_numbers(numbers)) == numbers


def test_no_size_and_every_size() -> None:
    assert not EMPTY
    assert intersection([]) == ALL
    assert interval(3, 2) == EMPTY
    assert interval(-5) == ALL
    assert [*interval(2, 4)] == [2, 3, 4]
    assert interval(2, 400).count(10) == 10
