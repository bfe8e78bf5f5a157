"""Tokens and sequences of a run as data frames of pandas or polars."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import LogratioError
from ..runs.batches import Packed

#: Names for the record's columns in the table of tokens.
_TOKEN_NAMES = {
    "response_token_ids": "token_id",
    "response_mask": "mask",
    "rollout_logprobs": "rollout_logprob",
    "trainer_logprobs": "trainer_logprob",
    "advantages": "advantage",
    "position_ids": "position_id",
    "weight_versions": "weight_version",
}
_TEXTS = ("group_id", "sample_id", "environment", "source_file")
_ROW_NAMES = ("reward", "correctness", *_TEXTS)
_PLACES = ("step", "rank", "row")


@dataclass
class Flat:
    """Sequences end to end: ``lengths`` ``[B]``, columns of tokens ``[sum(lengths)]``, columns of rows ``[B]``."""

    lengths: np.ndarray
    tokens: dict[str, np.ndarray] = field(default_factory=dict)
    rows: dict[str, Any] = field(default_factory=dict)


def flatten_packed(batches: Sequence[Packed]) -> Flat:
    """Joins packed records; a column that one of them lacks is missing (NaN, -1) there."""
    lengths = [np.diff(packed["response_offsets"]) for packed in batches]
    flat = Flat(np.concatenate(lengths))
    for column in _known_columns({name for packed in batches for name in packed}):
        parts = [packed.get(column, _missing(column, int(n.sum()))) for packed, n in zip(batches, lengths, strict=True)]
        flat.tokens[column] = np.concatenate(parts)
    for column in (*_PLACES, *_ROW_NAMES):
        if any(column in packed for packed in batches):
            parts = [_rows(packed, column, len(n)) for packed, n in zip(batches, lengths, strict=True)]
            flat.rows[column] = np.concatenate(parts)
    return flat


def read_parquet(path: Path) -> Flat:
    """Reads the record that ``logratio convert`` wrote, with pyarrow or polars.

    Raises:
        LogratioError: when neither is installed.
    """
    try:
        return _read_by_arrow(importlib.import_module("pyarrow.parquet"), path)
    except ModuleNotFoundError:
        pass
    try:
        return _read_by_polars(importlib.import_module("polars"), path)
    except ModuleNotFoundError:
        raise LogratioError(
            "neither pyarrow nor polars is installed, and the tokens of files come as Parquet",
            hint="pip install pyarrow, or pip install polars",
        ) from None


def _read_by_arrow(parquet: Any, path: Path) -> Flat:
    file = parquet.ParquetFile(path)
    wanted = [name for name in file.schema_arrow.names if name in {*_PLACES, *_ROW_NAMES}]
    listed = _known_columns(set(file.schema_arrow.names))
    table = file.read(columns=[*wanted, *listed])
    lists = {name: table.column(name).combine_chunks() for name in listed}
    lengths = {name: column.value_lengths().fill_null(0).to_numpy() for name, column in lists.items()}
    flat = Flat(_longest(list(lengths.values()), table.num_rows))
    for name, column in lists.items():
        values = column.flatten().to_numpy(zero_copy_only=False)
        flat.tokens[name] = _fill(name, values, lengths[name], flat.lengths)
    flat.rows = {name: table.column(name).to_numpy() for name in wanted}
    return flat


def _read_by_polars(polars: Any, path: Path) -> Flat:
    frame = polars.read_parquet(path)
    listed = _known_columns(set(frame.columns))
    lengths = {name: frame[name].list.len().fill_null(0).to_numpy().astype(np.int64) for name in listed}
    flat = Flat(_longest(list(lengths.values()), frame.height))
    for name in listed:
        # An empty list would explode to a null.
        values = frame[name].filter(polars.Series(lengths[name] > 0)).explode().to_numpy()
        flat.tokens[name] = _fill(name, values, lengths[name], flat.lengths)
    flat.rows = {name: frame[name].to_numpy() for name in (*_PLACES, *_ROW_NAMES) if name in frame.columns}
    return flat


def _longest(lengths: list[np.ndarray], rows: int) -> np.ndarray:
    return np.max(lengths, axis=0).astype(np.int64) if lengths else np.zeros(rows, np.int64)


def _fill(column: str, values: np.ndarray, lengths: np.ndarray, full: np.ndarray) -> np.ndarray:
    """Puts entries at their tokens; tokens of rows without a list are missing."""
    if np.array_equal(lengths, full):
        return values
    target = _missing(column, int(full.sum()))
    target[np.repeat(lengths > 0, full)] = values
    return target


def _known_columns(names: set[str]) -> list[str]:
    further = sorted(name for name in names if name.startswith(("policy_logprobs.", "entropy.")))
    return [name for name in (*_TOKEN_NAMES, *further) if name in names]


def _missing(column: str, count: int) -> np.ndarray:
    if column == "response_mask":
        return np.ones(count, np.uint8)
    ids = column in ("response_token_ids", "position_ids", "weight_versions")
    return np.full(count, -1, np.int32) if ids else np.full(count, np.nan)


def _rows(packed: Packed, column: str, count: int) -> np.ndarray:
    if column not in packed:
        return np.full(count, None if column in _TEXTS else np.nan)
    offsets = packed.get(f"{column}.offsets")
    if offsets is None:
        return packed[column]
    raw = packed[column].tobytes()
    texts = [raw[a:b].decode("utf-8", "replace") for a, b in pairwise(offsets.tolist())]
    return np.array(texts, dtype=object)


def list_tokens(flat: Flat) -> dict[str, Any]:
    """Columns with a row for every response token: handle, step, rank, sequence, position, then the record's own.

    ``position`` counts the response's tokens from 0; ``delta`` is trainer - rollout, nats.
    """
    handles = list_handles(flat)
    position = _count_up(flat.lengths)
    names = np.repeat(np.array(handles, dtype=object), flat.lengths)
    found: dict[str, Any] = {"handle": [f"{name}.t{t}" for name, t in zip(names, position.tolist(), strict=True)]}
    for column in _PLACES:
        if column in flat.rows:
            found["sequence" if column == "row" else column] = np.repeat(_as_whole(flat.rows[column]), flat.lengths)
    found["position"] = position
    for column, values in flat.tokens.items():
        found[_TOKEN_NAMES.get(column, column)] = values
        if column == "trainer_logprobs" and "rollout_logprobs" in flat.tokens:
            found["delta"] = _subtract(flat)
    return found


def list_sequences(flat: Flat) -> dict[str, Any]:
    """Columns with a row for every sequence: handle, step, rank, sequence, tokens, figures of Δ over tokens with mask
    1 and both log-probs, then reward, correctness and the record's texts."""
    found: dict[str, Any] = {"handle": list_handles(flat)}
    for column in _PLACES:
        if column in flat.rows:
            found["sequence" if column == "row" else column] = _as_whole(flat.rows[column])
    found["response_tokens"] = flat.lengths
    if {"rollout_logprobs", "trainer_logprobs"} <= set(flat.tokens):
        delta = _subtract(flat)
        counted = np.isfinite(delta) & (flat.tokens.get("response_mask", np.ones(len(delta))) > 0)
        sequence = np.repeat(np.arange(len(flat.lengths)), flat.lengths)[counted]
        delta = delta[counted]
        total = np.bincount(sequence, minlength=len(flat.lengths))
        sums = np.bincount(sequence, delta, len(flat.lengths))
        sizes = np.bincount(sequence, np.abs(delta), len(flat.lengths))
        largest = np.full(len(flat.lengths), -1.0)
        np.maximum.at(largest, sequence, np.abs(delta))
        # The figures of a sequence without counted tokens are missing, not 0.
        none = np.where(total > 0, 1.0, np.nan)
        share = none / np.maximum(total, 1)
        found |= {"tokens": total, "delta_sum": sums * none, "delta_mean": sums * share}
        found |= {"delta_abs_mean": sizes * share, "delta_abs_max": largest * none}
    names = {"source_file": "file"}
    return found | {names.get(name, name): flat.rows[name] for name in _ROW_NAMES if name in flat.rows}


