"""The lints as a whole: each is documented, each can be asked for, and a fault in one costs nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from shapeinfer import catalogue as codes
from shapeinfer import check
from shapeinfer.diagnostics import defined_codes
from shapeinfer.engine import analyse
from shapeinfer.lint import lint, registry
from shapeinfer.lint.registry import Lint, Rule
from shapeinfer.lint.view import View
from tests.support import model

DEAD = "g (float[N] x) => (y) { y = Relu (x) z = Neg (x) }"


def test_every_lint_code_has_a_lint() -> None:
    claimed = {code.id for rule in registry.rules() for code in rule.codes}
    assert claimed == {id for id in defined_codes() if id.startswith("L")} - {codes.LINT_FAULT.id}


def test_no_code_has_two_lints() -> None:
    claimed = [code.id for rule in registry.rules() for code in rule.codes]
    assert len(claimed) == len(set(claimed))


def test_every_lint_says_what_it_looks_for() -> None:
    assert all(rule.check.__doc__ for rule in registry.rules())


@pytest.mark.internal_faults
def test_a_fault_in_a_lint_costs_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(view: View) -> Iterator[Lint]:
        raise KeyError("x")
        yield

    monkeypatch.setattr(registry, "_rules", [Rule((codes.NAN_CONSTANT,), broken, False), *registry.rules()])
    found = [each.finding for each in lint(analyse(model(DEAD)))]
    assert [each.code.name for each in found] == ["lint-fault", "dead-node"]
    assert "nan-constant" in found[0].message
    assert "KeyError" in found[0].message


def test_lints_are_apart_from_the_findings_of_a_check() -> None:
    report = check(model(DEAD))
    assert [each.name for each in report.lints] == ["dead-node"]
    assert report.diagnostics == ()
    assert report.ok


def test_lints_can_be_turned_off() -> None:
    assert check(model(DEAD), lint=False).lints == ()


def test_a_check_without_lint_keeps_no_inner_graphs() -> None:
    text = """g (bool c, float[N] x) => (y) {
        y = If (c) <then_branch = t () => (a) { a = Neg (x) }, else_branch = e () => (b) { b = Relu (x) }>
    }"""
    assert analyse(model(text)).inner == []
    assert len(analyse(model(text), keep_inner=True).inner) == 2


def test_only_what_is_wanted_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(view: View) -> Iterator[Lint]:
        raise AssertionError

    monkeypatch.setattr(registry, "_rules", [Rule((codes.NAN_CONSTANT,), never, True)])
    assert list(lint(analyse(model(DEAD)), lambda id, name: name == "dead-node")) == []
