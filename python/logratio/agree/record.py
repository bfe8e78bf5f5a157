"""Writes failing pairs as record files into the folder that the pytest plugin was given."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..recorder.files import publish
from ..recorder.record import pack
from .inputs import Pair


@dataclass
class Keeping:
    """Where failing pairs are written, under which name, and those that were."""

    folder: Path
    stem: str
    written: list[Path] = field(default_factory=list)


_keeping: ContextVar[Keeping | None] = ContextVar("logratio_keeping", default=None)


@contextlib.contextmanager
def keep_failures(folder: Path, name: str) -> Iterator[Keeping]:
    """Within this context, pairs that do not agree are written into ``folder``."""
    keeping = Keeping(folder, re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:120] or "pair")
    token = _keeping.set(keeping)
    try:
        yield keeping
    finally:
        _keeping.reset(token)


def write_failure(pair: Pair, names: tuple[str, str]) -> Path | None:
    """Writes both sides as a record (``a`` as rollout, ``b`` as trainer); None outside `keep_failures`.

    Raises:
        OSError: if the file cannot be written.
    """
    keeping = _keeping.get()
    if keeping is None:
        return None
    ends = np.cumsum(pair.a.lengths)[:-1]
    columns = {
        "rollout_log_probs": np.split(pair.a.values, ends),
        "old_log_probs": np.split(pair.b.values, ends),
        "response_mask": np.split(pair.mask.astype(np.uint8), ends),
    }
    if pair.ids is not None:
        columns["responses"] = np.split(pair.ids, ends)
    metadata = {"logratio.schema_version": "1", "trainer": "recorder", "rollout": names[0], "trainer_name": names[1]}
    if pair.step is not None:
        metadata["step"] = str(pair.step)
    path = publish(keeping.folder, keeping.stem, pack(columns), metadata)
    keeping.written.append(path)
    return path
