"""Nodes that are alike are inferred once, and only where nothing but types was said of them."""

from __future__ import annotations

import pytest

from shapeinfer import check, registry
from shapeinfer.context import Context
from shapeinfer.diagnostics import type_text
from shapeinfer.engine import analyse
from tests.support import graph, model, names


def asked(monkeypatch: pytest.MonkeyPatch, op: str, text: str, version: int) -> int:
    """How often the rule of an operator was asked."""
    key = ("", op, version)
    check(model("g (float[1] x) => (y) { y = Relu (x) }"))  # loads the rules
    plain = registry.registered()[key]
    calls = []

    def counted(ctx: Context) -> object:
        calls.append(ctx.node)
        return plain(ctx)

    counted.__module__ = plain.__module__
    monkeypatch.setitem(registry._rules, key, counted)
    analyse(model(text))
    return len(calls)


def test_nodes_alike_are_asked_about_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text = graph("float[N, 3] x", "a = Relu (x) b = Relu (a) y = Relu (b)")
    assert asked(monkeypatch, "Relu", text, 14) == 1


def test_other_types_and_attributes_are_asked_about_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = graph("float[N, 3] x", "a = Transpose (x) b = Transpose (a) y = Transpose <perm = [0, 1]> (b)")
    assert asked(monkeypatch, "Transpose", text, 21) == 3


def test_other_elements_are_asked_about_again(monkeypatch: pytest.MonkeyPatch) -> None:
    stated = "<int64[2] s = {-1, 6}, int64[2] t = {-1, 3}, int64[2] u = {-1, 6}>"
    body = "a = Reshape (x, s) b = Reshape (x, t) c = Reshape (x, u) y = Concat <axis = 0> (a, c)"
    text = f"g (float[N, 6] x) => (y, b) {stated} {{ {body} }}"
    assert asked(monkeypatch, "Reshape", text, 21) == 2
    analysis = analyse(model(text))
    assert type_text(analysis.values["b"].type) == "float[2*N, 3]"
    assert type_text(analysis.values["y"].type) == "float[2*N, 6]"


def test_fresh_symbols_are_never_shared() -> None:
    analysis = analyse(model(graph("float[N] x", "a = NonZero (x) b = NonZero (x) y = Concat <axis = 1> (a, b)")))
    assert type_text(analysis.values["a"].type) != type_text(analysis.values["b"].type)


def test_an_error_is_told_of_each_node() -> None:
    text = "g (float[2] x, float[3] z) => (a, b) { a = Add (x, z) b = Add (x, z) }"
    assert names(text) == ["broadcast"] * 2


def test_what_is_known_later_counts_for_later_nodes() -> None:
    # the first Add must hold for N = 1 too; MatMul then requires N = M, and the second Add is sharper
    body = "a = Add (x, z) b = MatMul (x, z) c = Add (x, z) y = Add (c, b)"
    analysis = analyse(model(graph("float[N] x, float[M] z", body)))
    assert type_text(analysis.values["a"].type) == "float[broadcast(M, N)]"
    assert type_text(analysis.values["c"].type) in ("float[N]", "float[M]")


def test_attribute_references_of_two_calls_are_told_apart() -> None:
    text = """<ir_version: 10, opset_import: ["" : 21, "f" : 1]>
    g (float[2, 3, 5] x) => (y, z) { y = f.sum <axis = 0> (x) z = f.sum <axis = 1> (x) }
    <domain: "f", opset_import: ["" : 21]>
    sum <axis> (a) => (b) { b = ArgMax <axis : int = @axis, keepdims = 0> (a) }"""
    analysis = analyse(model(text))
    assert [type_text(analysis.values[name].type) for name in "yz"] == ["int64[3, 5]", "int64[2, 5]"]


def test_constants_of_one_type_keep_their_own_elements() -> None:
    body = "s = Constant <value = int64[1] {2}> () t = Constant <value = int64[1] {3}> ()"
    fills = "a = ConstantOfShape (s) y = ConstantOfShape (t)"
    analysis = analyse(model(graph("float[N] x", f"{body} {fills}")))
    assert [type_text(analysis.values[name].type) for name in "ay"] == ["float[2]", "float[3]"]
