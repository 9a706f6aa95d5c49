from __future__ import annotations

import pytest

from shapeinfer.scope import Scope, Shadowed
from shapeinfer.values import Value


def value(name: str) -> Value:
    return Value(name, None, "test")


def test_the_values_of_a_graph_stand_before_those_around_it() -> None:
    outer = {"a": value("a"), "b": value("b")}
    scope = Scope(outer)
    scope["b"] = mine = value("b")
    scope["c"] = value("c")
    assert scope["a"] is outer["a"]
    assert scope["b"] is mine
    assert scope.get("b") is mine
    assert scope.get("nothing") is None
    assert sorted(scope) == ["a", "b", "c"]
    assert len(scope) == 3
    assert "c" not in outer
    with pytest.raises(KeyError):
        scope["nothing"]


def test_own_inputs_shadow_nothing() -> None:
    shadowed = Shadowed({"a": value("a"), "b": value("b")}, {"b"})
    assert "a" in shadowed
    assert "b" not in shadowed
    assert "c" not in shadowed
