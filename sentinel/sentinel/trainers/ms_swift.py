"""`swift rlhf` parses `RLHFArguments` with transformers' HfArgumentParser and refuses what is left; `megatron rlhf` does so
with `MegatronRLHFArguments`. The first is imported with its model and template registries stubbed, and transformers'
parser is run on it, without the classes' later checks, which load models. Of classes that need a GPU's packages, only the
fields are read, from their source."""

from __future__ import annotations

import ast
import dataclasses
import shlex
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ..alone import take_method
from ..contract import Found, Key
from ..packages import skip_init
from ..syntax import find, find_file, list_arguments, list_calls, list_fields, parse, select

PACKAGES = ["ms-swift", "transformers"]
STUBS = [
    *["torch", "accelerate", "peft", "datasets", "trl", "modelscope", "tqdm"],
    *["swift.model", "swift.template", "swift.trainers", "swift.dataset", "swift.hub", "swift.loss", "swift.utils"],
    *["swift.ray_utils", "swift.tuner_plugin", "swift.tuners", "swift.rlhf_trainers.utils"],
    *["transformers.utils", "transformers.training_args"],
]

RLHF = "swift/arguments/rlhf_args.py"
GRPO = "swift/rlhf_trainers/args_mixin.py"
MEGATRON = "swift/megatron/arguments/megatron_args.py"
TRAINER = "swift/rlhf_trainers/grpo_trainer.py"
MEGATRON_TRAINER = "swift/megatron/trainers/grpo_trainer.py"
# Classes with fields that are not imported, with their files.
OTHERS = {
    "TrainingArguments": "transformers/training_args.py",
    "Seq2SeqTrainingArguments": "transformers/training_args_seq2seq.py",
    "TrainArgumentsMixin": "swift/trainers/arguments.py",
    "RLHFMegatronArgumentsMixin": MEGATRON,
    "MegatronArguments": MEGATRON,
}
WORDS = (
    *["rollout_importance_sampling", "importance_sampling_level", "off_policy", "offpolicy", "router_replay"],
    *["temperature", "top_p", "top_k", "min_p", "repetition_penalty", "logprob"],
    *["num_iterations", "steps_per_generation", "async_generate", "log_completions", "max_staleness"],
)
BESIDE = {
    "num_iterations": "how often a generation is trained on; the first pass has the same ratio",
    "steps_per_generation": "how many optimizer steps a generation is divided into",
    "log_completions": "a table of texts without log-probs",
    "logprobs": "log-probs of swift infer and deploy",
    "top_logprobs": "log-probs of swift infer and deploy",
}


@cache
def _parser() -> Any:
    skip_init("transformers", "swift", "swift.rlhf_trainers", "swift.arguments")
    import swift.rlhf_trainers as trainers
    from swift.rlhf_trainers import args_mixin

    trainers.GRPOArgumentsMixin = args_mixin.GRPOArgumentsMixin
    from swift.arguments.rlhf_args import RLHFArguments
    from transformers.hf_argparser import HfArgumentParser

    # Its own checks load the model.
    unchecked = type("Unchecked", (RLHFArguments,), {"__post_init__": lambda self: None})
    return HfArgumentParser([dataclasses.dataclass(unchecked)])


@cache
def _others() -> dict[str, str]:
    """Fields of the classes that are not imported, each with its file."""
    return {name: file for of, file in OTHERS.items() for name in list_fields(parse(file), of)}


def accepts(config: str) -> str | None:
    arguments = [word for word in shlex.split(config, comments=True) if word.strip()]
    parser = _parser()

    def refuse(message: str) -> None:
        raise ValueError(message)

    parser.error = refuse
    try:
        _, rest = parser.parse_args_into_dataclasses(arguments, return_remaining_strings=True)
    except ValueError as error:
        return str(error)
    flags = [word.lstrip("-").partition("=")[0] for word in rest if word.startswith("--")]
    unknown = [flag for flag in flags if flag not in _others()]
    return f"remaining_argv: {unknown}" if unknown else None


def keys() -> list[Key]:
    imported = {action.dest: action for action in _parser()._actions}
    found = [
        Key(name, action.default, None if action.choices is None else list(action.choices), _file_of(name))
        for name, action in imported.items()
        if select([name], WORDS)
    ]
    later = {name: file for name, file in _others().items() if name not in imported}
    return found + [Key(name, None, None, later[name]) for name in select(later, WORDS)]


