"""The records of the log: what is known of a token, and its texts.

Fields: docs/divergence.md; definition: sungyubkim/verl verl/utils/debug/metrics.py @ 2b2ad595.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .batch import DebugBatch
from .texts import Texts

_ALTERNATIVES = 5


@dataclass(frozen=True)
class TextLimits:
    """How much text a record has: tokens of context on either side, characters (None: all)."""

    context_window: int = 5
    max_prompt_chars: int | None = 200
    max_response_chars: int | None = 200


def rank_tokens(batch: DebugBatch, top_k: int) -> list[tuple[int, int, float]]:
    """``(row, position, divergence)`` of the tokens furthest apart; ties go to the earlier row, then token.

    Only tokens with mask 1 and two known probabilities are ranked.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        gaps = abs(np.exp(batch.old) - np.exp(batch.rollout))
    gaps = np.where(batch.mask & ~np.isnan(gaps), gaps, -1.0).reshape(-1)
    count = min(top_k, gaps.size)
    if count == 0:
        return []
    least = np.partition(gaps, gaps.size - count)[gaps.size - count]
    candidates = np.flatnonzero((gaps >= least) & (gaps >= 0))
    order = candidates[np.argsort(-gaps[candidates], kind="stable")][:count]
    width = batch.old.shape[1]
    return [(int(at) // width, int(at) % width, float(gaps[at])) for at in order]


def build_record(
    batch: DebugBatch,
    place: tuple[int, int, float],
    rank: int,
    iteration: int | None,
    tokenizer: Any,
    limits: TextLimits,
) -> dict[str, Any]:
    """One record, its fields in the documented order; what is not known is None."""
    row, position, divergence = place
    width = batch.old.shape[1]
    rollout, actor = float(batch.rollout[row, position]), float(batch.old[row, position])
    rollout_prob, actor_prob = math.exp(rollout), math.exp(actor)
    responses = None if batch.responses is None else batch.responses[row].tolist()
    token = None if responses is None else responses[position]
    correct, score = read_correctness(batch, row)
    texts = Texts(tokenizer)
    record: dict[str, Any] = {
        "iteration": iteration,
        "rank": rank,
        "batch_idx": row,
        "position": position,
        "position_from_end": width - position - 1,
        "sequence_length": width,
        "token_id": token,
        "token_text": None,
        "prob_divergence": divergence,
        "rollout_prob": rollout_prob,
        "actor_prob": actor_prob,
        "rollout_logprob": rollout,
        "actor_logprob": actor,
        "logprob_diff": abs(rollout - actor),
        "flip_type": classify_flip(rollout_prob, actor_prob),
        "is_correct": correct,
        "total_score": score,
    }
    if token is not None:
        kind = "no_tokenizer" if tokenizer is None else "decode_error"
        record["token_text"] = texts.decode([token]) or f"<{kind}:{token}>"
    record |= _read_positions(batch, row, position)
    attention = batch.find("attention_mask")
    record |= _read_attention(None if attention is None else attention[row], width, position)
    record |= _check_reencoding(token, tokenizer, texts)
    input_ids = batch.find("input_ids")
    sequence = None if input_ids is None else input_ids[row].tolist()
    record |= _check_alignment(token, _take_last(sequence, width, position), tokenizer, texts)
    start, end = max(0, position - limits.context_window), min(width, position + limits.context_window + 1)
    sampled = None if responses is None else [id for id, own in zip(responses, batch.mask[row], strict=True) if own]
    prompt = _read_prompt(sequence, None if attention is None else attention[row], width)
    record |= {
        "context_text": texts.decode(None if responses is None else responses[start:end]),
        "context_start_pos": start,
        "context_end_pos": end,
        "prompt_text": texts.decode(prompt, limits.max_prompt_chars),
        "prompt_num_tokens": None if prompt is None else len(prompt),
        "full_response": texts.decode(sampled, limits.max_response_chars),
        "response_num_tokens": int(batch.mask[row].sum()),
    }
    if texts.errors:
        record["decode_error"] = "; ".join(texts.errors)
    return record | {
        "rollout_entropy": _read_value(batch.find("rollout_entropy"), row, position),
        "actor_entropy": _read_value(batch.find("old_entropy", "entropys", "entropy"), row, position),
        "rollout_top5": _read_top(batch, "rollout", row, position, texts),
        "actor_top5": _read_top(batch, "old", row, position, texts),
        "advantage": _read_value(batch.find("advantages"), row, position),
        "reward": _read_value(batch.find("token_level_rewards", "token_level_scores"), row, position),
        "handle": None,
        "file": None,
        "record_id": None,
    }


def classify_flip(rollout_prob: float, actor_prob: float) -> str | None:
    """Which policy is sure of the token that the other would not choose; every threshold excludes the value itself."""
    if rollout_prob > 0.9 and actor_prob < 0.1:
        return "rollout_confident_actor_rejects"
    if actor_prob > 0.9 and rollout_prob < 0.1:
        return "actor_confident_rollout_rejects"
    return "large_disagreement" if abs(rollout_prob - actor_prob) > 0.5 else None


def read_correctness(batch: DebugBatch, row: int) -> tuple[bool | None, float | None]:
    """``acc``, else whether the total score is above 0; and the total score."""
    scores = batch.find("token_level_scores")
    score = None if scores is None else float(scores[row].astype(np.float64).sum())
    acc = batch.find_per_sequence("acc")
    correct = None if acc is None or acc[row] is None or acc[row] != acc[row] else bool(acc[row])
    if correct is None and score is not None:
        correct = score > 0
    return correct, score


def _read_value(column: np.ndarray | None, row: int, position: int) -> float | None:
    value = math.nan if column is None else float(column[row, position])
    return None if math.isnan(value) else value


def _take_last(values: list[int] | None, width: int, position: int) -> int | None:
    """The value of a response token in a row that also has the prompt."""
    return None if values is None or len(values) < width else values[len(values) - width + position]


def _read_positions(batch: DebugBatch, row: int, position: int) -> dict[str, Any]:
    positions = batch.find("position_ids")
    if positions is None:
        return {"position_id": None}
    at = positions[row].shape[-1] - batch.old.shape[1] + position
    if positions.ndim == 2:
        return {"position_id": int(positions[row, at])}
    return {"position_id": None, "position_ids": positions[row, :, at].tolist()}


def _read_attention(attention: np.ndarray | None, width: int, position: int) -> dict[str, Any]:
    names = ("num_prompt_padding_tokens", "prompt_length_with_padding", "prompt_length_without_padding")
    if attention is None:
        return {"attention_mask_value": None} | dict.fromkeys(names)
    length = len(attention) - width
    padding = int((attention[:length] == 0).sum())
    counts = (padding, length, length - padding) if length > 0 else (None, None, None)
    return {"attention_mask_value": int(attention[length + position])} | dict(zip(names, counts, strict=True))


def _check_reencoding(token: int | None, tokenizer: Any, texts: Texts) -> dict[str, Any]:
    ids = None if token is None or tokenizer is None else texts.encode(token)
    if ids is None:
        return {"reencodes_to_same_id": None}
    return {"reencodes_to_same_id": True} if ids == [token] else {"reencodes_to_same_id": False, "reencoded_ids": ids}


def _check_alignment(token: int | None, seen: int | None, tokenizer: Any, texts: Texts) -> dict[str, Any]:
    """Whether the trainer saw the token that was sampled."""
    if token is None or seen is None or token == seen:
        return {"input_ids_token_id": seen, "tokens_match": None if token is None or seen is None else True}
    found = {
        "input_ids_token_id": seen,
        "tokens_match": False,
        "WARNING": f"MISMATCH! response has {token} but input_ids has {seen}",
    }
    return found if tokenizer is None else found | {"input_ids_token_text": texts.decode([seen]) or _unread(seen)}


def _read_prompt(sequence: list[int] | None, attention: np.ndarray | None, width: int) -> list[int] | None:
    """Tokens before the response, without the padding before the attention mask's first 1."""
    if sequence is None:
        return None
    start, end = 0, len(sequence) - width
    if attention is not None:
        ones = np.flatnonzero(attention == 1)
        start = int(ones[0]) if ones.size else end
    return sequence[start:end] if start < end else None


def _read_top(batch: DebugBatch, side: str, row: int, position: int, texts: Texts) -> list[dict[str, Any]] | None:
    ids, logprobs = batch.find(f"{side}_top_ids"), batch.find(f"{side}_top_log_probs")
    if ids is None or logprobs is None:
        return None
    pairs = zip(ids[row, position].tolist(), logprobs[row, position].tolist(), strict=True)
    found = [(token, value) for token, value in pairs if token >= 0 and not math.isnan(value)]
    return [
        {"token_id": token, "token_text": texts.decode([token]), "prob": math.exp(value), "logprob": value}
        for token, value in found[:_ALTERNATIVES]
    ] or None


def _unread(token: int) -> str:
    return f"<decode_error:{token}>"
