from __future__ import annotations

import pytest

from tests.support import errors, graph, model, type_of


@pytest.mark.parametrize(
    ("opset", "ir"), [(6, 10), (9, 10), (13, 10), (19, 10), (21, 10), (23, 11), (24, 12), (25, 13), (28, 14)]
)
def test_the_type_that_to_numbers(opset: int, ir: int) -> None:
    assert type_of(graph("float[N, 2] x", "y = Cast <to = 7> (x)"), opset=opset, ir=ir) == "int64[N, 2]"
    assert type_of(graph("float[] x", "y = Cast <to = 7> (x)"), opset=opset, ir=ir) == "int64[...]"
    assert errors(model(graph("float[N] x", "y = Cast <to = 99> (x)"), opset, ir)) == ["element-type"]
    assert errors(model(graph("float[N] x", "y = Cast <to = 14> (x)"), opset, ir)) == ["element-type"]


def test_version_1_names_the_type() -> None:
    assert type_of(graph("float[N] x", 'y = Cast <to = "INT64"> (x)'), opset=1) == "int64[N]"
    assert errors(model(graph("float[N] x", 'y = Cast <to = "INTEGER"> (x)'), 1)) == ["element-type"]
    assert errors(model(graph("float[N] x", 'y = Cast <to = "UNDEFINED"> (x)'), 1)) == ["element-type"]
    assert errors(model(graph("float[N] x", 'y = Cast <to = "STRING"> (x)'), 1)) == ["element-type"]


def test_strings_from_9() -> None:
    text = graph("float[N] x", "y = Cast <to = 8> (x)")
    assert errors(model(text, 8)) == ["element-type"]
    assert type_of(text, opset=9) == "string[N]"


def test_rounding_modes_from_24() -> None:
    text = graph("float[N] x", 'y = Cast <to = 24, round_mode = "down"> (x)')
    assert type_of(text, opset=24, ir=12) == "float8e8m0[N]"
    assert errors(model(text.replace("down", "even"), 24, 12)) == ["attribute-value"]


@pytest.mark.parametrize(("opset", "ir"), [(15, 10), (19, 10), (21, 10), (23, 11), (24, 12), (25, 13)])
def test_cast_like_takes_only_the_type(opset: int, ir: int) -> None:
    text = graph("float[N, 2] x, int32[7] z", "y = CastLike (x, z)")
    assert type_of(text, opset=opset, ir=ir) == "int32[N, 2]"
