"""The pytest plugin in a separate pytest."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

import pytest

import logratio

pytest_plugins = ["pytester"]

TESTS = """
    import numpy as np
    import logratio

    A = np.tile([-1.0, -2.0], (12, 1))

    def test_fixture(policies_agree):
        policies_agree({"log_probs": A, "responses": np.ones((12, 2), int)}, A - 0.5, tol=0.01, names=("vllm", "hf"))

    def test_function():
        logratio.assert_policies_agree(A, A, bitwise=True)
"""


@pytest.fixture
def run(pytester, monkeypatch):
    package = Path(logratio.__file__).parent.parent
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(package), os.environ.get("PYTHONPATH", "")]))
    pytester.makepyfile(test_engine=TESTS)
    # If this package is only on the path and not installed, its entry point is unknown.
    loaded = [] if _is_installed() else ["-p", "logratio.pytest_plugin"]
    return lambda *flags: pytester.runpytest_subprocess(*loaded, *flags)


def _is_installed() -> bool:
    from importlib.metadata import entry_points

    return any(point.value == "logratio.pytest_plugin" for point in entry_points(group="pytest11"))


def test_shows_the_message_and_not_its_own_lines(run):
    result = run()
    result.assert_outcomes(passed=1, failed=1)
    text = result.stdout.str()
    assert "vllm and hf do not agree within 0.01 nats" in text
    assert "check.py" not in text


def test_keeps_what_failed(run, pytester):
    result = run("--logratio-report", "kept")
    result.assert_outcomes(passed=1, failed=1)
    (path,) = (pytester.path / "kept").iterdir()
    assert path.name == "test_engine-py-test_fixture.call_0.safetensors"
    raw = path.read_bytes()
    header = json.loads(raw[8 : 8 + struct.unpack("<Q", raw[:8])[0]])
    assert header["__metadata__"]["logratio.schema_version"] == "1"
    assert header["rollout_logprobs"]["shape"] == header["response_token_ids"]["shape"] == [24]
    result.stdout.fnmatch_lines([f"*written*{path.name} (logratio report *", f"logratio report *{path.name}"])
