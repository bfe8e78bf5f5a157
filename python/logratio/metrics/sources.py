"""Finds the columns of a batch in what a user holds: named columns, a trainer's whole batch, a table, a pair."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from ..errors import LogratioError
from ..recorder.arrays import is_ragged
from ..recorder.columns import (
    KNOWN,
    LEADING,
    MASK_ALIASES,
    ROW_COLUMNS,
    TEXT_COLUMNS,
    TOKEN_COLUMNS,
    check_columns,
    join_masks,
)
from ..tables import is_table, list_columns, read_table
from ..tensors import is_tensor, to_numpy

#: Columns that figures are computed from.
_NEEDED = ("rollout_log_probs", "old_log_probs", "response_mask", "attention_mask", "prompts")
#: Further columns that a report has tables of.
REPORTED = (
    *_NEEDED,
    *("responses", "ref_log_prob", "entropys", "advantages", "uid", "data_source", "rewards", "acc"),
)


#: What a tuple of arrays holds, in this order.
_PAIR = ("rollout_log_probs", "old_log_probs", "response_mask")
#: The record's own names, as in a Parquet file that logratio wrote, and ours for them.
_RECORDED = {own: name for name, own in {**TOKEN_COLUMNS, **ROW_COLUMNS, **TEXT_COLUMNS}.items()} | {
    "prompt_token_ids": "prompts"
}


def find_columns(source: Any, names: Collection[str] = _NEEDED) -> dict[str, Any] | None:
    """The columns of a batch; None if ``source`` is not one.

    From a trainer's whole batch (verl's ``DataProto``, its ``TensorDict``, a dict with ``input_ids`` and a mask) and
    from a table with a row for each sequence (pandas, polars, Arrow, Hugging Face) the columns ``names`` are taken; the
    others do not affect figures. Of named columns, every name must be known. A tuple of two or three arrays is rollout
    log-probs, trainer log-probs and mask.

    Raises:
        LogratioError: if a table has no log-probs, or they are not lists.
    """
    columns = _find_columns(source, names)
    return None if columns is None else {name: _take_local(value) for name, value in columns.items()}


def _find_columns(source: Any, names: Collection[str]) -> dict[str, Any] | None:
    if is_table(source):
        return _read_rows(source, names)
    if is_pair(source):
        return dict(zip(_PAIR, source, strict=False))
    if isinstance(source, Mapping) and not hasattr(source, "batch_size"):
        is_whole = "input_ids" in source and any(name in source for name in _MASK_NAMES)
        return _take_known(source, names) if is_whole else dict(source)
    batch = getattr(source, "batch", source)
    if not hasattr(batch, "keys") or not hasattr(batch, "__getitem__"):
        return None
    others = getattr(source, "non_tensor_batch", None) or {}
    return {**{name: others[name] for name in names if name in others}, **_take_known(batch, names)}


def is_pair(source: Any) -> bool:
    """Whether a value is a tuple of two policies' log-probs and perhaps a mask."""
    return (
        isinstance(source, tuple)
        and len(source) in (2, 3)
        and all(is_tensor(one) or isinstance(one, np.ndarray) or _is_list_of_rows(one) for one in source)
    )


def _is_list_of_rows(value: Any) -> bool:
    return isinstance(value, list) and is_ragged(value) and not isinstance(value[0], (str, Mapping))


def _take_local(value: Any) -> Any:
    """The values of a tensor that is spread over a mesh of one process, which all are in this one."""
    mesh = getattr(value, "device_mesh", None)
    return value.to_local() if mesh is not None and mesh.size() == 1 else value


def _read_rows(table: Any, names: Collection[str]) -> dict[str, Any]:
    there = list_columns(table)
    ours = {name: _RECORDED.get(name, name) for name in there}
    known = {*names, *MASK_ALIASES}
    wanted = [name for name in there if ours[name] in known and (ours[name] == name or ours[name] not in there)]
    if not any(ours[name] in _PAIR[:2] for name in wanted):
        near = difflib.get_close_matches(_PAIR[0], there, 1, 0.5) + difflib.get_close_matches(_PAIR[1], there, 1, 0.5)
        raise LogratioError(
            f"the table has neither rollout_log_probs nor old_log_probs; its columns are {', '.join(there) or 'none'}",
            likely=f"they are under another name: {' and '.join(dict.fromkeys(near))}" if near else None,
            hint="rename the columns of log-probs to rollout_log_probs and old_log_probs, nats",
        )
    columns = {ours[name]: values for name, values in read_table(table, wanted).items()}
    for name in LEADING:
        _check_lists(name, columns.get(name))
    if all(len(values) == 0 for values in columns.values()):
        raise LogratioError("the table has no rows", likely="a filter left none", hint="give a table with a row")
    return _keep_mask(join_masks(columns), there, lambda name: read_table(table, [name])[name])


def _check_lists(name: str, values: Any) -> None:
    """Refuses a column of log-probs or ids whose rows are not lists."""
    if isinstance(values, list) and values and isinstance(values[0], str):
        raise LogratioError(
            f"{name} holds texts, expected a list of numbers in each row",
            where="row 0",
            likely="the table was read from CSV, which has no lists",
            hint=f"keep it as Parquet or JSON, or read the texts: table[{name!r}].map(json.loads)",
        )
    if isinstance(values, np.ndarray) and values.ndim == 1:
        raise LogratioError(
            f"{name} holds one number in each row, expected a list",
            likely="the table has a row for each token",
            hint="give one row for each sequence: in pandas, table.groupby(sequence).agg(list)",
        )


_MASK_NAMES = ("response_mask", *MASK_ALIASES, "attention_mask")


def _take_known(batch: Any, known: Collection[str]) -> dict[str, Any]:
    names = [name for name in batch.keys() if isinstance(name, str)]  # noqa: SIM118 (a TensorDict iterates over rows)
    columns = join_masks({name: batch[name] for name in names if name in known or name in MASK_ALIASES})
    return _keep_mask(columns, names, lambda name: batch[name])


def _keep_mask(columns: dict[str, Any], there: list[str], read: Callable[[str], Any]) -> dict[str, Any]:
    """The columns, with a mask under an unknown name if there is no other: it will be refused by its name."""
    odd = [name for name in there if "mask" in name and name not in KNOWN and name not in MASK_ALIASES]
    if odd and not any(name in columns for name in _MASK_NAMES):
        # Without its mask, padding would be counted.
        columns[odd[0]] = read(odd[0])
    return columns


def load_columns(source: Mapping[str, Any]) -> dict[str, Any]:
    """Loads the columns that figures are computed from, as numpy arrays or lists of arrays.

    Raises:
        logratio.recorder.BatchError: if names are unknown or columns do not fit together.
    """
    columns = check_columns(source, with_facts=True)
    return {
        name: [to_numpy(row) for row in columns[name]] if is_ragged(columns[name]) else to_numpy(columns[name])
        for name in _NEEDED
        if name in columns
    }
