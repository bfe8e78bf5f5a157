"""Tunix's dataclass `GRPOConfig` of its agentic learner takes the correction as keyword arguments; its command line hands it
the section `agentic_grpo_config` of a YAML and drops what is no field. Stubbed is JAX with all that stands on it."""

from __future__ import annotations

import ast
import dataclasses
from typing import Any

import yaml

from ..contract import Found, Key
from ..packages import skip_init
from ..syntax import evaluate, find, list_fields, list_texts, parse, select

PACKAGES = ["google-tunix"]
STUBS = [
    "jax",
    "flax",
    "optax",
    "orbax",
    "qwix",
    "absl",
    "etils",
    "numpy",
    "pandas",
    "google",
    "tqdm",
    "grain",
    "humanize",
    "kagglehub",
    "fsspec",
    "huggingface_hub",
    "jaxtyping",
    "sentencepiece",
    "metrax",
    "PIL",
]

BESIDE = {
    "agentic_grpo_config.epsilon": "clips PPO's own ratio",
    "agentic_grpo_config.epsilon_high": "clips PPO's own ratio",
    "agentic_grpo_config.kl_clamp_value": "bounds the penalty against the reference",
    "rollout_config.return_logprobs": "required by use_rollout_logps, and refused where it is missing",
}

LEARNER = "tunix/rl/agentic/agentic_grpo_learner.py"
ROLLOUT = "tunix/rl/rollout/base_rollout.py"
CORRECTION = ["sampler_is", "rollout_logps", "off_policy", "epsilon", "loss_algo", "kl_clamp"]
SAMPLING = ["temperature", "top_p", "top_k", "logprobs"]


def _config_class() -> Any:
    skip_init("tunix", "tunix.rl", "tunix.rl.agentic")
    from tunix.rl.agentic.agentic_grpo_learner import GRPOConfig

    return GRPOConfig


def _arguments(config: str) -> dict[str, Any]:
    """Keyword arguments of a call, `GRPOConfig(sampler_is="token")` or bare, or the section of a YAML."""
    try:
        tree = yaml.safe_load(config)
        if isinstance(tree, dict):
            return dict(tree.get("agentic_grpo_config", tree))
    except yaml.YAMLError:
        pass
    text = config if "(" in config else f"GRPOConfig({config})"
    call = ast.parse(text.strip(), mode="eval").body
    if not isinstance(call, ast.Call):
        raise ValueError(f"no keyword arguments in {config!r}")
    return {word.arg: evaluate(word.value) for word in call.keywords if word.arg}


def accepts(config: str) -> str | None:
    config_class = _config_class()
    try:
        config_class(**_arguments(config))
    except (TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return None


def keys() -> list[Key]:
    defaults = {field.name: field.default for field in dataclasses.fields(_config_class())}
    rollout = list_fields(parse(ROLLOUT), "RolloutConfig")
    return [
        *(
            Key(f"agentic_grpo_config.{name}", default=defaults[name], file=LEARNER)
            for name in select(defaults, CORRECTION)
        ),
        *(
            Key(f"rollout_config.{name}", default=evaluate(rollout[name]), file=ROLLOUT)
            for name in select(rollout, SAMPLING)
        ),
    ]


def samples() -> list[str]:
    configs = [
        'AgenticGRPOConfig(sampler_is="token", sampler_is_threshold=2.0)',
        'AgenticGRPOConfig(sampler_is="token")',
        "AgenticGRPOConfig(use_rollout_logps=False)",
        "agentic_grpo_config:\n  sampler_is: token\n  sampler_is_threshold: 2.0\n",
    ]
    return [config for config in configs if accepts(config) is None]


def hooks() -> list[Found]:
    process = find(parse(LEARNER), "GRPOLearner._process_results")
    loss = list_texts(parse("tunix/rl/algo_core.py"))
    clip = process is not None and "sampler_is_threshold" in ast.unparse(process)
    return [
        Found(f"{LEARNER} GRPOLearner._process_results caps the weights at sampler_is_threshold", clip),
        Found("tunix/rl/algo_core.py logs sampler_is/weight_mean", "sampler_is/weight_mean" in loss),
    ]
