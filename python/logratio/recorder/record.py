"""Packs a logged batch as a record: without padding, every column under the record's own name.

The layout is documented in docs/formats/record.md ("Packed").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .arrays import as_ids
from .columns import LEADING, ROW_COLUMNS, TEXT_COLUMNS, TOKEN_COLUMNS, BatchError, check_columns

_IDS = {"response_token_ids", "position_ids", "weight_versions"}

Rows = list[np.ndarray]


def pack(columns: Mapping[str, Any], keep: Callable[[int], np.ndarray] | None = None) -> dict[str, np.ndarray]:
    """Packs one call's columns.

    Args:
        columns: arrays ``[B, T]`` (responses right-padded, ``prompts`` ``[B, P]`` left-padded), or lists of ``B``
            arrays, under the names that ``Recorder.log`` takes; texts as lists of ``B`` strings; ``top_k`` as
            ``{policy: (ids [B, T, K], logprobs [B, T, K])}``.
        keep: given ``B``, returns the indices of the sequences to write, ascending.

    Returns:
        Arrays of the packed record by name.

    Raises:
        BatchError: as `check_columns`.
    """
    columns = check_columns(columns)
    sequences = _count_sequences(columns)
    chosen = np.arange(sequences) if keep is None else keep(sequences)
    lengths = _measure_responses(columns, sequences)[chosen]
    packed: dict[str, np.ndarray] = {"row": chosen.astype(np.int32), "response_offsets": _offsets(lengths)}

    def flatten(name: str, value: Any) -> np.ndarray:
        rows = _take(name, value, chosen, lengths)
        return np.concatenate(rows) if rows else np.zeros(0)

    for name, column in TOKEN_COLUMNS.items():
        value = columns.get(name)
        if value is None:
            continue
        if name == "advantages" and _is_per_sequence(value):
            full = _all_lengths(columns, sequences)
            value = [np.full(n, a) for n, a in zip(full, np.asarray(value, np.float64), strict=True)]
        flat = flatten(name, value)
        packed[column] = as_ids(flat) if column in _IDS else _as_float(flat)
    mask = columns.get("response_mask")
    if mask is None and columns.get("attention_mask") is not None:
        mask = _response_attention(columns, sequences)
    packed["response_mask"] = (
        np.ones(int(lengths.sum()), np.uint8) if mask is None else _as_mask(flatten("response_mask", mask))
    )
    for policy, (ids, logprobs) in (columns.get("top_k") or {}).items():
        packed[f"topk_ids.{policy}"] = as_ids(flatten(f"top_k[{policy!r}]", ids))
        packed[f"topk_logprobs.{policy}"] = _as_float(flatten(f"top_k[{policy!r}]", logprobs))
    digits = columns.get("digit_log_probs")
    if digits is not None:
        packed["digit_logprobs"] = _as_float(flatten("digit_log_probs", digits))
    packed |= _pack_prompts(columns, chosen)
    packed |= _pack_trainer_prompts(columns, chosen)
    for name, column in ROW_COLUMNS.items():
        if columns.get(name) is not None:
            packed[column] = _per_sequence(columns[name])[chosen]
    for name, column in TEXT_COLUMNS.items():
        if columns.get(name) is not None:
            packed |= _pack_texts(column, _take_texts(columns[name], sequences, chosen))
    return packed


def _count_sequences(columns: Mapping[str, Any]) -> int:
    return next(len(columns[name]) for name in LEADING if columns.get(name) is not None)


def _all_lengths(columns: Mapping[str, Any], sequences: int) -> np.ndarray:
    """Tokens of each sequence: without padding if one column has none, else with it."""
    found = [columns[name] for name in (*LEADING, "response_mask") if columns.get(name) is not None]
    rows = next((value for value in found if isinstance(value, list)), found[0])
    return np.array([len(row) for row in rows], np.int64).reshape(sequences)


def _response_attention(columns: Mapping[str, Any], sequences: int) -> np.ndarray:
    """The response's part of the attention mask, ``[B, T]``."""
    width = int(_all_widths(columns, sequences).max(initial=0))
    attention: np.ndarray = np.asarray(columns["attention_mask"])
    return attention[:, attention.shape[1] - width :]


def _all_widths(columns: Mapping[str, Any], sequences: int) -> np.ndarray:
    """Tokens of each sequence, including the padding of any column."""
    found = [columns[name] for name in (*LEADING, "response_mask") if columns.get(name) is not None]
    widths: np.ndarray = np.max([[len(row) for row in value] for value in found], axis=0)
    return widths.reshape(sequences)


