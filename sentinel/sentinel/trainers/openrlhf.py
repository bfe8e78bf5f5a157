"""`openrlhf/cli/train_ppo_ray.py` builds its argparse parser and checks the arguments where it runs as a script, before it
calls `train`. It is run up to there; then `PolicyLoss` is built of its arguments, because it refuses more. Stubbed is all
that `train` would need."""

from __future__ import annotations

import argparse
import ast
import inspect
import shlex
import sys
from functools import cache
from types import CodeType
from typing import Any

from ..contract import Found, Key
from ..syntax import find, find_file, list_arguments, list_calls, list_fields, parse

PACKAGES = ["openrlhf"]
STUBS = [
    *[
        "torch",
        "ray",
        "vllm",
        "deepspeed",
        "transformers",
        "flash_attn",
        "peft",
        "datasets",
        "tqdm",
        "einops",
        "sympy",
        "pylatexenc",
    ],
    *["openrlhf.trainer", "openrlhf.utils.deepspeed", "openrlhf.utils.utils", "openrlhf.utils.distributed_util"],
]

SCRIPT = "openrlhf/cli/train_ppo_ray.py"
# What its later checks need beside a correction.
BASE = ["--algo.advantage.estimator", "reinforce", "--rollout.n_samples_per_prompt", "8"]
THRESHOLD = " --algo.advantage.is_correction_threshold 0.05"
WORDS = ("is_correction", "temperature", "top_p", "policy_loss_type", "async_queue", "eps_clip", "logprob")
BESIDE = {
    "actor.eps_clip": "the update's own clip",
    "actor.eps_clip_low_high": "the update's own clip",
    "eval.temperature": "of evaluation only",
    "train.async_queue_size": "how old a batch may be, which sets the size of the mismatch and no part of its correction",
}


class _Refused(Exception):
    """The parser's message."""


@cache
def _script() -> CodeType:
    """The script without its last statement, the call of `train`."""
    file = find_file(SCRIPT)
    if file is None:
        raise FileNotFoundError(SCRIPT)
    tree = ast.parse(file.read_text(encoding="utf-8"))
    last = tree.body[-1]
    if not isinstance(last, ast.If) or not list_calls(last.body[-1], "train"):
        raise SyntaxError(f"{SCRIPT} does not end with a call of train")
    last.body.pop()
    return compile(tree, str(file), "exec")


def _run(arguments: list[str]) -> tuple[argparse.ArgumentParser, Any]:
    """Its parser, and the arguments after its own checks."""
    parsers: list[argparse.ArgumentParser] = []
    own = argparse.ArgumentParser.parse_args

    def parse_args(parser: argparse.ArgumentParser, *args: Any, **named: Any) -> Any:
        parsers.append(parser)
        return own(parser, *args, **named)

    def refuse(parser: argparse.ArgumentParser, message: str) -> None:
        raise _Refused(message)

    patched: Any = argparse.ArgumentParser
    kept, argv = patched.error, sys.argv
    patched.parse_args, patched.error, sys.argv = parse_args, refuse, [SCRIPT, *BASE, *arguments]
    space: dict[str, Any] = {"__name__": "__main__"}
    try:
        exec(_script(), space)
    finally:
        patched.parse_args, patched.error, sys.argv = own, kept, argv
    return parsers[0], space["args"]


def accepts(config: str) -> str | None:
    from openrlhf.models.loss import PolicyLoss

    try:
        _, args = _run(shlex.split(config, comments=True))
        known = inspect.signature(PolicyLoss).parameters
        named = {**vars(args.actor), **vars(args.algo.advantage)}
        PolicyLoss(**{name: value for name, value in named.items() if name in known})
    except (_Refused, AssertionError, ValueError) as error:
        return str(error) or type(error).__name__
    return None


def keys() -> list[Key]:
    parser, _ = _run([])
    found = []
    for action in parser._actions:
        name = action.option_strings[-1].lstrip("-") if action.option_strings else action.dest
        if name.rpartition(".")[2].startswith(WORDS):
            choices = None if action.choices is None else list(action.choices)
            found.append(Key(name, action.default, choices, SCRIPT))
    return found


def samples() -> list[str]:
    """The correction's first choice with each other choice, and the losses."""
    switches = [
        key for key in keys() if key.choices and any(word in key.name for word in ("is_correction", "policy_loss"))
    ]
    level = next((key for key in switches if key.name.endswith("is_correction_level")), None)
    configs = []
    for key in switches:
        for choice in key.choices or ():
            on = "" if level is None or key is level else f"--{level.name} token "
            # Some choices take one bound, which is the upper one.
            configs += [f"{on}--{key.name} {choice}{bounds}" for bounds in ("", THRESHOLD)]
    return [config for config in configs if accepts(config) is None]


def hooks() -> list[Found]:
    trainer = parse("openrlhf/trainer/ppo_trainer.py")
    fields = list_fields(parse("openrlhf/trainer/ppo_utils/experience.py"), "Experience")
    columns = ["sequences", "attention_mask", "action_mask", "action_log_probs", "rollout_log_probs"]
    also = ["base_action_log_probs", "advantages", "rewards", "index", "truncated"]
    step = find(trainer, "train_step")
    return [
        Found(
            "openrlhf/trainer/ppo_trainer.py train_step calls make_experience_batch",
            bool(list_calls(step, "make_experience_batch")),
        ),
        Found(
            "openrlhf/trainer/ppo_trainer.py train_step has global_step",
            "global_step" in list_arguments(step),
        ),
        *(Found(f"Experience.{column}", column in fields) for column in [*columns, *also]),
    ]
