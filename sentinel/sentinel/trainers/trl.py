"""`GRPOConfig` is a dataclass that extends transformers' `TrainingArguments`. Its own fields and checks are TRL's code; of
`TrainingArguments`, whose `__post_init__` looks for devices, only the fields are read, from their source. What
`GRPOTrainer` refuses later, it compares with constants in its source. Everything that computes is stubbed."""

from __future__ import annotations

import ast
import dataclasses
import math
import os
from collections import defaultdict
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ..alone import take_method
from ..contract import Found, Key
from ..packages import skip_init
from ..python_call import read_arguments, write_call
from ..syntax import evaluate, find, last_name, list_arguments, list_fields, list_texts, parse, select

PACKAGES = ["trl", "transformers"]
STUBS = ["torch", "transformers"]

CONFIG = "trl/trainer/grpo_config.py"
TRAINER = "trl/trainer/grpo_trainer.py"
ARGUMENTS = "transformers/training_args.py"
WORDS = (
    *["importance_sampling", "off_policy", "bias_correction", "logprob"],
    *["temperature", "top_p", "top_k", "min_p", "repetition_penalty", "generation_kwargs"],
    *["log_completions", "num_iterations", "steps_per_generation"],
)
BESIDE = {
    "sapo_temperature_neg": "a constant of the SAPO loss, not of sampling",
    "sapo_temperature_pos": "a constant of the SAPO loss, not of sampling",
    "num_iterations": "how often a generation is trained on; the first pass has the same ratio",
    "steps_per_generation": "how many optimizer steps a generation is divided into",
    "log_completions": "a table of texts without log-probs",
    "log_completions_hub_repo": "where that table is uploaded",
    "generation_kwargs": "a dictionary, whose keys are those of vLLM's SamplingParams",
}


@cache
def _config() -> Any:
    """TRL's GRPOConfig on top of the fields of TrainingArguments."""
    import transformers

    inherited = [
        (name, Any, dataclasses.field(default=evaluate(_default(value))))
        for name, value in list_fields(parse(ARGUMENTS), "TrainingArguments").items()
    ]
    known = {
        "_VALID_DICT_FIELDS": [],
        "world_size": 1,
        "device": SimpleNamespace(type="cuda"),
        "__post_init__": lambda self: None,
    }
    transformers.TrainingArguments = dataclasses.make_dataclass("TrainingArguments", inherited, namespace=known)
    skip_init("trl", "trl.trainer")
    from trl.trainer.grpo_config import GRPOConfig

    return GRPOConfig


def _default(field: ast.expr | None) -> ast.expr | None:
    """The default of ``field(default=…)``, or a plain one."""
    if isinstance(field, ast.Call) and last_name(field.func) == "field":
        return next((argument.value for argument in field.keywords if argument.arg == "default"), None)
    return field


@cache
def _modes(name: str) -> list[str]:
    """The texts that the trainer compares this attribute of itself with."""
    compared: set[str] = set()
    for node in ast.walk(parse(TRAINER)):
        if isinstance(node, ast.Compare) and last_name(node.left) == name:
            compared |= set().union(*(list_texts(right) for right in node.comparators))
    return sorted(compared)


CHOSEN = ("vllm_importance_sampling_mode", "importance_sampling_level")


def accepts(config: str) -> str | None:
    try:
        arguments = read_arguments(config)
        made = _config()(**arguments)
    except (ValueError, TypeError) as error:
        return str(error)
    for name in CHOSEN:
        value, choices = getattr(made, name), _modes(name)
        if choices and value not in choices:
            return f"{name}: {value!r} is none of {', '.join(choices)}, which {TRAINER} compares it with"
    return None


def keys() -> list[Key]:
    fields = {each.name: each.default for each in dataclasses.fields(_config())}
    own = list_fields(parse(CONFIG), "GRPOConfig")
    return [Key(name, fields[name], _modes(name) if name in CHOSEN else None, CONFIG) for name in select(own, WORDS)]


