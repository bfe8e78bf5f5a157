"""``logratio.init``, and the functions of the module that speak to the recorder of the last one."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from typing import Any

from .counts import Counts
from .recorder import Recorder

logger = logging.getLogger("logratio")


class _Current:
    """The recorder that `log` and `finish` speak to."""

    recorder: Recorder | None = None
    has_warned = False


def init(
    dir: str | os.PathLike[str] | None = None,
    name: str | None = None,
    *,
    url: str | None = None,
    rank: int | None = None,
    resume: str | None = None,
    config: Any = None,
    tags: Sequence[str] | None = None,
    mode: str | None = None,
    every: int = 1,
    sample: float = 1.0,
    max_tokens: int | None = None,
    max_queue_bytes: int = 2 << 30,
    max_spool_bytes: int = 4 << 30,
) -> Recorder:
    """Starts a recording and prints where it is; see `Recorder` for the arguments. The recorder can be used in ``with``
    and finishes by itself at exit. `log` and `finish` of the module speak to the last one.

    Raises:
        TypeError: when an argument is of another type.
        ValueError: when one is out of its range, or ``resume`` does not fit what is there.
    """
    recorder = Recorder(
        dir,
        name,
        url=url,
        rank=rank,
        resume=resume,
        config=config,
        tags=tags,
        mode=mode,
        every=every,
        sample=sample,
        max_tokens=max_tokens,
        max_queue_bytes=max_queue_bytes,
        max_spool_bytes=max_spool_bytes,
    )
    recorder.introduce("records to")
    _Current.recorder = recorder
    return recorder


def log(*batch: Any, step: Any = None, meta: Mapping[str, Any] | None = None, **columns: Any) -> None:
    """Records a batch in the run of the last `init`; see `Recorder.log` for the columns. Never raises; without a run it
    warns once."""
    recorder = _Current.recorder
    if recorder is not None:
        recorder.log(*batch, step=step, meta=meta, **columns)
    elif not _Current.has_warned:
        _Current.has_warned = True
        logger.warning("logratio: nothing is recorded: call logratio.init() before logratio.log()")


def finish(timeout: float = 60.0) -> Counts | None:
    """Finishes the run of the last `init`; see `Recorder.finish`. None if there is no run. Never raises."""
    recorder, _Current.recorder = _Current.recorder, None
    return None if recorder is None else recorder.finish(timeout)
