"""TRL's hook in real GRPOTrainer runs of a tiny model; logratio's command line reads the files."""

from __future__ import annotations

import re

import pytest
from hooks_support import expect_figures, read_arrays, read_column, read_texts, require, run_script

LINES = "import logratio.trl\ntrainer.add_callback(logratio.trl.Callback(trainer))"
CHANGED = f"{LINES}\ntrainer.callback_handler.callbacks[-1]._trainer = object()"
#: Optimizer steps of each way.
STEPS = {"several": 4, "aligned": 3, "outlives": 8}
FORWARD = "TRL computes no old_per_token_logps here, so one forward pass per generation does"


@pytest.mark.parametrize(
    ("way", "generations", "batches", "computed"),
    [("several", 11, 2, True), ("aligned", 3, 2, True), ("outlives", 2, 2, False)],
)
def test_every_generation_is_recorded_once(tmp_path, way, generations, batches, computed):
    require("trl", "transformers", "datasets")
    truth, log = run_script(tmp_path, "trl_run.py", LINES, way)
    folder = tmp_path / "logratio"
    files = sorted(folder.glob("*.safetensors"))
    assert len(files) == generations * batches
    expect_figures(folder, truth)
    assert log.count(FORWARD) == computed
    # Two generations per prompt: half as many groups as sequences.
    assert len(set(read_texts(folder, "group_id"))) == truth["sequences"] / 2
    # Each sequence has its own reward, although TRL shuffles them.
    assert sum(read_column(folder, "reward")) == truth["correct"]
    # Tokens of the environment are not the policy's.
    assert 0 in read_column(folder, "response_mask")
    arrays, metadata = read_arrays(files[0])
    assert metadata["trainer"] == "trl" and metadata["temperature"] == "1.0" and metadata["rank"] == "0"
    # The engine samples 2 to 6 tokens, and the last is an end token only by chance.
    ends = read_texts(folder, "finish_reason")
    assert len(ends) == truth["sequences"] and ends.count("stop") == truth["ended"] < len(ends)
    # The engine is not vLLM, into which TRL would have loaded weights at a step.
    assert "weight_versions" not in arrays and "logprobs_mode" not in metadata
    # Prompts have two words, not counting left padding.
    assert arrays["prompt_offsets"][1] == 2
    assert len(arrays["advantages"]) == len(arrays["rollout_logprobs"])
    # Each step's own log has the figures of its generations; of a generation that outlives its step, only the first.
    assert len(truth["logged"]) == STEPS[way]
    with_figures = [row for row in truth["logged"] if row]
    assert len(with_figures) == (generations if way == "outlives" else STEPS[way])
    assert all(("logratio/scoring_seconds" in row) == computed for row in with_figures)
    if way == "aligned":
        pooled = sum(row["logratio/k3"] * row["logratio/tokens"] for row in with_figures) / truth["tokens"]
        assert pooled == pytest.approx(truth["k3"], abs=1e-5)


def test_a_step_in_two_and_two_sequences_are_scored_where_asked(tmp_path):
    require("trl", "transformers", "datasets")
    line = LINES.replace("(trainer))", "(trainer, dir='runs', name='a', score_every=2, score_sequences=2))")
    truth, log = run_script(tmp_path, "trl_run.py", line, "aligned")
    files = sorted((tmp_path / "runs" / "a").glob("*.safetensors"))
    # Steps 0 and 2, of which one micro-batch of two sequences each.
    assert [path.name for path in files] == [f"step_{step}.rank_0.call_0.safetensors" for step in (0, 2)]
    assert [len(read_arrays(path)[0]["response_offsets"]) - 1 for path in files] == [2, 2]
    assert ["logratio/k3" in row for row in truth["logged"]] == [True, False, True]
    assert truth["logged"][0]["logratio/scoring_seconds"] > 0
    said = re.findall(r"scoring 2 sequences of one in 2 steps .* took (\S+) s per scored step, (\S+) s per step", log)
    # Once after the first scored step.
    assert len(said) == 1 and float(said[0][0]) == pytest.approx(2 * float(said[0][1]), rel=0.02)
    assert float(said[0][0]) == pytest.approx(truth["logged"][0]["logratio/scoring_seconds"], rel=0.01)


def test_without_the_forward_pass_it_says_what_to_set(tmp_path):
    require("trl", "transformers", "datasets")
    _, log = run_script(tmp_path, "trl_run.py", LINES.replace("(trainer))", "(trainer, forward=False))"), "aligned")
    said = "nothing is recorded: TRL computes no old_per_token_logps here; set GRPOConfig(use_vllm=True, "
    assert log.count("nothing is recorded") == log.count(said) == 1
    assert list((tmp_path / "logratio").glob("*")) in ([], [tmp_path / "logratio/.logratio"])


@pytest.mark.parametrize(
    ("lines", "env", "reason"),
    [
        (LINES, {"LOGRATIO_DIR": "/dev/null/logratio"}, "NotADirectoryError"),
        (LINES, {"LOGRATIO_EVERY": "often"}, "LOGRATIO_EVERY must be a number, not 'often'"),
        (
            CHANGED,
            {},
            "has no attribute '_buffered_inputs'; the hook was written for trl 1.16.0 and expects GRPOTrainer.",
        ),
    ],
)
def test_a_failing_recorder_or_a_changed_trainer_stops_nothing(tmp_path, lines, env, reason):
    require("trl", "transformers", "datasets")
    _, log = run_script(tmp_path, "trl_run.py", lines, "aligned", env=env)
    assert log.count(reason) == 1, log
    assert list((tmp_path / "logratio").glob("*")) in ([], [tmp_path / "logratio/.logratio"])
