"""Applies a correction of the neutral form to a batch, step by step in the order in which it is written.

The code is the same for numpy and torch; it computes in float64 whatever the inputs are, on their device.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ..tensors import (
    cast,
    check_shapes,
    describe_shape,
    is_tensor,
    max_segments,
    module_of,
    read_lengths,
    sum_segments,
    take_array,
    to_doubles,
)
from .correction import Aggregation, Correction, Level, Measure, Normalize, Reject, Step, Truncate, Veto, Weight
from .text import parse_correction


@dataclass(frozen=True)
class AppliedCorrection:
    """The result of a correction on a batch. Everything has the shape of the log-probs and is detached.

    Attributes:
        weights: importance weights in the log-probs' type, 0 where the original mask is 0; None without weights.
        mask: the response mask without rejected tokens, 0 or 1 in its own type.
        raw_weights: the weights before any step, only bounded by ``log``; None without weights.
    """

    weights: Any
    mask: Any
    raw_weights: Any


def apply_correction(
    correction: Correction | str,
    rollout_log_probs: Any,
    old_log_probs: Any,
    response_mask: Any = None,
    *,
    advantages: Any = None,
    num_tokens: Any = None,
) -> AppliedCorrection:
    """Applies a correction: computes the importance weights and the remaining mask.

    Args:
        correction: the neutral form, or its text (``weight:token truncate:..2``).
        rollout_log_probs: ``[B, T]`` padded, or ``[N]`` packed with ``num_tokens``; nats; arrays or tensors.
        old_log_probs: the same under the trainer's policy.
        response_mask: the same shape, not 0 for tokens that the policy sampled; None: all tokens.
        advantages: the same shape, or ``[B]``; for rules that depend on their sign.
        num_tokens: ``[B]``, number of tokens of each packed sequence.

    Returns:
        Weights (ratios without unit) and mask.

    Raises:
        ValueError: if the text is not understood, shapes differ, or required advantages are missing.
    """
    if not isinstance(correction, Correction):
        correction = parse_correction(correction)
    old = take_array(old_log_probs)
    with module_of(old).no_grad() if is_tensor(old) else np.errstate(all="ignore"):
        return _Application(correction, rollout_log_probs, old, response_mask, advantages, num_tokens).run()


class _Application:
    """Applies one correction to one batch. Columns contain only the tokens with mask 1, one after another."""

    def __init__(
        self, correction: Correction, rollout: Any, old: Any, mask: Any, advantages: Any, num_tokens: Any
    ) -> None:
        self._correction = correction
        self._old = old
        self._xp = module_of(old)
        rollout = take_array(rollout, old)
        check_shapes(
            "old_log_probs",
            old,
            "rollout_log_probs",
            rollout,
            "one of them also covers the prompt, or is padded to another length",
        )
        self._mask = self._xp.ones_like(old, dtype=self._xp.bool if is_tensor(old) else bool)
        if mask is not None:
            self._mask = take_array(mask, old)
            check_shapes("old_log_probs", old, "response_mask", self._mask, "the mask covers prompt and response")
        rows, self._row_count = _number_rows(old, num_tokens)
        flags = self._mask.reshape(-1) != 0
        self._at = flags.nonzero(as_tuple=True)[0] if is_tensor(flags) else flags.nonzero()[0]
        self._rows = rows[self._at]
        self._rollout, self._trainer = (to_doubles(side.reshape(-1)[self._at]) for side in (rollout, old))
        self._delta = self._trainer - self._rollout
        self._advantages = self._take_advantages(advantages, rows)
        self._kept = self._xp.ones_like(self._delta) != 0
        self._weights: Any = None
        self._raw: Any = None
        self._cut = cache(self._cut_segments)

    def run(self) -> AppliedCorrection:
        for step in self._correction.steps:
            self._take_step(step)
        self._start_weights()
        mask = self._mask.reshape(-1) != 0
        mask[self._at] = self._kept
        return AppliedCorrection(
            self._spread(self._weights), cast(mask.reshape(self._mask.shape), self._mask), self._spread(self._raw)
        )

    def _take_step(self, step: Step) -> None:
        if isinstance(step, Truncate):
            self._start_weights()
            self._weights = self._xp.clip(self._weights, step.bounds.lower, step.bounds.upper)
        elif isinstance(step, Normalize):
            self._start_weights()
            mean = self._average_weights(step)
            # As verl does if every weight is 0.
            if mean > 1e-8:
                self._weights = self._weights / mean
        elif isinstance(step, Veto):
            values = self._measure(step.measure)
            outside = (values < step.bounds.lower) | (values > step.bounds.upper)
            self._kept = self._kept & (self._sum(outside, "sequence") == 0)
        else:
            if step.measure is None or step.action == "zero":
                self._start_weights()
            rejected = self._find_rejected(step)
            if step.action == "zero":
                self._weights = self._xp.where(rejected, 0.0, self._weights)
            else:
                self._kept = self._kept & ~rejected

    def _start_weights(self) -> None:
        """Computes the weights when first needed, because a weight over kept tokens depends on the steps before it."""
        if self._weights is not None:
            return
        weight = self._correction.weight
        if weight is not None:
            logs = self._aggregate(_clamp(self._delta, weight.delta_bound), weight.level, weight.aggregation, weight)
            self._raw = self._xp.exp(_clamp(logs, weight.log_bound))
        elif any(isinstance(step, Reject) and step.action == "zero" for step in self._correction.steps):
            self._raw = self._xp.ones_like(self._delta)
        self._weights = self._raw

    def _find_rejected(self, step: Reject) -> Any:
        values = self._measure_weight() if step.measure is None else self._measure(step.measure)
        inside = (values >= step.bounds.lower) & (values <= step.bounds.upper)
        if step.nan_kept:
            inside = inside | self._xp.isnan(values)
        rejected = ~inside
        if step.when is not None:
            weight = self._correction.weight
            level = step.measure.level if step.measure else weight.level if weight else "token"
            mean = self._aggregate(self._advantages, level, "mean")
            rejected = rejected & (mean > 0 if step.when == "positive" else mean < 0)
            if step.when == "not positive":
                rejected = ~inside & (mean <= 0)
        if step.diverging:
            apart = ((self._delta > 0) & (self._advantages > 0)) | ((self._delta < 0) & (self._advantages < 0))
            rejected = rejected & apart
        return rejected

    def _measure_weight(self) -> Any:
        """The weight that a segment's tokens share; its first token's, if a step took the weights of single tokens."""
        weight = self._correction.weight
        ids, _, first = self._cut(weight.level if weight else "token")
        return self._weights[first][ids]

    def _measure(self, measure: Measure) -> Any:
        values = self._compute_statistic(measure)
        values = self._aggregate(values, measure.level, measure.aggregation, measure)
        return self._xp.exp(values) if measure.statistic == "ratio" else values

    def _compute_statistic(self, measure: Measure) -> Any:
        xp, delta = self._xp, _clamp(self._delta, measure.delta_bound)
        if measure.statistic == "ratio":
            return delta
        if measure.statistic == "error_ratio":
            return xp.exp(abs(delta))
        if measure.statistic == "ratio_distance":
            return abs(xp.expm1(delta))
        if measure.statistic == "k1":
            return -delta
        if measure.statistic == "k2":
            return delta * delta / 2
        if measure.statistic in ("k3", "k3_reverse"):
            return _compute_k3(delta if measure.statistic == "k3" else -delta)
        if measure.statistic == "binary_kl":
            return _compute_binary_kl(self._rollout, self._trainer, measure)
        if measure.statistic == "binary_kl_reverse":
            return _compute_binary_kl(self._trainer, self._rollout, measure)
        difference = _compute_prob_diff(self._rollout, self._trainer)
        return abs(difference) if measure.statistic == "abs_prob_diff" else difference

    def _aggregate(
        self, values: Any, level: Level, aggregation: Aggregation, source: Measure | Weight | None = None
    ) -> Any:
        """The aggregate of each token's segment; 0 if only kept tokens are asked for and the segment has none."""
        if level == "token":
            return values
        ids, count, _ = self._cut(level)
        kept = self._kept if source is not None and source.kept else self._xp.ones_like(self._kept)
        counts = sum_segments(to_doubles(kept), ids, count)
        if aggregation == "max":
            result = max_segments(self._xp.where(kept, values, -math.inf), ids, count)
        else:
            result = sum_segments(self._xp.where(kept, values, 0.0), ids, count)
            if aggregation == "mean":
                result = result / counts
        return self._xp.where(counts == 0, 0.0, result)[ids]

    def _sum(self, flags: Any, level: Level) -> Any:
        ids, count, _ = self._cut(level)
        return sum_segments(to_doubles(flags), ids, count)[ids]

    def _average_weights(self, step: Normalize) -> float:
        if len(self._at) == 0:
            return 0.0
        if step.over == "token":
            return float(self._weights.mean())
        ids, count, _ = self._cut("sequence")
        ones = self._xp.ones_like(self._weights)
        means = sum_segments(self._weights, ids, count) / sum_segments(ones, ids, count)
        return float(means.sum()) / (count if step.over == "sequence" else self._row_count)

    def _cut_segments(self, level: Level) -> tuple[Any, int, Any]:
        """The segment number of each token, the number of segments, and the first token of each."""
        starts = self._xp.ones_like(self._kept)
        if level != "token":
            starts[1:] = self._rows[1:] != self._rows[:-1]
            if level == "turn":
                starts[1:] |= self._at[1:] != self._at[:-1] + 1
        ids = starts.cumsum(0) - 1
        first = starts.nonzero(as_tuple=True)[0] if is_tensor(starts) else starts.nonzero()[0]
        return ids, len(first), first

    def _take_advantages(self, advantages: Any, rows: Any) -> Any:
        if advantages is None:
            if self._correction.needs_advantages:
                raise ValueError("a rule of this correction looks at the sign of advantages: give advantages")
            return None
        values = take_array(advantages, self._old)
        if values.ndim == 1 and values.shape[0] == self._row_count and tuple(values.shape) != tuple(self._old.shape):
            return to_doubles(values[rows][self._at])
        check_shapes("old_log_probs", self._old, "advantages", values, "they are given by group; repeat them first")
        return to_doubles(values.reshape(-1)[self._at])

    def _spread(self, values: Any) -> Any:
        """The tokens' values in the shape of the batch, 0 elsewhere, in the log-probs' type."""
        if values is None:
            return None
        flat = self._xp.zeros_like(self._old).reshape(-1)
        flat[self._at] = cast(values, self._old)
        return flat.reshape(self._old.shape)


