"""Forward passes that are made only for the record, where a trainer computes no log-probs of its own."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Iterator

from ..arguments import read_whole
from ..recorder import Recorder
from .base import read_number


class Scoring:
    """Which steps and sequences are scored with the trainer's own model, and what that costs.

    Args:
        every: scores one in this many steps; 0 none; None: ``$LOGRATIO_SCORE_EVERY``, else ``default``.
        sequences: the most sequences of a step to score; None: ``$LOGRATIO_SCORE_SEQUENCES``, else all.
        default: for ``every``.

    Raises:
        TypeError: if one of them is not a whole number.
        ValueError: if one of them is negative, or ``sequences`` is 0.
    """

    def __init__(self, every: int | None = None, sequences: int | None = None, *, default: int = 0) -> None:
        every = read_number("LOGRATIO_SCORE_EVERY", int, default) if every is None else every
        sequences = read_number("LOGRATIO_SCORE_SEQUENCES", int, None) if sequences is None else sequences
        self.every = read_whole("score_every", every)
        self.sequences = None if sequences is None else read_whole("score_sequences", sequences)
        if self.every < 0:
            raise ValueError(f"score_every must be at least 0, not {self.every}")
        if self.sequences is not None and self.sequences < 1:
            raise ValueError(f"score_sequences must be at least 1, not {self.sequences}")
        self._seconds = 0.0
        self._steps = 0
        self._last: int | None = None
        self._told = 0

    def is_due(self, step: int) -> bool:
        """Whether the step is scored."""
        return self.every > 0 and step % self.every == 0

    def choose_rows(self, count: int, step: int, multiple: int = 1) -> list[int]:
        """The rows of a batch to score, in order, chosen without looking at them.

        Args:
            count: rows of the batch.
            step: training step; the same one chooses the same rows.
            multiple: chooses a multiple of this many, at least ``sequences``, for workers that share a batch evenly.
        """
        wanted = count if self.sequences is None else -(-self.sequences // multiple) * multiple
        return list(range(count)) if wanted >= count else sorted(random.Random(step).sample(range(count), wanted))

    @contextlib.contextmanager
    def measure(self, step: int) -> Iterator[list[float]]:
        """Adds the time of the block to the cost, and to the yielded list, in seconds."""
        found: list[float] = []
        began = time.perf_counter()
        yield found
        found.append(time.perf_counter() - began)
        self._seconds += found[0]
        if step != self._last:
            self._last, self._steps = step, self._steps + 1

    def tell(self, recorder: Recorder) -> None:
        """Prints what scoring has cost so far, after the 1st, 10th, 100th, … scored step."""
        if self._steps >= max(1, 10 * self._told):
            self._told = self._steps
            recorder.announce(self.describe())

    def describe(self) -> str:
        """The cost, in one line."""
        each = self._seconds / max(1, self._steps)
        which = "all sequences" if self.sequences is None else f"{self.sequences} sequences"
        steps = "every step" if self.every == 1 else f"one in {self.every} steps"
        return (
            f"scoring {which} of {steps} with the trainer's own model took {each:.3g} s per scored step, "
            f"{each / max(1, self.every):.3g} s per step ({self._steps} scored so far)"
        )
