"""Number-token losses from complete digit distributions.

Definitions: Jinyeop3110/RL_NTL ntl_local/ntl_core.py.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..tensors import describe_shape, is_tensor, module_of, take_array, to_numpy

Method = Literal["mse", "wasserstein", "mae"]
_DIGITS = np.arange(10)


@dataclass(frozen=True)
class DigitLosses:
    """Losses of a distribution over the ten digits, compared with a digit t.

    Attributes:
        expected: E[d] = Σ d·P(d).
        mse: (E[d] - t)².
        wasserstein: Σ P(d)·abs(d - t), Wasserstein-1 to all mass on t.
        mae: abs(E[d] - t).
        argmax: the likeliest digit; the lowest if tied.
    """

    expected: float
    mse: float
    wasserstein: float
    mae: float
    argmax: int


def digit_log_probs(logits: Any, digit_ids: Sequence[int]) -> Any:
    """Log-softmax over only the ten digits.

    Args:
        logits: ``[..., vocabulary]``, or log-probs; a tensor stays on its device.
        digit_ids: ``[10]`` token ids of 0 to 9.

    Returns:
        ``[..., 10]``, nats; float64 for an array, at least float32 and detached for a tensor.
    """
    xp, logits = module_of(logits), take_array(logits)
    own = logits[..., list(digit_ids)]
    if is_tensor(own):
        return xp.log_softmax(own if own.dtype == xp.float64 else own.float(), -1)
    own = own.astype(np.float64)
    return own - np.logaddexp.reduce(own, axis=-1, keepdims=True)


def read_digit_log_probs(logprobs: Mapping[int, Any], digit_ids: Sequence[int]) -> np.ndarray:
    """Log-softmax over the digits among a server's alternatives for a position: ``{token_id: log-prob}``.

    Values may be numbers or have ``.logprob``, as vLLM's do. A digit that is not listed gets probability 0, which is
    only accurate if enough alternatives are listed; ask the server for more than the few that it lists by default.

    Returns:
        ``[10]``, nats; all -Infinity if no digit is listed.
    """
    values = (logprobs.get(token, -math.inf) for token in digit_ids)
    own = np.array([getattr(value, "logprob", value) for value in values], np.float64)
    return own if np.all(np.isneginf(own)) else own - np.logaddexp.reduce(own)


def digit_losses(probabilities: Any, truth: int) -> DigitLosses:
    """Losses of ten probabilities, compared with the true digit.

    Raises:
        ValueError: unless there are ten probabilities and ``truth`` is a digit.
    """
    masses = to_numpy(probabilities).astype(np.float64)
    if masses.shape != (10,):
        raise ValueError(f"expected the probabilities of ten digits, got the shape {describe_shape(masses)}")
    if truth not in _DIGITS:
        raise ValueError(f"the true digit must be 0 to 9, not {truth}")
    expected = float(_DIGITS @ masses)
    return DigitLosses(
        expected=expected,
        mse=(expected - truth) ** 2,
        wasserstein=float(abs(_DIGITS - truth) @ masses),
        mae=abs(expected - truth),
        argmax=int(masses.argmax()),
    )


def number_token_loss(
    log_probs: Any,
    digit_positions: Sequence[Sequence[int]],
    digit_ground_truth: Sequence[Sequence[int]],
    method: Method = "mse",
) -> dict[str, Any]:
    """Number-token loss at the given positions: NTL-MSE, or NTL-WAS with ``method="wasserstein"``.

    Args:
        log_probs: ``[B, T, 10]`` from `digit_log_probs`, nats; or a list of ``[T, 10]``.
        digit_positions: positions in each sequence.
        digit_ground_truth: the true digit at each position.
        method: ``mse``, ``wasserstein`` or ``mae``.

    Returns:
        ``ntl_loss`` in digits (``mse``: squared digits), ``ntl_reward`` exp(-loss), ``digit_accuracy``,
        ``total_digits``, ``correct_digits``, ``method``. Without positions, the loss is 0, the reward 1 and the
        accuracy 0.

    Raises:
        ValueError: if positions and digits differ in number, a position is outside its sequence, or the method is not
            one of these.
    """
    if method not in ("mse", "wasserstein", "mae"):
        raise ValueError(f'there is no method "{method}"; known: mse, wasserstein, mae')
    losses: list[float] = []
    correct = 0
    for row, (positions, truths) in enumerate(zip(digit_positions, digit_ground_truth, strict=True)):
        if len(positions) != len(truths):
            raise ValueError(f"sequence {row} has {len(positions)} digit positions and {len(truths)} true digits")
        own = to_numpy(log_probs[row])
        for position, truth in zip(positions, truths, strict=True):
            if not 0 <= position < len(own):
                raise ValueError(f"digit position {position} of sequence {row} is outside its {len(own)} tokens")
            judged = digit_losses(np.exp(own[position].astype(np.float64)), truth)
            losses.append(getattr(judged, method))
            correct += judged.argmax == truth
    loss = math.fsum(losses) / len(losses) if losses else 0.0
    return {
        "ntl_loss": loss,
        "ntl_reward": math.exp(-loss),
        "digit_accuracy": correct / len(losses) if losses else 0.0,
        "total_digits": len(losses),
        "correct_digits": correct,
        "method": method,
    }
