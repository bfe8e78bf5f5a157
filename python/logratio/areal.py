"""AReaL: one line in the entry script, between making the trainer and training.

    with PPOTrainer(config, train_dataset=…) as trainer:
        logratio.areal.attach(trainer)
        trainer.train(workflow=…)

config.actor.recompute_logprob=True (or use_decoupled_loss) makes AReaL compute the trainer's log-probs. They are read
before `compute_advantages`, which overwrites the engine's with them if the loss is not decoupled.

Read in AReaL 4aef98d8d: areal/trainer/rl_trainer.py (train), areal/trainer/ppo/actor.py (_compute_advantages):
entry t of `logprobs` and `loss_mask` is about token t, of `prox_logp` about token t + 1.
"""

from __future__ import annotations

import functools
from typing import Any

from .hooks.base import Hook, cut_rows, find_caller, find_spans, need

_HOOK = Hook(
    "areal",
    "areal",
    "4aef98d8d",
    "trainer.actor.compute_advantages(batch) with input_ids, loss_mask, attention_mask, logprobs and prox_logp",
)


@_HOOK.guard
def attach(trainer: Any) -> None:
    """Records every batch for which this trainer's actor computes advantages."""
    compute = trainer.actor.compute_advantages
    calls = 0

    @functools.wraps(compute)
    def record_and_compute(data: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        step = find_caller("global_step").get("global_step", calls)
        calls += 1
        record(data, step)
        return compute(data, *args, **kwargs)

    trainer.actor.compute_advantages = record_and_compute


@_HOOK.guard
def record(data: Any, step: int) -> None:
    """Records trajectories (a list of dicts, or one) as they are before `compute_advantages`."""
    if not _HOOK.open_recorder().is_due(step):
        return
    trajectories = data if isinstance(data, list) else [data]
    for group, trajectory in enumerate(trajectories):
        prox = need(
            trajectory.get("prox_logp"),
            "AReaL computes no log-probs of the trainer here; set actor.recompute_logprob=True",
        )
        mask = _load(trajectory["loss_mask"])
        ids = _load(trajectory["input_ids"])
        attention = _load(trajectory["attention_mask"])
        spans = find_spans(mask)
        before = [(start - 1, end - 1) if end else (0, 0) for start, end in spans]
        starts = attention.int().argmax(1).tolist()
        _HOOK.log(
            step,
            rollout_log_probs=cut_rows(_load(trajectory["logprobs"]), spans),
            old_log_probs=cut_rows(_load(prox), before),
            response_mask=cut_rows(mask, spans),
            responses=cut_rows(ids, spans),
            prompts=cut_rows(ids, [(a, start) for a, (start, _) in zip(starts, spans, strict=True)]),
            # -1 at prompts and tool output (areal/workflow/rlvr.py).
            weight_versions=cut_rows(_load(trajectory["versions"]), spans) if "versions" in trajectory else None,
            rewards=_load(trajectory["rewards"]) if "rewards" in trajectory else None,
            uid=[f"{step}.{group}"] * len(ids) if len(trajectories) > 1 else None,
        )


def _load(value: Any) -> Any:
    """The tensor in this process; a controller's tensors are references to those of its workers."""
    return value.to_local() if hasattr(value, "to_local") else value
