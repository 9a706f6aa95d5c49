from __future__ import annotations

import pytest

from tests.support import errors, graph, requirements, type_of

NLL, SCE = "NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"


def loss(op: str, scores: str, labels: str, reduction: str = "none", weight: str = "") -> str:
    inputs = f"float{scores} x, int64{labels} t" + (f", float{weight} w" if weight else "")
    return graph(inputs, f'y = {op} <reduction = "{reduction}"> (x, t{", w" if weight else ""})')


@pytest.mark.parametrize("op", [NLL, SCE])
@pytest.mark.parametrize("opset", [12, 13, 22])
def test_shapes(op: str, opset: int) -> None:
    assert type_of(loss(op, "[N, C, H]", "[N, H]"), opset=opset) == "float[N, H]"
    assert type_of(loss(op, "[N, C]", "[N]"), opset=opset) == "float[N]"
    assert type_of(loss(op, "[N, C, H]", "[N, H]", "mean"), opset=opset) == "float[]"
    assert type_of(loss(op, "[N, C, H]", "[]"), opset=opset) == "float[N, H]"
    assert type_of(loss(op, "[]", "[N, H]"), opset=opset) == "float[N, H]"
    assert type_of(loss(op, "[]", "[]"), opset=opset) == "float[...]"


@pytest.mark.parametrize("op", [NLL, SCE])
def test_what_must_agree(op: str) -> None:
    assert errors(loss(op, "[2, 3]", "[3]")) == ["sizes-differ"]
    assert errors(loss(op, "[2, 3]", "[2, 3]")) == ["rank"]
    assert errors(loss(op, "[2]", "[2]")) == ["rank"]
    assert errors(loss(op, "[2, 3]", "[2]", "none", "[2]")) == ["sizes-differ"]
    assert errors(loss(op, "[2, 3]", "[2]", "max")) == ["attribute-value"]
    assert requirements(loss(op, "[N, 3]", "[M]")) == ["N == M"]


def test_log_prob() -> None:
    text = graph("float[] x, int64[N, H] t, float[C] w", f"y, p = {SCE} (x, t, w)", "y, p")
    assert type_of(text, "p") == "float[N, C, H]"
    text = graph("float[N, C] x, int64[N] t", f"y, p = {SCE} (x, t)", "y, p")
    assert type_of(text, "p") == "float[N, C]"
