"""One run scored under many settings of the same weights, with a float32 pass to measure each by.

The run is a JSONL file in the record's columns: the rollout decodes in bfloat16 with a cache, the trainer scores whole
texts in bfloat16, `policy_logprobs.float32` is the reference and every other setting a further policy.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

import torch

from .arithmetic import Arithmetic, Model, force, sample
from .checkpoints import State

BF16, FP16, FP32 = torch.bfloat16, torch.float16, torch.float32
ROLLOUT, TRAINER, REFERENCE = "rollout", "trainer", "float32"
SIDES = {ROLLOUT: Arithmetic(), TRAINER: Arithmetic()}
SETTINGS = {
    REFERENCE: Arithmetic(FP32),
    # One part of float32 made narrow.
    "float32_master": Arithmetic(FP32, master=True),
    "float32_halves": Arithmetic(FP32, halves=True),
    "float32_bf16_norm": Arithmetic(FP32, norm=BF16),
    "float32_bf16_head": Arithmetic(FP32, head=BF16),
    "float32_bf16_log_softmax": Arithmetic(FP32, softmax=BF16),
    "float32_bf16_cache": Arithmetic(FP32, keys="bf16"),
    "float32_int8_cache": Arithmetic(FP32, keys="int8"),
    "float32_fp8_cache": Arithmetic(FP32, keys="e4m3"),
    "float32_int8_weights": Arithmetic(FP32, weights="int8"),
    "float32_fp8_weights": Arithmetic(FP32, weights="e4m3"),
    # All of it, and one thing done otherwise.
    "fp16": Arithmetic(FP16),
    "fp16_eager": Arithmetic(FP16, attention="eager"),
    "bf16_eager": Arithmetic(attention="eager"),
    "bf16_softmax": Arithmetic(attention="narrow"),
    "bf16_one_row": Arithmetic(rows=1),
    "bf16_left_pads": Arithmetic(pad="left"),
    "bf16_halves": Arithmetic(halves=True),
    "bf16_head_fp32": Arithmetic(head=FP32),
    "bf16_int8_weights": Arithmetic(weights="int8"),
    "bf16_fp8_cache": Arithmetic(keys="e4m3"),
}


def score_settings(
    state: State,
    config: dict,
    prompts: list[list[int]],
    enders: frozenset[int],
    longest: int,
    seed: int,
    names: list[str] | None = None,
) -> list[dict]:
    """A row per prompt in the record's columns."""
    rng = torch.Generator().manual_seed(seed)
    found = sample(Model(state, config, SIDES[ROLLOUT]), prompts, longest, enders, rng)
    texts = [(prompt, ids) for prompt, (ids, _) in zip(prompts, found, strict=True)]
    rows = [
        {
            "group_id": f"p{i}",
            "prompt_token_ids": prompt,
            "response_token_ids": ids,
            "rollout_logprobs": logprobs,
            "policy_logprobs": {},
        }
        for i, (prompt, (ids, logprobs)) in enumerate(zip(prompts, found, strict=True))
    ]
    for row, column in zip(rows, force(Model(state, config, SIDES[TRAINER]), texts), strict=True):
        row["trainer_logprobs"] = column
    for name in names or SETTINGS:
        start = time.perf_counter()
        for row, column in zip(rows, force(Model(state, config, SETTINGS[name]), texts), strict=True):
            row["policy_logprobs"][name] = column
        print(name, f"{time.perf_counter() - start:.1f} s", flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="the JSONL file to write")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--prompts", type=int, default=30)
    parser.add_argument("--longest", type=int, default=60, help="tokens of a response")
    parser.add_argument("--only", nargs="*", help="these settings; default all")
    arguments = parser.parse_args()
    from .smollm import EOS, load_model, make_problems

    torch.set_num_threads(1)
    state, config, tokenizer = load_model()
    problems = make_problems(tokenizer)
    dice = torch.Generator().manual_seed(arguments.seed)
    chosen = torch.randperm(len(problems), generator=dice)[: arguments.prompts].tolist()
    prompts = [list(problems[i].prompt) for i in chosen]
    names = None if arguments.only is None else [REFERENCE, *(n for n in arguments.only if n != REFERENCE)]
    rows = score_settings(state, config, prompts, frozenset({EOS}), arguments.longest, arguments.seed, names)
    arguments.out.write_text("".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
