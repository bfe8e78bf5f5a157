"""What callbacks in a loop share: where they record, and the figures that the loop's own logger gets."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..metrics.collect import PREFIX, flatten
from ..metrics.figures import measure_packed
from ..metrics.sources import load_columns
from ..recorder import Recorder
from ..recorder.record import pack
from .base import Hook, read_number


class Figures:
    """The figures of the last recorded step, for the logger of a training run.

    They are computed only when they are taken, at the loop's own pace of logging.

    Args:
        hook: says what went wrong.
        wanted: whether to compute them; None: unless ``LOGRATIO_FIGURES`` is 0.
    """

    def __init__(self, hook: Hook, wanted: bool | None = None) -> None:
        self._hook = hook
        self._wanted = wanted
        self._step: int | None = None
        self._batches: list[dict[str, np.ndarray]] = []
        self._further: dict[str, float] = {}

    def add(self, step: int, columns: Mapping[str, Any], **further: float) -> None:
        """Keeps what figures need of a batch.

        Args:
            step: training step; batches of an earlier one are forgotten.
            columns: names and values as for ``Recorder.log``.
            further: other figures of the step, which are summed over its batches.
        """
        if self._wanted is None:
            self._wanted = bool(read_number("LOGRATIO_FIGURES", int, 1))
        if not self._wanted:
            return
        if step != self._step:
            self._step, self._batches, self._further = step, [], {}
        try:
            self._batches.append(pack(load_columns({k: v for k, v in columns.items() if v is not None})))
        except Exception as error:
            self._hook.say(f"the logger gets no figures of a batch: {type(error).__name__}: {error}")
        for name, value in further.items():
            self._further[name] = self._further.get(name, 0.0) + value

    def take(self) -> dict[str, float]:
        """``logratio/k3`` and so on of what was added since the last call, as `logratio.scalars` gives them."""
        batches, self._batches = self._batches, []
        if not batches:
            return {}
        try:
            return flatten({**measure_packed(batches).all, **self._further}, PREFIX)
        except Exception as error:
            self._hook.say(f"the logger gets no figures of a step: {type(error).__name__}: {error}")
            return {}


class Loop:
    """A loop's recording: its recorder, and its figures.

    Args:
        hook: the trainer's hook.
        dir, name: as for `logratio.init`; None for both records where the environment says.
        run: a recorder of your own, instead of ``dir`` and ``name``.
        figures: as for `Figures`.

    Raises:
        ValueError: if ``run`` is given with ``dir`` or ``name``.
    """

    def __init__(
        self,
        hook: Hook,
        *,
        dir: str | os.PathLike[str] | None = None,
        name: str | None = None,
        run: Recorder | None = None,
        figures: bool | None = None,
    ) -> None:
        if run is not None and (dir is not None or name is not None):
            raise ValueError("run is a recorder, which has its place; leave out dir and name")
        self._hook = hook
        self._dir, self._name, self._run = dir, name, run
        self.figures = Figures(hook, figures)

    def open(self, rank: int | None = None) -> Recorder:
        """The recorder, created at the first call.

        Raises:
            TypeError: if ``dir`` or ``name`` has another type.
            ValueError: if one of them, or an environment variable, is out of range.
        """
        if self._run is None:
            has_place = self._dir is not None or self._name is not None
            hook = self._hook
            self._run = hook.make_recorder(rank, self._dir, self._name) if has_place else hook.open_recorder(rank)
        return self._run

    def record(
        self, step: int, columns: Mapping[str, Any], *, rank: int | None = None, meta: dict[str, Any] | None = None,
        **further: float,
    ) -> None:  # fmt: skip
        """Records a batch and, in the process of rank 0, which logs, keeps its figures; ``further`` as for
        `Figures.add`."""
        self._hook.log(step, recorder=self.open(rank), meta=meta, **columns)
        if not rank:
            self.figures.add(step, columns, **further)

    def flush(self) -> None:
        """Waits until everything is written."""
        if self._run is not None:
            self._run.flush(60)
