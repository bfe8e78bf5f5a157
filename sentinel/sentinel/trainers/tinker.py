"""tinker-cookbook's config class (chz) names the loss, which runs on Tinker's servers, and its async runs' other one. The
dumps are datums of the real SDK, as rows, and the metrics of the cookbook's own logger. Stubbed are PyTorch, the HTTP client
and what renders and uploads."""

from __future__ import annotations

import dataclasses
import json
import typing
from pathlib import Path
from typing import Any

from ..contract import Found, Key
from ..syntax import find, list_texts, parse, select

PACKAGES = ["tinker-cookbook", "tinker"]
STUBS = [
    *["torch", "transformers", "httpx", "anyio", "sniffio", "distro", "rich", "click", "datasets", "blobfile", "tqdm"],
    *[
        "termcolor",
        "tiktoken",
        "PIL",
        "cloudpickle",
        "wandb",
        "safetensors",
        "huggingface_hub",
        "aiohttp",
        "tml_renderers",
    ],
    "pyrage",
]

BESIDE = {
    **{
        name: "the loss runs on Tinker's servers, and its formula is not in the cookbook"
        for name in ("loss_fn", "loss_fn_config", "async_config.loss_fn")
    },
    **{
        name: "the penalty against the reference"
        for name in ("kl_penalty_coef", "kl_discount_factor", "kl_reference_config")
    },
    "num_substeps": "updates per batch",
    "temperature": "there is no dialect that would read it",
    "compute_post_kl": "logs a figure",
    "rollout_json_export": "writes rewards and lengths, no log-probs",
    "async_config.max_steps_off_policy": "how old rollouts may be; the report measures it",
}

TRAIN = "tinker_cookbook/rl/train.py"
DATA = "tinker_cookbook/rl/data_processing.py"
WORDS = ["loss_fn", "kl_", "post_kl", "temperature", "off_policy", "rollout_json", "num_substeps"]


def keys() -> list[Key]:
    from tinker_cookbook.rl.train import AsyncConfig, Config

    found = []
    for prefix, config in (("", Config), ("async_config.", AsyncConfig)):
        for name in select(config.__chz_fields__, WORDS):
            field: Any = config.__chz_fields__[name]
            choices = typing.get_args(field.final_type) if name == "loss_fn" else None
            default = field._default if isinstance(field._default, str | int | float | bool) else None
            found.append(Key(f"{prefix}{name}", default=default, choices=choices, file=TRAIN))
    return found


def hooks() -> list[Found]:
    made = list_texts(find(parse(DATA), "trajectory_to_data"))
    metrics = list_texts(parse("tinker_cookbook/rl/metrics.py"))
    return [
        *(
            Found(f"{DATA} trajectory_to_data writes loss_fn_inputs.{name}", name in made)
            for name in ("target_tokens", "logprobs", "advantages", "mask")
        ),
        *(
            Found(f"tinker_cookbook/rl/metrics.py logs {name}", name in metrics)
            for name in ("optim/kl_sample_train_v1", "optim/kl_sample_train_v2", "optim/entropy")
        ),
    ]


def dumps(folder: Path) -> list[str]:
    """Datums as `dataclasses.asdict` gives them, and with their inputs as lists; the cookbook's metrics.jsonl."""
    import numpy as np
    import tinker
    from tinker_cookbook.utils.ml_log import JsonLogger

    datums = [
        tinker.Datum(
            model_input=tinker.ModelInput.from_ints([5, 6, 7, 8]),
            loss_fn_inputs={
                "target_tokens": np.array([6, 7, 8, 9]),
                "logprobs": np.array([0.0, 0.0, -0.25, -1.5 - 0.01 * number], dtype=np.float32),
                "advantages": np.array([0.0, 0.0, 0.5, 0.5], dtype=np.float32),
                "mask": np.array([0.0, 0.0, 1.0, 1.0], dtype=np.float32),
            },
        )
        for number in range(4)
    ]
    rows: dict[str, list[dict[str, Any]]] = {
        "fields": [dataclasses.asdict(datum) | {"model_input": datum.model_input.model_dump()} for datum in datums],
        "lists": [
            {
                "model_input": datum.model_input.model_dump(),
                "loss_fn_inputs": {name: tensor.tolist() for name, tensor in datum.loss_fn_inputs.items()},
            }
            for datum in datums
        ],
    }
    for name, records in rows.items():
        (folder / name).mkdir(parents=True)
        lines = "".join(json.dumps(record, default=lambda value: value.tolist()) + "\n" for record in records)
        (folder / name / "datums.jsonl").write_text(lines, encoding="utf-8")
    logger = JsonLogger(folder / "logged")
    for step in range(3):
        logger.log_metrics({"optim/kl_sample_train_v1": 0.001, "optim/kl_sample_train_v2": 0.0008}, step=step)
    return [*rows, "logged"]
