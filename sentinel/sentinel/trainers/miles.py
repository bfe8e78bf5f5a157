"""miles adds its arguments to Megatron's argparse parser; here to an empty one (`get_miles_extra_args_provider`). Stubbed are SGLang, Ray and PyTorch. Its only releases on PyPI are those of
May 2026, as miles-rl."""

from __future__ import annotations

import argparse
import shlex
from typing import Any, NoReturn

from ..contract import Found, Key
from ..syntax import find, list_texts, parse, select

PACKAGES = ["miles-rl"]
STUBS = [
    "torch",
    "ray",
    "sglang",
    "sglang_router",
    "transformers",
    "megatron",
    "numpy",
    "httpx",
    "aiohttp",
    "wandb",
    "jinja2",
    "huggingface_hub",
]

BESIDE = {
    "true-on-policy-mode": "makes trainer and engine compute alike; a report shows whether they do",
    "max-weight-staleness": "how old rollouts may be; the report measures it",
    **{name: "clips PPO's own ratio" for name in ("eps-clip", "eps-clip-high", "eps-clip-c")},
    "use-unbiased-kl": "the penalty against the reference",
    "custom-pg-loss-reducer-function-path": "how the loss is averaged",
    "use-routing-replay": "replays the trainer's own routes",
    **{
        name: "writes a dump; docs/formats/inputs.md names it"
        for name in ("save-debug-rollout-data", "save-debug-train-data", "dump-details")
    },
    "rollout-data-postprocess-path": "takes our hook",
}

FUNCTIONS = [
    "miles/backends/training_utils/loss.py",
    "miles/backends/training_utils/loss_hub/corrections.py",
]
ARGUMENTS = "miles/utils/arguments.py"
WORDS = [
    *["tis", "mismatch", "rollout_logprobs", "opsm", "eps_clip", "routing_replay", "unbiased_kl", "true_on_policy"],
    *["rollout_temperature", "rollout_top", "save_debug", "dump_details", "check_weight", "custom_pg_loss"],
    *["rollout_data_postprocess", "staleness", "skip_actor_forward"],
]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def _parser() -> Any:
    from miles.utils.arguments import get_miles_extra_args_provider

    return get_miles_extra_args_provider()(_Parser(allow_abbrev=False, conflict_handler="resolve"))


def accepts(config: str) -> str | None:
    try:
        given = _parser().parse_args(["--rollout-batch-size", "8", *shlex.split(config.replace("\\\n", " "))])
    except (ValueError, argparse.ArgumentError) as error:
        return f"{type(error).__name__}: {error}"
    if given.use_tis and given.use_rollout_logprobs:
        return "miles_validate_args: use_rollout_logprobs and use_tis cannot be set at the same time."
    return None


def keys() -> list[Key]:
    actions = {action.dest: action for action in _parser()._actions}
    return [
        Key(
            actions[name].option_strings[0].lstrip("-"),
            default=actions[name].default,
            choices=actions[name].choices,
            file=ARGUMENTS,
        )
        for name in select(actions, WORDS)
    ] + _engine_keys()


def _engine_keys() -> list[Key]:
    """Arguments of SGLang that our product reads: miles takes all of SGLang's under a prefix, and SGLang is stubbed."""
    source = "miles/backends/sglang_utils/arguments.py"
    has_prefix = any("--sglang-" in text for text in list_texts(parse(source)))
    stems = ["single", "acc"] if has_prefix else []
    return [Key(f"sglang-speculative-accept-threshold-{stem}", file=source) for stem in stems]


def samples() -> list[str]:
    configs = [
        "--use-tis --tis-clip 2.0 --tis-clip-low 0",
        "--use-rollout-logprobs",
        "--use-opsm --opsm-delta 1e-4",
        "--get-mismatch-metrics --custom-tis-function-path examples.train_infer_mismatch_helper.mis.compute_mis_weights_with_cp",
    ]
    return [config for config in configs if accepts(config) is None]


def hooks() -> list[Found]:
    actor = find(parse("miles/backends/megatron_utils/actor.py"), "MegatronTrainRayActor.train_actor")
    source = list_texts(actor)
    return [
        Found("miles/backends/megatron_utils/actor.py train_actor exists", actor is not None),
        # The linter knows both places, and names the one of the config's release.
        *(
            Found(f"{name} is where the linter looks", any(find(parse(module), name) for module in FUNCTIONS))
            for name in ("icepop_function", "vanilla_tis_function")
        ),
        Found(
            f"{ARGUMENTS} has --rollout-data-postprocess-path",
            "--rollout-data-postprocess-path" in list_texts(parse(ARGUMENTS)),
        ),
        *(
            Found(
                f"rollout_data has {name}", name in source | list_texts(parse("miles/backends/training_utils/data.py"))
            )
            for name in ("tokens", "loss_masks", "response_lengths", "total_lengths", "rollout_log_probs")
        ),
    ]
