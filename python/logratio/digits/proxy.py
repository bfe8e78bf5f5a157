"""How sure the policy was of the digits it sampled, from only their own log-probs.

A proxy for number-token loss, which also needs the probabilities of the other digits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ..tensors import check_shapes, to_numpy

METHOD = "simplified_from_rollout_log_probs"


def digit_proxy(
    token_ids: Any, log_probs: Any, digit_tokens: Mapping[int, int], response_mask: Any = None
) -> dict[str, Any]:
    """Computes ``ntl_info`` of a batch: positions and log-probs of its digits, and their mean.

    Digits without a finite log-prob are left out.

    Args:
        token_ids: ``[B, T]``, array, tensor or list of rows, which may differ in length.
        log_probs: ``[B, T]``, log-probs of the sampled tokens, nats.
        digit_tokens: from `find_digit_tokens` or `take_digit_tokens`.
        response_mask: ``[B, T]``; tokens with 0 are skipped.

    Returns:
        ``digit_positions``, ``digit_ground_truth`` (the sampled digits, which despite the name are not ground truth)
        and ``digit_log_probs_selected`` by sequence; ``avg_digit_log_prob`` and ``ntl_loss`` (its negative) in nats,
        None without digits; ``total_digits``; ``method``.

    Raises:
        ValueError: if a row of one column is not as long as the same row of another.
    """
    positions: list[list[int]] = []
    digits: list[list[int]] = []
    selected: list[list[float]] = []
    for row in range(len(token_ids)):
        ids, values = to_numpy(token_ids[row]), to_numpy(log_probs[row])
        likely = "one of them also covers the prompt"
        check_shapes(f"token_ids[{row}]", ids, f"log_probs[{row}]", values, likely)
        mask = None if response_mask is None else to_numpy(response_mask[row])
        if mask is not None:
            check_shapes(f"token_ids[{row}]", ids, f"response_mask[{row}]", mask, likely)
        found = [
            (at, digit_tokens[token], float(values[at]))
            for at, token in enumerate(ids.tolist())
            if token in digit_tokens and math.isfinite(values[at]) and (mask is None or mask[at] != 0)
        ]
        positions.append([at for at, _, _ in found])
        digits.append([digit for _, digit, _ in found])
        selected.append([value for _, _, value in found])
    total = sum(map(len, selected))
    average = math.fsum(value for row_values in selected for value in row_values) / total if total else None
    return {
        "digit_positions": positions,
        "digit_ground_truth": digits,
        "digit_log_probs_selected": selected,
        "ntl_loss": None if average is None else -average,
        "avg_digit_log_prob": average,
        "total_digits": total,
        "method": METHOD,
    }
