"""A sequence and the columns that the run writes about it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .task import Problem

TOP = 5


@dataclass
class Row:
    """A sequence. All arrays have one entry per response token, including tool tokens."""

    problem: Problem
    response: np.ndarray  # int64
    own: np.ndarray  # bool: sampled by the model
    stop: str = "eos"
    columns: dict[str, np.ndarray] = field(default_factory=dict)
    mask: np.ndarray | None = None  # what the dump says; `own` unless a fault changes it
    positions: np.ndarray | None = None  # what the dump says, including the prompt
    kept: np.ndarray | None = None  # [n, V] bool: the engine's sampling mask
    uid: str = ""
    score: float = 0.0
    advantage: float = 0.0
    rank: int = 0
    step: int = 0
    staleness: int = 0  # updates that the weights which sampled it are behind, as the engine knows it

    @property
    def prompt(self) -> list[int]:
        return list(self.problem.prompt)

    @property
    def size(self) -> int:
        return len(self.response)

    def turns(self) -> list[tuple[int, int]]:
        """[start, end) of every stretch of own tokens."""
        edge = np.flatnonzero(np.diff(np.concatenate(([0], self.own.astype(int), [0]))))
        return list(zip(edge[::2].tolist(), edge[1::2].tolist(), strict=True))

    def dumped_mask(self) -> np.ndarray:
        return self.own.astype(np.int64) if self.mask is None else self.mask
