"""Finds and loads rule packs: the project's own ``rules/`` and users' directories.

Nothing imports ``shapeinfer.rules`` statically. The pack lies inside the installed package or, in a checkout, beside
it; the same loader takes a user's own pack.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path

PACK = "shapeinfer.rules"
_loaded: set[Path] = set()
_loaded_names: set[str] = set()


class RulePackError(Exception):
    """A rule pack that cannot be loaded; the message says why."""


def own_pack() -> Path:
    """The directory of the project's own rules.

    Raises:
        RulePackError: when the installation lacks it.
    """
    here = Path(__file__).resolve().parent
    for place in (here / "rules", here.parent / "rules"):
        if (place / "__init__.py").is_file():
            return place
    raise RulePackError(f"no rules found inside {here} or beside it: the installation is incomplete")


def load_own_rules() -> None:
    """Registers the project's own rules, once."""
    if PACK not in _loaded_names:
        load_pack(own_pack(), PACK)


def load_packs(directories: Iterable[str | Path]) -> None:
    """Registers users' rule packs, each once, after the project's own."""
    load_own_rules()
    for directory in directories:
        path = Path(directory).resolve()
        if not path.is_dir():
            raise RulePackError(f"{directory} is no directory of rules")
        load_pack(path, f"shapeinfer_rules_{path.name}_{len(_loaded)}")


def load_pack(directory: Path, name: str) -> None:
    """Imports every module of a directory as a submodule of the package ``name``.

    Raises:
        RulePackError: when a module cannot be imported, for instance because an operator version has a rule already.
    """
    directory = directory.resolve()
    if directory in _loaded:
        return
    try:
        if name not in sys.modules:
            _import_package(directory, name)
        for file in sorted(directory.glob("*.py")):
            if file.stem != "__init__":
                importlib.import_module(f"{name}.{file.stem}")
    except (Exception, SystemExit) as error:  # a user's pack can raise anything; all of it is told in one way
        raise RulePackError(f"rules in {directory}: {type(error).__name__}: {error}") from error
    _loaded.add(directory)
    _loaded_names.add(name)


def _import_package(directory: Path, name: str) -> None:
    init = directory / "__init__.py"
    spec = importlib.util.spec_from_file_location(
        name, init if init.is_file() else None, submodule_search_locations=[str(directory)]
    )
    if spec is None:
        spec = importlib.util.spec_from_loader(name, loader=None, is_package=True)
        assert spec is not None
        spec.submodule_search_locations = [str(directory)]
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    if spec.loader is not None:
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
