"""Forcing every checkpoint along the same sequence."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import torch

from ..model import TinyLlama
from ..task import Problem
from .divergences import Figures, divergences, log_softmax64, own_figures


class Forced(NamedTuple):
    """A sequence to force: ids of prompt (with <bos>) and response."""

    problem: Problem
    prompt: list[int]
    response: list[int]

    @property
    def ids(self) -> list[int]:
        return self.prompt + self.response

    @property
    def span(self) -> slice:
        """The positions whose logits are about the response's tokens."""
        return slice(len(self.prompt) - 1, len(self.ids) - 1)


class ForcedFigures(NamedTuple):
    logits: dict[str, np.ndarray]  # model -> float32 [T, V], the whole sequence
    reference: Figures  # of the model that the others are compared with
    others: dict[str, Figures]


@torch.no_grad()
def logits_of(model: TinyLlama, ids: list[int]) -> np.ndarray:
    """[T, V]; entry t predicts token t + 1."""
    return model(torch.tensor([ids]))[0].numpy()


def force(models: Mapping[str, TinyLlama], forced: Forced, reference: str = "dpo") -> ForcedFigures:
    """Per-token figures of each model, and its divergences from `reference`."""
    logits = {name: logits_of(m, forced.ids) for name, m in models.items()}
    log_q = log_softmax64(logits[reference][forced.span])
    others = {}
    for name in models:
        if name != reference:
            log_p = log_softmax64(logits[name][forced.span])
            others[name] = divergences(log_p, log_q) | own_figures(log_p, forced.response)
    return ForcedFigures(logits, own_figures(log_q, forced.response), others)


def float64_gap(p: TinyLlama, q: TinyLlama, forced: Forced, got: Figures) -> float:
    """Largest gap between `got` and the divergences of two float64 models."""
    log_p, log_q = (log_softmax64(logits_of(m, forced.ids)[forced.span]) for m in (p, q))
    exact = divergences(log_p, log_q)
    return max(float(np.abs(exact[name] - got[name]).max()) for name in exact)