def _number_rows(old: Any, num_tokens: Any) -> tuple[Any, int]:
    """The row of each token of the flat batch, and the number of rows."""
    if num_tokens is None:
        if old.ndim != 2:
            raise ValueError(
                f"expected log-probs of the shape [B, T], got {describe_shape(old)}; "
                "likely: they are packed; give num_tokens, the length of each sequence"
            )
        rows = np.repeat(np.arange(old.shape[0]), old.shape[1])
        return take_array(rows, old), int(old.shape[0])
    lengths = read_lengths(num_tokens)
    total = math.prod(old.shape)
    if sum(lengths) != total:
        raise ValueError(
            f"cannot unpack the batch: num_tokens adds up to {sum(lengths)}, old_log_probs has the shape "
            f"{describe_shape(old)}; likely: padding at the pack's end is not in num_tokens"
        )
    return take_array(np.repeat(np.arange(len(lengths)), lengths), old), len(lengths)


def _clamp(values: Any, bound: float) -> Any:
    return values if bound == math.inf else module_of(values).clip(values, -bound, bound)


def _compute_k3(delta: Any, excess: Any = None) -> Any:
    """exp Δ - 1 - Δ; as a series near 0, where the difference would cancel. ``excess`` is exp Δ - 1, if it is known."""
    xp = module_of(delta)
    series = delta * delta / 2 * (1 + delta / 3 * (1 + delta / 4 * (1 + delta / 5 * (1 + delta / 6))))
    return xp.where(abs(delta) < 1e-2, series, (xp.expm1(delta) if excess is None else excess) - delta)


