from __future__ import annotations

import pytest

from tests.support import errors, graph, model, requirements, type_of


def scattered(op: str, data: str, indices: str, updates: str, attributes: str = "") -> str:
    inputs = f"float{data} x, int64{indices} i, float{updates} u"
    return graph(inputs, f"y = {op} {attributes} (x, i, u)")


@pytest.mark.parametrize(("op", "opset"), [("Scatter", 9), *[("ScatterElements", v) for v in (11, 13, 16, 18)]])
def test_elements(op: str, opset: int) -> None:
    def of(data: str, indices: str, updates: str) -> str:
        return type_of(scattered(op, data, indices, updates), opset=opset)

    def found(data: str, indices: str, updates: str, attributes: str = "") -> list[str]:
        return errors(model(scattered(op, data, indices, updates, attributes), opset))

    assert of("[N, M]", "[K, 2]", "[K, 2]") == "float[N, M]"
    assert of("[]", "[K, 2]", "[K, 2]") == "float[u0, u1]"
    assert of("[N, M]", "[]", "[]") == "float[N, M]"
    assert found("[2, 3]", "[2, 2]", "[2, 3]") == ["sizes-differ"]
    assert found("[2, 3]", "[2]", "[2]") == ["rank"]
    assert found("[2, 3]", "[]", "[2]") == ["rank"]
    assert found("[2, 3]", "[2]", "[2, 3]") == ["rank"]
    assert found("[2, 3]", "[2, 2]", "[2, 2]", "<axis = 2>") == ["axis-range"]


def test_scatter_is_deprecated_from_11_on() -> None:
    assert type_of(scattered("Scatter", "[N, M]", "[K, 2]", "[K, 2]"), opset=11) == "float[N, M]"


@pytest.mark.parametrize("opset", [11, 13, 16, 18])
def test_nd(opset: int) -> None:
    def of(data: str, indices: str, updates: str) -> str:
        return type_of(scattered("ScatterND", data, indices, updates), opset=opset)

    def found(data: str, indices: str, updates: str) -> list[str]:
        return errors(model(scattered("ScatterND", data, indices, updates), opset))

    assert of("[A, B, C]", "[N, 2]", "[N, C]") == "float[A, B, C]"
    assert of("[A, B, C]", "[N, K]", "[]") == "float[A, B, C]"
    assert of("[A, B, C]", "[]", "[]") == "float[A, B, C]"
    assert of("[]", "[N, 2]", "[N]") == "float[...]"
    assert found("[2, 3]", "[4, 3]", "[4]") == ["size-value"]
    assert found("[2, 3]", "[4, 1]", "[4]") == ["rank"]
    assert found("[2, 3]", "[4, 1]", "[4, 2]") == ["sizes-differ"]
    assert found("", "[4, 1]", "[4]") == ["rank"]
    assert requirements(scattered("ScatterND", "[A, B]", "[N, 1]", "[M, B]")) == ["M == N"]


def test_reductions() -> None:
    def found(opset: int, reduction: str) -> list[str]:
        return errors(model(scattered("ScatterND", "[2]", "[1, 1]", "[1]", f'<reduction = "{reduction}">'), opset))

    assert found(16, "add") == []
    assert found(16, "max") == ["attribute-value"]
    assert found(18, "max") == []
    assert found(18, "avg") == ["attribute-value"]


def test_constant_indices_are_in_range() -> None:
    text = "i = Constant <value = int64[1, 1] {5}> () y = ScatterND (x, i, u)"
    assert errors(graph("float[4] x, float[1] u", text)) == ["index-range"]
    text = "i = Constant <value = int64[1] {-5}> () y = ScatterElements (x, i, u)"
    assert errors(graph("float[4] x, float[1] u", text)) == ["index-range"]


def test_elements_are_followed() -> None:
    body = (
        "s = Shape (x) i = Constant <value = int64[1, 1] {1}> () u = Shape (z) r = ScatterND (s, i, u)"
        " y = Expand (o, r)"
    )
    assert type_of(graph("float[A, B, C] x, float[D] z, float[1] o", body)) == "float[A, D, C]"
    body = (
        "s = Constant <value_ints = [4, 5]> () i = Constant <value_ints = [-1]> () u = Shape (z)"
        " r = ScatterElements (s, i, u)"
    )
    assert type_of(graph("float[D] z, float[1] o", f"{body} y = Expand (o, r)")) == "float[4, D]"
