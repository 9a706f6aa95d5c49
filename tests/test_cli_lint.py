"""The lint command, and the options that check shares with it."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import pytest
from typer.testing import CliRunner

from shapeinfer import infer_shapes
from shapeinfer.cli import app
from tests.support import model

NOTED = "g (float[N] x) => (y) { y = Relu (x) z = Neg (x) }"
WARNED = "g (float[N, 3, 4] x) => (y) <int64[2] s = {1, 12}> { y = Reshape (x, s) }"
BROKEN = "g (float[2] x) => (y) { y = Add (x, missing) }"
FINE = "g (float[N] x) => (y) { y = Relu (x) }"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("noted", NOTED), ("warned", WARNED), ("broken", BROKEN), ("fine", FINE)):
        onnx.save(model(text), tmp_path / f"{name}.onnx")
    return tmp_path


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.output


def test_the_exit_status_tells_of_warnings_but_not_of_notes(here: Path) -> None:
    assert run("lint", "fine.onnx")[0] == 0
    assert run("lint", "noted.onnx")[0] == 0
    assert run("lint", "warned.onnx")[0] == 1
    assert run("lint", "broken.onnx")[0] == 1
    assert run("lint", "nowhere.onnx")[0] == 2


def test_check_fails_for_errors_alone_and_shows_lints(here: Path) -> None:
    status, output = run("check", "warned.onnx")
    assert status == 0
    assert "hard-coded-reshape" in output
    assert "hard-coded-reshape" not in run("check", "warned.onnx", "--no-lint")[1]


def test_several_models(here: Path) -> None:
    status, output = run("lint", "noted.onnx", "warned.onnx")
    assert status == 1
    assert "noted.onnx" in output
    assert "warned.onnx" in output


def test_selecting(here: Path) -> None:
    assert "dead-node" not in run("lint", "noted.onnx", "--ignore", "L640")[1]
    assert "dead-node" in run("lint", "noted.onnx", "--select", "L601,L640")[1]
    assert run("lint", "warned.onnx", "--ignore", "hard-coded-reshape", "--ignore", "L607")[0] == 0
    assert run("lint", "noted.onnx", "--severity", "dead-node=error")[0] == 1
    assert "dead-node" not in run("lint", "noted.onnx", "--severity", "warning")[1]


@pytest.mark.parametrize(
    "options",
    [("--select", "L999"), ("--severity", "bad"), ("--severity", "L6=bad"), ("--format", "xml"), ("--config", "no")],
)
def test_options_that_make_no_sense(here: Path, options: tuple[str, str]) -> None:
    assert run("lint", "fine.onnx", *options)[0] == 2


def test_the_configuration_counts_for_both_commands(here: Path) -> None:
    (here / "pyproject.toml").write_text('[tool.shapeinfer]\nignore = ["dead-node"]\n')
    assert "dead-node" not in run("lint", "noted.onnx")[1]
    assert "dead-node" not in run("check", "noted.onnx")[1]
    (here / "pyproject.toml").write_text("[tool.shapeinfer]\nlint = false\n")
    assert "dead-node" not in run("check", "noted.onnx")[1]


def test_facts_of_the_configuration(here: Path) -> None:
    (here / "pyproject.toml").write_text('[tool.shapeinfer]\ndims = { N = "1" }\n')
    assert run("lint", "warned.onnx")[0] == 0
    assert run("lint", "warned.onnx", "--dim", "N=2..")[0] == 1


def test_fix_writes_the_repaired_model(here: Path) -> None:
    status, output = run("lint", "--fix", "warned.onnx")
    assert status == 0
    assert "2 repairs written; the same outputs in 3 runs" in output
    again = run("lint", "--fix", "warned.onnx")[1]
    assert "repairs written" not in again
    onnx.checker.check_model(infer_shapes(here / "warned.onnx"))


def test_diff_changes_nothing(here: Path) -> None:
    before = (here / "noted.onnx").read_bytes()
    status, output = run("lint", "--diff", "noted.onnx")
    assert "-   z = Neg (x)" in output
    assert status == 0
    assert (here / "noted.onnx").read_bytes() == before


def test_fix_leaves_alone_what_is_ignored(here: Path) -> None:
    before = (here / "noted.onnx").read_bytes()
    run("lint", "--fix", "--ignore", "dead-node", "noted.onnx")
    assert (here / "noted.onnx").read_bytes() == before


def test_what_cannot_be_verified_is_not_written(here: Path) -> None:
    text = '<ir_version: 10, opset_import: ["" : 21, "own" : 1]>\n'
    text += "g (float[N] x) => (y) { i = Identity (x) y = own.Op (i) }"
    onnx.save(model(text), here / "own.onnx")
    before = (here / "own.onnx").read_bytes()
    status, output = run("lint", "--fix", "own.onnx")
    assert "nothing was repaired" in output
    assert (here / "own.onnx").read_bytes() == before
    assert status == 0


@pytest.mark.parametrize("command", ["lint", "check"])
def test_json(here: Path, command: str) -> None:
    report = json.loads(run(command, "noted.onnx", "--format", "json")[1])
    assert [each["name"] for each in report["lints"]] == ["dead-node"]


@pytest.mark.parametrize("command", ["lint", "check"])
@pytest.mark.parametrize("format", ["sarif", "github", "junit"])
def test_other_formats(here: Path, command: str, format: str) -> None:
    assert "L603" in run(command, "warned.onnx", "--format", format)[1]
