"""`logratio compare` and `assert_policies_agree` decide by the same bounds on the same pairs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import logratio
from logratio.agree import compare_policies

PROGRAM = Path(__file__).parents[2] / "bin" / "logratio.js"
BUILT = Path(__file__).parents[2] / "dist"


def certify(folder: Path, a: np.ndarray, b: np.ndarray, uid: list[str], *flags: str) -> dict:
    ids = np.arange(a.size).reshape(a.shape)
    for name, values in (("a", a), ("b", b)):
        with logratio.init(folder, name, rank=0) as run:
            run.log(step=1, rollout_log_probs=values, responses=ids, uid=uid)
    node = os.environ.get("LOGRATIO_NODE") or shutil.which("node")
    done = subprocess.run(
        [str(node), str(PROGRAM), "compare", str(folder / "a"), str(folder / "b"), "--json", *flags],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    report: dict = json.loads(done.stdout)
    assert done.returncode == (0 if report["certificate"] in ("equal", "equivalent") else 1)
    return report


@pytest.mark.skipif(
    not (BUILT / "node.js").exists() or shutil.which("node") is None, reason="the program is not built here"
)
@pytest.mark.parametrize(
    ("name", "noise", "decision", "certificate"),
    [
        ("bits", 0.0, "equal", "equal"),
        ("far below", 0.0008, "within", "equivalent"),
        # The program keeps a reserve for kinds of prompts that none of these is.
        ("below", 0.004, "equivalent", "undecidable"),
        ("above", 0.1, "different", "different"),
        ("near", None, "undecided", "undecidable"),
    ],
)
def test_the_program_decides_as_the_assertion(tmp_path, name, noise, decision, certificate):
    rng = np.random.default_rng(7)
    # Away from 0, so that noise makes no log-prob positive, which reading would leave out.
    a = (np.log(rng.random((24, 30))) - 1).astype(np.float32)
    uid = [f"g{i // 2}" for i in range(24)]
    spread = 0.01 * np.exp(rng.normal(0, 0.6, 12)).repeat(2)[:, None]
    levels = spread if noise is None else np.full((24, 1), noise)
    b = (a + levels * rng.standard_normal(a.shape)).astype(np.float32) if name != "bits" else a.copy()
    report = certify(tmp_path, a, b, uid)
    asked = {"bitwise": True} if name == "bits" else {"tol": 0.01}
    found = compare_policies(a, b, clusters=uid, **asked)
    assert (found.decision, report["certificate"]) == (decision, certificate)
    metrics = report["metrics"]
    assert metrics["tokens"] == found.tokens
    assert metrics["delta_abs_max"] == pytest.approx(found.max_abs, rel=1e-6)
    if found.interval is not None:
        assert metrics["clusters"] == found.interval.clusters
        for key, value in (("mean", found.interval.mean), ("mean_high", found.interval.high)):
            assert metrics[f"delta_abs_{key}"] == pytest.approx(value, rel=1e-6)
    if found.bitwise is not None:
        assert metrics["unequal"] == found.bitwise.unequal