def _measure_responses(columns: Mapping[str, Any], sequences: int) -> np.ndarray:
    """Tokens of each response: up to the last in the attention mask or the response mask."""
    lengths = _all_lengths(columns, sequences)
    masks = []
    if columns.get("attention_mask") is not None:
        masks.append(_response_attention(columns, sequences))
    # A list of arrays is not padded, so zeros at the end of a mask are tool output.
    mask = columns.get("response_mask")
    if isinstance(mask, np.ndarray):
        masks.append(mask)
    if not masks or isinstance(mask, list):
        return lengths
    ends: np.ndarray = np.max([_find_ends(mask) for mask in masks], axis=0)
    return ends


def _find_ends(mask: np.ndarray) -> np.ndarray:
    """The end of the last 1 in each row; 0 without any."""
    if mask.shape[1] == 0:
        return np.zeros(len(mask), np.int64)
    on = _as_mask(mask).astype(bool)
    return np.where(on.any(axis=1), mask.shape[1] - on[:, ::-1].argmax(axis=1), 0).astype(np.int64)


def _take(name: str, value: Any, chosen: np.ndarray, lengths: np.ndarray) -> Rows:
    rows: Rows = []
    for i, length in zip(chosen, lengths, strict=True):
        row = np.asarray(value[i])
        if len(row) < length:
            raise BatchError(
                f"{name} has {len(row)} tokens in sequence {i}, the mask {length}",
                likely="it lacks tokens that the mask has, or the mask is shifted",
                hint="give every column the same response tokens",
                reason=f"{name} has another number of tokens",
            )
        rows.append(row[:length])
    return rows


def _pack_prompts(columns: Mapping[str, Any], chosen: np.ndarray) -> dict[str, np.ndarray]:
    prompts = columns.get("prompts")
    if prompts is None:
        return {}
    mask = columns.get("prompt_mask")
    if mask is None and columns.get("attention_mask") is not None and isinstance(prompts, np.ndarray):
        mask = np.asarray(columns["attention_mask"])[:, : prompts.shape[1]]
    return _pack_lists("prompt_token_ids", "prompt_offsets", prompts, mask, chosen)


def _pack_trainer_prompts(columns: Mapping[str, Any], chosen: np.ndarray) -> dict[str, np.ndarray]:
    prompts = columns.get("trainer_prompts")
    if prompts is None:
        return {}
    mask = columns.get("trainer_prompt_mask")
    return _pack_lists("trainer_prompt_token_ids", "trainer_prompt_offsets", prompts, mask, chosen)


def _pack_lists(name: str, offsets: str, lists: Any, mask: Any, chosen: np.ndarray) -> dict[str, np.ndarray]:
    rows = []
    for i in chosen:
        row = np.asarray(lists[i])
        if mask is not None and len(mask[i]) != len(row):
            raise BatchError(
                f"the mask of the prompts has {len(mask[i])} tokens in sequence {i}, the prompts {len(row)}",
                hint="give both for the prompt alone",
                reason="the mask of the prompts has another number of tokens",
            )
        rows.append(row if mask is None else row[_as_mask(np.asarray(mask[i])).astype(bool)])
    lengths = np.array([len(row) for row in rows], np.int64)
    flat = np.concatenate(rows) if rows else np.zeros(0)
    return {name: as_ids(flat), offsets: _offsets(lengths)}


def _per_sequence(value: Any) -> np.ndarray:
    """One number per sequence; scores at tokens are summed, as in verl's ``token_level_scores``."""
    array = [np.asarray(row, np.float64) for row in value]
    return np.array([row.sum() if row.ndim > 0 else float(row) for row in array])


def _is_per_sequence(value: Any) -> bool:
    return len(value) > 0 and np.ndim(value[0]) == 0


def _take_texts(value: Any, sequences: int, chosen: np.ndarray) -> list[str]:
    texts = [value] * sequences if isinstance(value, str) else list(value)
    return ["" if texts[i] is None else str(texts[i]) for i in chosen]


def _pack_texts(column: str, texts: Sequence[str]) -> dict[str, np.ndarray]:
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = np.array([len(text) for text in encoded], np.int64)
    return {column: np.frombuffer(b"".join(encoded), np.uint8), f"{column}.offsets": _offsets(lengths)}


def _offsets(lengths: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _as_mask(values: np.ndarray) -> np.ndarray:
    """1 where the value is neither 0 nor missing."""
    on: np.ndarray = (values != 0) & ~np.isnan(values) if values.dtype.kind == "f" else values != 0
    return on.astype(np.uint8)


def _as_float(values: np.ndarray) -> np.ndarray:
    """float64 stays; other types become float32, since a narrower type would itself be a mismatch."""
    return np.ascontiguousarray(values, np.float64 if values.dtype == np.float64 else np.float32)
