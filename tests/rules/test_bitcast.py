from __future__ import annotations

import pytest

from tests.support import errors, graph, model, type_of


@pytest.mark.parametrize(
    ("source", "to", "target"), [("float", 6, "int32"), ("bool", 2, "uint8"), ("double", 14, "complex64")]
)
def test_types_of_one_width(source: str, to: int, target: str) -> None:
    assert type_of(graph(f"{source}[N] x", f"y = BitCast <to = {to}> (x)"), opset=26, ir=13) == f"{target}[N]"


@pytest.mark.parametrize(("source", "to"), [("float", 7), ("uint8", 5), ("float", 8), ("float", 99), ("int64", 15)])
def test_types_of_another_width(source: str, to: int) -> None:
    assert errors(model(graph(f"{source}[N] x", f"y = BitCast <to = {to}> (x)"), 26, 13)) == ["element-type"]
