"""Every notebook runs from top to bottom, and what it shows is what is stored in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "notebooks").glob("*.ipynb"))
PLACES = ("/home/", "/root/", "/Users/", "/work/", "site-packages")


def read(path: Path) -> Any:
    return nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)  # type: ignore[no-untyped-call]


def printed(notebook: Any) -> list[str]:
    """What each cell of code printed."""
    return [
        "".join(output.get("text", "") for output in cell.outputs)
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def test_there_is_a_notebook_to_start_with() -> None:
    assert NOTEBOOKS[0].name == "01_quickstart.ipynb"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the Jupyter libraries, about themselves
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # sockets they leave open
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::RuntimeWarning:zmq")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_is_stored(path: Path) -> None:
    stored, notebook = read(path), read(path)
    NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": path.parent}}
    ).execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            assert output.output_type != "error"
            assert output.get("name") != "stderr", output
    assert printed(notebook) == printed(stored)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_with_its_outputs_and_nothing_of_the_machine(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    assert any(printed(notebook))
    assert not [place for text in printed(notebook) for place in PLACES if place in text]
    assert all(not cell.metadata for cell in notebook.cells)
