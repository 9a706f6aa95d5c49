"""A lint that fails for a fault of its own fails the test."""

from __future__ import annotations

import pytest

import shapeinfer.lint
from shapeinfer.lint.registry import Lint, Rule
from shapeinfer.lint.view import View


@pytest.fixture(autouse=True)
def no_faults_of_lints(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.get_closest_marker("internal_faults"):
        return

    def ask(rule: Rule, view: View) -> list[Lint]:
        return list(rule.check(view))

    monkeypatch.setattr(shapeinfer.lint, "_ask", ask)
