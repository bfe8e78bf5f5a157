"""``python -m logratio.hooks``."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import json
import re

import pytest

from logratio.hooks.__main__ import main
from logratio.hooks.catalog import TRAINERS, Trainer


@pytest.fixture
def installed(monkeypatch):
    versions = {"trl": "1.17.0", "verl": "0.9.1"}

    def version(name):
        if name in versions:
            return versions[name]
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    return versions


def test_installed_trainers_and_their_lines(installed, capsys):
    assert main([]) == 0
    assert capsys.readouterr().out == (
        "verl 0.9.1\n"
        "  shell; both loops, nothing to edit:\n"
        '    export VERL_USE_EXTERNAL_MODULES=logratio.hooks.verl LOGRATIO_DIR="$PWD/logratio"\n'
        "    python3 -m verl.trainer.main_ppo actor_rollout_ref.rollout.calculate_log_probs=True …\n"
        "  needs in bypass mode, LOGRATIO_SCORE_EVERY=10: the actor then scores one step in 10 for the record\n\n"
        "TRL 1.17.0 (hook written for 1.16.0)\n"
        "  Python, before trainer.train():\n"
        "    import logratio.trl\n"
        "    trainer.add_callback(logratio.trl.Callback(trainer))\n"
        "  needs GRPOConfig(use_vllm=True), or a rollout_func that returns logprobs\n\n"
        "Then: logratio view logratio --follow\n"
    )


def test_one_trainer_whatever_its_spelling(installed, capsys):
    for name in ("ms-swift", "MS_Swift", "msswift"):
        assert main(["--trainer", name, "--json"]) == 0
        (found,) = json.loads(capsys.readouterr().out)
        assert (found["trainer"], found["installed"], found["written_for"]) == ("ms-swift", None, "3602360a5")
    assert main(["--path", "ms-swift"]) == 0
    path = capsys.readouterr().out.strip()
    assert f"--external_plugins {path} --callbacks logratio" in found["lines"]


def test_a_trainer_that_writes_both_itself_has_its_own_directory(installed, capsys):
    assert main(["--trainer", "prime-rl"]) == 0
    said = capsys.readouterr().out
    assert "logratio view RUN_DIR/monitors --follow" in said and "Then:" not in said


def test_none_is_installed_or_unknown(installed, capsys):
    installed.clear()
    assert main([]) == 0
    assert capsys.readouterr().out.startswith("no trainer is installed here that logratio knows")
    assert main(["--trainer", "nothing"]) == 2
    assert capsys.readouterr().err.startswith('error: no hook for "nothing"\n  hint    one of verl, TRL, ')
    assert main(["--path", "trl"]) == 2


@pytest.mark.parametrize("trainer", TRAINERS, ids=lambda trainer: trainer.name)
def test_every_name_in_the_lines_exists(trainer: Trainer):
    for module, name in re.findall(r"(logratio\.\w+)\.(\w+)", "\n".join(trainer.lines)):
        if name == "verl":
            # The trainer imports it under its full name; importing it here would need verl.
            assert importlib.util.find_spec(f"{module}.{name}") is not None
        else:
            assert callable(getattr(importlib.import_module(module), name))
    if trainer.plugin is not None:
        assert trainer.find_plugin().exists()
