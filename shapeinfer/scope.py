"""The values that a graph sees: its own, and behind them those of the graphs around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import TypeVar, overload

from shapeinfer.values import Value

_D = TypeVar("_D")


class Scope(MutableMapping[str, Value]):
    """The values of an inner graph by name, in front of those around it; nothing is copied.

    Attributes:
        own: the values of the graph itself.
        outer: those around it.
    """

    __slots__ = ("outer", "own")

    def __init__(self, outer: Mapping[str, Value]) -> None:
        self.own: dict[str, Value] = {}
        self.outer = outer

    def __getitem__(self, name: str) -> Value:
        found = self.own.get(name)
        return self.outer[name] if found is None else found

    @overload
    def get(self, name: str, /) -> Value | None: ...
    @overload
    def get(self, name: str, /, default: Value | _D) -> Value | _D: ...
    def get(self, name: str, /, default: object = None) -> object:
        """The value of that name, the graph's own first."""
        found = self.own.get(name)
        return self.outer.get(name, default) if found is None else found

    def __contains__(self, name: object) -> bool:
        return name in self.own or name in self.outer

    def __setitem__(self, name: str, value: Value) -> None:
        self.own[name] = value

    def __delitem__(self, name: str) -> None:
        del self.own[name]

    def __iter__(self) -> Iterator[str]:
        yield from self.own
        yield from (name for name in self.outer if name not in self.own)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Shadowed:
    """The names that an inner graph must not define again: those around it but for its own inputs and initializers."""

    __slots__ = ("_own", "outer")

    def __init__(self, outer: Mapping[str, Value], own: set[str]) -> None:
        self.outer = outer
        self._own = own

    def __contains__(self, name: object) -> bool:
        return name in self.outer and name not in self._own
