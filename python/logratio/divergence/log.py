"""The call inside a training step: metrics of the batch and, if the policies are far apart, the log."""

from __future__ import annotations

import json
import logging
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..arguments import read_number, read_whole
from .batch import DebugBatch
from .console import render_records
from .metrics import measure_gaps, measure_own_rounds
from .records import RecordBuilder, TextLimits, rank_tokens

logger = logging.getLogger("logratio.divergence")


def calculate_debug_metrics(
    data: Any,
    tokenizer: Any = None,
    log_divergence: bool = True,
    divergence_threshold: float = 0.8,
    divergence_top_k: int = 5,
    divergence_jsonl_path: str | os.PathLike[str] | None = None,
    iteration: int | None = None,
    *,
    lean: bool = False,
    max_prompt_chars: int | None = None,
    max_response_chars: int | None = None,
) -> dict[str, float]:
    """verl's ``calculate_debug_metrics`` with its log of high-divergence tokens.

    When the largest abs(p_rollout - p_actor) of the tokens with mask 1 reaches the threshold, the tokens furthest apart
    are logged: to the logger ``logratio.divergence`` (level INFO; WARNING if a token is not the one that the trainer
    saw, or cannot be decoded), and as lines of JSON to a file.

    Args:
        data: verl's ``DataProto``, or anything with ``.batch[...]``: ``rollout_log_probs`` and ``old_log_probs``
            ``[B, T]`` in nats; optionally ``response_mask`` (else the last columns of ``attention_mask``),
            ``responses``, ``input_ids``, ``attention_mask``, ``position_ids``, ``token_level_scores``, and
            ``non_tensor_batch["acc"]``. Arrays, or tensors on any device.
        tokenizer: has ``decode(ids)`` and ``encode(text, add_special_tokens=False)``; None:
            ``data.meta_info["tokenizer"]``.
        log_divergence: False computes only the metrics.
        divergence_threshold: a difference of probabilities, 0 to 1.
        divergence_top_k: number of tokens of such a batch to log, whether or not each reaches the threshold.
        divergence_jsonl_path: a file to append to; its folder is created, and ``{iteration}`` in it is replaced.
        iteration: number of the training step.
        lean: writes only the fields of the guide, those that identify the token and the three of the iteration, as far
            as they are known, like ``logratio divergence --lean``.
        max_prompt_chars: characters of the prompt in the file before ``...``; None for all.
        max_response_chars: the same for the response.

    Several processes may append to one file. Records name their rank (``meta_info["rank"]``, torch.distributed's or
    ``$RANK``) and have a ``record_id``, so that ``logratio analyze`` counts an iteration that is logged twice only
    once.

    Returns:
        ``training/rollout_probs_diff_*`` (fractions), ``training/rollout_actor_probs_pearson_corr``, and
        ``per_round/*`` of verl's pull request 5229 (nats and counts).

    Raises:
        ValueError: where a column is missing, shapes differ, or an option makes no sense.
        OSError: where the file cannot be written.
    """
    batch = DebugBatch(data)
    _check_options(divergence_threshold, divergence_top_k)
    metrics = measure_gaps(*batch.probabilities, batch.gaps)
    metrics |= measure_own_rounds(*batch.own, batch.mask)
    if log_divergence:
        limits = TextLimits(max_prompt_chars=max_prompt_chars, max_response_chars=max_response_chars)
        records = _collect(batch, tokenizer, divergence_threshold, divergence_top_k, iteration, limits)
        if records:
            _print_records(records)
            if divergence_jsonl_path is not None:
                written = [_make_lean(record) for record in records] if lean else records
                _append_records(written, os.fspath(divergence_jsonl_path), iteration)
    return metrics


