"""The notebook of examples/notebook, run as a newcomer runs it, but for its first cell, which installs the package."""

from __future__ import annotations

import html
import os
from pathlib import Path

import pytest

from logratio import LogratioError
from logratio.program import find_command

PACKAGE = Path(__file__).resolve().parents[1]
NOTEBOOK = PACKAGE.parent / "examples" / "notebook" / "two-policies.ipynb"


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """The notebook's cells by their id, with what they showed."""
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed: the notebook is not run")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed: the notebook is not run")
    for needed in ("ipykernel", "pandas", "torch"):
        pytest.importorskip(needed, reason=f"{needed} is not installed: the notebook is not run")
    try:
        find_command()
    except LogratioError as error:
        pytest.skip(f"{error.message}: the notebook is not run")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "the notebook is kept without outputs"
    folder = tmp_path_factory.mktemp("notebook")
    client = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(PACKAGE), *([before] if before else [])])
    try:
        client.execute()
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before
    return {cell["id"]: cell for cell in notebook.cells}


def shown(cell) -> str:
    """The page that a cell's value shows in the notebook, its markup included."""
    return html.unescape(cell["outputs"][-1]["data"]["text/html"])


def printed(cell) -> str:
    """What a cell prints, and its value as text."""
    return "".join(
        output["text"] if output["output_type"] == "stream" else output["data"]["text/plain"]
        for output in cell["outputs"]
        if output.get("name") != "stderr"
    )


def test_installs_the_package_and_nothing_else(cells):
    assert cells["install"]["source"] == "%pip install -q logratio"


def test_the_answer_takes_two_lines_and_says_what_is_wrong(cells):
    lines = [line for line in cells["report"]["source"].splitlines() if line]
    assert lines == ["import logratio", "logratio.report((rollout, trainer))"]
    assert "1 token early" in shown(cells["report"])


def test_the_doctor_names_the_bug_that_was_made(cells):
    page = shown(cells["doctor"])
    assert "One column is shifted" in page and "logits[:, :-1]" in page


def test_what_is_left_after_the_fix_is_normal(cells):
    assert "normal, mean |Δ| 0.00" in printed(cells["again"])
    assert printed(cells["values"]).startswith("normal 0.00")


def test_a_recorded_run_is_reported(cells):
    assert 0 < float(printed(cells["record"])) < 1e-3
    assert "notebook: normal" in printed(cells["run"])
