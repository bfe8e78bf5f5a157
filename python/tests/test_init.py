"""`logratio.init` as people know it from other loggers: config, tags, mode, the run's own facts, and what it prints."""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hooks_support import read_arrays as read

import logratio
from logratio.recorder import assess, current
from logratio.recorder.config import Config, read_config

HOME = Path(__file__).resolve().parents[1]
PAIR = {"rollout_log_probs": [[-1.0, -2.0]], "old_log_probs": [[-1.5, -2.0]]}


def metadata(run: logratio.Recorder) -> dict[str, str]:
    (path,) = run.path.glob("*.safetensors")
    return read(path)[1]


@pytest.fixture(autouse=True)
def no_current_run(monkeypatch):
    monkeypatch.setattr(current._Current, "recorder", None)
    monkeypatch.setattr(current._Current, "has_warned", False)


def test_init_takes_what_the_recorder_takes():
    """So that editors and type checkers know every option of `init`."""
    assert inspect.signature(logratio.init).parameters == {
        name: parameter
        for name, parameter in inspect.signature(logratio.Recorder.__init__).parameters.items()
        if name != "self"
    }


def test_config_is_kept_and_its_facts_are_those_of_every_batch(tmp_path):
    config = {"lr": 1e-6, "engine": "vllm 0.11.0", "precision": "bfloat16", "rollout": {"temperature": 0.7, "n": 8}}
    with logratio.init(tmp_path, "run", config=config, tags=["a", "b"]) as run:
        run.log(PAIR, step=1, meta={"temperature": 0.9, "top_p": 0.95})
    found = metadata(run)
    assert json.loads(found["run_config"]) == config == run.config
    assert json.loads(found["run_tags"]) == ["a", "b"] == list(run.tags)
    # What a batch says itself counts more.
    assert (found["temperature"], found["top_p"]) == ("0.9", "0.95")
    assert found["rollout_software"] == "vllm 0.11.0"
    assert found["rollout_precision"] == found["trainer_precision"] == "bfloat16"
    assert "lr" not in found and "n" not in found


def test_facts_come_from_the_groups_of_the_rollout_only():
    dotted = {"actor_rollout_ref.rollout.temperature": 0.6, "actor_rollout_ref": {"rollout": {"top_k": -1}}}
    assert Config(dotted).facts == {"temperature": "0.6", "top_k": "-1"}
    assert Config({"rollout": {"val_kwargs": {"temperature": 0}}, "loss": {"temperature": 2}}).facts == {}
    # A flag is no temperature, and a list no top-p.
    assert Config({"temperature": True, "top_p": [0.9]}).facts == {}
    twice = Config({"temperature": 1.0, "sampling_params": {"temperature": 0.7, "min_p": 0.1}})
    assert (twice.facts, twice.unclear) == ({"min_p": "0.1"}, ["temperature"])


def test_a_config_that_contradicts_itself_is_said(tmp_path, caplog):
    with caplog.at_level(logging.WARNING, "logratio"):
        logratio.init(tmp_path, config={"temperature": 1, "rollout": {"temperature": 0.7}})
    assert "config states temperature twice, differently" in caplog.text


@dataclasses.dataclass
class Options:
    temperature: float = 0.8
    path: Path = Path("a")


class Model:
    def model_dump(self):
        return {"temperature": 0.8, "path": Path("a")}


