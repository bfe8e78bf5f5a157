"""The mismatch figures of one batch, computed by numpy in float64.

docs/metrics.md has the formulas; ``src/core/kernels/scalar.ts`` is the reference.

Small quantities are summed directly (ρ − 1, Δp, k3 as a series), never as differences of large ones, so that the
figures are accurate at any size of mismatch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

#: vLLM writes -9999 for a probability of 0; log-probs at or below it count as missing.
_LOWEST = -9999.0
#: A log-prob up to this far above 0 is due to rounding; a larger one is not a log-prob.
_ROUNDING = 1e-3
#: Δ of a token with ρ = 1e-4; a token below it is catastrophic, as in `logratio report`.
CATASTROPHIC_DELTA = float(np.log(1e-4))
#: If the largest Δ is outside ± this, nats, ρ is summed in units of the largest ρ.
_MOST_PLAIN_DELTA = 300.0
_LEAST_PLAIN_DELTA = -10.0
#: Below this |Δ| the series of k3 is more accurate than ``expm1(Δ) − Δ``.
_K3_SERIES = 0.0625
#: A spread of p below this share of its mean is due to rounding.
_SAME = 1e-15
#: Log-ratios of whole sequences are clamped to this many nats on either side, as verl does.
_PRODUCT_BOUND = 20.0
#: Bars of Δ begin here, three per decade, on both sides.
_SMALLEST_BAR = 1e-6
_BARS_PER_DECADE = 3
_MOST_EDGES = 60


@dataclass(frozen=True)
class Figures:
    """The figures of one batch."""

    #: Figures by the names of ``metrics`` in ``logratio report --json``; NaN if the batch has no such figure.
    metrics: dict[str, float]
    #: Bars of Δ, nats: ``counts[i]`` tokens are in ``[edges[i], edges[i + 1])``; logarithmic on both sides of 0.
    edges: np.ndarray = field(repr=False)
    counts: np.ndarray = field(repr=False)
    #: Smallest, largest, sum and sum of squares of Δ over the counted tokens.
    moments: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    #: Figures of sequences, by the names of ``sequence_metrics`` in the report.
    sequence_metrics: dict[str, float] = field(default_factory=dict)
    #: Figures of each turn if there are several, by the names of ``per_turn``, with its catastrophic tokens.
    per_turn: list[dict[str, float]] = field(default_factory=list)

    @property
    def all(self) -> dict[str, float]:
        """All figures in one dict: ``k3``, ``sequence_metrics/chi2_seq``, ``per_turn/2/delta_abs_mean``."""
        return {
            **self.metrics,
            **join_names("sequence_metrics", self.sequence_metrics),
            **{
                name: value
                for turn, found in enumerate(self.per_turn)
                for name, value in join_names(f"per_turn/{turn}", found).items()
            },
        }


def measure(rollout: np.ndarray, trainer: np.ndarray, mask: np.ndarray, offsets: np.ndarray) -> Figures:
    """Measures a packed batch.

    Args:
        rollout: ``[N]`` log-probs of the sampled tokens under the engine, nats.
        trainer: ``[N]``, the same under the trainer.
        mask: ``[N]``, not 0 for tokens that the policy sampled.
        offsets: ``[B + 1]``, where each sequence begins, and the end of the last one.

    Returns:
        Figures over the tokens with mask 1 whose log-probs are both finite; ``prob_diff_*`` and ``pearson`` also
        include those with −∞ on one side, which is a probability of 0.
    """
    on = np.asarray(mask) != 0
    offsets = np.asarray(offsets)
    begins = _find_turns(on, offsets)
    a, b = clean(np.asarray(rollout)[on]), clean(np.asarray(trainer)[on])
    with np.errstate(all="ignore"):
        delta = b - a
        finite = np.isfinite(delta)
        found = {
            **_count(on, offsets, finite),
            "turns_max": float(_sum_rows(begins, offsets).max(initial=0)),
            **_measure_tokens(a, b, delta),
            "excluded_delta_negative_infinite": float(np.sum(delta == -np.inf)),
            "excluded_delta_positive_infinite": float(np.sum(delta == np.inf)),
            "excluded_missing": float(np.sum(np.isnan(delta))),
        }
        rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))[on]
        # Turns are counted through all sequences, minus those before the token's own sequence.
        turns: np.ndarray = np.cumsum(begins)[on] - np.concatenate([[0], np.cumsum(begins)])[offsets[:-1]][rows] - 1
        sequences = _measure_sequences(a[finite], delta[finite], rows[finite])
        per_turn = _measure_turns(a, b, delta, turns, rows) if found["turns_max"] > 1 else []
    values = delta[finite]
    edges = find_edges(float(np.max(np.abs(values), initial=0.0)))
    moments = (0.0, 0.0, 0.0, 0.0)
    if len(values) > 0:
        moments = (float(values.min()), float(values.max()), float(values.sum()), float(np.sum(values * values)))
    return Figures(found, edges, np.histogram(values, edges)[0], moments, sequences, per_turn)


def clean(logprobs: np.ndarray) -> np.ndarray:
    """Log-probs in float64, with NaN for values that are none: −9999 and below, and positive ones beyond rounding.

    −∞ stays, because it is a probability of 0.
    """
    values = np.array(logprobs, np.float64)
    values[((values <= _LOWEST) & (values > -np.inf)) | (values > _ROUNDING)] = np.nan
    return values


def find_edges(reach: float) -> np.ndarray:
    """Edges at 1, 2.15, 4.64, 10, … per decade from 1e-6 up to the first that covers ``reach``, and their negatives."""
    side = [_SMALLEST_BAR]
    while side[-1] < reach and len(side) < _MOST_EDGES:
        side.append(_SMALLEST_BAR * 10.0 ** (len(side) / _BARS_PER_DECADE))
    return np.array([*(-edge for edge in reversed(side)), *side])


def _count(on: np.ndarray, offsets: np.ndarray, finite: np.ndarray) -> dict[str, float]:
    """Counts tokens; ``on`` has an entry for every token, ``finite`` for those with mask 1."""
    counted = np.zeros(len(on), bool)
    counted[on] = finite
    has_tokens = _sum_rows(counted, offsets) > 0
    return {
        "sequences": float(np.sum(has_tokens)),
        "sequences_empty": float(np.sum(~has_tokens)),
        "tokens": float(finite.sum()),
    }


def _measure_tokens(a: np.ndarray, b: np.ndarray, delta: np.ndarray) -> dict[str, float]:
    """The figures that every table has for a set of tokens, from both policies' log-probs and Δ."""
    known, finite = ~np.isnan(delta), np.isfinite(delta)
    prob_diff = np.where(np.abs(delta) < 1, np.exp(a) * np.expm1(delta), np.exp(b) - np.exp(a))[known]
    return {
        **_measure_delta(delta[finite]),
        **_measure_ratio(delta[finite]),
        **_measure_probability(prob_diff, a[known], int(finite.sum())),
        "rollout_ppl": float(np.exp(-_mean(a[finite]))),
        "trainer_ppl": float(np.exp(-_mean(b[finite]))),
    }