def list_handles(flat: Flat) -> list[str]:
    """The handle of each sequence, ``s12.r3.q41``; unknown parts are left out."""
    count = len(flat.lengths)
    parts = []
    for letter, column in (("s", "step"), ("r", "rank")):
        values = np.asarray(flat.rows.get(column, np.full(count, np.nan)), np.float64)
        parts.append(["" if np.isnan(value) else f"{letter}{int(value)}." for value in values])
    rows = np.asarray(flat.rows.get("row", np.arange(count)), np.float64)
    rows = np.where(np.isnan(rows), np.arange(count), rows)
    return [f"{step}{rank}q{int(row)}" for step, rank, row in zip(*parts, rows, strict=True)]


def _as_whole(values: np.ndarray) -> np.ndarray:
    """Steps, ranks and rows as integers unless one is unknown; the record stores them as doubles."""
    numbers = np.asarray(values, np.float64)
    return numbers.astype(np.int64) if np.isfinite(numbers).all() else numbers


def _subtract(flat: Flat) -> np.ndarray:
    delta: np.ndarray = flat.tokens["trainer_logprobs"].astype(np.float64) - flat.tokens["rollout_logprobs"]
    return delta


def _count_up(lengths: np.ndarray) -> np.ndarray:
    starts = np.cumsum(lengths) - lengths
    counted: np.ndarray = np.arange(int(lengths.sum())) - np.repeat(starts, lengths)
    return counted