@pytest.mark.parametrize("given", [Options(), argparse.Namespace(**vars(Options())), Model(), vars(Options())], ids=str)
def test_configs_of_every_kind(given):
    config = read_config(given)
    assert config.facts == {"temperature": "0.8"} and json.loads(config.text) == {"temperature": 0.8, "path": "a"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"config": 3}, "config must be a dict, not 3"),
        ({"config": "a.yaml"}, "config must be a dict, not 'a.yaml'"),
        ({"tags": "one"}, "tags must be a list of texts, not 'one'"),
        ({"tags": [1]}, "tags must be a list of texts"),
        ({"mode": "offline"}, 'mode must be "enabled" or "disabled", not \'offline\''),
        ({"mode": 1}, "mode must be a text, not 1"),
    ],
)
def test_wrong_arguments_are_named(options, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        logratio.init(tmp_path / "run", **options)
    assert list(tmp_path.iterdir()) == []


def test_a_disabled_run_takes_everything_and_does_nothing(tmp_path, monkeypatch, capsys, caplog):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOGRATIO_MODE", "disabled")
    run = logratio.init("there", "run", config={"temperature": 1})
    with run:
        run.log(PAIR, step=1)
        run.log(object(), "x", wrong=3)
        logratio.log(PAIR, step=1)
    assert (run.path, run.dir, run.url, run.name, run.is_due(1)) == (None, None, None, None, False)
    assert (run.scalars(), run.measure(), run.flush(), run.finish()) == ({}, None, True, logratio.Counts())
    assert repr(run) == "<logratio.Recorder disabled>"
    assert capsys.readouterr() == ("", "") and caplog.records == [] and list(tmp_path.iterdir()) == []
    # The argument counts more than the environment.
    with logratio.init("there", "run", mode="enabled") as run:
        run.log(PAIR, step=1)
    assert run.counts.written == 1


def test_what_a_run_says_of_itself(tmp_path):
    runs = []
    for _ in range(2):
        with logratio.init(tmp_path, "run") as run:
            run.log(PAIR, step=7)
            assert run.flush(30) and run.summary["step"] == 7
        runs.append(run)
    assert [run.name for run in runs] == ["run", "run-2"]
    assert [run.dir for run in runs] == [str(tmp_path / "run"), str(tmp_path / "run-2")]
    assert len({run.id for run in runs}) == 2
    assert {name: runs[0].summary[name] for name in ("step", "written", "sequences", "tokens", "failed")} == {
        "step": 7,
        "written": 1,
        "sequences": 1,
        "tokens": 2,
        "failed": 0,
    }
    assert "level" not in runs[0].summary
    with pytest.raises(TypeError):
        runs[0].summary["step"] = 8


def test_log_and_finish_of_the_module_speak_to_the_last_run(tmp_path, caplog):
    with caplog.at_level(logging.WARNING, "logratio"):
        for _ in range(3):
            logratio.log(PAIR, step=1)
    assert [record.getMessage() for record in caplog.records] == [
        "logratio: nothing is recorded: call logratio.init() before logratio.log()"
    ]
    first, second = logratio.init(tmp_path, "a"), logratio.init(tmp_path, "b")
    logratio.log(PAIR, step=1)
    logratio.log(step=2, meta={"top_p": 0.5}, **PAIR)
    assert logratio.finish() is second.counts and (first.counts.written, second.counts.written) == (0, 2)
    assert logratio.finish() is None


def answer(monkeypatch, tmp_path, program: str) -> Path:
    """Asks at the end, and has this Python script answer instead of the program."""
    script = tmp_path / "program.py"
    script.write_text(program)
    monkeypatch.setenv("LOGRATIO_ASSESS", "1")
    monkeypatch.setenv("LOGRATIO_CLI", f"{sys.executable} {script}")
    return tmp_path / "runs"


SAYS = 'import json; print(json.dumps({"assessment": {"level": "too_few", "sentence": "2 tokens of 1 sequence"}}))'


def test_finish_prints_the_first_line_of_the_answer(tmp_path, monkeypatch, capsys):
    folder = answer(monkeypatch, tmp_path, SAYS)
    with logratio.init(folder, rank=1) as run:
        run.log(PAIR, step=1)
    assert capsys.readouterr().err == f"logratio: too few: 2 tokens of 1 sequence (logratio report {folder})\n"
    assert (run.summary["level"], run.summary["sentence"]) == ("too_few", "2 tokens of 1 sequence")


@pytest.mark.parametrize("program", ["import time; time.sleep(60)", "print('{')", "raise SystemExit(3)"])
def test_a_program_that_does_not_answer_holds_nobody(program, tmp_path, monkeypatch, capsys):
    folder = answer(monkeypatch, tmp_path, program)
    monkeypatch.setattr(assess, "_MOST_SECONDS", 1.5)
    with logratio.init(folder) as run:
        run.log(PAIR, step=1)
    assert f"what it shows: logratio report {folder}\n" in capsys.readouterr().err
    assert run.counts.written == 1 and "level" not in run.summary


def test_nothing_is_asked_without_a_program_in_an_error_or_beside_a_living_recorder(tmp_path, monkeypatch, capsys):
    folder = answer(monkeypatch, tmp_path, SAYS)
    with pytest.raises(KeyError), logratio.init(folder, "error") as run:
        run.log(PAIR, step=1)
        raise KeyError
    other = logratio.init(folder, "two")
    with logratio.init(folder, "two") as run:
        run.log(PAIR, step=1)
    with logratio.init(folder, "empty"):
        pass
    assert "too few" not in capsys.readouterr().err
    other.log(PAIR, step=1)
    other.finish()
    assert "too few" in capsys.readouterr().err
    monkeypatch.setattr("logratio.program.find_command", lambda: (_ for _ in ()).throw(logratio.LogratioError("none")))
    with logratio.init(folder, "none") as run:
        run.log(PAIR, step=1)
    assert capsys.readouterr().err.endswith(f"1 batch (1 sequence, 2 tokens) written to {folder / 'none'}\n")


def test_the_example_runs_and_its_answer_is_the_report_of_its_record(tmp_path):
    """Only a recorder that is left to end with its process, as most are."""
    script = "import plain, logratio\nplain.train(12)\n"
    path = os.pathsep.join([str(HOME), str(HOME.parent / "examples" / "loops")])
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "logratio: 12 batches (384 sequences, 24576 tokens) written to logratio/loop\n" in done.stderr
    arrays, found = read(tmp_path / "logratio" / "loop" / "step_11.rank_0.call_0.safetensors")
    delta = arrays["trainer_logprobs"] - arrays["rollout_logprobs"]
    assert found["temperature"] == "1.0" and 0.02 < np.abs(delta).mean() < 0.2
