"""What numpy or torch computes of arrays in this process, without the program."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from ..corrections import AppliedCorrection, Correction, apply_correction
from ..digits import digit_proxy, find_digit_tokens, number_token_loss, take_digit_tokens
from ..divergence import collect_divergent_tokens
from ..errors import LogratioError
from ..recorder.columns import FACTS, BatchError, check_columns
from ..tensors import to_numpy

_SIDES = ("rollout_log_probs", "old_log_probs")
Value = TypeVar("Value")


@dataclass(frozen=True)
class DigitFigures:
    """How sure the policies of a batch were of the digits they sampled.

    Attributes:
        rollout: ``ntl_info`` of the rollout log-probs, as `logratio.digits.digit_proxy` returns it; None without them.
        trainer: the same of the trainer's log-probs.
        loss: number-token loss of ``digit_log_probs`` at the sampled digits, as
            `logratio.digits.number_token_loss` returns it; None if the batch has no digit distributions.
    """

    rollout: dict[str, Any] | None
    trainer: dict[str, Any] | None
    loss: dict[str, Any] | None


def correct_batch(batch: Mapping[str, Any], correction: Correction | str) -> AppliedCorrection:
    """Applies a correction to one batch; rows of unequal length come back as lists of rows.

    Raises:
        LogratioError: if the columns do not fit together, or the correction is not understood.
    """
    columns, lengths = _read(batch, _SIDES)
    applied = _explain(
        lambda: apply_correction(
            correction,
            columns["rollout_log_probs"],
            columns["old_log_probs"],
            columns.get("response_mask"),
            advantages=columns.get("advantages"),
        )
    )
    if lengths is None:
        return applied
    parts = (applied.weights, applied.mask, applied.raw_weights)
    return AppliedCorrection(*(None if part is None else _cut(part, lengths) for part in parts))


def list_divergent(batch: Mapping[str, Any], tokenizer: Any, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The tokens of a batch whose two probabilities differ most, as records.

    Raises:
        LogratioError: if the columns do not fit together, or an option is unknown or makes no sense.
    """
    _refuse_path(tokenizer)
    columns, _ = _read(batch, _SIDES)
    return _explain(
        lambda: collect_divergent_tokens(columns, tokenizer, **{"iteration": columns.get("step"), **options})
    )


def measure_digits(batch: Mapping[str, Any], tokenizer: Any, digit_ids: Sequence[int] | None) -> DigitFigures:
    """Confidence in the sampled digits of a batch, and number-token loss where it has digit distributions.

    Raises:
        LogratioError: if the columns do not fit together, or nothing says which tokens are digits.
    """
    _refuse_path(tokenizer)
    if tokenizer is None and digit_ids is None:
        raise LogratioError(
            "nothing says which tokens are digits", hint="give tokenizer=…, or digit_ids=… with the ids of 0 to 9"
        )
    columns, _ = _read(batch, ("responses",))
    tokens = _explain(lambda: find_digit_tokens(tokenizer) if digit_ids is None else take_digit_tokens(digit_ids))
    mask = columns.get("response_mask")
    found = [
        None if name not in columns else digit_proxy(columns["responses"], columns[name], tokens, mask)
        for name in _SIDES
    ]
    info = next((side for side in found if side is not None), None)
    distributions = columns.get("digit_log_probs")
    if info is None or distributions is None:
        return DigitFigures(found[0], found[1], None)
    loss = number_token_loss(distributions, info["digit_positions"], info["digit_ground_truth"])
    return DigitFigures(found[0], found[1], loss)


def _refuse_path(tokenizer: Any) -> None:
    if isinstance(tokenizer, (str, os.PathLike)):
        raise LogratioError(
            f"tokenizer is the path {os.fspath(tokenizer)}, and arrays are read without the program",
            hint="give the tokenizer itself: transformers.AutoTokenizer.from_pretrained(…)",
        )


def _read(batch: Mapping[str, Any], needed: Sequence[str]) -> tuple[dict[str, Any], list[int] | None]:
    """The checked columns, padded to ``[B, T]`` if they are rows of unequal length, and those lengths."""
    try:
        columns = check_columns(batch, with_facts=True)
    except BatchError as error:
        raise error.explain() from error
    missing = [name for name in needed if name not in columns]
    if missing:
        raise LogratioError(
            f"the batch has no {' and no '.join(missing)}",
            likely="the rollout engine was not asked for log-probs" if missing == [_SIDES[0]] else None,
            hint=f"its columns are {', '.join(columns)}",
        )
    first = columns[needed[0]]
    if not isinstance(first, list):
        _find_mask(columns, int(first.shape[1]))
        return columns, None
    lengths = [len(row) for row in first]
    if "response_mask" not in columns:
        columns["response_mask"] = [np.ones(length, np.uint8) for length in lengths]
    padded = {name: _pad(name, value, lengths) for name, value in columns.items() if name not in FACTS}
    return {**{name: columns[name] for name in FACTS if name in columns}, **padded}, lengths


def _find_mask(columns: dict[str, Any], width: int) -> None:
    """Takes the response's part of the attention mask where there is no response mask."""
    attention = columns.pop("attention_mask", None)
    if "response_mask" not in columns and attention is not None:
        columns["response_mask"] = attention[:, attention.shape[1] - width :]


def _pad(name: str, value: Any, lengths: Sequence[int]) -> Any:
    if not isinstance(value, list) or not value or not hasattr(value[0], "shape"):
        return value
    rows = [to_numpy(row) for row in value]
    width = max(len(row) for row in rows)
    padded = np.zeros((len(rows), width, *rows[0].shape[1:]), np.result_type(*rows))
    for target, row in zip(padded, rows, strict=True):
        target[: len(row)] = row
    return padded


def _cut(padded: np.ndarray, lengths: Sequence[int]) -> list[np.ndarray]:
    return [row[:length] for row, length in zip(padded, lengths, strict=True)]


def _explain(compute: Callable[[], Value]) -> Value:
    try:
        return compute()
    except (TypeError, ValueError) as error:
        message, *likely = str(error).split("; likely: ")
        raise LogratioError(message, likely=likely[0] if likely else None) from error
