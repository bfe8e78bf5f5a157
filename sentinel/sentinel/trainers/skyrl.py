"""SkyRL's own dataclasses build the config (`SkyRLTrainConfig.from_cli_overrides`), and its `validate_cfg` refuses what
does not go together. Stubbed are PyTorch, the engines and Ray, and of SkyRL itself the Tinker server and the patches of
vLLM, which its config modules import but do not use."""

from __future__ import annotations

import dataclasses
import typing
from typing import Any

import yaml

from ..contract import Found, Key
from ..syntax import find, list_arguments, list_calls, list_texts, parse

PACKAGES = ["skyrl"]
STUBS = [
    *["torch", "ray", "vllm", "vllm_router", "transformers", "flash_attn", "jaxtyping", "tensordict", "peft"],
    *["accelerate", "datasets", "huggingface_hub", "httpx", "aiohttp", "fastapi", "uvicorn", "einops", "fsspec"],
    *["s3fs", "cloudpathlib", "loguru", "wandb", "skyrl_gym"],
    *["skyrl.tinker", "skyrl.backends.skyrl_train.inference_servers", "skyrl.backends.skyrl_train.weight_sync"],
]

BESIDE = {
    "trainer.algorithm.clip_ratio_c": "dual clip of PPO's own ratio",
    "trainer.algorithm.temperature": "set from generator.sampling_params.temperature",
    "trainer.fully_async.enabled": "chooses the trainer, not a ratio",
    "trainer.fully_async.max_staleness_steps": "how old rollouts may be; the report measures it",
    "trainer.fully_async.clear_kv_cache_on_weight_sync": "drops the cache of old weights",
    "trainer.recompute_old_logprobs_per_minibatch": "when the policy's pass runs, not what it gives",
    "trainer.dump_data_batch": "switches the dump on; the hook's page says so",
    "trainer.logprobs_chunk_size": "memory of the log-softmax",
    "trainer.fused_lm_head_logprob": "the same log-probs from another kernel",
    "trainer.fused_lm_head_logprob_backend": "the kernel's name",
    "generator.sampling_params.additional_kwargs": "its keys are looked for one by one",
    "generator.sampling_params.logprobs": "asks the engine for log-probs; a rule looks at it",
    "generator.inference_engine.enable_return_sample_support_set": "required by enable_sample_support_replay, which is known",
}

CONFIG = "skyrl/train/config/config.py"
PENALTIES = ["repetition", "presence", "frequency"]
# Its sections below trainer.algorithm and elsewhere that say what is corrected, sampled, kept and written.
SECTIONS = {
    "trainer.algorithm.off_policy_correction": "",
    "trainer.algorithm.cispo": "",
    "trainer.algorithm.dppo": "",
    "trainer.algorithm": "eps_clip clip_ratio tis policy_loss_type replay temperature",
    "trainer.fully_async": "staleness cache enabled",
    "trainer": "dump_data recompute_old_logprobs fused_lm_head logprobs_chunk",
    "trainer.policy.megatron_config": "routing_replay",
    "generator.sampling_params": "temperature top_ min_p penalty logprobs additional_kwargs",
    "generator.inference_engine": "routed_experts sample_support cache distributed_executor",
}


def _flatten(tree: dict[str, Any], prefix: str = "") -> typing.Iterator[str]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}={yaml.safe_dump(value, default_flow_style=True).removesuffix('...' + chr(10)).strip()}"


def _overrides(config: str) -> list[str]:
    """The arguments of the command line that a config stands for: its own words, or a YAML as dotted ones."""
    tree = yaml.safe_load(config) if ":" in config else None
    return list(_flatten(tree)) if isinstance(tree, dict) else config.replace("\\\n", " ").split()


def accepts(config: str) -> str | None:
    import ray

    # Its registry of losses asks whether to share them with other processes.
    ray.is_initialized = lambda: False
    from skyrl.train.config.config import SkyRLTrainConfig
    from skyrl.train.utils.utils import validate_cfg

    try:
        built = SkyRLTrainConfig.from_cli_overrides(_overrides(config))
        # What a run needs beside a correction: as many engines as policies, and a logger without an account.
        built.generator.inference_engine.num_engines = built.trainer.placement.policy_num_gpus_per_node
        built.trainer.logger = "console"
        validate_cfg(built)
    except (AssertionError, ValueError, TypeError, NotImplementedError) as error:
        return f"{type(error).__name__}: {error}"
    return None


