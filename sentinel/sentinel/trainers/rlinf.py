"""RLinf has no schema: OmegaConf takes any key, and the code reads `cfg.algorithm.KEY`. Its own `validate_reasoning_cfg`
judges what goes together, over the least config that it takes; whether a key has any effect is whether some module reads
it. Stubbed is everything with a GPU or a simulator behind it."""

from __future__ import annotations

from functools import cache
from typing import Any

from ..contract import Found, Key
from ..syntax import (
    evaluate,
    find,
    last_name,
    list_arguments,
    list_calls,
    list_files,
    list_reads,
    list_texts,
    parse,
    select,
)

PACKAGES = ["rlinf"]
STUBS = [
    *["torch", "ray", "transformers", "accelerate", "megatron", "vllm", "sglang", "numpy", "torchvision", "PIL"],
    *[
        "rlinf.scheduler",
        "rlinf.utils",
        "rlinf.models",
        "rlinf.envs",
        "rlinf.data",
        "rlinf.workers",
        "rlinf.hybrid_engines",
    ],
]

CONFIG = "rlinf/config.py"
WORDS = [
    *["importance_sampling", "behave", "recompute_logprobs", "clip_log_ratio", "clip_ratio", "ratio_clip"],
    *["imp_ratio", "staleness", "on_policy", "logprob_type", "loss_type", "sampling_params"],
]
SAMPLING = ["temperature", "top_p", "top_k", "min_p", "repetition_penalty"]
# The least that validate_reasoning_cfg looks at.
BASE: dict[str, Any] = {
    "runner": {"seq_length": 2048},
    "data": {"rollout_batch_size": 8, "max_prompt_length": 512},
    "algorithm": {"group_size": 8, "recompute_logprobs": True},
    "actor": {},
    "rollout": {
        **{"return_logprobs": False, "sglang": {}, "vllm": {}},
        "model": {"model_type": "qwen2.5", "model_path": "model"},
    },
}


@cache
def _reads() -> dict[str, Key]:
    """The keys of `algorithm` that some module reads, by name; a default that code gives wins over none."""
    keys: dict[str, Key] = {}
    for file in list_files("rlinf", "algorithm"):
        for section in ("algorithm", "algorithm_cfg"):
            for name, default in list_reads(parse(file), section).items():
                known = keys.get(name)
                if known is None or (known.default is None and default is not None):
                    keys[name] = Key(f"algorithm.{name}", default=evaluate(default), file=file)
    return keys


def accepts(config: str) -> str | None:
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException
    from rlinf.config import validate_reasoning_cfg

    try:
        merged = OmegaConf.merge(OmegaConf.create(BASE), OmegaConf.create(config))
        OmegaConf.set_struct(merged, True)
        validate_reasoning_cfg(merged)
        if merged.algorithm.get("importance_sampling_fix", False):
            # The actor reads it where the fix is on, without a default.
            _ = merged.algorithm.importance_sampling_clip
    except (AssertionError, ValueError, OmegaConfBaseException) as error:
        return f"{type(error).__name__}: {error}"
    unread = [name for name in OmegaConf.create(config).get("algorithm", {}) if name not in _reads()]
    return f"no module reads algorithm.{unread[0]}" if unread else None


def keys() -> list[Key]:
    reads = _reads()
    found = [reads[name] for name in sorted(select(reads, WORDS))]
    sampling = {
        name: file
        for file in list_files("rlinf", "sampling_params")
        for name in list_reads(parse(file), "sampling_params") | list_reads(parse(file), "_sampling_params")
        if name in SAMPLING
    }
    found += [Key(f"algorithm.sampling_params.{name}", file=file) for name, file in sorted(sampling.items())]
    engine = list_reads(find(parse(CONFIG), "validate_rollout_cfg") or parse(CONFIG), "cfg")
    return found + [Key(f"rollout.{name}", file=CONFIG) for name in engine if name == "rollout_backend"]


def samples() -> list[str]:
    configs = [
        "algorithm:\n  importance_sampling_fix: true\n  importance_sampling_clip: 2.0\n",
        "algorithm:\n  importance_sampling_fix: true\n  importance_sampling_clip: 2.0\n  recompute_logprobs: false\nrollout:\n  return_logprobs: true\n",
        "algorithm:\n  loss_type: decoupled_actor_critic\n  behave_weight_threshold: 2.0\n",
    ]
    return [config for config in configs if accepts(config) is None]


def hooks() -> list[Found]:
    losses = parse("rlinf/algorithms/losses.py")
    actor = parse("rlinf/workers/actor/fsdp_actor_worker.py")
    decoupled = find(losses, "compute_decoupled_ppo_actor_loss")
    clamps = [call for call in list_calls(actor, "clamp") if "max" in {word.arg for word in call.keywords}]
    capped = any(
        last_name(word.value) == "importance_sampling_clip" for call in clamps for word in call.keywords if word.arg
    )
    return [
        Found(
            "rlinf/algorithms/losses.py compute_decoupled_ppo_actor_loss reads behave_weight_threshold",
            "behave_weight_threshold" in list_arguments(decoupled),
        ),
        Found(
            "rlinf/workers/actor/fsdp_actor_worker.py caps exp(recomputed − rollout) at importance_sampling_clip",
            capped,
        ),
        *(
            Found(f"the actor's batch has {name}", name in list_texts(actor))
            for name in ("rollout_logprobs", "recomputed_logprobs")
        ),
    ]
