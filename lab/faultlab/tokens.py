"""All tokens of a run in flat arrays, for the pictures."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from .rows import Row


class Tokens:
    """All response tokens of a run in flat arrays."""

    def __init__(self, steps: list[list[Row]]):
        self.rows = [r for s in steps for r in s]
        join = lambda parts: np.concatenate([np.asarray(p) for p in parts])  # noqa: E731
        self.rollout = join(r.columns["rollout"] for r in self.rows).astype(np.float64)
        self.trainer = join(r.columns["trainer"] for r in self.rows).astype(np.float64)
        self.counted = join(r.dumped_mask() == 1 for r in self.rows)
        self.own = join(r.own for r in self.rows)
        self.row = join(np.full(r.size, i) for i, r in enumerate(self.rows))
        self.index = join(np.arange(r.size) for r in self.rows)
        self.place = join(len(r.prompt) + np.arange(r.size) for r in self.rows)
        self.from_end = join(np.arange(r.size)[::-1] for r in self.rows)
        self.step = join(np.full(r.size, r.step) for r in self.rows)
        self.rank = join(np.full(r.size, r.rank) for r in self.rows)
        self.source = join(np.full(r.size, r.problem.source) for r in self.rows)
        self.repeated = join(mark_repeated(r) for r in self.rows)
        self.after_turn = join(measure_turns(r) for r in self.rows)
        self.prompt = join(np.full(r.size, len(r.prompt)) for r in self.rows)
        self.delta = self.trainer - self.rollout

    def mean(self, values: np.ndarray, where: np.ndarray) -> float | None:
        values = values[where & np.isfinite(values)]
        return float(values.mean()) if values.size else None

    def profile(self, by: np.ndarray, bins: list, values: np.ndarray, least: int = 5) -> list:
        """The mean of values over the counted tokens of each bin of `by`."""
        out = []
        for low, high in pairwise(bins):
            where = self.counted & (by >= low) & (by < high) & np.isfinite(values)
            out.append(float(values[where].mean()) if where.sum() >= least else None)
        return out


def mark_repeated(row: Row) -> np.ndarray:
    """Whether each token occurred earlier in the response."""
    seen: set[int] = set()
    out = []
    for token in row.response.tolist():
        out.append(token in seen)
        seen.add(token)
    return np.array(out)


def measure_turns(row: Row) -> np.ndarray:
    """Tokens since the first token of the latest later turn, negative before it; −99 in the first turn."""
    out = np.full(row.size, -99)
    for start, _ in row.turns()[1:]:
        low = max(0, start - 6)
        out[low:] = np.arange(low, row.size) - start
    return out
