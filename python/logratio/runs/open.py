"""Anything that is a run: paths, addresses, a recorder, results, arrays, tables, whole batches of trainers."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import LogratioError
from ..metrics.sources import REPORTED, find_columns, is_pair
from ..recorder import BatchError, Recorder
from ..recorder.columns import KNOWN
from ..tables import is_table
from .batches import Packed, pack_batch, write_batches

#: What a table may say of each of its rows, beside columns.
_PLACES = ("step", "rank")


@dataclass(frozen=True)
class OpenRun:
    """A run as words of a command line.

    Attributes:
        words: its paths and addresses.
        packed: the arrays, if it was given as arrays.
        folder: holds their files, and removes them with its last user.
    """

    words: list[str]
    packed: list[Packed] | None = None
    folder: tempfile.TemporaryDirectory[str] | None = None

    def remove_files(self) -> None:
        """Removes the files of arrays; without arrays, nothing."""
        if self.folder is not None:
            self.folder.cleanup()


def open_run(run: Any, name: str = "arrays") -> OpenRun:
    """Makes paths of a run. Arrays are written as one record for each batch, in a directory for this process alone.

    Args:
        run: see `logratio.report`.
        name: the run's name in results, for arrays.

    Raises:
        LogratioError: if it is nothing that can be a run, or its columns do not fit together.
    """
    opened = getattr(run, "opened", run)
    if isinstance(opened, OpenRun):
        return opened
    batches = find_batches(run)
    return OpenRun(as_paths(run)) if batches is None else _write_arrays(batches, name)


def find_batches(run: Any) -> list[dict[str, Any]] | None:
    """The batches of arrays in a run, those of a table by step and rank; None if it is not made of arrays.

    Raises:
        LogratioError: if the masks of a batch differ, or a table cannot be read.
    """
    given = list(run) if isinstance(run, (list, tuple)) and not is_pair(run) else [run]
    try:
        found = [_find_batches(one) for one in given]
    except BatchError as error:
        raise error.explain() from error
    if not found or any(batches is None for batches in found):
        return None
    return [batch for batches in found if batches is not None for batch in batches]


def _find_batches(one: Any) -> list[dict[str, Any]] | None:
    if is_table(one):
        columns = find_columns(one, (*KNOWN, *_PLACES))
        return None if columns is None else _split_places(columns)
    columns = find_columns(one, REPORTED)
    return None if columns is None else [columns]


def _split_places(columns: dict[str, Any]) -> list[dict[str, Any]]:
    """Splits the rows of a table by their step and rank, in the order of these."""
    places = [_read_places(name, columns.pop(name)) for name in _PLACES if name in columns]
    names = [name for name, _ in places]
    if not places:
        return [columns]
    keys, rows = np.unique(np.stack([values for _, values in places], 1), axis=0, return_inverse=True)
    batches = []
    for i, key in enumerate(keys.tolist()):
        chosen = np.flatnonzero(rows.reshape(-1) == i)
        batch = {name: _choose(values, chosen) for name, values in columns.items()}
        batches.append({**batch, **{name: int(value) for name, value in zip(names, key, strict=True)}})
    return batches


def _read_places(name: str, values: Any) -> tuple[str, np.ndarray]:
    try:
        numbers = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        numbers = np.full(len(values), np.nan)
    wrong = np.flatnonzero(~(np.isfinite(numbers) & (numbers == np.floor(numbers)) & (numbers >= 0)))
    if len(wrong):
        raise LogratioError(
            f"{name} is {values[int(wrong[0])]}, expected a whole number in every row",
            where=f"row {int(wrong[0])}",
            hint=f"fill it in, or leave the column {name} out",
        )
    return name, numbers


def _choose(values: Any, rows: np.ndarray) -> Any:
    return values[rows] if isinstance(values, np.ndarray) else [values[i] for i in rows.tolist()]


def as_paths(run: Any) -> list[str]:
    """The given paths as words of a command line.

    Raises:
        LogratioError: if ``run`` is neither paths nor a recorder.
    """
    if isinstance(run, Recorder):
        run.flush()
        if run.path is None:
            raise LogratioError(
                f"the batches of this recorder are on a server: {run.place}",
                hint="open that address, or give the run's folder in the server's data directory",
            )
        return [str(run.path)]
    if isinstance(run, (str, os.PathLike)):
        return [os.fspath(run)]
    if isinstance(run, (list, tuple)) and run and all(isinstance(path, (str, os.PathLike)) for path in run):
        return [os.fspath(path) for path in run]
    raise LogratioError(
        f"a run is paths, a recorder, arrays or a table, not {_describe(run)}",
        hint="give a directory, a dict with rollout_log_probs and old_log_probs, a tuple of these two, or a table with "
        "these columns",
    )


def _describe(run: Any) -> str:
    name = type(run).__name__
    if isinstance(run, (list, tuple)):
        held = ", ".join(dict.fromkeys(type(one).__name__ for one in run))
        return f"a {name} of {held}" if held else f"an empty {name}"
    return name


def _write_arrays(batches: Sequence[Mapping[str, Any]], name: str) -> OpenRun:
    if name in ("", ".", "..") or Path(name).name != name:
        raise LogratioError(f"the name of arrays is {name!r}, expected the name of a file", hint='give name="my-run"')
    packed = [pack_batch(batch) for batch in batches]
    folder = tempfile.TemporaryDirectory(prefix="logratio-")
    path = Path(folder.name) / name
    try:
        write_batches(path, packed, [batch.get("meta") or {} for batch in batches])
    except BaseException:
        shutil.rmtree(folder.name, ignore_errors=True)
        raise
    return OpenRun([str(path)], packed, folder)
