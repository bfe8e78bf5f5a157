"""The three RL runs and how they differ."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Run:
    """One RL run; steps are rollout batches (two optimiser updates each)."""

    name: str
    index: int  # added to the seeds of sampling and problems
    steps: int
    lr: float
    record_every: int
    record_first: bool = False
    int8: bool = False  # W8A8 engine instead of bfloat16
    stale: int = 0  # the engine's weights are this many steps old
    checkpoint_every: int = 0  # 0: none

    def records(self, step: int) -> bool:
        return step % self.record_every == 0 or (self.record_first and step == 1)

    def saves(self, step: int) -> bool:
        return self.checkpoint_every > 0 and step % self.checkpoint_every == 0


RUNS = {
    run.name: run
    for run in (
        Run("main", 0, 1000, 1.5e-6, 20, record_first=True, checkpoint_every=100),
        Run("int8", 1, 150, 2e-5, 10, int8=True),
        Run("stale", 2, 150, 8e-5, 10, stale=4),
    )
}
