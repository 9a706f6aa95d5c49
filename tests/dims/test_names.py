from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeinfer import dims
from shapeinfer.dims import read_name, symbol


@pytest.mark.parametrize("name", ["", "?", "-1"])
def test_unnamed(name: str) -> None:
    assert read_name(name, ()) is None


@pytest.mark.parametrize(
    "name",
    [
        "N",
        "batch-size",
        "a/b/c",
        "a-b-1",
        "a b",
        "x.2",
        "p2o.DynamicDimension.1",
        "unk__3:0",
        "3",
        "-3",
        "2*3",
        "max",
        "max(1, 2)",
        "N/2",
        "2N",
        " ",
        "批次",
        "N +",
        "(" * 3000,
    ],
)
def test_opaque_names(name: str) -> None:
    assert read_name(name, ()) is symbol(name)


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("N + 1", (), "N + 1"),
        ("N-1", (), "N - 1"),
        ("a - b", (), "a - b"),
        ("a-b", ("a", "b"), "a - b"),
        ("a*b", (), "a*b"),
        ("a//b", (), "a//b"),
        ("floor(a/b)", ("a", "b"), "a//b"),
        ("floor(H/2 - 1/2) + 1", (), "(H + 1)//2"),
        ("past_sequence_length + 1", (), "past_sequence_length + 1"),
        ("max(N, 1)", (), "max(N, 1)"),
        ("`a b` + 1", (), "`a b` + 1"),
        ("N - N", (), "0"),
    ],
)
def test_expressions(name: str, known: tuple[str, ...], expected: str) -> None:
    dim = read_name(name, known)
    assert dim is not None
    assert dims.text(dim) == expected


def test_a_known_name_is_that_name_even_where_it_reads_as_an_expression() -> None:
    assert read_name("a - b", ("a - b",)) is symbol("a - b")


@pytest.mark.parametrize("known", [(), ("a",), ("b",)])
def test_a_glued_name_is_opaque_unless_all_its_names_are_known(known: tuple[str, ...]) -> None:
    assert read_name("a-b", known) is symbol("a-b")


@given(st.text(max_size=30))
def test_every_text_has_a_reading(name: str) -> None:
    dim = read_name(name, ())
    assert dim is None or type(dim) is int or dims.is_symbolic(dim)