def _compute_prob_diff(log_p: Any, log_q: Any) -> Any:
    """q - p, without cancellation where they are close."""
    xp, delta = module_of(log_p), log_q - log_p
    prob = xp.exp(log_p)
    return xp.where(abs(delta) < 1, prob * xp.expm1(delta), xp.exp(log_q) - prob)


def _compute_binary_kl(log_p: Any, log_q: Any, measure: Measure) -> Any:
    """kl(Bernoulli(p) ‖ Bernoulli(q)) in nats, as in src/trainers/neutral/binary-kl.ts, which says why so."""
    xp, shift = module_of(log_p), measure.rest_shift
    if measure.prob_bound > 0:
        limits = math.log(measure.prob_bound), math.log1p(-measure.prob_bound)
        log_p, log_q = xp.clip(log_p, *limits), xp.clip(log_q, *limits)
    delta = log_q - log_p
    prob = xp.exp(log_p)
    difference = _compute_prob_diff(log_p, log_q)
    far = difference - xp.where(prob == 0, 0.0, prob * delta)
    same = xp.where(delta < 1, prob * _compute_k3(delta), far)
    rest = -xp.expm1(log_p)
    shifted = rest + shift
    change = -difference / shifted
    log_change = xp.where(change > -0.5, xp.log1p(change), xp.log((shift - xp.expm1(log_q)) / shifted))
    other = xp.where(rest == 0, 0.0, rest * _compute_k3(log_change, change))
    value = xp.where(shifted == 0, -delta, same + other - difference * shift / shifted)
    is_known = (log_p <= 0) & (log_q <= 0) & ~xp.isnan(delta)
    return xp.where(is_known, value, math.nan)
