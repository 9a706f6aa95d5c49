from __future__ import annotations

import pytest

from tests.support import errors, graph, model, type_of


@pytest.mark.parametrize("opset", [6, 7, 10, 12, 13, 22])
def test_shape_and_mask(opset: int) -> None:
    text = graph("float[N, 3] x", "y, m = Dropout (x)")
    assert type_of(text, opset=opset) == "float[N, 3]"
    assert type_of(text, "m", opset) == ("bool[N, 3]" if opset >= 10 else "float[N, 3]")
    assert type_of(graph("float[] x", "y = Dropout (x)"), opset=opset) == "float[...]"


def test_ratio_and_training_mode_are_scalars() -> None:
    def text(ratio: str, training: str) -> str:
        return graph(f"float[N, 3] x, float{ratio} r, bool{training} t", "y = Dropout (x, r, t)")

    assert errors(text("", "")) == []
    assert errors(text("[1]", "")) == ["rank"]
    assert errors(text("", "[1]")) == ["rank"]
    assert errors(model(graph("float[N] x", "y = Dropout <seed = 1> (x)"), 12)) == []
