"""Curves for the cause pages (python -m faultlab.pictures OUT.json …): one injected case per cause and a sound one.

`scripts/cause-pictures.mjs` draws them.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from .faults import CAUSES, FAULTS, Draw, World
from .make import prepare_toy, to_plain
from .plan import Setting
from .produce import Case, make_rows
from .profiles import PROFILES
from .tokens import Tokens

ROWS, GROUP = 32, 8


@dataclass(frozen=True)
class Choice:
    """How a cause is shown: over what, at which level, with which draw, and with which engine's noise."""

    profile: str
    level: str = "medium"
    draw: int = 0
    noise: str = "bf16/fp32"


CHOICES = {
    "healthy": Choice("distribution"),
    "temperature_mismatch": Choice("confidence", "high", 1),
    "log_base": Choice("confidence"),
    "probabilities_not_logs": Choice("values"),
    "truncation_renormalised": Choice("signed", "high", noise="fp32/fp32"),
    "truncation_unlogged": Choice("surprisal", "high", 1),
    "penalty_mismatch": Choice("repeats", "high", 1),
    "greedy_zero_logprobs": Choice("values"),
    "softcap_mismatch": Choice("confidence", "high"),
    "vocab_padding_in_softmax": Choice("signed", "high"),
    "token_shift": Choice("lags"),
    "rows_shuffled_batch": Choice("rows", "medium"),
    "rows_shuffled_group": Choice("rows", "medium"),
    "duplicated_rows": Choice("twins", "high"),
    "retokenized_turns": Choice("turn_start"),
    "cp_boundary": Choice("positions"),
    "tool_tokens_unmasked": Choice("turn_start"),
    "eos_not_in_mask": Choice("counted"),
    "mask_past_eos": Choice("ends", "high"),
    "mask_shift": Choice("turn_start"),
    "first_token_wrong": Choice("starts", "high"),
    "last_token_wrong": Choice("ends", "high"),
    "bos_missing": Choice("positions"),
    "bos_double": Choice("positions"),
    "prompt_left_cut": Choice("prompts", "medium"),
    "template_mismatch": Choice("positions", "high"),
    "pads_attended": Choice("prompts"),
    "position_ids_wrong": Choice("positions", "high"),
    "rope_mismatch": Choice("positions"),
    "context_window": Choice("positions"),
    "packing_leak": Choice("rows", "high"),
    "stale_weights": Choice("distribution", "high"),
    "trainer_ahead_one_update": Choice("advantages", "high"),
    "wrong_checkpoint": Choice("distribution", "high"),
    "layer_not_synced": Choice("distribution", "high"),
    "tied_head_not_synced": Choice("distribution", "high"),
    "lora_not_merged": Choice("distribution", "high"),
    "mixed_weight_versions": Choice("rows", "high"),
    "stale_prefix_cache": Choice("positions", "high"),
    "weight_quantization": Choice("distribution", "high"),
    "kv_cache_quantization": Choice("distribution", "high"),
    "logprob_storage_rounding": Choice("lattice", noise="fp32/fp32"),
    "fp16_overflow": Choice("missing"),
    "dropout_on": Choice("prefixes", "high"),
    "moe_routing_flips": Choice("distribution", "high"),
    "sentinel_fill": Choice("values", "high", 1),
    "nan_logprobs": Choice("missing", "high"),
    "clamped_logprobs": Choice("values", "high", 1),
    "copied_column": Choice("distribution"),
    "one_bad_rank": Choice("ranks", "high"),
    "one_bad_source": Choice("sources", "high", 5),
    "one_bad_step": Choice("steps", "high", 4),
    "sudden_onset": Choice("steps", "high", 5),
    "growing_staleness": Choice("steps", "high"),
    "other_statistic": Choice("values"),
    "columns_swapped": Choice("identities", "high"),
    "kernel_boundary": Choice("positions", "high", noise="bf16/bf16"),
    "update_below_precision": Choice("distribution", "high", noise="fp32/fp32"),
}


# Sound runs by numerics, number of steps and group size, which causes share.
SOUND_RUNS: dict[tuple[str, int, int], Tokens] = {}


def build_world(setting: Setting, noise: str, steps: int, group: int) -> World:
    history = setting.histories[0]
    return World(
        task=setting.task,
        config=setting.config,
        checkpoints=setting.checkpoints,
        history=history,
        at=len(history.states) - steps,
        steps=steps,
        moving=True,
        ranks=4,
        group_size=group,
        noise=noise,
        rows_per_step=ROWS,
    )


def make_picture(cause: str, setting: Setting, seed: int) -> dict:
    choice = CHOICES[cause]
    steps = 8 if choice.profile == "steps" else 2
    # Many different prompts if their lengths matter.
    group = 2 if choice.profile == "prompts" else GROUP
    world = build_world(setting, choice.noise, steps, group)
    faults = []
    if cause != "healthy":
        faults = [FAULTS[cause](Draw(np.random.default_rng(seed + choice.draw), choice.level, world))]
    tokens = Tokens(make_rows(Case(cause, world, faults, ROWS, seed=seed)))
    key = (choice.noise, steps, group)
    if key not in SOUND_RUNS:
        SOUND_RUNS[key] = Tokens(make_rows(Case("healthy", world, [], ROWS, seed=seed)))
    sound = tokens if cause == "healthy" else SOUND_RUNS[key]
    picture = PROFILES[choice.profile](tokens, sound)
    about = {"cause": faults[0].cause, "params": faults[0].params, "side": faults[0].side} if faults else {}
    return {"id": cause, **picture, "setup": about, "numerics": choice.noise}


def main() -> None:
    torch.set_num_threads(1)
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=1601)
    parser.add_argument("--only", nargs="*", help="renew only these causes")
    parser.add_argument("--checkpoints", type=Path, required=True)
    parser.add_argument("--recordings", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    arguments = parser.parse_args()
    setting = prepare_toy(Namespace(**vars(arguments), runs=1))
    kept = {p["id"]: p for p in json.loads(arguments.out.read_text())} if arguments.out.exists() else {}
    for cause in ["healthy", *CAUSES]:
        if cause not in kept or cause in (arguments.only or ()):
            kept[cause] = make_picture(cause, setting, arguments.seed)
            print(cause, kept[cause]["setup"].get("params"), flush=True)
            lines = [json.dumps(kept[c], default=to_plain) for c in ["healthy", *CAUSES] if c in kept]
            arguments.out.write_text("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    main()
