"""verl composes its YAML with hydra, which refuses keys that are not in the struct, builds dataclasses of the parts, and
parses thresholds and looks the loss up when a batch is corrected; all of that is run. The package's ``__init__`` is
skipped, because it imports the engines; stubbed is what the modules of its losses import beside it."""

from __future__ import annotations

import ast
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

from ..contract import Found, Key
from ..packages import skip_init
from ..syntax import evaluate, find, find_file, last_name, list_arguments, list_calls, list_fields, list_texts, parse

PACKAGES = ["verl"]
STUBS = [
    *["torch", "ray", "vllm", "sglang", "transformers", "tensordict", "peft", "numpy", "datasets", "torchdata"],
    *[
        "codetiming",
        "accelerate",
        "pylatexenc",
        "cachetools",
        "transfer_queue",
        "uvloop",
        "orjson",
        "nvtx",
        "torch_npu",
        "verl.protocol",
        "verl.single_controller",
    ],
    *["verl.utils.torch_functional", "verl.utils.model", "verl.utils.fs", "verl.utils.import_utils"],
    *["verl.utils.device", "verl.utils.kernel", "verl.trainer.distillation"],
    *["verl.utils.metric", "verl.utils.py_functional", "verl.utils.tokenizer", "verl.utils.groupwise"],
]

CONFIG = "verl/trainer/config"
HELPER = "verl/trainer/ppo/rollout_corr_helper.py"
ALGORITHMS = "verl/trainer/ppo/core_algos.py"
TRAINER = "verl/trainer/ppo/v1/trainer_base.py"
ROLLOUT_CLASS = "verl/workers/config/rollout.py"
ROLLOUT = "actor_rollout_ref.rollout"
# A truncation, and IcePop's two bounds.
BOUNDS = ("2.0", '"0.5_2.0"')
# Sections of the composed config with the words of their keys; none for all.
SECTIONS = {
    "algorithm.rollout_correction": (),
    "actor_rollout_ref.actor.policy_loss": ("loss_mode", "dppo"),
    "actor_rollout_ref.actor": ("clip_ratio",),
    ROLLOUT: (
        "name",
        "temperature",
        "top_p",
        "top_k",
        "min_p",
        "repetition_penalty",
        "logprobs_mode",
        "routing_replay",
    ),
}


def _skip() -> None:
    skip_init("verl", "verl.trainer", "verl.trainer.ppo", "verl.workers")


@cache
def _composed(name: str, overrides: tuple[str, ...] = ()) -> Any:
    from hydra import compose, initialize_config_dir

    file = find_file(f"{CONFIG}/ppo_trainer.yaml")
    if file is None:
        raise FileNotFoundError(f"{CONFIG}/ppo_trainer.yaml")
    with initialize_config_dir(str(file.parent), version_base=None):
        return compose(name, overrides=[f"{ROLLOUT}.name=vllm", *overrides])


def _with(config: str) -> Any:
    """The config with what was printed: of a YAML the sections that it has, of a command line all."""
    from omegaconf import OmegaConf

    if ":" not in config:
        name = "ppo_megatron_trainer" if "megatron" in config else "ppo_trainer"
        return _composed(name, tuple(config.split()))
    printed = OmegaConf.create(config)
    sections = OmegaConf.masked_copy(_composed("ppo_trainer"), [str(section) for section in printed])
    OmegaConf.set_struct(sections, True)
    return OmegaConf.merge(sections, printed)


def accepts(config: str) -> str | None:
    _skip()
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException
    from verl.trainer.config.algorithm import RolloutCorrectionConfig
    from verl.trainer.ppo.core_algos import get_policy_loss_fn
    from verl.utils.config import omega_conf_to_dataclass

    try:
        whole = _with(config)
        if "algorithm" in whole:
            _check(RolloutCorrectionConfig(**OmegaConf.to_container(whole.algorithm.rollout_correction)))
        if "actor_rollout_ref" in whole:
            get_policy_loss_fn(whole.actor_rollout_ref.actor.policy_loss.loss_mode)
        if ROLLOUT in config:
            omega_conf_to_dataclass(whole.actor_rollout_ref.rollout)
    except (HydraException, OmegaConfBaseException, AssertionError, ValueError, TypeError) as error:
        return f"{type(error).__name__}: {error}"
    return None


def _check(correction: Any) -> None:
    """What its functions refuse when the first batch is corrected."""
    from verl.trainer.ppo import rollout_corr_helper as helper

    if correction.rollout_is is not None:
        assert correction.rollout_is in _list_levels(), f"Invalid rollout_is: {correction.rollout_is}"
        helper._parse_rollout_is_threshold(correction.rollout_is_threshold)
    if correction.rollout_rs is not None:
        options = [option.strip() for option in correction.rollout_rs.split(",")]
        unknown = set(options) - set(helper.SUPPORTED_ROLLOUT_RS_OPTIONS)
        assert not unknown, f"Invalid rollout_rs option: {', '.join(unknown)}"
        helper._parse_rollout_rs_thresholds(options, correction.rollout_rs_threshold)


