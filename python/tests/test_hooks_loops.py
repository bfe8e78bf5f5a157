"""Callbacks of transformers, Accelerate and Lightning: a batch of each step, and its figures in the loop's own logger."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hooks_support import PACKAGE, TESTS, read_arrays, require, unpack

import logratio

FIGURES = ("logratio/k3", "logratio/delta_abs_mean", "logratio/delta_abs_max")


def make_columns(step):
    """A batch whose masked tokens have a Δ far from the others'."""
    random = np.random.default_rng(step)
    rollout = -random.exponential(1.0, (4, 6)).astype(np.float32)
    mask = np.ones((4, 6), np.int64)
    mask[:, 2:4] = 0
    old = np.where(mask == 1, rollout + random.normal(0, 0.1, rollout.shape), rollout - 9).astype(np.float32)
    return {"rollout_log_probs": rollout, "old_log_probs": np.minimum(old, -1e-4), "response_mask": mask}


def expect_logged(logged, steps):
    """Checks the figures that a logger got, as ``(step, values)``, against those of the steps' batches."""
    found = {step: values for step, values in logged if "logratio/k3" in values}
    assert sorted(found) == sorted(steps)
    for at, step in steps.items():
        expected = logratio.scalars(make_columns(step))
        for name in FIGURES:
            assert found[at][name] == pytest.approx(expected[name], rel=1e-6), (at, name)


def expect_files(folder, steps):
    files = sorted(folder.glob("*.safetensors"))
    assert [path.name for path in files] == [f"step_{step}.rank_0.call_0.safetensors" for step in steps]
    for path, step in zip(files, steps, strict=True):
        arrays, _ = read_arrays(path)
        columns = make_columns(step)
        assert arrays["trainer_logprobs"].tolist() == columns["old_log_probs"].reshape(-1).tolist()
        assert arrays["response_mask"].sum() == columns["response_mask"].sum()
    return read_arrays(files[0])[1]


def run_trainer(folder, **options):
    """Three steps of a real ``Trainer``; what a callback that stands before ours was told, as ``report_to``'s do."""
    torch, transformers = importlib.import_module("torch"), importlib.import_module("transformers")
    ours = importlib.import_module("logratio.transformers")
    told = []

    class Reporter(transformers.TrainerCallback):
        def on_log(self, args, state, control, logs=None, **kwargs):
            told.append((state.global_step, dict(logs)))

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(2))

        def forward(self, x):
            return x @ self.weight

    class Trainer(transformers.Trainer):
        def compute_loss(self, model, inputs, return_outputs=False, **_):
            if model.training:
                recording.log(make_columns(self.state.global_step))
            loss = model(inputs["x"]).square().mean()
            return (loss, {"loss": loss}) if return_outputs else loss

    rows = [{"x": torch.ones(2)} for _ in range(8)]
    trainer = Trainer(
        model=Model(), train_dataset=rows, eval_dataset=rows, callbacks=[Reporter()],
        args=transformers.TrainingArguments(
            output_dir=str(folder / "out"), max_steps=3, per_device_train_batch_size=2, logging_steps=1, report_to=[],
            use_cpu=True, disable_tqdm=True, save_strategy="no", eval_strategy="steps", eval_steps=2,
            remove_unused_columns=False,
        ),
    )  # fmt: skip
    recording = ours.Callback(trainer, **options)
    trainer.add_callback(recording)
    trainer.train()
    return told, trainer.state.log_history


def test_a_trainer_reports_the_figures_of_each_step(tmp_path):
    require("torch", "transformers", "accelerate")
    told, history = run_trainer(tmp_path, dir=tmp_path / "runs", name="seven")
    # The batch of step 0 is logged once the step has been counted.
    expect_logged(told, {1: 0, 2: 1, 3: 2})
    assert [row["step"] for row in history if "logratio/k3" in row] == [1, 2, 3]
    assert not any("logratio/k3" in values for _, values in told if "eval_loss" in values)
    assert expect_files(tmp_path / "runs" / "seven", [0, 1, 2])["trainer"] == "transformers"


