"""AReaL merges a YAML file into the dataclasses of `areal/api/cli_args.py` with OmegaConf, which refuses unknown keys, and
their `__post_init__` refuse values. Both are run here. Stubbed is what that file imports for logging and for names of
nodes."""

from __future__ import annotations

import ast
import dataclasses
from functools import cache
from typing import Any

from ..contract import Found, Key
from ..packages import skip_init
from ..syntax import find, list_arguments, list_calls, list_texts, parse, select

PACKAGES = ["areal"]
STUBS = [
    *["torch", "transformers", "ray", "uvloop", "numba"],
    *["areal.utils.logging", "areal.utils.name_resolve", "areal.utils.pkg_version", "areal.engine"],
]

CONFIG = "areal/api/cli_args.py"
ACTOR = "areal/trainer/ppo/actor.py"
TRAINER = "areal/trainer/rl_trainer.py"
WORDS = (
    *["rejection_sampling", "importance_sampling", "decoupled", "logp", "m2_threshold", "offpolicyness"],
    *["gconfig.temperature", "top_p", "top_k", "frequency_penalty", "greedy", "dump_to_file"],
)
# Sections of the experiment whose keys are of interest.
SECTIONS = ("actor", "gconfig", "rollout")


@cache
def _module() -> Any:
    skip_init("areal", "areal.api", "areal.utils")
    from areal.api import cli_args

    return cli_args


@cache
def _section(name: str) -> Any:
    """The defaults of a section of the experiment: all of them at once take a second for each config."""
    from omegaconf import OmegaConf

    fields = {field.name: field.type for field in dataclasses.fields(_module().PPOConfig)}
    if name not in fields:
        raise ValueError(f"Key '{name}' not in 'PPOConfig'")
    return OmegaConf.structured(_class_of(_module(), fields[name]))


def accepts(config: str) -> str | None:
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    module = _module()
    try:
        given = OmegaConf.create(config)
        module._migrate_legacy_rejection_sampling(given)
        merged = {str(name): OmegaConf.merge(_section(str(name)), section) for name, section in given.items()}
        # The rest needs an experiment's names and paths.
        sampling = OmegaConf.to_container(merged["actor"])["rejection_sampling"] if "actor" in merged else None
        if sampling is not None:
            module.RejectionSamplingConfig(**sampling)
    except (OmegaConfBaseException, ValueError, TypeError) as error:
        return str(error)
    return None


def keys() -> list[Key]:
    module = _module()
    top = {field.name: field for field in dataclasses.fields(module.PPOConfig)}
    found: list[Key] = []
    for section in SECTIONS:
        found += _list(section, _class_of(module, top[section].type))
    return [key for key in found if select([key.name], WORDS)]


def _list(prefix: str, owner: Any) -> list[Key]:
    found = []
    for field in dataclasses.fields(owner):
        name = f"{prefix}.{field.name}"
        inner = _class_of(_module(), field.type)
        if inner is not None and field.default is None:
            # None of its keys has a value, since the section is null by default.
            found += [dataclasses.replace(key, default=None) for key in _list(name, inner)]
        else:
            default = None if field.default is dataclasses.MISSING else field.default
            found.append(Key(name, default, field.metadata.get("choices"), CONFIG))
    return found


def _class_of(module: Any, annotation: Any) -> Any:
    """The dataclass that a field holds: ``RejectionSamplingConfig | None``."""
    for each in (annotation, *getattr(annotation, "__args__", ())):
        if dataclasses.is_dataclass(each):
            return each
    return None


def samples() -> list[str]:
    """Every choice of rejection sampling with every action, and the switches beside it."""
    choices = {key.name.rpartition(".")[2]: key.choices or () for key in keys() if ".rejection_sampling." in key.name}
    head = "actor:\n  use_decoupled_loss: true\n"
    sampled = [
        f"{head}  rejection_sampling: {{level: {level}, action: {action}, metric: {metric}, agg: {agg}, upper: 5.0}}\n"
        for level in choices["level"]
        for action in choices["action"]
        for metric in choices["metric"]
        for agg in choices["agg"]
    ]
    others = [
        f"{head}  {key.name.rpartition('.')[2]}: {choice}\n"
        for key in keys()
        if key.name.startswith("actor.") and "rejection" not in key.name
        for choice in key.choices or ()
    ]
    return [config for config in sampled + others if accepts(config) is None]


def hooks() -> list[Found]:
    train = find(parse(TRAINER), "train")
    compute = find(parse(ACTOR), "_compute_advantages")
    calls = list_calls(train, "compute_advantages")
    columns = ["input_ids", "loss_mask", "attention_mask", "logprobs", "prox_logp"]
    return [
        Found(f"{TRAINER} train calls actor.compute_advantages with a batch", bool(calls) and bool(calls[0].args)),
        Found(f"{TRAINER} train has global_step", _stores(train, "global_step")),
        Found(
            f"{ACTOR} compute_advantages takes data", "data" in list_arguments(find(parse(ACTOR), "compute_advantages"))
        ),
        *(Found(f"{ACTOR} _compute_advantages reads {name}", name in list_texts(compute)) for name in columns),
        Found(f"{TRAINER} train stores prox_logp before", "prox_logp" in list_texts(train)),
    ]


def _stores(node: ast.AST | None, name: str) -> bool:
    return node is not None and any(
        isinstance(item, ast.Name) and item.id == name and isinstance(item.ctx, ast.Store) for item in ast.walk(node)
    )
