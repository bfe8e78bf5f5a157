"""Axolotl validates the `trl` section with the pydantic model of `axolotl/utils/schemas/trl.py`, which ignores unknown keys,
and hands each key that it knows to TRL's GRPOConfig. That model is run here alone: the whole schema asks for a GPU."""

from __future__ import annotations

import ast
from functools import cache
from itertools import chain
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from ..contract import Found, Key
from ..packages import skip_init
from ..syntax import list_texts, parse, select

PACKAGES = ["axolotl"]
STUBS = ["torch", "transformers", "accelerate"]

SCHEMA = "axolotl/utils/schemas/trl.py"
BUILDER = "axolotl/core/trainers/grpo/__init__.py"
WORDS = (
    *["importance_sampling", "off_policy", "bias_correction", "recompute_logps", "replay_buffer"],
    *["temperature", "top_p", "top_k", "min_p", "repetition_penalty", "generation_kwargs"],
    *["use_vllm", "async_prefetch", "use_data_producer", "prefetch_depth", "vllm_sync_interval", "log_completions"],
)
BESIDE = {
    "trl.generation_kwargs": "a dictionary, whose keys are those of vLLM's SamplingParams",
    "trl.log_completions": "a table of texts without log-probs",
}


@cache
def _model() -> Any:
    skip_init("axolotl", "axolotl.utils", "axolotl.utils.schemas")
    from axolotl.utils.schemas.trl import TRLConfig

    return TRLConfig


def accepts(config: str) -> str | None:
    import yaml
    from pydantic import ValidationError

    section = (yaml.safe_load(config) or {}).get("trl", {})
    unknown = sorted(set(section) - set(_model().model_fields))
    if unknown:
        return f"trl has no {', '.join(unknown)}: pydantic ignores it"
    try:
        _model().model_validate(section)
    except ValidationError as error:
        return str(error)
    return None


def keys() -> list[Key]:
    fields = _model().model_fields
    return [
        Key(f"trl.{name}", fields[name].default, _choices(fields[name].annotation), SCHEMA)
        for name in select(fields, WORDS)
    ]


def _choices(annotation: Any) -> list[Any] | None:
    """The literals of an annotation, if it takes nothing else but None."""
    parts = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    literals = list(chain(*(get_args(part) for part in parts if get_origin(part) is Literal)))
    return literals or None


def samples() -> list[str]:
    """Every mode, alone and with bounds, and every trainer of its own."""
    head = "rl: grpo\ntrl:\n  use_vllm: true\n"
    modes = next(key.choices or () for key in keys() if key.name == "trl.vllm_importance_sampling_mode")
    bounds = ["", "  vllm_importance_sampling_clip_max: 2.0\n", "  vllm_importance_sampling_clip_min: 0.5\n"]
    configs = [f"{head}  vllm_importance_sampling_mode: {mode}\n{bound}" for mode in modes for bound in bounds]
    others = [f"{head}  {key}: true\n" for key in ("async_prefetch", "use_data_producer", "use_bias_correction_kl")]
    return [config for config in configs + others if accepts(config) is None]


def hooks() -> list[Found]:
    """TRL's callback is ours here too; what is read is that the keys still reach TRL's config."""
    tree = parse(BUILDER)
    passed = list_texts(tree) | {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return [
        Found(f"{BUILDER} passes {name}", name in passed)
        for name in select([key.name.removeprefix("trl.") for key in keys()], ["vllm_importance_sampling_"])
    ]
