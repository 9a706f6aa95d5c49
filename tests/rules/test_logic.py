from __future__ import annotations

import pytest

from tests.support import errors, graph, model, type_of

EARLY = {"And": "bool", "Or": "bool", "Xor": "bool", "Equal": "int64", "Less": "float", "Greater": "float"}
SINCE = {
    "And": (7,),
    "Or": (7,),
    "Xor": (7,),
    "Equal": (7, 11, 13, 19),
    "Less": (7, 9, 13),
    "Greater": (7, 9, 13),
    "LessOrEqual": (12, 16),
    "GreaterOrEqual": (12, 16),
}


@pytest.mark.parametrize(("op", "opset"), [(op, since) for op, all_since in SINCE.items() for since in all_since])
def test_booleans_of_the_broadcast_shape(op: str, opset: int) -> None:
    kind = EARLY.get(op, "float")
    assert type_of(graph(f"{kind}[N, 1] a, {kind}[3] b", f"y = {op} (a, b)"), opset=opset) == "bool[N, 3]"
    assert errors(model(graph(f"{kind}[2] a, {kind}[3] b", f"y = {op} (a, b)"), opset)) == ["broadcast"]


@pytest.mark.parametrize(("op", "kind"), EARLY.items())
def test_version_1_broadcasts_by_attributes(op: str, kind: str) -> None:
    text = graph(f"{kind}[2, N] a, {kind}[2] b", f"y = {op} <broadcast = 1, axis = 0> (a, b)")
    assert type_of(text, opset=1) == "bool[2, N]"
    assert errors(model(graph(f"{kind}[2, 1] a, {kind}[2, 3] b", f"y = {op} (a, b)"), 1)) == ["sizes-differ"]


@pytest.mark.parametrize("opset", [9, 16])
def test_where_broadcasts_all_three(opset: int) -> None:
    assert (
        type_of(graph("bool[N, 1] c, float[3] a, float[2, 1, 1] b", "y = Where (c, a, b)"), opset=opset)
        == "float[2, N, 3]"
    )
    assert type_of(graph("bool[] c, float[3] a, float[1] b", "y = Where (c, a, b)"), opset=opset) == "float[...]"
    assert errors(model(graph("bool[] c, float[3] a, float[2] b", "y = Where (c, a, b)"), opset)) == ["broadcast"]
    assert errors(model(graph("bool[1] c, float[3] a, int64[3] b", "y = Where (c, a, b)"), opset)) == ["type-mismatch"]
