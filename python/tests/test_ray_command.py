"""``python -m logratio.ray`` as run by a person at a cluster or by a Ray job."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="ray is not installed: the cluster is not tested")

from logratio.errors import LogratioError
from logratio.program import find_command, run_program

HOME = Path(__file__).resolve().parents[1]
DEMO = HOME.parent / "examples" / "demo" / "stale"


def run(*words: object, **variables: str) -> subprocess.CompletedProcess[str]:
    # The account's token may belong to another cluster that runs here.
    environment = {**os.environ, "PYTHONPATH": str(HOME), "RAY_AUTH_MODE": "disabled", **variables}
    command = [sys.executable, "-m", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)


@pytest.fixture(scope="module")
def address():
    """The address of a cluster made by ``ray start``."""
    try:
        run_program(["--version"])
    except LogratioError as error:
        pytest.skip(f"the program is not built: {error.message}")
    # The nodes' processes inherit PYTHONPATH; normally the package is installed. With --block they end with this
    # process, while `ray stop` would end every cluster on the machine. The separate directory is where Ray keeps the
    # address that programs use if they name no cluster; its path is short, because sockets are in it.
    folder = tempfile.mkdtemp(prefix="ray-")
    words = ["start", "--head", "--num-cpus=2", "--port=0", "--include-dashboard=false", "--block"]
    words.append(f"--temp-dir={folder}")
    environment = {**os.environ, "PYTHONPATH": str(HOME), "RAY_AUTH_MODE": "disabled", "PYTHONUNBUFFERED": "1"}
    started = subprocess.Popen(
        [sys.executable, "-m", "ray.scripts.scripts", *words],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment,
    )  # fmt: skip
    said = ""
    found = None
    while found is None:
        line = started.stdout.readline()
        assert line, said
        said += line
        found = re.search(r"--address='([^']+)'", said)
    yield found[1]
    started.terminate()
    started.communicate(timeout=60)
    shutil.rmtree(folder, ignore_errors=True)


def test_writes_the_part_of_the_run(address, tmp_path):
    part = tmp_path / "run.lrs"
    done = run(
        "logratio.ray", DEMO, "--workers", 2, "--part", part, "--options", '{"steps": "10..60"}', RAY_ADDRESS=address
    )
    assert done.returncode == 0, done.stderr
    assert "5 of 5 shards" in done.stderr
    assert re.search(r"5 shards on \d workers in .* s; 0 done before, 0 workers lost, 0 shards given up", done.stderr)
    merged = json.loads(run_program(["merge", "--json", "--", str(part)])[0])
    alone = json.loads(run_program(["report", "--json", "--steps=10..60", "--", str(DEMO)])[0])
    assert merged["metrics"] == alone["metrics"]


def test_prints_the_report(address):
    done = run("logratio.ray", DEMO, "--address", address)
    assert done.returncode == 0, done.stderr
    assert "768 answers · 54,994 tokens" in done.stdout


def on(address, *words: object, verb: str = "report") -> subprocess.CompletedProcess[str]:
    """``logratio report --on``, which starts this Python."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(HOME),
        "LOGRATIO_PYTHON": sys.executable,
        "RAY_AUTH_MODE": "disabled",
    }
    command = [*find_command(), verb, *map(str, words), "--on", address]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)


def test_the_program_reports_on_the_cluster(address, tmp_path):
    page = tmp_path / "report.html"
    done = on(address, DEMO, "--json", "--steps", "10..60", "--html", page, "--parts", tmp_path / "parts")
    assert done.returncode == 0, done.stderr
    assert "5 of 5 shards" in done.stderr
    alone = json.loads(run_program(["report", "--json", "--steps=10..60", "--", str(DEMO)])[0])
    assert json.loads(done.stdout) == alone
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    again = on(address, DEMO, "--brief", "--steps", "10..60", "--parts", tmp_path / "parts")
    assert "5 done before" in again.stderr
    assert again.returncode == 0


def test_the_program_passes_on_what_is_wrong(address):
    done = on(address, "/nothing/here")
    assert done.returncode == 3
    assert "error: /nothing/here does not exist" in done.stderr


def test_says_what_is_wrong_and_ends_with_the_programs_status(address):
    done = run("logratio.ray", "/nothing/here", "--address", address)
    assert done.returncode == 3
    assert "error: /nothing/here does not exist" in done.stderr


@pytest.mark.parametrize("verb", ["doctor", "sweep", "divergence"])
def test_other_verbs_answer_on_the_cluster_as_alone(address, verb):
    done = on(address, DEMO, "--json", "--steps", "10..60", verb=verb)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(run_program([verb, "--json", "--steps=10..60", "--", str(DEMO)])[0])
    assert "5 of 5 shards" in done.stderr
