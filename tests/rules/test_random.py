from __future__ import annotations

import pytest

from tests.support import errors, graph, model, type_of


@pytest.mark.parametrize("op", ["RandomNormal", "RandomUniform"])
@pytest.mark.parametrize("opset", [1, 22])
def test_shape_and_type_from_attributes(op: str, opset: int) -> None:
    assert type_of(graph("", f"y = {op} <shape = [2, 0]> ()"), opset=opset) == "float[2, 0]"
    assert type_of(graph("", f"y = {op} <shape = [2], dtype = 11> ()"), opset=opset) == "double[2]"
    assert errors(model(graph("", f"y = {op} <shape = [2], dtype = 7> ()"), opset)) == ["element-type"]
    assert errors(model(graph("", f"y = {op} <shape = [2, -1]> ()"), opset)) == ["size-value"]
    assert errors(model(graph("", f"y = {op} ()"), opset)) == ["attribute-missing"]


def test_bfloat16_from_22() -> None:
    text = graph("", "y = RandomNormal <shape = [2], dtype = 16> ()")
    assert errors(model(text, 21)) == ["element-type"]
    assert type_of(text, opset=22) == "bfloat16[2]"


@pytest.mark.parametrize("op", ["RandomNormalLike", "RandomUniformLike"])
def test_like_the_input(op: str) -> None:
    assert type_of(graph("double[N] x", f"y = {op} (x)")) == "double[N]"
    assert type_of(graph("int64[N] x", f"y = {op} <dtype = 1> (x)")) == "float[N]"
    assert type_of(graph("double[] x", f"y = {op} (x)")) == "double[...]"
    assert errors(graph("int64[N] x", f"y = {op} (x)")) == ["element-type"]


@pytest.mark.parametrize("opset", [15, 22])
def test_bernoulli(opset: int) -> None:
    assert type_of(graph("double[N, 2] x", "y = Bernoulli (x)"), opset=opset) == "double[N, 2]"
    assert type_of(graph("double[N, 2] x", "y = Bernoulli <dtype = 9> (x)"), opset=opset) == "bool[N, 2]"
    assert errors(model(graph("float[N] x", "y = Bernoulli <dtype = 8> (x)"), opset)) == ["element-type"]


@pytest.mark.parametrize("opset", [7, 22])
def test_multinomial(opset: int) -> None:
    assert type_of(graph("float[N, 5] x", "y = Multinomial (x)"), opset=opset) == "int32[N, 1]"
    assert type_of(graph("float[] x", "y = Multinomial <sample_size = 3> (x)"), opset=opset) == "int32[u0, 3]"
    assert type_of(graph("float[N, 5] x", "y = Multinomial <dtype = 7> (x)"), opset=opset) == "int64[N, 1]"
    assert errors(model(graph("float[N, 5] x", "y = Multinomial <dtype = 1> (x)"), opset)) == ["element-type"]
    assert errors(model(graph("float[5] x", "y = Multinomial (x)"), opset)) == ["rank"]
    assert errors(model(graph("float[N, 5] x", "y = Multinomial <sample_size = -1> (x)"), opset)) == ["size-value"]
