from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shapeinfer import dims
from shapeinfer.dims import BroadcastError, Dim, Facts, add, broadcast, floordiv, maximum, mul, parse, symbol, text
from tests.dims.expressions import NAMES, Case, Sizes, cases_with_broadcast, sizes

N, M, C, H = map(symbol, "NMCH")
past, seq, total = map(symbol, ("past", "seq", "total"))


def facts(*said: tuple[str, str, str]) -> Facts:
    """Facts from triples such as ``("N", ">=", "2")``."""
    known = Facts()
    for left, relation, right in said:
        a, b = parse(left), parse(right)
        if relation == "==":
            known.assume_equal(a, b)
        elif relation == ">=":
            known.assume_at_least(a, b)
        else:
            assert type(b) is int
            known.assume_divisible(a, b)
    return known


@pytest.mark.parametrize(
    ("a", "b", "answer"),
    [
        ("N", "N", True),
        ("N", "M", None),
        ("N", "1", None),
        ("N", "-1", False),
        ("N", "N + 1", False),
        ("2*N", "3", False),
        ("2*N", "2*M + 1", False),
        ("2*N", "4", None),
        ("N*(H + 1)", "N*H + N", True),
        ("N + 2", "1", False),
        ("(N + 1)//2", "N - N//2", True),
        ("4*(N//4) + N % 4", "N", True),
        ("(5*N + 1)//4", "N + (N + 1)//4", True),
        ("N % 4", "4", False),
        ("N*(H + 1)", "0", None),
        ("min(N, 3)", "4", False),
        ("max(N, M)", "N + M + 1", False),
        ("max(N, M) + min(N, M)", "N + M", None),
    ],
)
def test_equality_without_facts(a: str, b: str, answer: bool | None) -> None:
    assert Facts().equal(parse(a), parse(b)) is answer
    assert Facts().equal(parse(b), parse(a)) is answer


@pytest.mark.parametrize(
    ("a", "b", "answer"),
    [
        ("N", "0", True),
        ("N", "1", None),
        ("N + 1", "N", True),
        ("N", "N + 1", False),
        ("N", "N//2", True),
        ("N - min(N, 5)", "0", True),
        ("max(N, M)", "N", True),
        ("N*M", "0", True),
        ("N % 7", "7", False),
        ("N - N % 4", "0", True),
        ("N", "max(N, M) + 1", False),
        ("(N + 1)//2", "N//2", True),
    ],
)
def test_order_without_facts(a: str, b: str, answer: bool | None) -> None:
    assert Facts().at_least(parse(a), parse(b)) is answer


@pytest.mark.parametrize(
    ("said", "a", "b", "answer"),
    [
        ([("N", "==", "1")], "N", "1", True),
        ([("N", "==", "1")], "N + M", "M", False),
        ([("N", "==", "M")], "N*C", "M*C", True),
        ([("past + seq", "==", "total")], "total - past", "seq", True),
        ([("2*N", "==", "6")], "N", "3", True),
        ([("2*N", "==", "4*M")], "N", "2*M", True),
        ([("2*N", "==", "3*M")], "4*N", "6*M", True),
        ([("N*M", "==", "C*H")], "N*M", "C*H", True),
        ([("N*M", "==", "C*H"), ("N", "==", "2"), ("C", "==", "1")], "2*M", "H", True),
        ([("N", "==", "M"), ("M", "==", "C"), ("C", "==", "N")], "N", "C", True),
        ([("H//2", "==", "112")], "H", "300", False),
        ([("N", ">=", "2")], "N", "1", False),
        ([("7", ">=", "N")], "N", "8", False),
        ([("N - 2", ">=", "0")], "N", "1", False),
        ([("N", ">=", "1")], "max(N, 1)", "N", True),
        ([("N", ">=", "2")], "broadcast(N, M)", "N", True),
        ([("N", ">=", "1"), ("1", ">=", "N")], "N", "1", True),
        ([("N", ">=", "1"), ("H", ">=", "2")], "N*H", "1", False),
        ([("N", ">=", "M + 1")], "N", "M", False),
        ([("N", "%", "8")], "8*(N//8)", "N", True),
        ([("N", "%", "8")], "N", "4*M + 2", False),
        ([("M", ">=", "N"), ("N", ">=", "3")], "M", "2", False),
        ([("N", "==", "M"), ("N", ">=", "2")], "M", "1", False),
        ([("N", ">=", "2"), ("N", "==", "M")], "M", "1", False),
        ([("N", "==", "32*H"), ("N", ">=", "1")], "H", "0", False),
    ],
)
def test_equality_with_facts(said: list[tuple[str, str, str]], a: str, b: str, answer: bool | None) -> None:
    assert facts(*said).equal(parse(a), parse(b)) is answer


