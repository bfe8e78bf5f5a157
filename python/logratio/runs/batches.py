"""Writes arrays that were never logged as files that the program reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import LogratioError
from ..recorder.arrays import BufferPool, copy, is_ragged
from ..recorder.columns import FACTS, TEXT_COLUMNS, BatchError, check_columns
from ..recorder.files import publish
from ..recorder.record import pack

Packed = dict[str, np.ndarray]
_SCHEMA_VERSION = "1"


def pack_batch(batch: Mapping[str, Any]) -> Packed:
    """Packs arrays that ``Recorder.log`` would take; ``step`` and ``rank`` become one number per sequence.

    Raises:
        LogratioError: if names are unknown or columns do not fit together.
    """
    try:
        columns = check_columns(batch, with_facts=True)
        packed = pack({name: load_column(name, value) for name, value in columns.items() if name not in FACTS})
    except BatchError as error:
        raise error.explain() from error
    except (TypeError, ValueError) as error:
        raise LogratioError(
            str(error),
            likely="the columns are of different batches, or padded differently",
            hint="give [B, T] arrays of one shape, or lists with one array for each sequence",
        ) from error
    for name in ("step", "rank"):
        if name in columns:
            packed[name] = np.full(len(packed["row"]), float(columns[name]))
    return packed


def write_batches(folder: Path, batches: Sequence[Packed], metadata: Sequence[Mapping[str, Any]]) -> list[Path]:
    """Writes packed batches as records, one file each."""
    written = []
    rows: dict[tuple[str, str], int] = {}
    for i, (packed, meta) in enumerate(zip(batches, metadata, strict=True)):
        arrays = {name: array for name, array in packed.items() if name not in ("step", "rank")}
        place: dict[str, str] = {
            name: str(int(packed[name][0])) for name in ("step", "rank") if name in packed and len(packed[name])
        }
        # Batches of one step continue the count, like the recorder's, so that a handle names one sequence.
        key = (place.get("step", ""), place.get("rank", ""))
        first = rows.get(key, 0)
        packed["row"] = arrays["row"] = arrays["row"] + np.int32(first)
        rows[key] = first + len(arrays["row"])
        stem = ".".join(f"{name}_{value}" for name, value in place.items()) or f"batch_{i}"
        facts = {name: str(value) for name, value in meta.items()}
        header: dict[str, str] = {"logratio.schema_version": _SCHEMA_VERSION, "trainer": "recorder"}
        header.update(facts)
        header.update(place)
        written.append(publish(folder, stem, arrays, header))
    return written


def load_column(name: str, value: Any) -> Any:
    """A column from `check_columns` as numpy arrays; texts stay as they are."""
    if name in TEXT_COLUMNS:
        return value
    if name == "top_k":
        loaded: dict[str, Any] = {}
        for policy, pair in value.items():
            loaded[policy] = tuple(load_array(array) for array in pair)
        return loaded
    return [load_array(row) for row in value] if is_ragged(value) else load_array(value)


def load_array(value: Any) -> np.ndarray:
    """A numpy array from an array, a list, or a tensor of any device and type (bfloat16 becomes float32)."""
    return np.array(copy(value, BufferPool()).load())
