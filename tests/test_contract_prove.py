"""What is said to be implied is implied."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapeinfer.contract.prove import implied, sizes_that_meet
from shapeinfer.contract.shorten import shorter
from shapeinfer.contract.text import parse_condition
from shapeinfer.dims import Facts, symbol


def proved(goal: str, *hypotheses: str) -> bool:
    return implied(parse_condition(goal), [parse_condition(h) for h in hypotheses], Facts())


def shortened(text: str, *hypotheses: str) -> str:
    return shorter(parse_condition(text), [parse_condition(h) for h in hypotheses], Facts()).text


@pytest.mark.parametrize(
    ("goal", "hypotheses"),
    [
        ("a == c", ["a == b", "b == c"]),
        ("a >= 1", ["a == b", "b >= 3"]),
        ("a == b", ["max(a - 1, 0) == max(b - 1, 0)", "a >= 2"]),
        ("a == b", ["max(b - 1, 0) == min(a - 1, 1000)", "a >= 2", "b <= 999"]),
        ("a == b", ["a == b or a == 1", "a >= 2"]),
        ("a == 1 or a == b", ["a == b or a == 1 or b == 1", "b >= 2"]),
        ("past + seq >= 1", ["past + seq == total", "total >= 1"]),
        ("H % 8 == 0", ["H % 32 == 0"]),
        ("b == 7", ["b >= 5", "b <= 3"]),
    ],
)
def test_implied(goal: str, hypotheses: list[str]) -> None:
    assert proved(goal, *hypotheses)


@pytest.mark.parametrize(
    ("goal", "hypotheses"),
    [
        ("a == b", ["max(a - 1, 0) == max(b - 1, 0)"]),
        ("a == b", ["a == b or a == 1"]),
        ("H % 32 == 0", ["H % 8 == 0"]),
        ("a >= 1", []),
    ],
)
def test_not_implied(goal: str, hypotheses: list[str]) -> None:
    assert not proved(goal, *hypotheses)


@pytest.mark.parametrize(
    ("said", "hypotheses", "short"),
    [
        ("max(a - 1, 0) == max(b - 1, 0)", ["a >= 2"], "a == b"),
        ("a == b or a == 1 or b == 1", ["a >= 2", "b >= 2"], "a == b"),
        ("max(a - 1, 0) == max(b - 1, 0)", [], "max(a - 1, 0) == max(b - 1, 0)"),
    ],
)
def test_shortened_only_where_it_is_proved(said: str, hypotheses: list[str], short: str) -> None:
    assert shortened(said, *hypotheses) == short


PARTS = st.sampled_from(
    [
        *("a == b", "a == 1", "b >= 2", "a >= 3", "a <= 4", "c >= 2", "a + b == c", "a % 2 == 0", "a // 2 == b"),
        *("max(a - 1, 0) == b", "min(a, 3) == b"),
    ]
)
TEXTS = st.lists(PARTS, min_size=1, max_size=2).map(" or ".join)


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.lists(TEXTS, max_size=3))
def test_no_sizes_contradict_a_proof(goal: str, hypotheses: list[str]) -> None:
    if not proved(goal, *hypotheses):
        return
    wanted, given_ = parse_condition(goal), [parse_condition(h) for h in hypotheses]
    for a, b, c in itertools.product(range(7), repeat=3):
        sizes = {"a": a, "b": b, "c": c}
        if all(h.holds(sizes) for h in given_):
            assert wanted.holds(sizes)


def test_sizes_are_found_small_ones_first() -> None:
    conditions = [parse_condition("past + seq == total"), parse_condition("seq >= 2")]
    facts = Facts()
    for condition in conditions:
        condition.assume(facts)
    found = next(sizes_that_meet(conditions, facts, [symbol("total")]))
    assert found == {"past": 0, "seq": 2, "total": 2}
