"""AReno's command line (click) is all that sets its training. It has no correction: its losses' ratio is of the updated
policy over the engine's log-probs, which its engine computes with the trainer's own kernel. Stubbed are PyTorch and the
engines."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path
from typing import Any

from ..contract import Found, Key
from ..syntax import find, list_arguments, list_texts, parse, select

PACKAGES = ["areno"]
STUBS = [
    "torch",
    "transformers",
    "triton",
    "flash_attn",
    "mlx",
    "mlx_lm",
    "safetensors",
    "huggingface_hub",
    "modelscope",
    "datasets",
]

BESIDE = {
    **{name: "clips the loss's own ratio" for name in ("gspo-clip-eps", "grpo-clip-eps", "clip-eps", "clip-ratio-c")},
    **{name: "the critic, the gradient or the reference" for name in ("value-clip-eps", "grad-clip-norm")},
    **{name: "the penalty against the reference" for name in ("use-kl-loss", "kl-loss-coef", "kl-loss-type")},
    **{
        name: "AReno has no correction, so there is no dialect that would read it"
        for name in ("temperature", "top-k", "top-p", "greedy")
    },
    "drop-rollout-state": "frees the engine's memory",
    "speculative-draft-tokens": "drafts are verified with the target's own sampler",
    "metrics-log-dir": "TensorBoard's folder",
}

TRAIN = "areno/cli/train.py"
LOSSES = "areno/api/backend/cuda/losses.py"
WORDS = ["clip", "temperature", "top_k", "top_p", "greedy", "kl_loss", "speculative", "metrics_log", "rollout_state"]
# What a run needs beside the flags in question, and a reward in a file of its own.
NEEDS = ["--ckpt", "model", "--dataset-path", "data", "--backend", "cuda"]
REWARD = "def reward_fn(record):\n    return 0.0\n"


def _command() -> Any:
    from areno.cli.train import train_command

    return train_command


def accepts(config: str) -> str | None:
    import click
    from areno.cli.train import _trainer_config_from_options

    with tempfile.TemporaryDirectory() as folder:
        reward = Path(folder) / "reward.py"
        reward.write_text(REWARD, encoding="utf-8")
        words = [*NEEDS, "--reward-fn-path", str(reward), *shlex.split(config.replace("\\\n", " "))]
        try:
            _trainer_config_from_options(**_command().make_context("train", words).params)
        except (click.ClickException, ValueError) as error:
            return f"{type(error).__name__}: {error}"
    return None


def keys() -> list[Key]:
    options = {option.name: option for option in _command().params}
    found = [options[name] for name in select(options, WORDS)]
    return [Key(option.opts[0].lstrip("-"), default=option.to_info_dict()["default"], file=TRAIN) for option in found]


def hooks() -> list[Found]:
    losses = parse(LOSSES)
    return [
        Found(f"{LOSSES} response_layout reads packed_logprobs", "packed_logprobs" in list_texts(losses)),
        Found(f"{LOSSES} grpo_loss_fn has clip_eps", "clip_eps" in list_arguments(find(losses, "grpo_loss_fn"))),
    ]