def keys() -> list[Key]:
    from omegaconf import OmegaConf

    whole = _composed("ppo_trainer")
    found = []
    for path, words in SECTIONS.items():
        for name in OmegaConf.select(whole, path):
            if not name.startswith("_") and (not words or any(word in name for word in words)):
                value = OmegaConf.select(whole, f"{path}.{name}")
                choices = _list_losses() if name == "loss_mode" else None
                if not OmegaConf.is_dict(value):
                    found.append(Key(f"{path}.{name}", value, choices, CONFIG))
    # Fields that the YAML leaves out are added with + on the command line.
    named = {key.name for key in found}
    fields = list_fields(parse(ROLLOUT_CLASS), "RolloutConfig")
    extra = [name for name in fields if name in SECTIONS[ROLLOUT] and f"{ROLLOUT}.{name}" not in named]
    return found + [Key(f"{ROLLOUT}.{name}", evaluate(fields[name]), file=ROLLOUT_CLASS) for name in extra]


def _list_levels() -> set[str]:
    """The values of `rollout_is`, which a function of the helper holds in a local set."""
    for node in ast.walk(parse(HELPER)):
        if isinstance(node, ast.Assign) and any(last_name(target) == "valid_is_levels" for target in node.targets):
            levels: set[str] = ast.literal_eval(node.value)
            return levels
    raise LookupError(f"{HELPER} has no valid_is_levels")


def _list_losses() -> list[str]:
    """The losses that are a correction themselves; the others are against the trainer's own log-probs."""
    calls = list_calls(parse(ALGORITHMS), "register_policy_loss")
    names = [text for call in calls for text in list_texts(call)]
    return [name for name in names if name.startswith("dppo")]


def samples() -> list[str]:
    _skip()
    from verl.trainer.ppo.rollout_corr_helper import SUPPORTED_ROLLOUT_RS_OPTIONS

    corrections = [
        *(f"rollout_is: {level}\n    rollout_is_threshold: {bound}" for level in _list_levels() for bound in BOUNDS),
        *(f"rollout_rs: {option}\n    rollout_rs_threshold: 1.5" for option in SUPPORTED_ROLLOUT_RS_OPTIONS),
    ]
    losses = [f"policy_loss:\n      loss_mode: {loss}" for loss in _list_losses()]
    configs = [
        *(f"algorithm:\n  rollout_correction:\n    {correction}\n" for correction in corrections),
        *(f"actor_rollout_ref:\n  actor:\n    {loss}\n" for loss in losses),
    ]
    return [config for config in sorted(configs) if accepts(config) is None]


def hooks() -> list[Found]:
    from omegaconf import OmegaConf

    metrics = "verl/utils/debug/metrics.py"
    found = [
        Found(
            f"{metrics} calculate_debug_metrics(data)",
            "data" in list_arguments(find(parse(metrics), "calculate_debug_metrics")),
        ),
        Found(
            f"{metrics} reads responses, response_mask, rollout_log_probs and old_log_probs",
            {"responses", "rollout_log_probs", "old_log_probs"} <= list_texts(parse(metrics)),
        ),
    ]
    for file in ("verl/trainer/ppo/ray_trainer.py", "verl/trainer/ppo/v1/trainer_base.py"):
        trainer = parse(file)
        found.append(
            Found(f"{file} calls calculate_debug_metrics", bool(list_calls(trainer, "calculate_debug_metrics")))
        )
        found.append(Found(f"{file} _update_actor", find(trainer, "_update_actor") is not None))
    whole = _composed("ppo_trainer")
    for key in (f"{ROLLOUT}.calculate_log_probs", "trainer.use_v1"):
        found.append(Found(f"{CONFIG} has {key}", OmegaConf.select(whole, key) is not None))
    texts = list_texts(parse("verl/__init__.py"))
    return [*found, Found("verl/__init__.py reads VERL_USE_EXTERNAL_MODULES", "VERL_USE_EXTERNAL_MODULES" in texts)]


def dumps(folder: Path) -> list[str]:
    """The rows of `trainer.rollout_data_dir`."""
    writer = find(parse(TRAINER), "_write_generations")
    if writer is None:
        return []
    writer.decorator_list = []
    space: dict[str, Any] = {"os": os, "json": json}
    exec(compile(ast.Module(body=[writer], type_ignores=[]), TRAINER, "exec"), space)
    space["_write_generations"](["1 + 1 ="], [" 2"], ["2"], [1.0], {"acc": [1.0]}, str(folder), 1)
    return [file.name for file in folder.iterdir()]