def _measure_turns(
    a: np.ndarray, b: np.ndarray, delta: np.ndarray, turns: np.ndarray, rows: np.ndarray
) -> list[dict[str, float]]:
    """Figures of each turn, from the tokens with mask 1, their turns and their sequences."""
    order = np.argsort(turns, kind="stable")
    ends = np.cumsum(np.bincount(turns))
    found = []
    for own in np.split(order, ends[:-1]):
        finite = np.isfinite(delta[own])
        found.append(
            {
                "sequences": float(len(np.unique(rows[own][finite]))),
                "tokens": float(finite.sum()),
                **_measure_tokens(a[own], b[own], delta[own]),
            }
        )
    return found


def _find_turns(on: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The first token of each run of mask 1, ``[N]``."""
    starts = np.zeros(len(on) + 1, bool)
    starts[offsets] = True
    before = np.concatenate([[False], on[:-1]]) if len(on) > 0 else on
    begins: np.ndarray = on & (~before | starts[:-1])
    return begins


def _measure_sequences(rollout: np.ndarray, delta: np.ndarray, rows: np.ndarray) -> dict[str, float]:
    """Figures of whole sequences, from the counted tokens and the sequence of each.

    Sequences without a counted token are left out.
    """
    lengths = np.bincount(rows)
    has = lengths > 0
    lengths = lengths[has]
    sums = np.bincount(rows, weights=delta)[has]
    difference = -sums / lengths
    log_ppl = -np.bincount(rows, weights=rollout)[has] / lengths
    some = len(lengths) > 0
    excess = np.expm1(np.clip(sums, -_PRODUCT_BOUND, _PRODUCT_BOUND))
    mean = _mean(excess)
    centered = difference - _mean(difference)
    return {
        "sequences": float(len(lengths)),
        "log_ppl_diff_mean": _mean(difference),
        "log_ppl_diff_std": float(np.sqrt(_mean(centered * centered))),
        "log_ppl_diff_abs_mean": _mean(np.abs(difference)),
        "log_ppl_diff_max": float(difference.max()) if some else np.nan,
        "log_ppl_diff_min": float(difference.min()) if some else np.nan,
        "rollout_ppl_mean": _mean(np.exp(log_ppl)),
        "trainer_ppl_mean": _mean(np.exp(log_ppl + difference)),
        "ppl_ratio_mean": 1 + _mean(np.expm1(difference)),
        "chi2_seq": _mean(np.expm1(2 * np.clip(sums, -_PRODUCT_BOUND, _PRODUCT_BOUND))),
        "ess_seq": 1 / (1 + _mean((excess - mean) ** 2) / (1 + mean) ** 2) if some else np.nan,
        "length_mean": _mean(lengths.astype(np.float64)),
        "length_max": float(lengths.max()) if some else np.nan,
    }


def _sum_rows(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    totals = np.concatenate([[0], np.cumsum(values)])
    return np.diff(totals[np.asarray(offsets)])


def _measure_delta(delta: np.ndarray) -> dict[str, float]:
    absolute = np.abs(delta)
    quantiles = np.quantile(absolute, [0.5, 0.99, 0.999]) if len(delta) > 0 else np.full(3, np.nan)
    mean = _mean(delta)
    return {
        "delta_mean": mean,
        "delta_std": float(np.sqrt(_mean((delta - mean) ** 2))),
        "delta_min": float(delta.min()) if len(delta) > 0 else np.nan,
        "delta_max": float(delta.max()) if len(delta) > 0 else np.nan,
        "delta_abs_mean": _mean(absolute),
        "delta_abs_max": float(absolute.max()) if len(delta) > 0 else np.nan,
        **dict(zip(("delta_abs_p50", "delta_abs_p99", "delta_abs_p999"), map(float, quantiles), strict=True)),
        "k1": -mean,
        "k2": _mean(delta * delta) / 2,
        "k3": _mean(_k3(delta)),
    }


def _k3(delta: np.ndarray) -> np.ndarray:
    """exp Δ − Δ − 1 ≥ 0 of each token (http://joschu.net/blog/kl-approx.html)."""
    series = np.ones_like(delta)
    for n in range(10, 2, -1):
        series = 1 + (delta / n) * series
    k3: np.ndarray = np.where(np.abs(delta) > _K3_SERIES, np.expm1(delta) - delta, delta * delta * series / 2)
    return k3


def _measure_ratio(delta: np.ndarray) -> dict[str, float]:
    """Figures of ρ = exp Δ, computed from ρ − 1."""
    excess = np.expm1(delta)
    catastrophic = np.sum(delta < CATASTROPHIC_DELTA)
    mean = _mean(excess)
    variance = _mean((excess - mean) ** 2)
    largest = float(delta.max(initial=-np.inf))
    if len(delta) > 0 and not _LEAST_PLAIN_DELTA <= largest <= _MOST_PLAIN_DELTA:
        # Sums of ρ² would overflow, or ρ would vanish beside the 1 in ρ − 1.
        ratio = np.exp(delta - largest)
        unit_mean = _mean(ratio)
        unit_std = float(np.sqrt(_mean((ratio - unit_mean) ** 2)))
        ess = unit_mean**2 / (unit_mean**2 + unit_std**2)
        half = np.exp(largest / 2)
        ratio_mean, ratio_std = unit_mean * half * half, unit_std * half * half
    else:
        ess = (1 + mean) ** 2 / ((1 + mean) ** 2 + variance)
        ratio_mean, ratio_std = 1 + mean, np.sqrt(variance)
    return {
        "ratio_mean": float(ratio_mean),
        "ratio_std": float(ratio_std),
        "chi2_token": _mean(excess * (excess + 2)),
        "ess": float(ess),
        "catastrophic_tokens": int(catastrophic),
        "catastrophic_fraction": float(catastrophic / len(delta)) if len(delta) > 0 else np.nan,
    }


def _measure_probability(prob_diff: np.ndarray, rollout: np.ndarray, tokens: int) -> dict[str, float]:
    absolute = np.abs(prob_diff)
    mean = _mean(absolute)
    return {
        "prob_diff_mean": mean,
        "prob_diff_max": float(absolute.max()) if len(absolute) > 0 else np.nan,
        "prob_diff_std": float(np.sqrt(_mean((absolute - mean) ** 2))),
        "prob_diff_above_half": float(np.sum(absolute > 0.5) / tokens) if tokens > 0 else np.nan,
        "pearson": _correlate(prob_diff, rollout),
    }


def _correlate(prob_diff: np.ndarray, rollout: np.ndarray) -> float:
    """Pearson's r of p and p′ from the regression of Δp on p, whose residuals do not cancel.

    NaN if either is the same for all tokens.
    """
    if len(prob_diff) < 2:
        return np.nan
    prob = np.exp(rollout)
    tail = np.where(prob < 0.5, 1 - prob, -np.expm1(rollout))
    # Use whichever of p and 1 − p has more significant digits.
    deviation = np.where(prob < 0.5, prob - _mean(prob), _mean(tail) - tail)
    diff_mean = _mean(prob_diff)
    spread = float(np.sum(deviation * deviation))
    slope = float(np.sum(deviation * (prob_diff - diff_mean))) / spread if spread > 0 else 0.0
    residual = float(np.sum((prob_diff - diff_mean - slope * deviation) ** 2))
    explained = (1 + slope) ** 2 * spread
    total = residual + explained
    largest = max(_mean(prob), _mean(prob) + diff_mean)
    if not (spread > 0 and total > len(prob) * (_SAME * largest) ** 2):
        return np.nan
    r = float(np.sign(1 + slope)) * float(np.sqrt(explained / total))
    deficit = residual / total / (1 + r) if r > 0 else 1 - r
    return min(max(1 - deficit, -1.0), 1.0)


def _mean(values: np.ndarray) -> float:
    """The mean, summed around the first value so that equal values have exactly their own mean."""
    if len(values) == 0:
        return np.nan
    first = values[0]
    if not np.isfinite(first):
        return float(np.mean(values))
    return float(first + np.mean(values - first))


def join_names(table: str, figures: Mapping[str, float]) -> dict[str, float]:
    """Figures of a table of the report under ``TABLE/NAME``."""
    return {f"{table}/{name}": value for name, value in figures.items() if name != "turn"}


def measure_packed(batches: Sequence[Mapping[str, np.ndarray]]) -> Figures:
    """Measures packed records (``logratio.recorder.record.pack``) as one batch.

    Raises:
        ValueError: if either policy's log-probs are missing.
    """
    for name in ("rollout_logprobs", "trainer_logprobs"):
        if any(name not in batch for batch in batches):
            raise ValueError(f"{name} is missing: figures need the log-probs of both policies")
    lengths = np.concatenate([np.diff(batch["response_offsets"]) for batch in batches])
    return measure(
        np.concatenate([batch["rollout_logprobs"] for batch in batches]),
        np.concatenate([batch["trainer_logprobs"] for batch in batches]),
        np.concatenate([batch["response_mask"] for batch in batches]),
        np.concatenate([[0], np.cumsum(lengths)]),
    )
