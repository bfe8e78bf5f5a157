"""Trinity-RFT merges a YAML into OmegaConf's structure of its dataclass `Config` (`load_config`), which refuses unknown keys.
`algorithm.rollout_correction` is a free dictionary that goes to verl's; what its keys mean is judged with verl. Stubbed is
what its package imports beside OmegaConf."""

from __future__ import annotations

import ast
import dataclasses
import tempfile
from pathlib import Path
from typing import Any

from ..contract import Found, Key
from ..syntax import find, list_arguments, list_files, list_texts, parse, select

PACKAGES = ["trinity-rft"]
STUBS = [
    *["torch", "ray", "vllm", "verl", "transformers", "datasets", "numpy", "pandas", "sqlalchemy", "tinker", "openai"],
    *["aiohttp", "requests", "huggingface_hub", "peft", "flash_attn", "megatron", "tensordict", "PIL", "agentscope"],
]

LOSS_ARGUMENTS = [
    *["clip_range", "clip_range_low", "clip_range_high", "enable_mask_clip", "mask_clip_range_low"],
    *["mask_clip_range_high", "clip_ratio_c", "epsilon", "epsilon_low", "epsilon_high", "epsilon_low_prime"],
    *["epsilon_high_prime", "clip_mode", "weight", "regularizer", "regularizer_coef"],
]
BESIDE = {
    **{f"algorithm.policy_loss_fn_args.{name}": "shapes the loss's own ratio" for name in LOSS_ARGUMENTS},
    **{
        f"algorithm.{name}": "chooses the loss, whose own ratio is not a correction of the mismatch"
        for name in ("algorithm_type", "policy_loss_fn", "policy_loss_fn_args")
    },
    **{
        name: "there is no dialect of Trinity-RFT yet that would read it"
        for name in (
            *["algorithm.rollout_correction", "algorithm.bypass_old_logprobs"],
            *[
                f"{section}.{parameter}"
                for section in ("model", "explorer.rollout_model")
                for parameter in ("temperature", "top_p", "top_k", "repetition_penalty")
            ],
        )
    },
    "algorithm.enable_router_replay": "replays routes; it needs no bound",
    **{
        f"synchronizer.{name}": "how old rollouts may be; the report measures it"
        for name in ("sync_style", "sync_interval", "explorer_sync_interval", "trainer_sync_interval", "sync_offset")
    },
    **{
        f"{section}.logprobs": "how many log-probs the engine returns"
        for section in ("model", "explorer.rollout_model")
    },
}

CONFIG = "trinity/common/config.py"
LOSSES = "trinity/algorithm/policy_loss_fn"
# Sections of its config with the words of their fields.
SECTIONS = {
    "algorithm": ["rollout_correction", "bypass_old_logprobs", "router_replay", "policy_loss_fn", "algorithm_type"],
    "model": ["temperature", "top_p", "top_k", "logprobs", "repetition_penalty"],
    "explorer.rollout_model": ["temperature", "top_p", "top_k", "logprobs", "repetition_penalty"],
    "buffer": ["max_staleness"],
    "synchronizer": ["sync_interval", "sync_offset", "sync_style"],
}


def accepts(config: str) -> str | None:
    from trinity.common.config import load_config

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "config.yaml"
        file.write_text(config, encoding="utf-8")
        try:
            load_config(str(file))
        except (ValueError, TypeError) as error:
            return f"{type(error).__name__}: {error}"
    return None


def _section(path: str) -> Any:
    """The section of a default config."""
    from trinity.common.config import Config

    at: Any = Config()
    for part in path.split("."):
        at = getattr(at, part)
    return at


def keys() -> list[Key]:
    found = []
    for path, words in SECTIONS.items():
        section = _section(path)
        names = [field.name for field in dataclasses.fields(section)]
        found += [Key(f"{path}.{name}", default=getattr(section, name), file=CONFIG) for name in select(names, words)]
    return found + _loss_arguments()


def _loss_arguments() -> list[Key]:
    """The arguments of its policy losses that bound or shape a ratio, each with the first file that has it."""
    found: dict[str, Key] = {}
    for file in list_files(LOSSES, "class "):
        for loss in (node for node in parse(file).body if isinstance(node, ast.ClassDef)):
            for name in select(list_arguments(find(loss, "__init__")), ["clip", "epsilon", "weight", "regularizer"]):
                found.setdefault(name, Key(f"algorithm.policy_loss_fn_args.{name}", file=file))
    return list(found.values())


def hooks() -> list[Found]:
    trainer = "trinity/trainer/verl/config.py"
    return [
        Found(
            f"{trainer} hands algorithm.rollout_correction to verl", "rollout_correction" in list_texts(parse(trainer))
        ),
    ]
