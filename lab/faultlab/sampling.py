"""From logits to a sampled token and the log-prob that the engine reports for it."""

from __future__ import annotations

from dataclasses import dataclass

import torch

NEVER = float("-inf")


@dataclass(frozen=True)
class Sampling:
    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    repetition: float = 1.0
    presence: float = 0.0
    frequency: float = 0.0
    greedy: bool = False
    # What is reported: `processed` (what was sampled from) or `raw` (the model's distribution at temperature 1).
    report: str = "processed"

    @property
    def filters(self) -> bool:
        return self.top_k is not None or self.top_p is not None or self.min_p is not None


def penalize(logits: torch.Tensor, sampling: Sampling, counts: torch.Tensor, in_prompt: torch.Tensor) -> torch.Tensor:
    """Applies repetition (over prompt and output), presence and frequency (over the output) penalties."""
    if sampling.repetition != 1:
        seen = (counts > 0) | in_prompt
        scaled = torch.where(logits > 0, logits / sampling.repetition, logits * sampling.repetition)
        logits = torch.where(seen, scaled, logits)
    return logits - sampling.presence * (counts > 0) - sampling.frequency * counts


def find_kept(log_probs: torch.Tensor, sampling: Sampling) -> torch.Tensor:
    """The tokens that top-k, top-p and min-p keep (bool, same shape)."""
    kept = torch.ones_like(log_probs, dtype=torch.bool)
    order = log_probs.argsort(dim=-1, descending=True)
    if sampling.top_k is not None:
        kept &= torch.zeros_like(kept).scatter(-1, order[..., : sampling.top_k], True)
    if sampling.top_p is not None:
        probability = log_probs.gather(-1, order).exp()
        before = probability.cumsum(-1) - probability
        kept &= torch.zeros_like(kept).scatter(-1, order, before < sampling.top_p)
    if sampling.min_p is not None:
        kept &= log_probs >= log_probs.amax(-1, keepdim=True) + torch.log(torch.tensor(sampling.min_p))
    return kept


def process(logits: torch.Tensor, sampling: Sampling) -> torch.Tensor:
    """Log-probs of the distribution that tokens are sampled from; the logits already include penalties."""
    log_probs = torch.log_softmax(logits / sampling.temperature, dim=-1)
    if sampling.filters:
        log_probs = torch.log_softmax(log_probs.masked_fill(~find_kept(log_probs, sampling), NEVER), dim=-1)
    return log_probs


def report(
    logits: torch.Tensor, padded: torch.Tensor | None, sampled: torch.Tensor, sampling: Sampling
) -> torch.Tensor:
    """The log-probs [rows, V] that the engine returns for what it sampled from `sampled`."""
    if sampling.greedy:
        return torch.full_like(sampled, NEVER).scatter(-1, logits.argmax(-1, keepdim=True), 0.0)
    values = torch.log_softmax(logits, dim=-1) if sampling.report == "raw" else sampled
    if padded is None:
        return values
    everything = torch.cat((logits, padded), dim=-1) / sampling.temperature
    return logits / sampling.temperature - torch.logsumexp(everything, dim=-1, keepdim=True)


def entropy(log_probs: torch.Tensor) -> torch.Tensor:
    """−Σ p ln p in nats over the last axis; log-probs of −∞ count as 0."""
    return -(log_probs.exp() * log_probs.clamp(min=-1e4)).sum(-1)
