"""What a fault is: changes to the engine, the trainer or the columns, and what an answer may fairly be held to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..checkpoints import State
from ..engine import Engine
from ..rows import Row
from ..task import Task
from ..trainer import Trainer
from ..training import History

LEVELS = ("low", "medium", "high")


@dataclass
class World:
    """What a case starts from, before any fault."""

    task: Task
    config: dict
    checkpoints: dict[str, State]
    history: History
    at: int  # index of the weights of the first step
    steps: int
    moving: bool  # every step has its own weights
    ranks: int
    group_size: int
    noise: str  # rollout dtype / trainer dtype
    rows_per_step: int
    # Sound passes that cases share, for a model whose pass takes a minute; None: each case makes its own.
    passes: dict | None = None
    # Twice the mean |Δ| of sound engines by `noise`, nats, where it is not the toy's.
    limits: dict[str, float] = field(default_factory=dict)

    @property
    def ordinary(self) -> float:
        """Nats: no unstructured fault with a smaller mean |Δ| is identifiable."""
        return self.limits.get(self.noise, 2.5e-3)

    def rank(self, index: int) -> int:
        return index * self.ranks // self.rows_per_step

    def state(self, step: int, lag: int = 0) -> State:
        return self.history.states[max(0, self.at + (step if self.moving else 0) - lag)]


@dataclass
class Draw:
    """The random draw of a fault: its level and its random numbers."""

    rng: np.random.Generator
    level: str
    world: World

    def pick(self, *options):
        return options[int(self.rng.integers(len(options)))]

    def between(self, low: float, high: float, digits: int = 3) -> float:
        return round(float(self.rng.uniform(low, high)), digits)

    def level_of(self, low, medium, high):
        return {"low": low, "medium": medium, "high": high}[self.level]

    def level_between(self, low: tuple, medium: tuple, high: tuple, digits: int = 3) -> float:
        return self.between(*self.level_of(low, medium, high), digits)

    def side(self) -> str:
        return self.pick("rollout", "trainer")


@dataclass
class Fault:
    cause: str
    side: str | None  # rollout, trainer, data or both
    params: dict
    acceptable: list[str] = field(default_factory=list)
    # Unstructured faults are not identifiable if the mismatch is no larger than an ordinary engine's noise.
    structured: bool = True
    # The engine's prefill does not have it, so with three columns, decode is the guilty leg.
    decode_only: bool = False
    hidden: str | None = None  # why the dump cannot show it
    needs: frozenset[str] = frozenset()  # entropy, ranks, sources, positions, groups, moving, versions
    # Updates that the engine's weights are behind at a step, as the engine reports them.
    staleness: Callable[[int], int] = lambda step: 0
    # Whether it needs the sides' entropies and alternatives, whatever the dump keeps of them.
    details: bool = False
    # The numerics without which it does not show: those of both sides, as `World.noise` has them.
    noise: str | None = None
    scope: dict = field(default_factory=dict)
    notes: str = ""
    mechanism: str | None = None
    onset: int | None = None  # index of the step
    change_engine: Callable[[Engine, int], Engine] | None = None
    change_trainer: Callable[[Trainer, int], Trainer] | None = None
    change_rows: Callable[[list[Row], np.random.Generator], list[Row]] | None = None
    # The trainer's weights depend on the rows (an update on this very batch).
    train_on: Callable[[State, list[Row]], State] | None = None
    # Which rows it hits: (index in the step, step, row's source) → bool.
    hits: Callable[[int, int, str], bool] = lambda index, step, source: True


def swap_view(thing, **changes):
    """An Engine or a Trainer with another view."""
    from dataclasses import replace

    return replace(thing, view=replace(thing.view, **changes))
