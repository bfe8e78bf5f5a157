"""The records of one iteration as text, in the guide's form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

_RULE = "=" * 80
#: The most characters of a prompt and of a response on the console.
_MOST_CHARS = 200


def render_records(records: Sequence[dict[str, Any]]) -> str:
    """Renders probabilities with six decimals, log-probs and divergences with four; unknown values are left out."""
    lines = [_RULE, f"High Divergence Tokens (Top {len(records)}):", _RULE]
    for record in records:
        lines += _render_record(record)
    return "\n".join([*lines, _RULE])


def _render_record(record: dict[str, Any]) -> Iterator[str]:
    yield ""
    yield f"[Rank {record['rank']}] Divergence: {record['prob_divergence']:.4f}"
    yield f"  Token: {_name(record['token_text'])} (ID: {_name(record['token_id'])})"
    yield (f"  Position: {record['position']}/{record['sequence_length']} (from end: {record['position_from_end']})")
    yield f"  Batch Index: {record['batch_idx']}"
    if record["is_correct"] is not None:
        yield f"  Answer Correctness: {'✓ CORRECT' if record['is_correct'] else '✗ INCORRECT'}"
    if record["total_score"] is not None:
        yield f"  Total Score: {record['total_score']:.4f}"
    yield f"  Rollout: prob={record['rollout_prob']:.6f}, logprob={record['rollout_logprob']:.4f}"
    yield f"  Actor:   prob={record['actor_prob']:.6f}, logprob={record['actor_logprob']:.4f}"
    yield f"  LogProb Diff: {record['logprob_diff']:.4f}"
    if record["flip_type"] is not None:
        yield f"  Flip Type: {record['flip_type']}"
    yield from _render_alignment(record)
    yield from _render_place(record)
    yield from _render_context(record)


def _render_alignment(record: dict[str, Any]) -> Iterator[str]:
    if record["tokens_match"]:
        yield "  Token Alignment: ✓ MATCH (response token matches input_ids)"
    elif record["tokens_match"] is False:
        yield "  Token Alignment: ✗ MISMATCH!"
        yield f"    Response token: {_name(record['token_text'])} (ID: {_name(record['token_id'])})"
        seen = record.get("input_ids_token_text")
        yield f"    Input_ids token: {_name(seen)} (ID: {record['input_ids_token_id']})"
        yield f"  WARNING: {record['WARNING']}"


def _render_place(record: dict[str, Any]) -> Iterator[str]:
    if record["position_id"] is not None:
        yield f"  Position ID: {record['position_id']}"
    if "position_ids" in record:
        yield f"  Position IDs (mrope): {record['position_ids']}"
    if record["attention_mask_value"] is not None:
        yield f"  Attention Mask: {record['attention_mask_value']}"
    if record["num_prompt_padding_tokens"] is not None:
        yield (
            f"  Prompt Padding: {record['num_prompt_padding_tokens']} padding tokens (prompt length: "
            f"{record['prompt_length_without_padding']} → {record['prompt_length_with_padding']} with padding)"
        )


def _render_context(record: dict[str, Any]) -> Iterator[str]:
    sides = [(side, record[f"{side}_entropy"]) for side in ("rollout", "actor")]
    entropies = [f"{side}={value:.4f}" for side, value in sides if value is not None]
    if entropies:
        yield f"  Entropy: {', '.join(entropies)}"
    for title, name in (("Rollout Top 5: ", "rollout_top5"), ("Actor Top 5:   ", "actor_top5")):
        if record[name] is not None:
            yield f"  {title}" + ", ".join(
                f"{_name(each['token_text'], each['token_id'])} {each['prob']:.4f}" for each in record[name]
            )
    for title, name in (("Advantage", "advantage"), ("Token Reward", "reward")):
        if record[name] is not None:
            yield f"  {title}: {record[name]:.4f}"
    if record["context_text"] is not None:
        yield f"  Context [{record['context_start_pos']}:{record['context_end_pos']}]: {record['context_text']}"
    if record["prompt_text"] is not None:
        yield f"  Prompt ({record['prompt_num_tokens']} tokens): {_shorten(record['prompt_text'])}"
    if record["full_response"] is not None:
        yield f"  Response ({record['response_num_tokens']} tokens): {_shorten(record['full_response'])}"
    if "decode_error" in record:
        yield f"  Decode Error: {record['decode_error']}"


def _shorten(text: str) -> str:
    """The beginning of a quoted text; the file has all of it."""
    return text if len(text) <= _MOST_CHARS + len("'...'") else f"{text[: _MOST_CHARS + 1]}...{text[0]}"


def _name(value: Any, instead: Any = "N/A") -> Any:
    return instead if value is None else value
