"""Runs a trainer's script with the package installed beside it, and reads its files with logratio's command line."""

from __future__ import annotations

import atexit
import functools
import importlib.util
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np
import pytest

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent
CLI = PACKAGE.parent / "bin" / "logratio.js"


def require(*modules: str) -> None:
    for module in modules:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed: its hook is not tried on the trainer's own code")


#: Releases that the environment has no room for beside its own, unpacked into a folder each when a test needs them.
RELEASES = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "logratio" / "releases"


@functools.cache
def unpack(*pins: str) -> Path:
    """A folder for Python's path with pinned releases, without what they need themselves; skips if pip gets none."""
    known = (TESTS / "requirements-releases.txt").read_text().splitlines()
    assert set(pins) <= set(known), f"{pins} are not all in requirements-releases.txt"
    folder = RELEASES / "+".join(pins)
    if not folder.exists():
        RELEASES.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=RELEASES) as made:
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
            run = subprocess.run(
                [*command, "--target", f"{made}/all", *pins], capture_output=True, text=True, check=False
            )
            if run.returncode != 0:
                pytest.skip(f"pip has no {' '.join(pins)}: its hook is not tried: {run.stderr.strip()[-200:]}")
            os.rename(f"{made}/all", folder)
    return folder


def run_script(
    folder: Path, script: str, *arguments: str, env: dict[str, str] | None = None, release: Path | None = None
) -> tuple[dict, str]:
    """What the script reports as the truth, and its whole output. The package has its metadata, as if installed.

    ``release`` is a folder of `unpack`, with another release than the environment's.
    """
    install_metadata(folder / "site")
    before = [] if release is None else [str(release)]
    path = os.pathsep.join([*before, str(folder / "site"), str(PACKAGE), str(TESTS / "hooks")])
    whole = {k: v for k, v in os.environ.items() if not k.startswith("LOGRATIO_")} | {"PYTHONPATH": path} | (env or {})
    status, log = run_forked(folder, [str(TESTS / "hooks" / script), *arguments], whole)
    truth = re.search(r"^TRUTH (.*)$", log, re.M)
    assert status == 0 and truth is not None, log[-4000:]
    return json.loads(truth[1]), log


#: What the scripts of a trainer import. Not verl itself, which reads its plug-ins from the environment on import.
IMPORTS = {
    "trl": ("torch", "datasets", "trl.trainer.grpo_trainer"),
    "verl": ("torch", "ray", "transformers", "tensordict", "transfer_queue", "omegaconf"),
}


@functools.cache
def start_fork_server(trainer: str) -> subprocess.Popen[str]:
    server = subprocess.Popen(
        [sys.executable, str(TESTS / "hooks" / "fork_server.py"), *IMPORTS[trainer]],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
        env={k: v for k, v in os.environ.items() if not k.startswith("LOGRATIO_")} | {"HF_HUB_OFFLINE": "1"},
    )  # fmt: skip
    atexit.register(server.kill)
    return server


def run_forked(folder: Path, command: list[str], env: dict[str, str]) -> tuple[int, str]:
    """Status and output of a script; if processes cannot fork, from a new Python that imports everything again."""
    if not hasattr(os, "fork"):
        run = subprocess.run(
            [sys.executable, *command],
            cwd=folder, env=env, capture_output=True, text=True, timeout=500, check=False,
        )  # fmt: skip
        return run.returncode, run.stdout + run.stderr
    server = start_fork_server(Path(command[0]).name.partition("_")[0])
    # Standard output and error in separate files, so that their lines do not mix.
    output = [folder / "output.txt", folder / "errors.txt"]
    job = {"command": command, "folder": str(folder), "env": env, "output": [str(path) for path in output]}
    assert server.stdin is not None and server.stdout is not None
    server.stdin.write(json.dumps(job) + "\n")
    server.stdin.flush()
    # Also kills the child, which is in the same session.
    timer = threading.Timer(500, os.killpg, (server.pid, signal.SIGKILL))
    timer.start()
    answer = server.stdout.readline()
    timer.cancel()
    text = "".join(path.read_text(errors="replace") for path in output if path.exists())
    return int(answer or -signal.SIGKILL), text


def install_metadata(site: Path) -> None:
    """Writes what pip leaves beside an installed package: version and entry points, from pyproject.toml."""
    text = (PACKAGE / "pyproject.toml").read_text()
    group = re.search(r'\[project\.entry-points\."([\w.]+)"\]\n(\w+) = "([\w.]+)"', text)
    assert group is not None
    info = site / "logratio-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: logratio\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text(f"[{group[1]}]\n{group[2]} = {group[3]}\n")


def report(folder: Path) -> dict:
    """``logratio report DIR --json``."""
    node = shutil.which("node")
    if node is None or not (CLI.parent.parent / "dist").exists():
        pytest.skip("node or the built program is missing: recorded files are not read back (npm run build)")
    run = subprocess.run([node, str(CLI), "report", str(folder), "--json"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def expect_figures(folder: Path, truth: dict) -> dict:
    """Checks each file by itself, because a report of the folder counts a batch once that the loop recorded twice."""
    each = [report(path)["metrics"] for path in sorted(folder.glob("*.safetensors"))]
    tokens = sum(metrics["tokens"] for metrics in each)
    assert (sum(metrics["sequences"] for metrics in each), tokens) == (truth["sequences"], truth["tokens"])
    assert max(metrics["delta_abs_max"] for metrics in each) == pytest.approx(truth["delta_abs_max"], abs=1e-5)
    for name in ("delta_abs_mean", "k3"):
        mean = sum(metrics[name] * metrics["tokens"] for metrics in each) / tokens
        assert mean == pytest.approx(truth[name], abs=1e-5), name
    return report(folder)


def read_arrays(path: Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Arrays and metadata of a recorded file."""
    types = {"U8": np.uint8, "I32": np.int32, "I64": np.int64, "F32": np.float32, "F64": np.float64}
    raw = path.read_bytes()
    size = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + size])
    metadata = header.pop("__metadata__")
    body = raw[8 + size :]
    arrays = {
        name: np.frombuffer(body[slice(*entry["data_offsets"])], types[entry["dtype"]]).reshape(entry["shape"])
        for name, entry in header.items()
    }
    return arrays, metadata


def read_column(folder: Path, name: str) -> list:
    """A column of all files, by file name."""
    values: list = []
    for path in sorted(folder.glob("*.safetensors")):
        values += read_arrays(path)[0][name].tolist()
    return values


def read_texts(folder: Path, name: str) -> list[str]:
    found = []
    for path in sorted(folder.glob("*.safetensors")):
        arrays = read_arrays(path)[0]
        raw, offsets = arrays[name].tobytes(), arrays[f"{name}.offsets"]
        found += [raw[a:b].decode() for a, b in itertools.pairwise(offsets)]
    return found
