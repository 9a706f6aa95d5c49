from __future__ import annotations

import pytest

from tests.support import errors, graph, model, type_of


@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax", "Hardmax"])
@pytest.mark.parametrize("opset", [1, 11, 13])
def test_the_axis_must_be_there(op: str, opset: int) -> None:
    assert type_of(graph("float[N, 3] x", f"y = {op} (x)"), opset=opset) == "float[N, 3]"
    assert type_of(graph("float[] x", f"y = {op} <axis = 7> (x)"), opset=opset) == "float[...]"
    assert errors(model(graph("float[N, 3] x", f"y = {op} <axis = 2> (x)"), opset)) == ["axis-range"]
    assert errors(model(graph("float[N, 3] x", f"y = {op} <axis = -3> (x)"), opset)) == ["axis-range"]


@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax", "Hardmax"])
def test_the_default_axis_of_a_vector(op: str) -> None:
    assert errors(model(graph("float[N] x", f"y = {op} (x)"), 11)) == ["axis-range"]  # the default is 1
    assert errors(model(graph("float[N] x", f"y = {op} (x)"), 13)) == []  # the default is -1
