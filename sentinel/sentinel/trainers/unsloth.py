"""Unsloth rewrites the source of TRL's GRPOConfig with other defaults, and its loss reads environment variables that
override it. The config is judged by TRL's class; the variables by unsloth-zoo's own functions, each run without the module
around it, which needs a GPU."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from ..alone import take_function
from ..contract import Found, Key
from ..python_call import read_arguments, write_call
from ..syntax import evaluate, find, last_name, list_calls, list_texts, parse
from . import trl

PACKAGES = ["unsloth-zoo", "unsloth", "trl", "transformers"]
STUBS = trl.STUBS

ZOO = "unsloth_zoo/rl_replacements.py"
REPLACED = "unsloth/models/rl.py"
VARIABLE = re.compile(r"(?:export\s+)?(UNSLOTH_GRPO_\w+)=(\S+)")
PREFIX = "UNSLOTH_GRPO_"
WORDS = ("VLLM_IS", "ROLLOUT", "TRUNCATED_SUPPORT", "LOGPROB_RECOMPUTE", "ROUTING_REPLAY")
BESIDE = {
    **trl.BESIDE,
    "UNSLOTH_GRPO_ROLLOUT_METRICS": "logs metrics of the mismatch, and changes no weight",
    "UNSLOTH_GRPO_LOGPROB_RECOMPUTE": "another way to compute the same log-probs",
    "UNSLOTH_GRPO_TRUNCATED_SUPPORT_SAMPLER": "which of vLLM's kernels the kept tokens are found like",
}


@cache
def _modes() -> list[str]:
    """What grpo_accumulated_loss compares the mode with before it refuses it."""
    compared: set[str] = set()
    for node in ast.walk(find(parse(ZOO), "grpo_accumulated_loss") or ast.Module([], [])):
        if isinstance(node, ast.Compare) and "vllm_importance_sampling_mode" in list_texts(node.left):
            compared |= set().union(*(list_texts(right) for right in node.comparators))
    return sorted(compared)


@cache
def _options() -> Any:
    for node in parse(ZOO).body:
        if isinstance(node, ast.Assign) and last_name(node.targets[0]) == "GRPO_ROLLOUT_RS_OPTIONS":
            return evaluate(node.value)
    return ()


def accepts(config: str) -> str | None:
    lines = config.splitlines()
    given = [found for line in lines if (found := VARIABLE.fullmatch(line.strip()))]
    variables = {str(found[1]): str(found[2]) for found in given}
    call = "\n".join(line for line in lines if not VARIABLE.fullmatch(line.strip()) and not line.startswith("#"))
    try:
        arguments = read_arguments(call) if call.strip() else {}
        mode = variables.get(f"{PREFIX}VLLM_IS_MODE", arguments.get("vllm_importance_sampling_mode"))
        if mode is not None and _modes() and mode not in _modes():
            return f"unknown vLLM importance sampling mode {mode}"
        _check_variables(variables, mode)
    except ValueError as error:
        return str(error)
    # Unsloth knows more modes than TRL.
    return trl.accepts(write_call("GRPOConfig", {**arguments, "vllm_importance_sampling_mode": "sequence_mask"}))


def _check_variables(variables: Mapping[str, str], mode: str | None) -> None:
    clip = variables.get(f"{PREFIX}VLLM_IS_CLIP")
    if clip is not None:
        take_function(ZOO, "grpo_parse_is_clip", {"math": math})(clip, mode)
    rejected = [variables.get(f"{PREFIX}{name}", "") for name in ("ROLLOUT_RS", "ROLLOUT_RS_THRESHOLD")]
    if any(rejected):
        space = {"math": math, "GRPO_ROLLOUT_RS_OPTIONS": _options()}
        take_function(ZOO, "grpo_parse_rollout_rs", space)(*rejected)


def keys() -> list[Key]:
    """TRL's, with Unsloth's defaults and modes, and the variables that the loss and the trainer read."""
    defaults, inherited = _defaults(), trl.keys()
    own = []
    for key in inherited:
        choices = _modes() if key.name == "vllm_importance_sampling_mode" else key.choices
        own.append(Key(key.name, defaults.get(key.name, key.default), choices, key.file))
    return own + [Key(name, default, None, ZOO) for name, default in _variables().items()]


def _defaults() -> dict[str, Any]:
    """The defaults that Unsloth writes into GRPOConfig's source."""
    for node in ast.walk(parse(REPLACED)):
        if isinstance(node, ast.Dict) and "vllm_importance_sampling_correction" in list_texts(node):
            names = [evaluate(key) for key in node.keys]
            return {str(name): evaluate(value) for name, value in zip(names, node.values, strict=True)}
    return {}


@cache
def _variables() -> dict[str, Any]:
    """Each variable that is named, with its default where ``os.environ.get`` reads it."""
    found: dict[str, Any] = {}
    for file in (ZOO, REPLACED, "unsloth/models/rl_replacements.py", "unsloth_zoo/routing_replay.py"):
        tree = parse(file)
        for name in list_texts(tree):
            if re.fullmatch(f"{PREFIX}[A-Z_]+", name) and any(word in name for word in WORDS):
                found.setdefault(name, None)
        for call in list_calls(tree, "get"):
            read = evaluate(call.args[0]) if len(call.args) > 1 else None
            if isinstance(read, str) and read in found:
                found[read] = evaluate(call.args[1])
    return dict(sorted(found.items()))


def samples() -> list[str]:
    """Every mode with bounds, as arguments and as variables, and every option of rejection."""
    on = {"use_vllm": True, "vllm_importance_sampling_correction": True}
    call = write_call("GRPOConfig", on)
    own = [
        f"export {PREFIX}VLLM_IS_MODE={mode}\nexport {PREFIX}VLLM_IS_CLIP={clip}\n{call}"
        for mode in _modes()
        for clip in ("_2.0", "0.5_2.0", "0.999_1.001")
    ]
    rejected = [
        f"export {PREFIX}ROLLOUT_RS={option}\nexport {PREFIX}ROLLOUT_RS_THRESHOLD=2\n{call}" for option in _options()
    ]
    return [config for config in [*trl.samples(), *own, *rejected] if accepts(config) is None]


def hooks() -> list[Found]:
    """Unsloth compiles TRL's trainer anew; its generations must still carry what TRL's callback reads."""
    columns = list_texts(parse("unsloth/models/rl_replacements.py")) | list_texts(parse(ZOO))
    return [
        Found(f"Unsloth's trainer has {name}", name in columns)
        for name in ["sampling_per_token_logps", "old_per_token_logps", "completion_mask", "prompt_ids"]
    ]
