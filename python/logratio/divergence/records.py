"""The records of the log: what is known about a token, and its texts.

Fields: docs/divergence.md; definition: sungyubkim/verl verl/utils/debug/metrics.py @ 2b2ad595.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .batch import DebugBatch
from .places import find_rank, format_handle, format_record_id, number_rows
from .texts import Texts, Vocabulary

_ALTERNATIVES = 5
#: Tokens per block; the maximum of each block is taken before tokens are ranked.
_BLOCK = 256


@dataclass(frozen=True)
class TextLimits:
    """How much text a record has: tokens of context on either side, and characters (None: all)."""

    context_window: int = 5
    max_prompt_chars: int | None = 200
    max_response_chars: int | None = 200


def find_block_maxima(gaps: np.ndarray) -> np.ndarray:
    """The largest known distance in each block of tokens, -1 if a block has none."""
    if not gaps.size:
        return np.empty(0)
    largest = np.fmax.reduceat(gaps, np.arange(0, gaps.size, _BLOCK))
    return np.where(np.isnan(largest), -1.0, largest)


def rank_tokens(batch: DebugBatch, top_k: int, threshold: float = 0.0) -> list[tuple[int, int, float]]:
    """``(row, position, divergence)`` of the tokens furthest apart; the earlier row, then token, wins a tie.

    Only tokens with mask 1 and two known probabilities are ranked; none if the largest distance is below the threshold.
    """
    gaps, largest = batch.gaps, find_block_maxima(batch.gaps)
    # Most batches end here, because nothing is ranked before the largest distance is known.
    if largest.max(initial=-1.0) < threshold:
        return []
    # With as many blocks as wanted tokens, the least of the largest maxima bounds the last token: read only these
    # blocks.
    least = 0.0
    if largest.size > top_k:
        least = max(least, float(np.partition(largest, largest.size - top_k)[largest.size - top_k]))
    blocks = np.flatnonzero(largest >= least)
    near = (blocks[:, np.newaxis] * _BLOCK + np.arange(_BLOCK)).reshape(-1)
    near = near[: np.searchsorted(near, gaps.size)]
    near = near[gaps[near] >= least]
    order = near[np.argsort(-gaps[near], kind="stable")][:top_k]
    # Gaps exist for the tokens with mask 1, row after row.
    ends = np.cumsum(batch.tokens)
    rows = np.searchsorted(ends, order, side="right").tolist()
    found = []
    for index, row in zip(order.tolist(), rows, strict=True):
        within = index - int(ends[row] - batch.tokens[row])
        found.append((row, int(np.flatnonzero(batch.mask[row])[within]), float(gaps[index])))
    return found


class RecordBuilder:
    """Builds the records of one batch, with fields in the documented order; unknown values are None."""

    def __init__(self, batch: DebugBatch, iteration: int | None, tokenizer: Any, limits: TextLimits) -> None:
        self._batch = batch
        self._iteration = iteration
        self._tokenizer = tokenizer
        self._vocabulary = Vocabulary(tokenizer)
        self._limits = limits
        self._rank = find_rank(batch.meta)
        self._first_row = number_rows(iteration, self._rank, batch.rollout, batch.mask)
        self._accuracy = measure_accuracy(batch)
        #: The texts that the tokens of a row share, with their errors, by row.
        self._shared: dict[int, tuple[dict[str, Any], list[str]]] = {}

    def build(self, place: tuple[int, int, float], rank: int) -> dict[str, Any]:
        """The record of the token at ``place``, the ``rank``-th of its batch."""
        batch, tokenizer = self._batch, self._tokenizer
        row, position, divergence = place
        width = batch.old.shape[1]
        rollout, actor = float(batch.rollout[row, position]), float(batch.old[row, position])
        rollout_prob, actor_prob = math.exp(rollout), math.exp(actor)
        responses = batch.find_row(row, "responses")
        token = None if responses is None else int(responses[position])
        correct, score = read_correctness(batch, row)
        texts = Texts(tokenizer, self._vocabulary)
        record: dict[str, Any] = {
            "iteration": self._iteration,
            "rank": rank,
            "batch_idx": row,
            "position": position,
            "position_from_end": width - position - 1,
            "sequence_length": width,
            "token_id": token,
            "token_text": None,
            "token_plain": None,
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
            plain = texts.decode_plain([token])
            record["token_text"] = f"<{kind}:{token}>" if plain is None else repr(plain)
            record["token_plain"] = plain
        record |= _read_positions(batch, row, position)
        record |= _read_attention(batch.find_row(row, "attention_mask"), width, position)
        record |= _check_reencoding(token, record["token_plain"], texts)
        input_ids = batch.find_row(row, "input_ids")
        record |= _check_alignment(token, _take_last(input_ids, width, position), tokenizer, texts)
        record |= self._read_texts(row, position, texts)
        if texts.errors:
            record["decode_error"] = "; ".join(texts.errors)
        handle = format_handle(self._iteration, self._rank, self._first_row + row, position)
        return record | {
            "rollout_entropy": _read_value(batch.find_row(row, "rollout_entropy"), position),
            "actor_entropy": _read_value(batch.find_row(row, "old_entropy", "entropys", "entropy"), position),
            "rollout_top5": _read_top(batch, "rollout", row, position, texts),
            "actor_top5": _read_top(batch, "old", row, position, texts),
            "advantage": _read_value(batch.find_row(row, "advantages"), position),
            "reward": _read_value(batch.find_row(row, "token_level_rewards", "token_level_scores"), position),
            "handle": handle,
            "file": None,
            **self._accuracy,
            "record_id": format_record_id(handle, token, rollout, actor),
        }

    def _read_texts(self, row: int, position: int, texts: Texts) -> dict[str, Any]:
        batch, limits = self._batch, self._limits
        width = batch.old.shape[1]
        responses = batch.find_row(row, "responses")
        start, end = max(0, position - limits.context_window), min(width, position + limits.context_window + 1)
        context = texts.decode(None if responses is None else responses[start:end])
        if row not in self._shared:
            own = Texts(self._tokenizer, self._vocabulary)
            sampled = None if responses is None else responses[batch.mask[row]]
            prompt = _read_prompt(batch.find_row(row, "input_ids"), batch.find_row(row, "attention_mask"), width)
            self._shared[row] = (
                {
                    "prompt_text": own.decode(prompt, limits.max_prompt_chars),
                    "prompt_num_tokens": None if prompt is None else len(prompt),
                    "full_response": own.decode(sampled, limits.max_response_chars),
                    "response_num_tokens": int(batch.tokens[row]),
                },
                own.errors,
            )
        shared, errors = self._shared[row]
        texts.errors += [error for error in errors if error not in texts.errors]
        return {"context_text": context, "context_start_pos": start, "context_end_pos": end, **shared}


def measure_accuracy(batch: DebugBatch) -> dict[str, Any]:
    """Among the responses whose correctness is known: their number, the share of correct ones, and that of their
    tokens.

    Empty if none is known, or if these responses have no tokens.
    """
    correct: list[bool | None] = [None] * len(batch.old)
    acc = batch.find_per_sequence("acc")
    if acc is not None:
        correct = [_read_acc(value) for value in acc]
    if None in correct:
        # Whole columns of scores are only summed if they decide.
        sums = batch.find_sums("token_level_scores")
        if sums is not None:
            scored = (sums > 0).tolist()
            correct = [scored[row] if each is None else each for row, each in enumerate(correct)]
    known = np.array([each is not None for each in correct])
    right = np.array([each is True for each in correct])
    tokens = batch.tokens
    if not tokens[known].sum():
        return {}
    return {
        "iteration_responses": int(known.sum()),
        "iteration_accuracy": int(right.sum()) / int(known.sum()),
        "iteration_correct_tokens": int(tokens[right].sum()) / int(tokens[known].sum()),
    }


def classify_flip(rollout_prob: float, actor_prob: float) -> str | None:
    """Which policy is sure of a token that the other would not choose; thresholds are exclusive."""
    if rollout_prob > 0.9 and actor_prob < 0.1:
        return "rollout_confident_actor_rejects"
    if actor_prob > 0.9 and rollout_prob < 0.1:
        return "actor_confident_rollout_rejects"
    return "large_disagreement" if abs(rollout_prob - actor_prob) > 0.5 else None


def read_correctness(batch: DebugBatch, row: int) -> tuple[bool | None, float | None]:
    """Correctness (``acc``, else whether the total score is above 0), and the total score."""
    scores = batch.find_row(row, "token_level_scores")
    score = None if scores is None else float(scores.sum(dtype=np.float64))
    acc = batch.find_per_sequence("acc")
    correct = None if acc is None else _read_acc(acc[row])
    if correct is None and score is not None:
        correct = score > 0
    return correct, score


def _read_acc(value: Any) -> bool | None:
    """Reads ``acc``; None and NaN mean unknown."""
    return None if value is None or value != value else bool(value)


def _read_value(column: np.ndarray | None, position: int) -> float | None:
    value = math.nan if column is None else float(column[position])
    return None if math.isnan(value) else value


def _take_last(values: np.ndarray | None, width: int, position: int) -> int | None:
    """The value of a response token in a row that includes the prompt."""
    return None if values is None or len(values) < width else int(values[len(values) - width + position])


def _read_positions(batch: DebugBatch, row: int, position: int) -> dict[str, Any]:
    positions = batch.find_row(row, "position_ids")
    if positions is None:
        return {"position_id": None}
    at = positions.shape[-1] - batch.old.shape[1] + position
    if positions.ndim == 1:
        return {"position_id": int(positions[at])}
    return {"position_id": None, "position_ids": positions[:, at].tolist()}


def _read_attention(attention: np.ndarray | None, width: int, position: int) -> dict[str, Any]:
    names = ("num_prompt_padding_tokens", "prompt_length_with_padding", "prompt_length_without_padding")
    if attention is None:
        return {"attention_mask_value": None} | dict.fromkeys(names)
    length = len(attention) - width
    padding = int((attention[:length] == 0).sum())
    counts = (padding, length, length - padding) if length > 0 else (None, None, None)
    return {"attention_mask_value": int(attention[length + position])} | dict(zip(names, counts, strict=True))


def _check_reencoding(token: int | None, plain: str | None, texts: Texts) -> dict[str, Any]:
    ids = None if plain is None else texts.encode(plain)
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


def _read_prompt(sequence: np.ndarray | None, attention: np.ndarray | None, width: int) -> np.ndarray | None:
    """The tokens before the response, without the padding before the attention mask's first 1."""
    if sequence is None:
        return None
    start, end = 0, len(sequence) - width
    if attention is not None:
        ones = np.flatnonzero(attention == 1)
        start = int(ones[0]) if ones.size else end
    return sequence[start:end] if start < end else None


def _read_top(batch: DebugBatch, side: str, row: int, position: int, texts: Texts) -> list[dict[str, Any]] | None:
    ids, logprobs = batch.find_row(row, f"{side}_top_ids"), batch.find_row(row, f"{side}_top_log_probs")
    if ids is None or logprobs is None:
        return None
    pairs = zip(ids[position].tolist(), logprobs[position].tolist(), strict=True)
    found = [(token, value) for token, value in pairs if token >= 0 and not math.isnan(value)]
    return [
        {"token_id": token, "token_text": texts.decode([token]), "prob": math.exp(value), "logprob": value}
        for token, value in found[:_ALTERNATIVES]
    ] or None


def _unread(token: int) -> str:
    return f"<decode_error:{token}>"
