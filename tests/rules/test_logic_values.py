"""Comparisons of sizes: ``c`` chooses between 1 and 2 as the size of ``y``."""

from __future__ import annotations

import pytest

from tests.support import graph, type_of


def chosen(condition: str) -> str:
    constants = " ".join(f"k{k} = Constant <value_ints = [{k}]> ()" for k in range(4)) + " neg = Neg (k1)"
    body = f"n = Shape (x) {constants} {condition} t = Where (c, k1, k2) y = ConstantOfShape (t)"
    return type_of(graph("float[N] x, bool[1] b", body))


TRUE, FALSE, OPEN = "float[1]", "float[2]", "float[u0]"


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("c = Equal (n, n)", TRUE),
        ("c = Equal (n, neg)", FALSE),
        ("c = Equal (n, k1)", OPEN),
        ("c = Less (n, k0)", FALSE),
        ("c = Less (neg, n)", TRUE),
        ("c = LessOrEqual (n, n)", TRUE),
        ("c = Greater (n, n)", FALSE),
        ("c = GreaterOrEqual (n, k0)", TRUE),
        ("c = GreaterOrEqual (n, k3)", OPEN),
        ("e = Equal (n, neg) c = Not (e)", TRUE),
        ("e = Equal (n, neg) c = And (e, b)", FALSE),
        ("e = Equal (n, n) c = Or (e, b)", TRUE),
        ("e = Equal (n, n) c = And (e, b)", OPEN),
        ("e = Equal (n, n) f = Equal (n, neg) c = Xor (e, f)", TRUE),
        ("e = Equal (n, neg) c = Equal (e, e)", TRUE),
        ("c = Cast <to = 9> (n)", OPEN),
        ("p = Add (n, k1) c = Cast <to = 9> (p)", TRUE),
    ],
)
def test_three_answers(condition: str, expected: str) -> None:
    assert chosen(condition) == expected


def test_what_both_choices_agree_on_is_known() -> None:
    body = "n = Shape (x) t = Where (b, n, n) y = ConstantOfShape (t)"
    assert type_of(graph("float[N, 3] x, bool[2] b", body)) == "float[N, 3]"


def test_the_pattern_of_expand_with_minus_one() -> None:
    body = (
        "s = Constant <value_ints = [-1, 4]> () k = Constant <value_ints = [-1]> ()"
        " o = Constant <value_ints = [1, 1]> () e = Equal (s, k) t = Where (e, o, s) y = ConstantOfShape (t)"
    )
    assert type_of(graph("float[N] x", body)) == "float[1, 4]"
