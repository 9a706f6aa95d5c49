"""Every code is explained, and is triggered by its bad example and not by its good one."""

from __future__ import annotations

import pytest

from shapeinfer import check
from shapeinfer.catalogue import example
from shapeinfer.diagnostics import Code, defined_codes
from shapeinfer.report import Report
from tests.support import model

CODES = list(defined_codes().values())
WITHOUT_EXAMPLE = {
    # triggered by files: tests/test_modelio.py, tests/test_cli.py
    "file-not-found", "not-a-file", "file-unreadable", "file-empty", "not-onnx", "no-graph", "cannot-write",
    # triggered by numbers that the text form cannot state: tests/test_claims.py
    "unknown-element-type",
    # triggered by data in files of its own: tests/test_external.py
    "external-location",
    # triggered by options and runs: tests/test_options.py, tests/test_session.py
    "contract-refuted", "contract-undecided", "contract-file",
    "bad-option", "run-input-missing", "run-failed", "run-input-unknown", "run-input-type", "run-input-shape",
    "run-no-kernel", "run-malformed", "run-weights", "run-node-types", "run-sizes", "run-out-of-range", "run-no-value",
    "run-attributes",
    # triggered by rules and kernels that contradict each other: tests/test_verify.py
    "verify-contradicted", "verify-numbers",
    # triggered by rules that are not there or fail: tests/test_engine.py
    "no-rule", "internal-fault", "expression-too-large",
    # triggered by a lint that fails: tests/lint/test_registry.py
    "lint-fault",
}  # fmt: skip


def told(report: Report, code: Code) -> bool:
    return code.id in [d.code for d in (report.lints if code.id.startswith("L") else report.diagnostics)]


def ids(code: Code) -> str:
    return code.name


@pytest.mark.parametrize("code", CODES, ids=ids)
def test_a_code_is_explained(code: Code) -> None:
    assert len(code.explanation) > 40
    assert code.explanation.endswith(".")
    assert not code.message.endswith(".")


@pytest.mark.parametrize("code", CODES, ids=ids)
def test_a_code_without_an_example_is_triggered_elsewhere(code: Code) -> None:
    assert bool(code.bad) == bool(code.good)
    assert bool(code.bad) != (code.name in WITHOUT_EXAMPLE)


@pytest.mark.parametrize("code", [c for c in CODES if c.bad], ids=ids)
def test_the_bad_example_triggers_the_code_and_the_good_one_does_not(code: Code) -> None:
    bad = check(model(example(code.bad)))
    assert told(bad, code)
    good = check(model(example(code.good)))
    assert not told(good, code)
    assert good.ok


@pytest.mark.parametrize("code", [c for c in CODES if c.bad], ids=ids)
def test_one_cause_gives_one_finding(code: Code) -> None:
    assert len([d for d in check(model(example(code.bad))).diagnostics if d.severity != "note"]) <= 1


def test_ids_and_names_are_unique_and_well_formed() -> None:
    assert len({c.name for c in CODES}) == len(CODES)
    for code in CODES:
        assert code.id[0] in "MGTSCLRU"
        assert code.id[1:].isdigit()
        assert code.name == code.name.lower()
        assert " " not in code.name