def collect_divergent_tokens(
    data: Any,
    tokenizer: Any = None,
    *,
    threshold: float = 0.0,
    top_k: int = 5,
    iteration: int | None = None,
    context_window: int = 5,
    max_prompt_chars: int | None = 200,
    max_response_chars: int | None = 200,
) -> list[dict[str, Any]]:
    """The records that `calculate_debug_metrics` logs, with settings that it leaves at their defaults.

    Args:
        data: see `calculate_debug_metrics`.
        tokenizer: see there.
        threshold: nothing is returned if the largest difference of probabilities is below this.
        top_k: number of tokens.
        iteration: number of the training step.
        context_window: tokens of context on either side.
        max_prompt_chars: characters of the prompt before ``...``; None for all.
        max_response_chars: the same for the response.

    Returns:
        One dict for each token, the furthest apart first; docs/divergence.md describes the fields.

    Raises:
        ValueError: where a column is missing, shapes differ, or an option makes no sense.
    """
    _check_options(threshold, top_k)
    limits = TextLimits(context_window, max_prompt_chars, max_response_chars)
    return _collect(DebugBatch(data), tokenizer, threshold, top_k, iteration, limits)


def _collect(
    batch: DebugBatch, tokenizer: Any, threshold: float, top_k: int, iteration: int | None, limits: TextLimits
) -> list[dict[str, Any]]:
    places = rank_tokens(batch, top_k, threshold)
    if not places:
        return []
    if tokenizer is None:
        tokenizer = batch.meta.get("tokenizer")
    builder = RecordBuilder(batch, iteration, tokenizer, limits)
    return [builder.build(place, rank) for rank, place in enumerate(places)]


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))

#: The same as ``LEAN_FIELDS`` in ``src/analyses/divergence/line.ts``.
_LEAN_FIELDS = [
    "iteration",
    "rank",
    "batch_idx",
    "position",
    "position_from_end",
    "sequence_length",
    "token_id",
    "token_text",
    "prob_divergence",
    "rollout_prob",
    "actor_prob",
    "rollout_logprob",
    "actor_logprob",
    "logprob_diff",
    "flip_type",
    "is_correct",
    "total_score",
    "WARNING",
    "context_text",
    "context_start_pos",
    "context_end_pos",
    "prompt_text",
    "prompt_num_tokens",
    "full_response",
    "response_num_tokens",
    "decode_error",
    "handle",
    "file",
    "iteration_responses",
    "iteration_accuracy",
    "iteration_correct_tokens",
    "record_id",
]


def _make_lean(record: dict[str, Any]) -> dict[str, Any]:
    return {name: record[name] for name in _LEAN_FIELDS if record.get(name) is not None}


def _check_options(threshold: float, top_k: int) -> None:
    threshold, top_k = read_number("the threshold", threshold), read_whole("the number of tokens to log", top_k)
    if not 0 <= threshold <= 1:
        raise ValueError(f"the divergence threshold is a difference of probabilities, from 0 to 1, not {threshold}")
    if top_k < 1:
        raise ValueError(f"the number of tokens to log must be at least 1, not {top_k}")


def _print_records(records: Sequence[dict[str, Any]]) -> None:
    """Prints one message for all records, so that messages of several processes do not mix."""
    odd = any(record["tokens_match"] is False or "decode_error" in record for record in records)
    level = logging.WARNING if odd else logging.INFO
    if logger.isEnabledFor(level):
        logger.log(level, "%s", render_records(records))


def _append_records(records: Sequence[dict[str, Any]], path: str, iteration: int | None) -> None:
    """Appends with one write, so that lines of several processes do not mix on a local file system."""
    file = Path(path.replace("{iteration}", "none" if iteration is None else str(iteration)))
    file.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(_render_line(record) + "\n" for record in records)
    with open(file, "ab+", buffering=0) as target:
        # A writer that was killed may have left an incomplete line.
        if target.seek(0, os.SEEK_END) > 0:
            target.seek(-1, os.SEEK_END)
            if target.read(1) != b"\n":
                text = "\n" + text
        # A tokenizer may decode to half of a surrogate pair, which JSON can escape but UTF-8 cannot encode.
        target.write(text.encode("utf-8", "backslashreplace"))


def _render_line(record: dict[str, Any]) -> str:
    """One line of JSON, with null for numbers that JSON lacks."""
    try:
        return _ENCODER.encode(record)
    except ValueError:
        return _ENCODER.encode(_drop_infinities(record))


def _drop_infinities(value: Any) -> Any:
    """The value with None for numbers that JSON lacks."""
    if isinstance(value, dict):
        return {name: _drop_infinities(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_drop_infinities(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
