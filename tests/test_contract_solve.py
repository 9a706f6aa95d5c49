"""Conditions on one symbol: the exact set of sizes, and the words for it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapeinfer import dims
from shapeinfer.contract.conditions import Condition
from shapeinfer.contract.describe import describe, enough
from shapeinfer.contract.sets import ALL, SizeSet, interval
from shapeinfer.contract.solve import period_of, solve
from shapeinfer.contract.text import parse_condition

X = dims.symbol("x")


def solved(text: str, domain: SizeSet = ALL) -> SizeSet:
    found = solve(parse_condition(text), X, domain)
    assert found is not None
    return found


def words(text: str) -> str | None:
    found = describe(solved(text), X)
    return None if found is None else "; ".join(condition.text for condition in found)


@pytest.mark.parametrize(
    ("said", "short"),
    [
        ("x + 2 >= 3", "x >= 1"),
        ("x == min(x, 512) or x == 1 or min(x, 512) == 1", "x <= 512"),
        ("(x + 15)//48 == 1", "33 <= x <= 80"),
        ("min(x, 240) + 160 == 400", "x >= 240"),
        ("2*x == 8", "x == 4"),
        ("x*x == x", "x <= 1"),
        ("(4*x) % 32 == 0", "x % 8 == 0"),
        ("x % 4 == 0 and x % 6 == 0", "x % 12 == 0"),
        ("x % 3 == 0 and x % 4 == 1", "x % 12 == 9"),
        ("x % 6 == 1 or x % 6 == 5", "x % 6 == 1 or x % 6 == 5"),
        ("x % 32 <= 4", "x % 32 <= 4"),
        ("x != 3", "x <= 2 or x >= 4"),
        ("x % 2 == 0 and x != 4", "x % 2 == 0; x != 4"),
        ("x % 8 != 3", "x % 8 != 3"),
        ("x >= 20 and x % 32 == 0 and x <= 1000", "1 <= x <= 992; x % 32 == 0"),
        ("x == 3 or x == 5 or x >= 9", "x == 3 or x == 5 or x >= 9"),
        ("(x + 3)//4 == 8*((x + 31)//32) or (x + 3)//4 == 1", "((x + 3)//4) % 8 == 0 or x <= 4"),
        ("max(x - 1, 0) == max(min(x - 1, 999999999), 0)", "x <= 1000000000"),
    ],
)
def test_the_simplest_form(said: str, short: str) -> None:
    assert words(said) == short


def test_a_condition_that_holds_for_every_size_has_no_words() -> None:
    assert words("x*x + x >= 2*x or x == 0") == ""


def test_what_suffices_is_told_only_where_it_does() -> None:
    found = enough(solved("((x + 3)//4) % 8 == 0 or x <= 4"), X)
    assert found is not None
    assert found.text == "x % 32 == 0"
    assert enough(solved("x % 32 == 0"), X) is None
    assert enough(solved("x % 32 == 1 or x % 32 == 5"), X) is None


def test_only_sizes_of_the_domain_are_found() -> None:
    assert [*solved("x % 4 == 0", interval(3, 12))] == [4, 8, 12]


def test_divisions_come_round_after_the_product_of_their_divisors() -> None:
    assert period_of(parse_condition("((x + 3)//4) % 8 == 0")) == 32
    assert period_of(parse_condition("x >= 3")) == 1


def test_too_long_a_period_is_left_open() -> None:
    assert solve(parse_condition("x % 1009 == 3 and x // 1013 % 17 == 2"), X, ALL) is None


ATOMS = st.integers(0, 40) | st.just(X)
DIMS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds(dims.add, inner, inner),
        st.builds(dims.mul, st.integers(-3, 4), inner),
        st.builds(dims.floordiv, inner, st.integers(1, 6)),
        st.builds(dims.mod, inner, st.integers(1, 6)),
        st.builds(dims.minimum, inner, inner),
        st.builds(dims.maximum, inner, inner),
    ),
    max_leaves=6,
)


@st.composite
def conditions(draw: st.DrawFn) -> Condition:
    left, right = dims.text(draw(DIMS)), dims.text(draw(DIMS))
    texts = [f"({left}) {draw(st.sampled_from(['==', '>=', '!=']))} ({right})", f"x >= {draw(st.integers(0, 9))}"]
    return parse_condition(draw(st.sampled_from([" or ", " and "])).join(texts))


@settings(max_examples=200, deadline=None)
@given(conditions())
def test_the_set_is_exact(condition: Condition) -> None:
    found = solve(condition, X, ALL)
    if found is None:
        return
    said = describe(found, X) if found else None
    for size in [*range(300), 10**4, 10**6 + 7, 10**9 + 1]:
        holds = condition.holds({"x": size})
        assert (size in found) == holds
        if said is not None:
            assert all(each.holds({"x": size}) for each in said) == holds
