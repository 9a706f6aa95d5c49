"""What every test has: a rule that fails for a fault of its own fails the test, unless the test asks for just that."""

from __future__ import annotations

import pytest

from shapeinfer import catalogue as codes
from shapeinfer.context import Context
from shapeinfer.diagnostics import Code
from shapeinfer.walk import Walk


@pytest.fixture(autouse=True)
def no_internal_faults(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.get_closest_marker("internal_faults"):
        return
    plain = Walk.report

    def report(self: Walk, ctx: Context, code: Code, fields: dict[str, object]) -> None:
        assert code is not codes.INTERNAL, f"{ctx.node}: {fields['error']}"
        plain(self, ctx, code, fields)

    monkeypatch.setattr(Walk, "report", report)
