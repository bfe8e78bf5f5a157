"""What hooks cost the training thread, in milliseconds per step; another thread does the writing. The drop-in for verl's
calculate_debug_metrics stands beside verl's own, where verl is installed.

python bench/hooks.py
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

SEQUENCES, TOKENS, PROMPT = 256, 4096, 256


def make_columns() -> dict[str, Any]:
    generator = torch.Generator().manual_seed(1)
    lengths = torch.randint(TOKENS // 4, TOKENS, (SEQUENCES,), generator=generator)
    mask = (torch.arange(TOKENS)[None] < lengths[:, None]).long()
    rollout = -torch.rand(SEQUENCES, TOKENS, generator=generator)
    return {
        "prompts": torch.randint(3, 999, (SEQUENCES, PROMPT), generator=generator),
        "responses": torch.randint(3, 999, (SEQUENCES, TOKENS), generator=generator),
        "attention_mask": torch.cat([torch.ones(SEQUENCES, PROMPT, dtype=torch.long), mask], 1),
        "response_mask": mask,
        "rollout_log_probs": rollout,
        "old_log_probs": rollout + 0.01 * torch.randn(SEQUENCES, TOKENS, generator=generator),
        "advantages": torch.ones(SEQUENCES, TOKENS),
        "lengths": lengths.tolist(),
    }


def measure(name: str, call: Callable[[int], None], flush: Callable[[], None], tokens: int) -> None:
    times = []
    for step in range(8):
        began = time.perf_counter()
        call(step)
        times.append(time.perf_counter() - began)
        flush()
    # The first steps allocate the memory that later ones reuse.
    print(f"{name}: {1e3 * float(np.median(times[3:])):.1f} ms for {tokens:,} tokens")


def measure_debug_metrics(data: Any, tokens: int) -> None:
    from logratio.verl import calculate_debug_metrics

    measure("calculate_debug_metrics", lambda step: calculate_debug_metrics(data), lambda: None, tokens)
    try:
        from verl.utils.debug.metrics import calculate_debug_metrics as of_verl
    except ImportError:
        print("verl is not installed: no comparison with its own calculate_debug_metrics")
        return
    measure("the same of verl", lambda step: of_verl(data), lambda: None, tokens)


def main() -> None:
    os.environ["LOGRATIO_DIR"] = tempfile.mkdtemp()
    from logratio import slime, trl
    from logratio.hooks import verl

    c = make_columns()
    tokens = sum(c["lengths"])
    batch = {name: value for name, value in c.items() if name != "lengths"}
    uid = np.array([str(i // 8) for i in range(SEQUENCES)], dtype=object)
    data = SimpleNamespace(batch=batch, non_tensor_batch={"uid": uid}, meta_info={})

    def call_verl(step: int) -> None:
        verl.keep(data, SimpleNamespace(global_steps=step), None)

    measure("verl", call_verl, verl._HOOK.flush, tokens)
    measure_debug_metrics(data, tokens)

    micro = {
        "prompt_ids": c["prompts"],
        "prompt_mask": c["attention_mask"][:, :PROMPT],
        "completion_ids": c["responses"],
        "completion_mask": c["response_mask"],
        "sampling_per_token_logps": c["rollout_log_probs"],
        "old_per_token_logps": c["old_log_probs"],
        "advantages": torch.ones(SEQUENCES),
    }
    trainer = SimpleNamespace(args=SimpleNamespace(temperature=1.0), accelerator=SimpleNamespace(process_index=0))
    callback = trl.Callback(trainer)

    def call_trl(step: int) -> None:
        trainer._buffered_inputs = [dict(micro)]
        callback.on_pre_optimizer_step(None, SimpleNamespace(global_step=step), None)

    measure("TRL", call_trl, trl._HOOK.flush, tokens)

    def cut(name: str) -> list[Any]:
        return [row[:n] for row, n in zip(c[name], c["lengths"], strict=True)]

    rollout = {
        "tokens": [torch.cat([p, r]) for p, r in zip(c["prompts"], cut("responses"), strict=True)],
        "loss_masks": cut("response_mask"),
        "response_lengths": c["lengths"],
        "total_lengths": [n + PROMPT for n in c["lengths"]],
        "rollout_log_probs": cut("rollout_log_probs"),
        "log_probs": cut("old_log_probs"),
        "advantages": cut("advantages"),
    }
    args = SimpleNamespace(n_samples_per_prompt=8)
    measure("slime", lambda step: slime.record(args, step, rollout), slime._HOOK.flush, tokens)


if __name__ == "__main__":
    main()