def _section(path: str) -> Any:
    """The section of a default config; None in a release without it."""
    from skyrl.train.config.config import SkyRLTrainConfig

    at: Any = SkyRLTrainConfig()
    for part in path.split("."):
        at = getattr(at, part, None)
    return at


def keys() -> list[Key]:
    found = []
    for path, words in SECTIONS.items():
        section = _section(path)
        for field in dataclasses.fields(section) if section else ():
            if words and not any(word in field.name for word in words.split()):
                continue
            value = getattr(section, field.name)
            if not dataclasses.is_dataclass(value):
                found.append(Key(f"{path}.{field.name}", default=value, file=CONFIG))
    return found + _free()


def _free() -> list[Key]:
    """Keys below the dictionaries that SkyRL hands on to the engine as they are."""
    penalties = [f"generator.sampling_params.additional_kwargs.{kind}_penalty=1.0" for kind in PENALTIES]
    mode = "generator.inference_engine.engine_init_kwargs.logprobs_mode=processed_logprobs"
    taken = [override for override in [*penalties, mode] if accepts(override) is None]
    return [Key(override.partition("=")[0], file=CONFIG) for override in taken]


def samples() -> list[str]:
    algorithm = "trainer.algorithm"
    correction = f"{algorithm}.off_policy_correction"
    configs = [
        f"{correction}.tis_ratio_type=token {correction}.token_tis_ratio_clip_high=2.0",
        f"{correction}.tis_ratio_type=sequence {correction}.sequence_tis_ratio_clip_high=5.0",
        f"{correction}.sequence_mask_metric=geometric {correction}.geo_mask_low=0.99 {correction}.geo_mask_high=1.01",
        f"{correction}.sequence_mask_metric=product {correction}.product_mask_low=0.5 {correction}.product_mask_high=2.0",
        f"{correction}.token_mask_is_threshold_low=0.5 {correction}.token_mask_is_threshold_high=2.0",
        f"{correction}.outlier_token_is_threshold_low=1e-4 {correction}.outlier_token_is_threshold_high=100",
        f"{algorithm}.policy_loss_type=rollout_is {algorithm}.eps_clip_low=0.2 {algorithm}.eps_clip_high=0.3",
        f"{algorithm}.policy_loss_type=dppo {algorithm}.dppo.dppo_type=binary_tv {algorithm}.dppo.delta_low=0.2",
        f"{algorithm}.policy_loss_type=dppo {algorithm}.dppo.dppo_type=binary_kl {algorithm}.dppo.delta_low=0.05",
        f"{algorithm}.policy_loss_type=cispo {algorithm}.cispo.cispo_eps_clip_low=1.0 {algorithm}.cispo.cispo_eps_clip_high=4.0",
        f"{algorithm}.policy_loss_type=cispo {algorithm}.cispo.cispo_anchor=rollout",
    ]
    return [config for config in configs if accepts(config) is None]


def hooks() -> list[Found]:
    trainer = parse("skyrl/train/trainer.py")
    ended = [call for call in list_calls(trainer, "_fire") if "on_step_end" in list_texts(call)]
    batch = list_texts(parse("skyrl/train/dataset/preprocess.py")) | list_texts(trainer)
    columns = ["sequences", "attention_mask", "response_mask", "loss_mask", "action_log_probs", "rollout_logprobs"]
    return [
        Found(
            "skyrl/train/trainer.py RayPPOTrainer.add_callback(callback)",
            "callback" in list_arguments(find(trainer, "RayPPOTrainer.add_callback")),
        ),
        Found(
            "skyrl/train/trainer.py fires on_step_end with batch",
            any("batch" in {keyword.arg for keyword in call.keywords} for call in ended),
        ),
        *(Found(f"TrainingInputBatch has {column}", column in batch) for column in columns),
        *(
            Found(f"TrainingInputBatch.metadata has {name}", name in list_texts(trainer))
            for name in ("pad_size", "policy_prompt_boundaries")
        ),
    ]
