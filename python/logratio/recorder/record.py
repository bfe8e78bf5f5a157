"""One logged batch as the packed record: padding gone, every column under the record's own name.

The layout is documented in docs/formats/record.md ("Packed").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

#: The record's names for what trainers call by verl's.
TOKEN_COLUMNS = {
    "rollout_log_probs": "rollout_logprobs",
    "old_log_probs": "trainer_logprobs",
    "ref_log_prob": "policy_logprobs.reference",
    "rollout_entropy": "entropy.rollout",
    "entropys": "entropy.trainer",
    "advantages": "advantages",
    "responses": "response_token_ids",
    "position_ids": "position_ids",
    "weight_versions": "weight_versions",
    "kept_mass": "kept_mass",
    "route_agreement": "route_agreement",
}
ROW_COLUMNS = {"rewards": "reward", "acc": "correctness", "cached_tokens": "cached_tokens"}
TEXT_COLUMNS = {
    "uid": "group_id",
    "sample_id": "sample_id",
    "data_source": "environment",
    "finish_reason": "finish_reason",
    "engine_id": "engine_id",
    "prompt_text": "prompt_text",
    "response_text": "response_text",
}
_IDS = {"response_token_ids", "position_ids", "weight_versions"}

Rows = list[np.ndarray]


class BatchError(ValueError):
    """The columns of one call do not fit together."""


def pack(columns: Mapping[str, Any], keep: Callable[[int], np.ndarray] | None = None) -> dict[str, np.ndarray]:
    """Packs one call's columns.

    Args:
        columns: arrays ``[B, T]`` (responses right-padded, ``prompts`` ``[B, P]`` left-padded), or lists of ``B``
            arrays, under the names that ``Recorder.log`` takes; texts as lists of ``B`` strings; ``top_k`` as
            ``{policy: (ids [B, T, K], logprobs [B, T, K])}``.
        keep: chooses among ``B`` sequences: gives the indices of those to write, ascending.

    Returns:
        Arrays of the packed record by name.

    Raises:
        BatchError: when columns have different numbers of sequences or tokens.
    """
    sequences = _count_sequences(columns)
    chosen = np.arange(sequences) if keep is None else keep(sequences)
    lengths = _measure_responses(columns, sequences)[chosen]
    packed: dict[str, np.ndarray] = {"row": chosen.astype(np.int32), "response_offsets": _offsets(lengths)}

    def flatten(name: str, value: Any, dtype: np.dtype | None = None) -> np.ndarray:
        rows = _take(name, value, chosen, lengths)
        flat = np.concatenate(rows) if rows else np.zeros(0)
        return flat if dtype is None else _convert(flat, dtype)

    for name, column in TOKEN_COLUMNS.items():
        value = columns.get(name)
        if value is None:
            continue
        if name == "advantages" and _is_per_sequence(value):
            full = _all_lengths(columns, sequences)
            value = [np.full(n, a) for n, a in zip(full, np.asarray(value, np.float64), strict=True)]
        flat = flatten(name, value)
        packed[column] = _convert(flat, np.int32) if column in _IDS else _as_float(flat)
    mask = columns.get("response_mask")
    packed["response_mask"] = (
        np.ones(int(lengths.sum()), np.uint8) if mask is None else _as_mask(flatten("response_mask", mask))
    )
    for policy, (ids, logprobs) in (columns.get("top_k") or {}).items():
        packed[f"topk_ids.{policy}"] = flatten(f"top_k[{policy!r}]", ids, np.dtype(np.int32))
        packed[f"topk_logprobs.{policy}"] = _as_float(flatten(f"top_k[{policy!r}]", logprobs))
    digits = columns.get("digit_log_probs")
    if digits is not None:
        packed["digit_logprobs"] = _as_float(flatten("digit_log_probs", digits))
    packed |= _pack_prompts(columns, chosen)
    packed |= _pack_trainer_prompts(columns, chosen)
    for name, column in ROW_COLUMNS.items():
        if columns.get(name) is not None:
            packed[column] = _per_sequence(name, columns[name], sequences)[chosen]
    for name, column in TEXT_COLUMNS.items():
        if columns.get(name) is not None:
            packed |= _pack_texts(column, _take_texts(name, columns[name], sequences, chosen))
    return packed


def _count_sequences(columns: Mapping[str, Any]) -> int:
    for name in ("rollout_log_probs", "old_log_probs", "responses"):
        if columns.get(name) is not None:
            return len(columns[name])
    raise BatchError("neither rollout_log_probs, old_log_probs nor responses was given")


def _all_lengths(columns: Mapping[str, Any], sequences: int) -> np.ndarray:
    """Tokens of each sequence with its padding: what every column of the call has."""
    for name in ("rollout_log_probs", "old_log_probs", "responses"):
        value = columns.get(name)
        if value is not None:
            return np.array([len(row) for row in value])
    return np.zeros(sequences, np.int64)


def _measure_responses(columns: Mapping[str, Any], sequences: int) -> np.ndarray:
    """Tokens of each response: up to the last that the attention or the response mask knows."""
    full = _all_lengths(columns, sequences)
    prompts, attention = columns.get("prompts"), columns.get("attention_mask")
    if attention is not None and prompts is not None:
        width = np.asarray(attention).shape[1] - int(full.max(initial=0))
        known: Any = np.asarray(attention)[:, width:]
    else:
        known = columns.get("response_mask")
    if known is None:
        return full
    if len(known) != sequences:
        raise BatchError(f"the mask has {len(known)} sequences, the log-probs {sequences}")
    # A list of arrays is not padded: what is at its end is tool output.
    if not isinstance(known, np.ndarray):
        return full
    on = _as_mask(known).astype(bool)
    return np.where(on.any(axis=1), known.shape[1] - on[:, ::-1].argmax(axis=1), 0).astype(np.int64)


def _take(name: str, value: Any, chosen: np.ndarray, lengths: np.ndarray) -> Rows:
    rows: Rows = []
    for i, length in zip(chosen, lengths, strict=True):
        if i >= len(value):
            raise BatchError(f"{name} has {len(value)} sequences, the log-probs have more")
        row = np.asarray(value[i])
        if row.ndim == 0 or len(row) < length:
            raise BatchError(f"{name} has {row.size} tokens in sequence {i}, expected {length}")
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
        if i >= len(lists):
            raise BatchError(f"{name} has {len(lists)} sequences, the log-probs have more")
        row = np.asarray(lists[i])
        rows.append(row if mask is None else row[_as_mask(np.asarray(mask[i])).astype(bool)])
    lengths = np.array([len(row) for row in rows], np.int64)
    flat = np.concatenate(rows) if rows else np.zeros(0)
    return {name: _convert(flat, np.int32), offsets: _offsets(lengths)}


def _per_sequence(name: str, value: Any, sequences: int) -> np.ndarray:
    """One number per sequence; scores at tokens add up to it, as in verl's ``token_level_scores``."""
    array = [np.asarray(row, np.float64) for row in value]
    if len(array) != sequences:
        raise BatchError(f"{name} has {len(array)} values, the log-probs {sequences} sequences")
    return np.array([row.sum() if row.ndim > 0 else float(row) for row in array])


def _is_per_sequence(value: Any) -> bool:
    return len(value) > 0 and np.ndim(value[0]) == 0


def _take_texts(name: str, value: Any, sequences: int, chosen: np.ndarray) -> list[str]:
    texts = [value] * sequences if isinstance(value, str) else list(value)
    if len(texts) != sequences:
        raise BatchError(f"{name} has {len(texts)} values, the log-probs {sequences} sequences")
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
    """float64 stays; all else becomes float32, since a narrower type is a mismatch of its own."""
    return _convert(values, np.float64 if values.dtype == np.float64 else np.float32)


def _convert(values: np.ndarray, dtype: Any) -> np.ndarray:
    return np.ascontiguousarray(values, dtype=dtype)
