"""Group advantages and the clipped policy update."""

from collections.abc import Sequence

import torch

from ..engine import Trajectory
from ..model import TinyLlama, length_buckets, next_token_log_probs
from .optimiser import AdamW, clip_grad_norm
from .rescoring import Scored

GROUP_SIZE = 8
CLIP, MAX_GRAD_NORM = 0.2, 1.0


def group_advantages(scores: list[float]) -> list[float]:
    """(r - mean) / (std + 1e-6) within each group of 8, sample standard deviation."""
    r = torch.tensor(scores).view(-1, GROUP_SIZE)
    return ((r - r.mean(1, keepdim=True)) / (r.std(1, keepdim=True) + 1e-6)).view(-1).tolist()


def update(
    model: TinyLlama,
    optimiser: AdamW,
    trajectories: Sequence[Trajectory],
    old: Sequence[Scored],
    advantages: Sequence[float],
) -> tuple[float, float, float]:
    """One PPO-clip update, token-mean over the mini-batch: (loss, clip fraction, gradient norm)."""
    rows = [t.prompt + t.response for t in trajectories]
    total = sum(sum(t.mask) for t in trajectories)
    clipped = loss_sum = 0.0
    optimiser.zero_grad()
    for bucket in length_buckets([len(r) for r in rows]):
        if all(advantages[i] == 0 for i in bucket):
            continue
        token_log_probs, _ = next_token_log_probs(model, [rows[i] for i in bucket])
        loss = 0.0
        for k, i in enumerate(bucket):
            start = len(trajectories[i].prompt) - 1
            mask = torch.tensor(trajectories[i].mask, dtype=torch.float32)
            new = token_log_probs[k, start : start + len(mask)]
            ratio = (new - old[i]["log_prob"]).exp()
            plain = ratio * advantages[i]
            bounded = ratio.clamp(1 - CLIP, 1 + CLIP) * advantages[i]
            loss = loss - (torch.minimum(plain, bounded) * mask).sum() / total
            clipped += ((bounded < plain) * mask).sum().item() / total
        loss.backward()
        loss_sum += loss.item()
    if any(p.grad is None for p in optimiser.parameters):  # every group tied: nothing to learn
        return 0.0, 0.0, 0.0
    norm = clip_grad_norm(optimiser.parameters, MAX_GRAD_NORM)
    optimiser.step()
    return loss_sum, clipped, norm
