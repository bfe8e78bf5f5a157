"""The neutral form of a correction: an importance weight, and an ordered list of steps.

Every trainer's own form translates to it, and it means the same in TypeScript. Weights and rejection are separate:
``truncate``, ``zero`` and ``normalize`` change weights, ``mask`` and ``veto`` change the response mask.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

Level = Literal["token", "turn", "sequence"]
Aggregation = Literal["sum", "mean", "max"]
Statistic = Literal[
    "ratio",
    "error_ratio",
    "ratio_distance",
    "k1",
    "k2",
    "k3",
    "k3_reverse",
    "prob_diff",
    "abs_prob_diff",
    "binary_kl",
    "binary_kl_reverse",
]
Sign = Literal["positive", "negative", "not positive"]
Divisor = Literal["token", "sequence", "every sequence"]

LEVELS: tuple[str, ...] = get_args(Level)
AGGREGATIONS: tuple[str, ...] = get_args(Aggregation)
STATISTICS: tuple[str, ...] = get_args(Statistic)
_POSITIVE = ("ratio", "error_ratio")


@dataclass(frozen=True)
class Bounds:
    """Inclusive bounds; a side without a bound is infinite."""

    lower: float = -math.inf
    upper: float = math.inf


@dataclass(frozen=True)
class Measure:
    """A figure that bounds apply to, computed from Δ = log p_trainer - log p_rollout (nats).

    Attributes:
        statistic: ``ratio`` exp Δ (aggregated in log space); ``error_ratio`` exp abs(Δ); ``ratio_distance``
            abs(exp Δ - 1); ``k1`` -Δ, ``k2`` Δ²/2, ``k3`` exp Δ - 1 - Δ, ``k3_reverse`` with the policies swapped;
            ``prob_diff`` the difference of the probabilities, ``abs_prob_diff`` its absolute value; ``binary_kl``
            kl(rollout ‖ trainer) of the coins "this token" against "any other" (nats), ``binary_kl_reverse`` the
            other way.
        level: ``token``, ``turn`` or ``sequence``; a turn is a run of mask 1.
        aggregation: how tokens are aggregated to turns and sequences.
        delta_bound: Δ is clamped to ± this many nats first; without effect on statistics of probabilities.
        kept: whether to use the mask that earlier steps left instead of the original one.
        prob_bound: of a binary KL: probabilities are clamped to this distance from 0 and 1 first; 0 for not.
        rest_shift: of a binary KL: added to both probabilities of any other token, inside the logarithm only.
    """

    statistic: Statistic
    level: Level
    aggregation: Aggregation = "sum"
    delta_bound: float = math.inf
    kept: bool = False
    prob_bound: float = 0.0
    rest_shift: float = 0.0


@dataclass(frozen=True)
class Weight:
    """The importance weight before any step: exp of Δ summed or averaged at a level.

    Attributes:
        level: ``token``, ``turn`` or ``sequence``.
        aggregation: ``sum`` gives the product of the ratios, ``mean`` their geometric mean.
        log_bound: the aggregate is clamped to ± this many nats before exp.
        delta_bound: Δ of each token is clamped to ± this many nats before it is aggregated.
        kept: whether to use the mask that the steps before the first one on weights left.
    """

    level: Level
    aggregation: Literal["sum", "mean"] = "sum"
    log_bound: float = math.inf
    delta_bound: float = math.inf
    kept: bool = False


@dataclass(frozen=True)
class Truncate:
    """Clamps the weight."""

    bounds: Bounds


@dataclass(frozen=True)
class Reject:
    """Anything outside the bounds, including NaN, loses its weight (``zero``) or its mask (``mask``).

    Attributes:
        action: tokens with ``zero`` still count in the loss's denominator, those with ``mask`` do not.
        measure: None stands for the weight itself, at its level, as it is when the step is reached.
        bounds: inclusive, in the measure's own unit.
        when: only applies if the (mean) advantage has this sign.
        diverging: only applies to tokens whose update moves the policies further apart.
        nan_kept: whether NaN counts as inside.
    """

    action: Literal["zero", "mask"]
    measure: Measure | None
    bounds: Bounds
    when: Sign | None = None
    diverging: bool = False
    nan_kept: bool = False


@dataclass(frozen=True)
class Veto:
    """Masks every sequence with a token outside the bounds. NaN counts as inside."""

    measure: Measure
    bounds: Bounds


@dataclass(frozen=True)
class Normalize:
    """Divides weights by their mean over tokens, sequences with a token, or all sequences (0 for those without)."""

    over: Divisor


Step = Truncate | Reject | Veto | Normalize


@dataclass(frozen=True)
class Correction:
    """A weight (None: no importance sampling) and steps in order.

    Raises:
        ValueError: if it contradicts itself.
    """

    weight: Weight | None = None
    steps: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        for number, step in enumerate(self.steps, 1):
            _check_step(f"step {number} ({name_action(step)})", step, self.weight)

    @property
    def needs_advantages(self) -> bool:
        """Whether a step depends on advantages."""
        return any(isinstance(step, Reject) and (step.when or step.diverging) for step in self.steps)


def name_action(step: Step) -> str:
    """The action's name in the text form: ``mask``."""
    return step.action if isinstance(step, Reject) else type(step).__name__.lower()


def _check_step(name: str, step: Step, weight: Weight | None) -> None:
    if isinstance(step, Normalize):
        if weight is None:
            raise ValueError(f"{name} has no weights to normalize")
        return
    bounds = step.bounds
    if math.isnan(bounds.lower) or math.isnan(bounds.upper):
        raise ValueError(f"{name} has a bound that is not a number")
    if bounds.lower == -math.inf and bounds.upper == math.inf:
        raise ValueError(f"{name} has no bound")
    if bounds.lower > bounds.upper:
        raise ValueError(
            f"{name} has its lower bound {bounds.lower:g} above its upper bound {bounds.upper:g}; "
            "likely: the bounds are in another trainer's order"
        )
    measure = None if isinstance(step, Truncate) else step.measure
    if measure is not None:
        _check_guards(name, measure)
    if measure is None and weight is None:
        raise ValueError(f"{name} has no weight to compare with its bounds")
    if (measure is None or measure.statistic in _POSITIVE) and bounds.upper <= 0:
        raise ValueError(f"{name} bounds a ratio by {bounds.upper:g}: ratios are positive, so nothing would be left")


def _check_guards(name: str, measure: Measure) -> None:
    if measure.prob_bound == 0 and measure.rest_shift == 0:
        return
    if measure.statistic.startswith("binary_kl") and 0 <= measure.prob_bound < 0.5 and 0 <= measure.rest_shift < 1:
        return
    raise ValueError(
        f"{name} has a guard that it cannot take: only a binary KL has prob, above 0 and below 0.5, and shift, below 1"
    )
