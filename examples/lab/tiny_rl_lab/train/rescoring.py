"""The trainer's view of rollouts: log-probs recomputed by full forward passes, and the gap."""

from collections.abc import Sequence

import numpy as np
import torch

from ..engine import TOP_K, Trajectory
from ..model import TinyLlama, length_buckets, next_token_log_probs

Scored = dict[str, torch.Tensor]  # log_prob, and with details entropy, top_ids, top_log_prob


@torch.no_grad()
def trainer_pass(
    model: TinyLlama, trajectories: Sequence[Trajectory], details: bool = False
) -> list[Scored]:
    """Per response token, tool tokens included: log-probs, and with `details` entropy and top 5."""
    rows = [t.prompt + t.response for t in trajectories]
    out: list[Scored | None] = [None] * len(rows)
    for bucket in length_buckets([len(r) for r in rows]):
        token_log_probs, all_log_probs = next_token_log_probs(model, [rows[i] for i in bucket])
        for k, i in enumerate(bucket):
            span = slice(len(trajectories[i].prompt) - 1, len(rows[i]) - 1)
            out[i] = {"log_prob": token_log_probs[k, span].clone()}
            if details:
                out[i] |= _details(all_log_probs[k, span])
    return out


def _details(log_probs: torch.Tensor) -> Scored:
    top = log_probs.topk(TOP_K, dim=-1)
    return {
        "entropy": -(log_probs.exp() * log_probs).sum(-1),
        "top_ids": top.indices,
        "top_log_prob": top.values,
    }


def mismatch(trajectories: Sequence[Trajectory], old: Sequence[Scored]) -> dict[str, float]:
    """Rollout against trainer over the model's own tokens, d = old - rollout in nats.

    k1 = mean(-d) and k3 = mean(exp(d) - d - 1) estimate KL(rollout || trainer).
    """
    mask = np.concatenate([t.mask for t in trajectories]).astype(bool)
    rollout = np.concatenate([t.log_prob for t in trajectories])[mask]
    trainer = np.concatenate([o["log_prob"].numpy() for o in old]).astype(np.float64)[mask]
    d = trainer - rollout
    gap = np.abs(np.exp(trainer) - np.exp(rollout))
    return {
        "abs_diff_mean": float(np.abs(d).mean()),
        "abs_diff_max": float(np.abs(d).max()),
        "k1": float(-d.mean()),
        "k3": float((np.exp(d) - d - 1).mean()),
        "prob_diff_mean": float(gap.mean()),
        "prob_diff_max": float(gap.max()),
        "tokens": int(mask.sum()),
    }
