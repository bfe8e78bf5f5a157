"""Lightning: ``Trainer(callbacks=[logratio.lightning.Callback(name="run-7")])`` records what ``training_step`` returns.

    def training_step(self, batch, batch_idx):
        …
        return {"loss": loss, "rollout_log_probs": …, "old_log_probs": …, "response_mask": …}

Read in lightning 2.6.6 (pytorch/loops/training_epoch_loop.py, ``advance``; pytorch/core/module.py, ``log_dict``).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from .hooks.base import Hook
from .hooks.loop import Loop
from .recorder import Recorder
from .recorder.columns import KNOWN, MASK_ALIASES

try:
    from lightning.pytorch import Callback as _Callback
except ImportError:
    # The package's older name.
    from pytorch_lightning import Callback as _Callback

_HOOK = Hook("lightning", "lightning", "2.6.6", "on_train_batch_end(trainer, pl_module, outputs, batch, batch_idx)")


class Callback(_Callback):  # type: ignore[misc]
    """Records every training batch whose outputs have ``rollout_log_probs`` and ``old_log_probs``.

    Of what ``training_step`` returns, and of a batch that is a dict, the columns that ``Recorder.log`` knows are taken,
    those of the outputs first. The module then logs ``logratio/k3`` and so on of the batch with ``log_dict``, so that
    every logger of the trainer has them at the step of the module's own figures.

    Args:
        dir, name: as for `logratio.init`; by default ``LOGRATIO_DIR`` or ``LOGRATIO_URL``, with ``LOGRATIO_NAME``.
        run: a recorder that exists already, instead of both.
        figures: False: the loggers get none; None: unless ``LOGRATIO_FIGURES`` is 0.

    Raises:
        ValueError: if ``run`` is given with ``dir`` or ``name``.
    """

    def __init__(
        self,
        *,
        dir: str | os.PathLike[str] | None = None,
        name: str | None = None,
        run: Recorder | None = None,
        figures: bool | None = None,
    ) -> None:
        super().__init__()
        self._loop = Loop(_HOOK, dir=dir, name=name, run=run, figures=figures)

    def on_train_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int, *args: Any
    ) -> None:
        """Records a batch; called by Lightning."""
        _HOOK.guard(self._record)(trainer, pl_module, outputs, batch)

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """Waits until everything is written."""
        self._loop.flush()

    def _record(self, trainer: Any, module: Any, outputs: Any, batch: Any) -> None:
        columns = _take_known(batch) | _take_known(outputs)
        missing = [name for name in ("rollout_log_probs", "old_log_probs") if name not in columns]
        if missing:
            raise LookupError(f"neither the outputs of training_step nor the batch have {missing[0]}")
        # The number of the step for Lightning's loggers; global_step has already been counted up.
        step, rank = int(trainer.fit_loop.epoch_loop._batches_that_stepped), trainer.global_rank
        if not self._loop.open(rank).is_due(step):
            return
        self._loop.record(step, columns, rank=rank)
        # At other steps, Lightning's loggers get nothing.
        if rank == 0 and trainer.log_every_n_steps > 0 and (step + 1) % trainer.log_every_n_steps == 0:
            module.log_dict(self._loop.figures.take(), rank_zero_only=True)


def _take_known(source: Any) -> dict[str, Any]:
    if not isinstance(source, Mapping):
        return {}
    return {name: source[name] for name in source if name in KNOWN or name in MASK_ALIASES}
