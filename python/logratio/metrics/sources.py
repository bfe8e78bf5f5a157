"""Finds the columns of a batch in a training loop's data: named columns, or a trainer's whole batch."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ..recorder.arrays import BufferPool, copy, is_ragged
from ..recorder.columns import KNOWN, MASK_ALIASES, check_columns, join_masks

#: Columns that figures are computed from.
_NEEDED = ("rollout_log_probs", "old_log_probs", "response_mask", "attention_mask", "prompts")
#: Further columns that a report has tables of.
REPORTED = (
    *_NEEDED,
    *("responses", "ref_log_prob", "entropys", "advantages", "uid", "data_source", "rewards", "acc"),
)


def find_columns(source: Any, names: Collection[str] = _NEEDED) -> dict[str, Any] | None:
    """The columns of a batch; None if ``source`` is not one.

    From a trainer's whole batch (verl's ``DataProto``, its ``TensorDict``, a dict with ``input_ids`` and a mask) the
    columns ``names`` are taken; the others do not affect figures. Of named columns, every name must be known.
    """
    if isinstance(source, Mapping) and not hasattr(source, "batch_size"):
        is_whole = "input_ids" in source and any(name in source for name in _MASK_NAMES)
        return _take_known(source, names) if is_whole else dict(source)
    batch = getattr(source, "batch", source)
    if not hasattr(batch, "keys") or not hasattr(batch, "__getitem__"):
        return None
    others = getattr(source, "non_tensor_batch", None) or {}
    return {**{name: others[name] for name in names if name in others}, **_take_known(batch, names)}


_MASK_NAMES = ("response_mask", *MASK_ALIASES, "attention_mask")


def _take_known(batch: Any, known: Collection[str]) -> dict[str, Any]:
    names = [name for name in batch.keys() if isinstance(name, str)]  # noqa: SIM118 (a TensorDict iterates over rows)
    columns = join_masks({name: batch[name] for name in names if name in known or name in MASK_ALIASES})
    odd = [name for name in names if "mask" in name and name not in KNOWN and name not in MASK_ALIASES]
    if odd and not any(name in columns for name in _MASK_NAMES):
        # Without its mask, padding would be counted.
        columns[odd[0]] = batch[odd[0]]
    return columns


def load_columns(source: Mapping[str, Any]) -> dict[str, Any]:
    """Loads the columns that figures are computed from, as numpy arrays or lists of arrays.

    Raises:
        logratio.recorder.BatchError: if names are unknown or columns do not fit together.
    """
    columns = check_columns(source, with_facts=True)
    pool = BufferPool()
    copied = {
        name: [copy(row, pool) for row in columns[name]] if is_ragged(columns[name]) else copy(columns[name], pool)
        for name in _NEEDED
        if name in columns
    }
    return {
        name: [row.load() for row in value] if isinstance(value, list) else value.load()
        for name, value in copied.items()
    }