def test_a_recorder_of_ones_own_and_no_figures(tmp_path):
    require("torch", "transformers", "accelerate")
    run = logratio.init(dir=tmp_path / "mine", every=2)
    told, _ = run_trainer(tmp_path, run=run, figures=False)
    assert not any("logratio/k3" in values for _, values in told)
    expect_files(tmp_path / "mine", [0, 2])
    trainers = importlib.import_module("logratio.transformers")
    with pytest.raises(ValueError, match="leave out dir and name"):
        trainers.Callback(SimpleNamespace(), run=run, name="x")


def test_a_batch_that_does_not_fit_stops_nothing(tmp_path, caplog):
    trainers = importlib.import_module("logratio.transformers")
    logged = []
    trainer = SimpleNamespace(
        log=logged.append, state=SimpleNamespace(global_step=5), args=SimpleNamespace(process_index=0)
    )
    recording = trainers.Callback(trainer, dir=tmp_path)
    recording.log({**make_columns(5), "response_mask": np.ones((3, 6))})
    recording.log(17)
    trainer.log({"loss": 1.0})
    assert logged == [{"loss": 1.0}]
    assert caplog.text.count("the logger gets no figures of a batch: BatchError") == 1
    assert "a batch was not recorded, training goes on: TypeError" in caplog.text
    recording.on_train_end(None, None, None)
    assert not list(tmp_path.glob("*.safetensors"))


def test_an_accelerator_logs_to_its_other_trackers(tmp_path, caplog):
    require("torch", "accelerate")
    accelerate, tracking = importlib.import_module("accelerate"), importlib.import_module("accelerate.tracking")
    ours = importlib.import_module("logratio.accelerate")
    told = []

    class Other(tracking.GeneralTracker):
        name, requires_logging_directory, tracker = "other", False, None

        def log(self, values, step=None, **kwargs):
            told.append((step, values))

    accelerator = accelerate.Accelerator(cpu=True, log_with=[Other(), ours.Tracker(dir=tmp_path / "runs", name="a")])
    ours.record(accelerator, step=1, **make_columns(1))
    assert "give Accelerator(log_with=[…, logratio.accelerate.Tracker()])" in caplog.text
    accelerator.init_trackers("grpo", config={"temperature": 0.7, "top_k": -1, "lr": 1e-6})
    for step in (1, 2):
        accelerator.log({"loss": 0.5}, step=step)
        ours.record(accelerator, step=step, meta={"top_p": 0.9}, **make_columns(step))
    assert accelerator.get_tracker("logratio", unwrap=True).path == tmp_path / "runs" / "a"
    accelerator.end_training()
    expect_logged(told, {1: 1, 2: 2})
    metadata = expect_files(tmp_path / "runs" / "a", [1, 2])
    assert (metadata["temperature"], metadata["top_p"], metadata["trainer"]) == ("0.7", "0.9", "accelerate")
    assert "top_k" not in metadata


def test_lightning_records_what_a_training_step_returns(tmp_path):
    require("torch")
    release = unpack("lightning==2.6.6", "lightning-utilities==0.15.3", "torchmetrics==1.9.0")
    path = os.pathsep.join(str(folder) for folder in (PACKAGE, TESTS, release))
    run = subprocess.run(
        [sys.executable, str(TESTS / "hooks" / "lightning_run.py")],
        capture_output=True, text=True, cwd=tmp_path, check=False, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-4000:]
    told = json.loads(run.stdout.splitlines()[-1])
    expect_logged([(step, values) for step, values in told], {1: 1, 3: 3})
    assert expect_files(tmp_path / "runs" / "a", [0, 1, 2, 3])["trainer"] == "lightning"


def test_figures_are_those_of_the_last_step_and_can_be_turned_off(monkeypatch):
    from logratio.hooks import Hook
    from logratio.hooks.loop import Figures

    figures = Figures(Hook("any", "any", "1", "nothing"))
    for step, seed in ((1, 1), (2, 2), (2, 3)):
        figures.add(step, make_columns(seed), scoring_seconds=0.5)
    pooled = {name: np.concatenate([make_columns(2)[name], make_columns(3)[name]]) for name in make_columns(0)}
    assert figures.take() == {**logratio.scalars(pooled), "logratio/scoring_seconds": 1.0}
    assert figures.take() == {}
    monkeypatch.setenv("LOGRATIO_FIGURES", "0")
    silent = Figures(Hook("any", "any", "1", "nothing"))
    silent.add(1, make_columns(1))
    assert silent.take() == {}