def samples() -> list[str]:
    """Every mode with and without the switch, with bounds on either side."""
    bounds: list[dict[str, Any]] = [
        {"vllm_importance_sampling_clip_max": 2.0},
        {"vllm_importance_sampling_clip_min": 0.5, "vllm_importance_sampling_clip_max": 2.0},
        {"vllm_importance_sampling_clip_min": 0.5, "vllm_importance_sampling_clip_max": None},
        {"off_policy_mask_threshold": 0.5},
    ]
    configs = [
        write_call("GRPOConfig", {"use_vllm": True, "vllm_importance_sampling_mode": mode, **bound})
        for mode in _modes("vllm_importance_sampling_mode")
        for bound in bounds
    ]
    off = write_call("GRPOConfig", {"use_vllm": True, "vllm_importance_sampling_correction": False})
    cap = write_call("GRPOConfig", {"use_vllm": True, "vllm_importance_sampling_cap": 2.0})
    return [config for config in [*configs, off, cap] if accepts(config) is None]


def hooks() -> list[Found]:
    tree = parse(TRAINER)
    generated = find(tree, "GRPOTrainer._generate_and_score_completions")
    columns = ["sampling_per_token_logps", "prompt_ids", "prompt_mask", "completion_ids", "completion_mask"]
    also = ["tool_mask", "old_per_token_logps", "ref_per_token_logps", "advantages"]
    compute = list_arguments(find(tree, "GRPOTrainer._get_per_token_logps_and_entropies"))
    prepare = find(tree, "GRPOTrainer._prepare_inputs")
    attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return [
        Found(f"{TRAINER} _prepare_inputs keeps _buffered_inputs", _reads(prepare, "_buffered_inputs")),
        *(
            Found(f"{TRAINER} _generate_and_score_completions returns {column}", column in list_texts(generated))
            for column in [*columns, *also]
        ),
        *(
            Found(f"{TRAINER} _get_per_token_logps_and_entropies takes {argument}", argument in compute)
            for argument in ["model", "input_ids", "attention_mask", "logits_to_keep", "batch_size"]
        ),
        *(
            Found(f"{TRAINER} has {attribute}", attribute in attributes)
            for attribute in ["_last_loaded_step", "eos_token_ids", "reward_weights", "reward_func_names", "_logs"]
        ),
    ]


def _reads(node: ast.AST | None, attribute: str) -> bool:
    return node is not None and any(
        isinstance(item, ast.Attribute) and item.attr == attribute for item in ast.walk(node)
    )


def dumps(folder: Path) -> list[str]:
    """The completions table, by the trainer's own `log`."""
    import pandas

    base = type("Base", (), {"log": lambda self, logs, start: None})
    space = {
        "math": math,
        "os": os,
        "pd": pandas,
        "is_rich_available": lambda: False,
        # It is for prompts with images.
        "strip_images_from_messages": lambda messages: messages,
    }
    trainer = take_method(TRAINER, "GRPOTrainer.log", base, space)()
    prompts, completions = ["1 + 1 ="] * 2, [" 2", " 3"]
    logs: dict[str, Any] = {
        "prompt": prompts,
        "completion": completions,
        "rewards": {"exact": [1.0, 0.0]},
        "extra": {},
        "advantages": [1.0, -1.0],
        "images": [],
    }
    (folder / "completions").mkdir(parents=True)
    vars(trainer).update(
        model=SimpleNamespace(training=True),
        _metrics={"train": defaultdict(list)},
        _logs=logs,
        accelerator=SimpleNamespace(is_main_process=True),
        log_completions=True,
        num_completions_to_print=0,
        state=SimpleNamespace(global_step=1),
        args=SimpleNamespace(report_to=[], output_dir=str(folder)),
        log_unique_prompts=False,
    )
    trainer.log({})
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
