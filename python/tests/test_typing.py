"""What type checkers say of a script that uses the installed package: its types are those that users get."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
ROOT = TESTS.parents[1]
WRONG = [n for n, line in enumerate((TESTS / "typed/wrong.py").read_text().splitlines(), 1) if line.endswith("# wrong")]


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """The Python of an environment that has this package, and numpy as the tests have it."""
    folder = tmp_path_factory.mktemp("typed") / "env"
    venv.EnvBuilder(with_pip=False).create(folder)
    windows = os.name == "nt"
    site = folder / ("Lib" if windows else f"lib/python{sys.version_info[0]}.{sys.version_info[1]}") / "site-packages"
    shutil.copytree(
        TESTS.parent / "logratio", site / "logratio", ignore=shutil.ignore_patterns("_program", "__pycache__")
    )
    (site / "numpy.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return folder / ("Scripts/python.exe" if windows else "bin/python")


def check(command: list[str], script: str, tmp_path: Path) -> str:
    """What a checker says of a script, which lies outside the checkout."""
    shutil.copy(TESTS / "typed" / script, tmp_path / script)
    done = subprocess.run([*command, script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr or done.stdout
    return done.stdout


def find_wrong(said: str) -> list[int]:
    return sorted({int(line) for line in re.findall(r"wrong\.py:(\d+).*error", said)})


def test_mypy_strict(installed, tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed: the types that users get are not checked by it")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(installed)]
    assert "Success: no issues found" in check(mypy, "user.py", tmp_path)
    assert find_wrong(check(mypy, "wrong.py", tmp_path)) == WRONG


def test_pyright(installed, tmp_path):
    """The npm package, since that of PyPI downloads it when it first runs."""
    script = ROOT / "node_modules" / "pyright" / "index.js"
    node = shutil.which("node")
    if node is None or not script.is_file():
        pytest.skip("pyright is not installed (npm ci): the types that users get are not checked by it")
    pyright = [node, str(script), "--pythonpath", str(installed)]
    said = check(pyright, "user.py", tmp_path)
    assert "0 errors, 0 warnings" in said, said
    assert find_wrong(check(pyright, "wrong.py", tmp_path)) == WRONG
