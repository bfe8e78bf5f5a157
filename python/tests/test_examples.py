"""The scripts of ``examples/loops``, as a reader runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from hooks_support import PACKAGE, read_arrays, require

from logratio.command import CommandError, find_node, find_program

SCRIPTS = PACKAGE.parent / "examples" / "loops"


@pytest.mark.parametrize(
    ("script", "run", "needs"),
    [("verl_style", "verl-style", ("numpy",)), ("trl_grpo", "trl-grpo", ("torch", "transformers", "trl", "datasets"))],
)
def test_two_lines_record_and_show_a_run(tmp_path, script, run, needs):
    require(*needs)
    try:
        find_node()
        find_program()
    except CommandError as error:
        pytest.skip(f"the page of an example is not tried: {error}")
    env = {k: v for k, v in os.environ.items() if not k.startswith("LOGRATIO_")}
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / f"{script}.py"), "3"],
        capture_output=True, text=True, cwd=tmp_path, check=False, timeout=500, env={**env, "PYTHONPATH": str(PACKAGE)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    assert re.search(r"^page http://127\.0\.0\.1:\d+/", done.stdout, re.M), done.stdout
    assert "logratio/k3" in done.stdout or "k3 of the last step" in done.stdout
    files = sorted((tmp_path / "logratio" / run).glob("*.safetensors"))
    assert [path.name for path in files] == [f"step_{step}.rank_0.call_0.safetensors" for step in range(3)]
    assert all({"rollout_logprobs", "trainer_logprobs"} <= set(read_arrays(path)[0]) for path in files)
    # Each marked line is one line of the script.
    assert (SCRIPTS / f"{script}.py").read_text().count("# line ") == 2