@pytest.mark.parametrize(
    ("said", "dim", "n", "answer"),
    [
        ([], "8*N", 4, True),
        ([], "8*N + 2", 4, False),
        ([], "2*N", 4, None),
        ([], "N", 1, True),
        ([("N", "%", "8")], "N*C", 8, True),
        ([("N", "%", "8")], "N*C + 4", 8, False),
        ([("N", "%", "4"), ("N", "%", "6")], "N", 12, True),
        ([("N*C", "%", "8")], "N*C", 8, True),
        ([("2*N", "%", "8")], "N", 4, True),
        ([("N", "==", "8*M")], "N", 8, True),
        ([("N", ">=", "1"), ("3", ">=", "N")], "N", 4, False),
        ([("N", "==", "0")], "N", 0, True),
    ],
)
def test_divisibility(said: list[tuple[str, str, str]], dim: str, n: int, answer: bool | None) -> None:
    assert facts(*said).divisible(parse(dim), n) is answer


@pytest.mark.parametrize(
    ("said", "dim", "expected"),
    [
        ([], "N", (0, None)),
        ([], "3 - N", (None, 3)),
        ([("N", ">=", "2"), ("64", ">=", "N")], "2*N + 1", (5, 129)),
        ([("N", ">=", "2"), ("64", ">=", "N")], "(N + 1)//2", (1, 32)),
        ([], "N % 7", (0, 6)),
        ([("N", ">=", "1"), ("H", ">=", "1")], "(N - 1)*(H - 1)", (0, None)),
        ([("N", ">=", "1"), ("H", ">=", "1")], "N*H - N", (0, None)),
        ([], "max(N, 1)", (1, None)),
        ([], "min(N, 5)", (0, 5)),
        ([("N", "==", "3")], "N*M", (0, None)),
    ],
)
def test_ranges(said: list[tuple[str, str, str]], dim: str, expected: tuple[int | None, int | None]) -> None:
    assert facts(*said).range(parse(dim)) == expected


def test_reduce_puts_equalities_in_and_decides_choices() -> None:
    assert facts(("past + seq", "==", "total")).reduce(total) == add(past, seq)
    assert facts(("N", "==", "1")).reduce(mul(N, M)) is M
    assert facts(("N", ">=", "2")).reduce(broadcast(N, M)) is N
    assert facts(("N", ">=", "1")).reduce(maximum(N, 1)) is N
    assert facts(("M", "%", "2")).reduce(broadcast(N, M)) is M
    assert Facts().reduce(broadcast(N, M)) is broadcast(N, M)


def test_a_symbol_that_was_made_for_an_unknown_size_is_replaced_first() -> None:
    for pair in ((N, symbol("u0")), (symbol("u0"), symbol("width"))):
        known = Facts()
        known.assume_equal(*pair)
        assert text(known.reduce(symbol("u0"))) != "u0"


def test_a_fork_learns_on_its_own() -> None:
    known = Facts()
    branch = known.fork()
    branch.assume_equal(N, 1)
    branch.assume_range(M, 2, None)
    assert (branch.equal(N, 1), known.equal(N, 1)) == (True, None)
    assert (branch.is_one(M), known.is_one(M)) == (False, None)


def test_new_facts_change_old_answers() -> None:
    known = Facts()
    assert known.equal(N, 1) is None
    known.assume_range(N, 2, None)
    assert known.equal(N, 1) is False


def test_contradictions_are_dropped() -> None:
    known = facts(
        ("N", ">=", "2"), ("N", "==", "1"), ("2*M", "==", "3"), ("1", ">=", "N"), ("C", "==", "-1"), ("2", "==", "3")
    )
    assert known.equal(N, 1) is False
    assert known.equal(M, C) is None


def test_what_no_run_reaches_is_left_as_it_is() -> None:
    known = facts(("N", "==", "3"), ("M", "==", "4"), ("C", "==", "0"))
    assert known.reduce(broadcast(N, M)) is broadcast(N, M)
    assert known.equal(floordiv(H, C), 1) is None