def _file_of(name: str) -> str:
    classes = {
        "RLHFArguments": RLHF,
        "GRPOArguments": RLHF,
        "GRPOArgumentsMixin": GRPO,
        "RolloutTrainerArgumentsMixin": GRPO,
    }
    found = (file for of, file in classes.items() if name in list_fields(parse(file), of))
    return next(found, "swift/arguments/base_args/generation_args.py")


def samples() -> list[str]:
    """Every mode of both trainers, with and without a threshold, and off-policy masking."""
    switch = next(key for key in keys() if key.name == "rollout_importance_sampling_mode")
    head = "--rlhf_type grpo --use_vllm true"
    modes = [f"--{switch.name} {choice}" for choice in switch.choices or ()]
    configs = [
        f"{head} {mode} {more}".strip()
        for mode in modes
        for more in ("", "--rollout_importance_sampling_threshold 3", "--off_policy_sequence_mask_delta 0.5")
    ]
    alone = [f"{head} --log_rollout_offpolicy_metrics true", f"{head} --off_policy_sequence_mask_delta 0.5"]
    return [config for config in configs + alone if accepts(config) is None]


def hooks() -> list[Found]:
    compare = "_compute_rollout_offpolicy_metrics"
    found = []
    for file in (TRAINER, MEGATRON_TRAINER):
        tree = parse(file)
        arguments = list_arguments(find(tree, compare))
        callers = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and list_calls(node, compare)]
        found += [
            Found(
                f"{file} {compare}(per_token_logps, rollout_per_token_logps, completion_mask)",
                arguments[1:4] == ["per_token_logps", "rollout_per_token_logps", "completion_mask"],
            ),
            Found(
                f"{file} calls {compare} where grpo_batch is a variable",
                any(_has_variable(node, "grpo_batch") for node in callers),
            ),
        ]
    fields = list_fields(parse("swift/rl_core/data.py"), "GRPOBatch")
    return [
        *found,
        *(
            Found(f"swift/rl_core/data.py GRPOBatch.{name}", name in fields)
            for name in ["ref_per_token_logps", "advantages"]
        ),
        *(Found(f"{file} assigns {name}", _has_variable(parse(file), name)) for file, name in MAPS.items()),
    ]


MAPS = {
    "swift/callbacks/mapping.py": "callbacks_map",
    "swift/megatron/callbacks/mapping.py": "megatron_callbacks_map",
}


def _has_variable(node: ast.AST, name: str) -> bool:
    return any(isinstance(item, ast.Name) and item.id == name for item in ast.walk(node)) or any(
        isinstance(item, ast.arg) and item.arg == name for item in ast.walk(node)
    )


def dumps(folder: Path) -> list[str]:
    """completions.jsonl, by the trainer's own `log` and writer."""
    from packaging import version

    base = type("Base", (), {"log": lambda self, logs, start: None})
    space = {"version": version, "transformers": SimpleNamespace(__version__="99.0")}
    trainer = take_method(TRAINER, "GRPOTrainer.log", base, space)()
    vars(trainer).update(
        model=SimpleNamespace(training=True),
        _metrics={"train": {}},
        _logs={
            "prompt": ["1 + 1 ="] * 2,
            "completion": [" 2", " 3"],
            "rewards": {"accuracy": [1.0, 0.0]},
            "advantages": [1.0, -1.0],
        },
        accelerator=SimpleNamespace(is_main_process=True),
        log_completions=True,
        state=SimpleNamespace(global_step=1),
        args=SimpleNamespace(report_to=[], log_entropy=False),
        jsonl_writer=_load_writer()(str(folder / "completions.jsonl")),
    )
    trainer.log({})
    return ["completions.jsonl"]


def _load_writer() -> Any:
    name = "swift.utils.io_utils"
    spec = spec_from_file_location(name, find_file("swift/utils/io_utils.py"))
    if spec is None or spec.loader is None:
        raise FileNotFoundError(name)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    # Its own is a stand-in here; it only replaces what JSON has no text for.
    vars(module)["check_json_format"] = lambda value: value
    return module.JsonlWriter
