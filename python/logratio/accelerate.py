"""Accelerate: a tracker that records, and figures for all trackers.

    import logratio.accelerate
    accelerator = Accelerator(log_with=["wandb", logratio.accelerate.Tracker(name="run-7")])
    accelerator.init_trackers("grpo")

    logratio.accelerate.record(accelerator, step=step, rollout_log_probs=…, old_log_probs=…, response_mask=…)

Read in accelerate 1.15.0 (tracking.py, ``GeneralTracker``; accelerator.py, ``init_trackers``, ``log``, ``end_training``).
"""

from __future__ import annotations

import os
from typing import Any

from accelerate.tracking import GeneralTracker

from .hooks.base import Hook, describe_sampling
from .hooks.loop import Loop
from .recorder import Recorder

_HOOK = Hook("accelerate", "accelerate", "1.15.0", "Accelerator.trackers, and Accelerator.log(values, step)")


class Tracker(GeneralTracker):  # type: ignore[misc]
    """Records the batches that `record` is given; each process writes its own. Scalars that other trackers get are not
    part of the record.

    Args:
        dir, name: as for `logratio.init`; by default ``LOGRATIO_DIR`` or ``LOGRATIO_URL``, with ``LOGRATIO_NAME``.
        run: a recorder that exists already, instead of both.
        figures: False: other trackers get none; None: unless ``LOGRATIO_FIGURES`` is 0.

    Raises:
        ValueError: if ``run`` is given with ``dir`` or ``name``.
    """

    name = "logratio"
    requires_logging_directory = False
    main_process_only = False

    def __init__(
        self,
        *,
        dir: str | os.PathLike[str] | None = None,
        name: str | None = None,
        run: Recorder | None = None,
        figures: bool | None = None,
    ) -> None:
        super().__init__()
        self.loop = Loop(_HOOK, dir=dir, name=name, run=run, figures=figures)
        #: Facts for every batch, out of the configuration of ``init_trackers``.
        self.facts: dict[str, Any] = {}

    @property
    def tracker(self) -> Recorder:
        """The recorder, for ``accelerator.get_tracker("logratio", unwrap=True)``."""
        return self.loop.open()

    def store_init_configuration(self, values: dict[str, Any]) -> None:
        """Keeps the sampling parameters among ``config`` of ``init_trackers`` for the record."""
        self.facts = describe_sampling(values)

    def finish(self) -> None:
        """Waits until everything is written; ``accelerator.end_training()`` calls it."""
        self.loop.flush()


@_HOOK.guard
def record(accelerator: Any, *, step: int, meta: dict[str, Any] | None = None, **columns: Any) -> None:
    """Records a batch with the accelerator's tracker, and logs ``logratio/k3`` and so on to its other trackers, of the
    first process's sequences. Never raises.

    Args:
        accelerator: one whose ``log_with`` has a `Tracker`, after ``init_trackers``.
        step: training step.
        meta: as for ``Recorder.log``, as are the columns.
    """
    found = next((tracker for tracker in accelerator.trackers if isinstance(tracker, Tracker)), None)
    if found is None:
        raise LookupError(
            "the accelerator has no logratio tracker; give Accelerator(log_with=[…, logratio.accelerate.Tracker()]), and "
            "call accelerator.init_trackers(…) first"
        )
    rank = accelerator.process_index
    if not found.loop.open(rank).is_due(step):
        return
    found.loop.record(step, columns, rank=rank, meta={**found.facts, **(meta or {})})
    if accelerator.is_main_process:
        figures = found.loop.figures.take()
        if figures:
            accelerator.log(figures, step=step)
