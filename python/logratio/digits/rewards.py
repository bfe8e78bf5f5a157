"""Rewards shaped by confidence in digits or by number-token loss."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from .losses import digit_losses


def compute_confidence_reward(ntl_info: Mapping[str, Any] | None, base_reward: float) -> float:
    """``base · (0.5 + 0.5 · exp(average))``: half of the reward without confidence in the digits, all of it at
    certainty.

    Args:
        ntl_info: from `digit_proxy`; None, or one without digits, leaves the reward unchanged.
        base_reward: the reward, in any unit.
    """
    average = _read_average(ntl_info)
    return base_reward if average is None else base_reward * (0.5 + 0.5 * math.exp(average))


def compute_bonus_reward(ntl_info: Mapping[str, Any] | None, base_reward: float) -> float:
    """``base · 1.1`` if the mean log-prob of the digits is above -0.5 nats, else ``base``."""
    average = _read_average(ntl_info)
    return base_reward * 1.1 if average is not None and average > -0.5 else base_reward


def compute_full_ntl_reward(digit_distributions: Sequence[Any], ground_truth_digits: Sequence[int]) -> float:
    """exp of the negative mean squared distance of the expected digit from the true one.

    Args:
        digit_distributions: ``[N][10]`` probabilities.
        ground_truth_digits: ``[N]``, the true digits.

    Returns:
        A fraction; 1 without digits.

    Raises:
        ValueError: if they differ in number.
    """
    if len(digit_distributions) != len(ground_truth_digits):
        raise ValueError(f"{len(digit_distributions)} digit distributions, {len(ground_truth_digits)} true digits")
    losses = [
        digit_losses(masses, truth).mse for masses, truth in zip(digit_distributions, ground_truth_digits, strict=True)
    ]
    return compute_loss_reward(math.fsum(losses) / len(losses)) if losses else 1.0


def compute_loss_reward(loss: float) -> float:
    """``exp(-loss)``, a fraction: 1 without loss."""
    return math.exp(-loss)


def _read_average(ntl_info: Mapping[str, Any] | None) -> float | None:
    if not ntl_info or not ntl_info["total_digits"]:
        return None
    average: float | None = ntl_info["avg_digit_log_prob"]
    return average
