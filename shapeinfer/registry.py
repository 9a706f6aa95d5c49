"""Where rules are registered: by domain, operator and the version of the operator's specification."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias, TypeVar

from shapeinfer.context import Context, Result
from shapeinfer.values import Array

Rule: TypeAlias = Callable[[Context], Result]
ValueRule: TypeAlias = Callable[[Context], "Array | list[Array | None] | None"]
Key: TypeAlias = tuple[str, str, int]
"""Domain (``""`` for ai.onnx), operator, since-version."""

_F = TypeVar("_F")
_rules: dict[Key, Rule] = {}
_value_rules: dict[Key, ValueRule] = {}


def rule(op: str, *, since: tuple[int, ...], domain: str = "") -> Callable[[Rule], Rule]:
    """Registers a rule for the versions named.

    Raises:
        ValueError: when a version has a rule already.
    """
    return rules({op: since}, domain=domain)


def rules(versions: Mapping[str, tuple[int, ...]], *, domain: str = "") -> Callable[[Rule], Rule]:
    """Registers one rule for several operators: operator → the versions it is for."""

    def register(function: Rule) -> Rule:
        _add(_rules, function, versions, domain)
        return function

    return register


def value_rule(op: str, *, since: tuple[int, ...], domain: str = "") -> Callable[[ValueRule], ValueRule]:
    """Registers a value rule for the versions named, as :func:`rule` does."""
    return value_rules({op: since}, domain=domain)


def value_rules(versions: Mapping[str, tuple[int, ...]], *, domain: str = "") -> Callable[[ValueRule], ValueRule]:
    """Registers one value rule for several operators."""

    def register(function: ValueRule) -> ValueRule:
        _add(_value_rules, function, versions, domain)
        return function

    return register


def moved(ctx: Context) -> Array | list[Array | None] | None:
    """A value rule for operators that only move elements of their first input: the kernel, run on symbolic entries."""
    return ctx.run_kernel(symbolic=(0,))


def _add(table: dict[Key, _F], function: _F, versions: Mapping[str, tuple[int, ...]], domain: str) -> None:
    for op, since in versions.items():
        for version in since:
            key = (domain, op, version)
            if key in table:
                raise ValueError(f"{domain or 'ai.onnx'} {op}-{version} has a rule already")
            table[key] = function


def find_rule(key: Key) -> Rule | None:
    """The rule for an operator version."""
    return _rules.get(key)


def newest_rule(domain: str, op: str, opset: int) -> int | None:
    """The newest version that an operator has a rule for in an operator set."""
    return max((since for d, name, since in _rules if (d, name) == (domain, op) and since <= opset), default=None)


def find_value_rule(key: Key) -> ValueRule | None:
    """The value rule for an operator version."""
    return _value_rules.get(key)


def registered() -> Mapping[Key, Rule]:
    """Every rule by its key."""
    return _rules