def test_equality_with_itself_in_a_node_ends() -> None:
    known = facts(("N", "==", "(N + 1)//2"), ("N", "==", "max(N, 3)"))
    assert known.equal(N, floordiv(add(N, 1), 2)) is True


Learn = Callable[[Facts, Sizes], None]


def _range(name: str, below: int | None, above: int | None) -> Learn:
    def learn(known: Facts, at: Sizes) -> None:
        low = None if below is None else at[name] - below
        known.assume_range(symbol(name), low, None if above is None else at[name] + above)

    return learn


def _divisor(name: str, n: int) -> Learn:
    def learn(known: Facts, at: Sizes) -> None:
        if at[name] % n == 0:
            known.assume_divisible(symbol(name), n)

    return learn


def _equality(a: Case, b: Case) -> Learn:
    def learn(known: Facts, at: Sizes) -> None:
        known.assume_equal(a.dim, add(b.dim, a.value(at) - b.value(at)))

    return learn


def _order(a: Case, b: Case, slack: int) -> Learn:
    def learn(known: Facts, at: Sizes) -> None:
        known.assume_at_least(a.dim, add(b.dim, a.value(at) - b.value(at) - slack))

    return learn


_names, _slack = st.sampled_from(NAMES), st.integers(0, 3)
_learns = st.one_of(
    st.builds(_range, _names, st.none() | _slack, st.none() | _slack),
    st.builds(_divisor, _names, st.integers(1, 6)),
    st.builds(_equality, cases_with_broadcast, cases_with_broadcast),
    st.builds(_order, cases_with_broadcast, cases_with_broadcast, _slack),
)


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(
    sizes(0, 6),
    st.lists(_learns, max_size=5),
    cases_with_broadcast,
    cases_with_broadcast,
    st.integers(-2, 2),
    st.integers(1, 6),
)
def test_no_answer_contradicts_sizes_that_satisfy_the_facts(
    at: Sizes, learns: list[Learn], a: Case, b: Case, near: int, n: int
) -> None:
    known = Facts()
    try:
        for learn in learns:
            learn(known, at)
        value_a, value_b = a.value(at), b.value(at)
    except BroadcastError:
        return
    for x, y in ((value_a, value_b), (value_a, value_a + near)):
        dim_y: Dim = b.dim if y is value_b else y
        assert known.equal(a.dim, dim_y) in (None, x == y)
        assert known.at_least(a.dim, dim_y) in (None, x >= y)
    shifted = add(b.dim, value_a - value_b)  # equal to a at these sizes
    assert known.equal(a.dim, shifted) is not False
    assert known.at_least(a.dim, shifted) is not False
    assert known.divisible(a.dim, n) in (None, value_a % n == 0)
    low, high = known.range(a.dim)
    assert low is None or low <= value_a
    assert high is None or value_a <= high
    assert dims.evaluate(known.reduce(a.dim), at) == value_a


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(
    st.lists(st.tuples(st.booleans(), cases_with_broadcast, cases_with_broadcast), max_size=6),
    st.lists(st.tuples(_names, st.integers(-2, 6), st.integers(-2, 6), st.integers(0, 6)), max_size=4),
    cases_with_broadcast,
)
def test_facts_that_contradict_each_other_raise_nothing(
    pairs: list[tuple[bool, Case, Case]], ranges: list[tuple[str, int, int, int]], asked: Case
) -> None:
    known = Facts()
    for name, low, high, n in ranges:
        known.assume_range(symbol(name), low, high)
        known.assume_divisible(symbol(name), n)
    for equal, a, b in pairs:
        (known.assume_equal if equal else known.assume_at_least)(a.dim, b.dim)
    known.reduce(asked.dim)
    known.range(asked.dim)
    assert known.equal(asked.dim, 1) in (True, False, None)
    assert known.divisible(asked.dim, 4) in (True, False, None)


def test_a_fork_knows_the_ranges_from_the_start_and_learns_on_its_own() -> None:
    facts = Facts()
    fork = facts.fork()
    facts.assume_range(N, 2, 8)
    assert fork.equal(N, 1) is None
    known = facts.fork()
    assert known.equal(N, 1) is False
    assert known.range(N) == (2, 8)
    known.assume_range(N, 3, None)
    assert facts.range(N) == (2, 8)
