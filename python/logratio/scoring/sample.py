"""Continuations of a prompt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from .models import Model


@dataclass(frozen=True)
class SampleOptions:
    """Options for sampling. ``temperature`` 0 is greedy; the ids in ``stop_ids`` end a text and are part of it."""

    n: int
    temperature: float
    top_p: float
    max_tokens: int
    seed: int
    stop_ids: list[int]


@dataclass(frozen=True)
class Sampled:
    """Token ids, their log-probs at temperature 1, and whether a stop id ended them."""

    ids: np.ndarray
    logprobs: np.ndarray
    stopped: bool


def sample_texts(model: Model, prompt: np.ndarray, options: SampleOptions, check: Callable[[], None]) -> list[Sampled]:
    """Samples ``n`` continuations together, with a KV cache. Sample i depends only on the prompt, the seed and i."""
    n = 1 if options.temperature == 0 else options.n
    generators = [torch.Generator().manual_seed(_mix(options.seed, i)) for i in range(n)]
    stop = set(options.stop_ids)
    ids: list[list[int]] = [[] for _ in range(n)]
    logprobs: list[list[float]] = [[] for _ in range(n)]
    stopped = [False] * n
    given = torch.from_numpy(prompt).long().repeat(n, 1).to(model.device)
    past: Any = None
    for _ in range(options.max_tokens):
        check()
        answer = model.module(input_ids=given, past_key_values=past, use_cache=True, logits_to_keep=1)
        past = answer.past_key_values
        rows = answer.logits[:, -1].to(device="cpu", dtype=torch.float64)
        next_ids = []
        for i, row in enumerate(rows):
            token = _pick(row, options, generators[i])
            next_ids.append(token)
            if stopped[i]:
                continue
            ids[i].append(token)
            logprobs[i].append((row[token] - torch.logsumexp(row, 0)).item())
            stopped[i] = token in stop
        if all(stopped):
            break
        given = torch.tensor(next_ids, device=model.device).unsqueeze(1)
    found = [Sampled(np.array(ids[i], np.int32), np.array(logprobs[i], np.float64), stopped[i]) for i in range(n)]
    return found * (options.n // n)


def _pick(row: torch.Tensor, options: SampleOptions, generator: torch.Generator) -> int:
    if options.temperature == 0:
        return int(row.argmax())
    probs = torch.softmax(row / options.temperature, 0)
    if options.top_p < 1:
        ordered, order = probs.sort(descending=True)
        # The smallest set whose mass reaches top_p; at least one token.
        beyond = ordered.cumsum(0) - ordered >= options.top_p
        probs[order[beyond]] = 0.0
    return int(torch.multinomial(probs, 1, generator=generator))


def _mix(seed: int, index: int) -> int:
    """Mixes seed and index, so that the seeds of neighboring samples have nothing in common."""
    value = (seed * 0x9E3779B97F4A7C15 + index * 0xBF58476D1CE4E5B9 + 0x94D049BB133111EB) & (2**64 - 1)
    value ^= value >> 31
    return (value * 0xD6E8FEB86659FD93) & (2**63 - 1)
