"""verl's hook: verl's own comparison through the plug-in, and both of its loops with their own code."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hooks_support import (
    expect_figures,
    install_metadata,
    read_arrays,
    read_column,
    read_texts,
    require,
    run_script,
    unpack,
)

PLUGIN = {"LOGRATIO_DIR": "recorded"}
MODULE = {"VERL_USE_EXTERNAL_MODULES": "logratio.hooks.verl", "VERL_USE_EXTERNAL_PLUGINS": "none"}


@pytest.mark.parametrize(("loop", "prompts"), [("v0", 12), ("v1", 9)])
@pytest.mark.parametrize(("env", "name"), [(PLUGIN, "recorded"), (MODULE, "logratio")])
def test_both_loops_are_recorded(tmp_path, loop, prompts, env, name):
    require("verl", "ray", "transfer_queue")
    truth, _ = run_script(tmp_path, f"verl_{loop}.py", env=env)
    folder = tmp_path / name
    files = sorted(folder.glob("*.safetensors"))
    assert [path.name for path in files] == [
        "step_1.rank_0.call_0.safetensors",
        "step_2.rank_0.call_0.safetensors",
        "step_2.rank_0.call_1.safetensors",
        "step_3.rank_0.call_0.safetensors",
    ]
    expect_figures(folder, truth)
    correct = read_column(folder, "correctness")
    assert sum(correct) == truth["correct"]
    # The reward is 1 on the last token if the answer is right.
    assert read_column(folder, "reward") == correct
    assert len(set(read_texts(folder, "group_id"))) == prompts
    assert set(read_texts(folder, "environment")) == {"gsm8k", "math"}
    arrays, metadata = read_arrays(files[0])
    assert (metadata["temperature"], metadata["top_p"], metadata["trainer"]) == ("0.7", "1.0", "verl")
    assert arrays["prompt_token_ids"][:6].tolist() == [11, 12, 13, 11, 12, 13]
    # If the weights changed on the way, verl does not say at which token.
    assert set(arrays["weight_versions"].tolist()) == {0}
    last = read_arrays(files[3])[0]
    assert last["weight_versions"].tolist() == [2] * 4 + [-1] * 2 + [2] * 15
    # Of the six responses, only the last has the most tokens allowed.
    assert read_texts(folder, "finish_reason") == ["", "", "", "", "", "length"] * 4
    # verl's loggers get each step's figures; v0's script sees them at the update.
    assert all(value is not None for value in truth["logged"]) and len(truth["logged"]) == (3 if loop == "v0" else 4)
    # In critic warm-up, the actor is not updated, so step 1 is written without advantages.
    assert "advantages" not in arrays
    assert len(read_arrays(files[3])[0]["advantages"]) == 21


@pytest.mark.parametrize("version", ["0.6.1", "0.7.1", "0.8.0", "0.9.0"])
def test_older_releases_are_recorded_by_the_same_variable(tmp_path, version):
    """The loop that is the default before 0.9; only 0.9 looks for plug-ins."""
    require("verl", "ray", "transfer_queue")
    truth, _ = run_script(tmp_path, "verl_v0.py", env=MODULE, release=unpack(f"verl=={version}"))
    assert truth["version"] == version
    folder = tmp_path / "logratio"
    expect_figures(folder, truth)
    files = sorted(folder.glob("*.safetensors"))
    assert len(files) == 4
    assert "advantages" not in read_arrays(files[0])[0]
    assert len(read_arrays(files[3])[0]["advantages"]) == 21
    assert sum(read_column(folder, "reward")) == truth["correct"]


@pytest.mark.parametrize(
    ("loop", "version"), [("v0", None), ("v0", "0.6.1"), ("v1", None)], ids=["v0", "v0 of 0.6.1", "v1"]
)
def test_bypass_mode_scores_as_many_as_asked(tmp_path, loop, version):
    require("verl", "ray", "transfer_queue")
    release = None if version is None else unpack(f"verl=={version}")
    env = {**MODULE, "LOGRATIO_SCORE_EVERY": "2", "LOGRATIO_SCORE_SEQUENCES": "3"}
    truth, log = run_script(tmp_path, f"verl_{loop}.py", "bypass", env=env, release=release)
    folder = tmp_path / "logratio"
    # Step 2, which is sampled twice. v0 has two workers, so 3 sequences are rounded up to 4.
    assert [path.name for path in sorted(folder.glob("*.safetensors"))] == [
        "step_2.rank_0.call_0.safetensors",
        "step_2.rank_0.call_1.safetensors",
    ]
    assert truth["sequences"] == (8 if loop == "v0" else 6)
    expect_figures(folder, truth)
    assert sum(read_column(folder, "reward")) == truth["correct"]
    arrays, _ = read_arrays(sorted(folder.glob("*.safetensors"))[0])
    assert len(arrays["advantages"]) == len(arrays["rollout_logprobs"])
    assert [value is not None for value in truth["logged"]] == [False] * (loop == "v1") + [True, True, False]
    assert log.count("scoring 3 sequences of one in 2 steps with the trainer's own model took") == 1


def test_bypass_mode_says_what_to_set(tmp_path):
    require("verl", "ray", "transfer_queue")
    _, log = run_script(tmp_path, "verl_v0.py", "bypass", env=MODULE)
    said = "nothing is recorded: bypass mode computes one policy only; set LOGRATIO_SCORE_EVERY=10"
    assert log.count("nothing is recorded") == log.count(said) == 1
    assert not list((tmp_path / "logratio").glob("*.safetensors"))


def test_an_installed_package_changes_nothing_unless_asked(tmp_path):
    require("verl", "ray")
    install_metadata(tmp_path / "site")
    program = (
        "import importlib.metadata as m, sys; sys.path.insert(0, sys.argv[1])\n"
        "assert [e.value for e in m.entry_points(group='verl.plugins')] == ['logratio.hooks.verl']\n"
        "import verl; from verl.utils.debug import metrics; import logratio\n"
        "assert 'logratio.hooks.verl' in sys.modules\n"
        "print(metrics.calculate_debug_metrics.__module__, hasattr(metrics.calculate_debug_metrics, '__wrapped__'))"
    )
    for variables, wrapped in [({}, "False"), ({"LOGRATIO_DIR": str(tmp_path / "here")}, "True")]:
        from hooks_support import PACKAGE, os

        env = {k: v for k, v in os.environ.items() if not k.startswith("LOGRATIO_")} | variables
        env["PYTHONPATH"] = str(PACKAGE)
        run = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / "site")],
            capture_output=True, text=True, cwd=tmp_path, env=env, check=False,
        )  # fmt: skip
        assert run.stdout.split() == ["verl.utils.debug.metrics", wrapped], run.stderr
    assert not (tmp_path / "here").exists()


@pytest.mark.parametrize(
    ("env", "reason"),
    [
        ({"LOGRATIO_DIR": "/dev/null/logratio"}, "NotADirectoryError"),
        ({**PLUGIN, "LOGRATIO_SAMPLE": "2"}, "sample must be above 0 and at most 1, not 2"),
    ],
)
def test_a_failing_recorder_stops_nothing(tmp_path, env, reason):
    require("verl", "ray")
    _, log = run_script(tmp_path, "verl_v0.py", env=env)
    assert log.count(reason) >= 1
    assert log.count("training goes on") <= 1
    assert not (tmp_path / "recorded").exists()
