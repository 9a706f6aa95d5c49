"""The configuration: where it is looked for, what it can say, and what is wrong with it in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from shapeinfer.config import Config, ConfigError, load


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_all_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load(tmp_path / "m.onnx") == Config()


def test_all_that_it_can_say(tmp_path: Path) -> None:
    text = """
    [tool.shapeinfer]
    select = ["L", "S422"]
    ignore = ["dead-node"]
    lint = false
    rules = ["packs/mine"]
    dims = { N = "1..64", B = 8 }
    severity = { L603 = "error" }
    [tool.shapeinfer.per-file-ignores]
    "*.quant.onnx" = ["L630"]
    """
    config = load(tmp_path / "m.onnx", write(tmp_path / "pyproject.toml", text))
    assert config.select == ("L", "S422")
    assert config.per_file_ignores == {"*.quant.onnx": ("L630",)}
    assert config.dims == {"N": "1..64", "B": 8}
    assert config.severity == {"L603": "error"}
    assert config.rules == (str(tmp_path / "packs" / "mine"),)
    assert not config.lint


def test_the_nearest_table_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "pyproject.toml", '[tool.shapeinfer]\nignore = ["L6"]')
    write(tmp_path / "a" / "pyproject.toml", "[tool.other]")
    write(tmp_path / "b" / "pyproject.toml", '[tool.shapeinfer]\nignore = ["S4"]')
    monkeypatch.chdir(tmp_path / "b")
    assert load(tmp_path / "a" / "m.onnx").ignore == ("L6",)
    assert load(tmp_path / "b" / "m.onnx").ignore == ("S4",)
    assert load("m.onnx").ignore == ("S4",)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[tool.shapeinfer]\nselct = []", "tool.shapeinfer.selct"),
        ("[tool.shapeinfer]\nselect = 3", "tool.shapeinfer.select"),
        ('[tool.shapeinfer.severity]\nL6 = "bad"', "tool.shapeinfer.severity.L6"),
        ("[tool]\nshapeinfer = 3", "must be a table"),
        ("[tool.other]", "there is no table"),
        ("= 3", "pyproject.toml"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        load("m.onnx", write(tmp_path / "pyproject.toml", text))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no\.toml"):
        load("m.onnx", tmp_path / "no.toml")
