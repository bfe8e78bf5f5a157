"""A loop on transformers' ``Trainer``: record where both log-probs are at hand; the figures go to ``report_to``.

    import logratio.transformers
    recording = logratio.transformers.Callback(trainer, name="run-7")
    trainer.add_callback(recording)

    recording.log(rollout_log_probs=…, old_log_probs=…, response_mask=…)  # for instance in compute_loss

TRL's trainers have a callback that finds both by itself: ``logratio.trl``. Read in transformers 5.10.4
(trainer.py, ``log``; trainer_callback.py, ``call_event``).
"""

from __future__ import annotations

import functools
import os
from typing import Any

from .hooks.base import Hook
from .hooks.loop import Loop
from .recorder import Recorder

_HOOK = Hook("transformers", "transformers", "5.10.4", "Trainer.log(logs) and Trainer.state.global_step")


class Callback:
    """A ``TrainerCallback`` that records what `log` is given, at the trainer's step.

    ``trainer.log`` then also gets the figures of the last recorded step, as ``logratio/k3`` and so on, for every
    integration in ``report_to`` and for ``state.log_history``. They are those of the first process's sequences, since
    it is the one that logs.

    Args:
        trainer: the trainer that it is added to.
        dir, name: as for `logratio.init`; by default ``LOGRATIO_DIR`` or ``LOGRATIO_URL``, with ``LOGRATIO_NAME``.
        run: a recorder that exists already, instead of both.
        figures: False: the trainer's logger gets none; None: unless ``LOGRATIO_FIGURES`` is 0.

    Raises:
        ValueError: if ``run`` is given with ``dir`` or ``name``.
    """

    _hook = _HOOK

    def __init__(
        self,
        trainer: Any,
        *,
        dir: str | os.PathLike[str] | None = None,
        name: str | None = None,
        run: Recorder | None = None,
        figures: bool | None = None,
    ) -> None:
        self._trainer = trainer
        self._loop = Loop(self._hook, dir=dir, name=name, run=run, figures=figures)
        self._add_figures()

    def __getattr__(self, name: str) -> Any:
        # Acts as a TrainerCallback without importing transformers: all other events do nothing.
        if name.startswith("on_"):
            return lambda *args, **kwargs: None
        raise AttributeError(name)

    def log(self, *batch: Any, **columns: Any) -> None:
        """Records a batch at the trainer's step; takes what ``Recorder.log`` takes. Never raises."""
        self._hook.guard(self._log)(*batch, **columns)

    def _log(self, *batch: Any, **columns: Any) -> None:
        for given in batch:
            columns = {**given, **columns}
        step = int(columns.pop("step", self._trainer.state.global_step))
        meta = columns.pop("meta", None)
        rank = self._trainer.args.process_index
        if self._loop.open(rank).is_due(step):
            self._loop.record(step, columns, rank=rank, meta=meta)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Waits until everything is written."""
        self._loop.flush()

    def _add_figures(self) -> None:
        """Makes the trainer's own log carry the figures: callbacks of ``report_to`` come before this one."""
        log = getattr(self._trainer, "log", None)
        if log is None:
            return

        @functools.wraps(log)
        def log_with_figures(logs: Any, *args: Any, **kwargs: Any) -> Any:
            is_evaluation = any(name.startswith("eval_") for name in logs)
            return log(logs if is_evaluation else {**logs, **self._loop.figures.take()}, *args, **kwargs)

        self._trainer.log = log_with_figures
