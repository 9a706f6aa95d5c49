"""Configuration: the table ``[tool.shapeinfer]`` of the nearest ``pyproject.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shapeinfer.diagnostics import Severity


class ConfigError(ValueError):
    """A configuration that cannot be understood; the message names the file and the setting."""


def _dashes(name: str) -> str:
    return name.replace("_", "-")


class Config(BaseModel):
    """What ``[tool.shapeinfer]`` can say; the options of the command line come on top of it.

    ``select`` and ``ignore`` are lists of codes, beginnings of codes, or names; ``severity`` gives a code another
    severity; ``per-file-ignores`` ignores codes for the models whose path or name fits a pattern; ``dims`` are facts
    about dims (``N = "1..64"``); ``rules`` are directories of rules, relative to the file; ``lint = false`` turns the
    lints of ``check`` off.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=_dashes)

    select: tuple[str, ...] = ("all",)
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = Field(default_factory=dict)
    per_file_ignores: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    dims: Mapping[str, str | int] = Field(default_factory=dict)
    rules: tuple[str, ...] = ()
    lint: bool = True


def load(model: str | Path, file: str | Path | None = None) -> Config:
    """The configuration for a model: from ``file``, or from the nearest ``pyproject.toml`` that has the table.

    It is looked for in the model's directory and those above it, then from the working directory upward.

    Raises:
        ConfigError: when a file cannot be read or says what there is not.
    """
    if file is not None:
        found = _table(Path(file))
        if found is None:
            raise ConfigError(f"{file}: there is no table [tool.shapeinfer]")
        return _parse(found, Path(file))
    for candidate in _candidates(Path(model)):
        if candidate.is_file():
            found = _table(candidate)
            if found is not None:
                return _parse(found, candidate)
    return Config()


def _candidates(model: Path) -> Iterator[Path]:
    for start in (model.resolve().parent, Path.cwd().resolve()):
        for directory in (start, *start.parents):
            yield directory / "pyproject.toml"


def _table(path: Path) -> Mapping[str, object] | None:
    try:
        with path.open("rb") as file:
            text = tomllib.load(file)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ConfigError(f"{path}: {reason}") from error
    tool = text.get("tool", {})
    found = tool.get("shapeinfer") if isinstance(tool, dict) else None
    if found is not None and not isinstance(found, dict):
        raise ConfigError(f"{path}: tool.shapeinfer must be a table")
    return found


def _parse(table: Mapping[str, object], path: Path) -> Config:
    try:
        config = Config.model_validate(table)
    except ValidationError as error:
        first = error.errors()[0]
        setting = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{path}: tool.shapeinfer.{setting}: {first['msg'].lower()}") from error
    rules = tuple(str(path.parent / rule) for rule in config.rules)
    return config.model_copy(update={"rules": rules})
