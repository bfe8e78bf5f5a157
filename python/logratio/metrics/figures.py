"""The mismatch figures of one batch, computed by numpy in float64.

docs/metrics.md has the formulas; ``src/core/kernels/scalar.ts`` is the reference.

Small quantities are summed directly (ρ − 1, Δp, k3 as a series), never as differences of large ones, so that the
figures are accurate at any size of mismatch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

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
#: Below this |Δ| the series of k3 is more accurate than ``expm1(Δ) − Δ``, whose relative error is below 1e-12 above it.
_K3_SERIES = 1e-3
#: A spread of p below this share of its mean is due to rounding.
_SAME = 1e-15
#: Log-ratios of whole sequences are clamped to this many nats on either side, as verl does.
_PRODUCT_BOUND = 20.0
#: Bars of Δ begin here, three per decade, on both sides.
_SMALLEST_BAR = 1e-6
_BARS_PER_DECADE = 3
_MOST_EDGES = 60
#: Values that are computed at a time, so that what is made on the way stays in the processor's cache.
_BLOCK = 1 << 14
#: Values by which a quantile of many is bracketed.
_SAMPLE = 1 << 13
#: Shares above this are looked for in one part of the values, those above a bound.
_TAIL = 0.9


@dataclass(frozen=True)
class Figures:
    """The figures of one batch."""

    #: Figures by the names of ``metrics`` in ``logratio report --json``; NaN if the batch has no such figure.
    metrics: dict[str, float]
    #: Δ of the counted tokens, nats.
    delta: np.ndarray = field(repr=False)
    #: Figures of sequences, by the names of ``sequence_metrics`` in the report.
    sequence_metrics: dict[str, float] = field(default_factory=dict)
    #: Figures of each turn if there are several, by the names of ``per_turn``, with its catastrophic tokens.
    per_turn: list[dict[str, float]] = field(default_factory=list)

    @cached_property
    def edges(self) -> np.ndarray:
        """Where bars of Δ begin and end, nats; logarithmic on both sides of 0."""
        return find_edges(float(np.max(np.abs(self.delta), initial=0.0)))

    @cached_property
    def counts(self) -> np.ndarray:
        """Tokens in each bar: ``counts[i]`` are in ``[edges[i], edges[i + 1])``."""
        return np.histogram(self.delta, self.edges)[0]

    @property
    def moments(self) -> tuple[float, float, float, float]:
        """Smallest, largest, sum and sum of squares of Δ over the counted tokens."""
        delta = self.delta
        if len(delta) == 0:
            return (0.0, 0.0, 0.0, 0.0)
        return (float(delta.min()), float(delta.max()), float(delta.sum()), float(np.sum(delta * delta)))

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
    a, b = clean(_choose(np.asarray(rollout), on)), clean(_choose(np.asarray(trainer), on))
    with np.errstate(all="ignore"):
        delta = b - a
        finite = np.isfinite(delta)
        values, odd = _choose(delta, finite), delta[~finite]
        counted = finite
        if len(finite) < len(on):
            counted = np.zeros(len(on), bool)
            counted[on] = finite
        lengths = _sum_rows(counted, offsets)
        found = {
            "sequences": float(np.sum(lengths > 0)),
            "sequences_empty": float(np.sum(lengths == 0)),
            "tokens": float(len(values)),
            "turns_max": float(_sum_rows(begins, offsets).max(initial=0)),
            **_measure_tokens(a, b, delta),
            "excluded_delta_negative_infinite": float(np.sum(odd == -np.inf)),
            "excluded_delta_positive_infinite": float(np.sum(odd == np.inf)),
            "excluded_missing": float(np.sum(np.isnan(odd))),
        }
        sequences = _measure_sequences(_choose(a, finite), values, lengths)
        per_turn = []
        if found["turns_max"] > 1:
            rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))[on]
            # Turns are counted through all sequences, minus those before the token's own sequence.
            through = np.cumsum(begins)
            turns: np.ndarray = through[on] - np.concatenate([[0], through])[offsets[:-1]][rows] - 1
            per_turn = _measure_turns(a, b, delta, turns, rows)
    return Figures(found, values, sequences, per_turn)


def clean(logprobs: np.ndarray) -> np.ndarray:
    """Log-probs in float64, with NaN for values that are none: −9999 and below, and positive ones beyond rounding.

    −∞ stays, because it is a probability of 0.
    """
    values = np.array(logprobs, np.float64)
    if len(values) > 0 and values.min() > _LOWEST and values.max() <= _ROUNDING:
        return values
    values[((values <= _LOWEST) & (values > -np.inf)) | (values > _ROUNDING)] = np.nan
    return values


def find_edges(reach: float) -> np.ndarray:
    """Edges at 1, 2.15, 4.64, 10, … per decade from 1e-6 up to the first that covers ``reach``, and their negatives."""
    side = [_SMALLEST_BAR]
    while side[-1] < reach and len(side) < _MOST_EDGES:
        side.append(_SMALLEST_BAR * 10.0 ** (len(side) / _BARS_PER_DECADE))
    return np.array([*(-edge for edge in reversed(side)), *side])


def _measure_tokens(a: np.ndarray, b: np.ndarray, delta: np.ndarray) -> dict[str, float]:
    """The figures that every table has for a set of tokens, from both policies' log-probs and Δ."""
    known, finite = ~np.isnan(delta), np.isfinite(delta)
    excess = _map(np.expm1, delta)
    values = _choose(delta, finite)
    prob_diff = _choose(_map(_subtract_probabilities, a, b, delta, excess), known)
    return {
        **_measure_delta(values, _choose(excess, finite)),
        **_measure_ratio(values, _choose(excess, finite)),
        **_measure_probability(prob_diff, _choose(a, known), len(values)),
        "rollout_ppl": float(np.exp(-_mean(_choose(a, finite)))),
        "trainer_ppl": float(np.exp(-_mean(_choose(b, finite)))),
    }


def _subtract_probabilities(a: np.ndarray, b: np.ndarray, delta: np.ndarray, excess: np.ndarray) -> np.ndarray:
    near: np.ndarray = np.exp(a) * excess
    is_near = np.abs(delta) < 1
    return near if is_near.all() else np.where(is_near, near, np.exp(b) - np.exp(a))


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


def _measure_sequences(rollout: np.ndarray, delta: np.ndarray, lengths: np.ndarray) -> dict[str, float]:
    """Figures of whole sequences, from the counted tokens and how many each sequence has.

    Sequences without a counted token are left out.
    """
    lengths = lengths[lengths > 0]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    sums = _sum_rows(delta, offsets)
    difference = -sums / lengths
    log_ppl = -_sum_rows(rollout, offsets) / lengths
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
    """Sums of ``[offsets[i], offsets[i + 1])``."""
    kind = np.float64 if values.dtype.kind == "f" else np.int64
    sums = np.zeros(len(offsets) - 1, kind)
    # An empty row would get the value that follows it.
    some = np.diff(offsets) > 0
    if some.any():
        sums[some] = np.add.reduceat(values, offsets[:-1][some], dtype=kind)
    return sums


def _measure_delta(delta: np.ndarray, excess: np.ndarray) -> dict[str, float]:
    some = len(delta) > 0
    mean, std = _find_moments(delta)
    low, high = (float(delta.min()), float(delta.max())) if some else (np.nan, np.nan)
    absolute = np.abs(delta)
    quantiles = find_quantiles(absolute, (0.5, 0.99, 0.999))
    return {
        "delta_mean": mean,
        "delta_std": std,
        "delta_min": low,
        "delta_max": high,
        "delta_abs_mean": _mean(absolute),
        "delta_abs_max": max(high, -low) if some else np.nan,
        **dict(zip(("delta_abs_p50", "delta_abs_p99", "delta_abs_p999"), quantiles, strict=True)),
        "k1": -mean,
        "k2": (std * std + mean * mean) / 2,
        "k3": _mean_of(_k3, delta, excess),
    }


def find_quantiles(values: np.ndarray, shares: Sequence[float]) -> list[float]:
    """``np.quantile`` of finite values at ascending shares, without ordering all values; NaN of none.

    A sample says between which values a quantile lies; only those are ordered.
    """
    step = len(values) // _SAMPLE
    if step < 4:
        return [np.nan] * len(shares) if len(values) == 0 else [float(q) for q in np.quantile(values, shares)]
    sample = np.sort(values[::step])
    found = []
    inside, below = values, 0
    for share in shares:
        at, margin = share * (len(sample) - 1), 4 * np.sqrt(len(sample) * share * (1 - share)) + 2
        first, last = int(at - margin), int(at + margin) + 1
        if share > _TAIL:
            # The following shares are in this part, too.
            inside = inside[inside >= sample[max(first, 0)]]
            below = len(values) - len(inside)
            part, before = inside, below
        else:
            low, high = sample[max(first, 0)], sample[min(last, len(sample) - 1)]
            part = values[(values >= low) & (values <= high)]
            before = int(np.count_nonzero(values < low))
        position = share * (len(values) - 1)
        rank = int(position) - before
        if not 0 <= rank < len(part) - 1:
            found.append(float(np.quantile(values, share)))
            continue
        low, high = np.partition(part, [rank, rank + 1])[rank : rank + 2]
        found.append(float(low + (high - low) * (position - int(position))))
    return found


def _k3(delta: np.ndarray, excess: np.ndarray) -> np.ndarray:
    """exp Δ − Δ − 1 ≥ 0 of each token (http://joschu.net/blog/kl-approx.html)."""
    series = delta * (1 / 6)
    series += 1
    for n in (5, 4, 3):
        series *= delta
        series *= 1 / n
        series += 1
    series *= delta
    series *= delta
    series /= 2
    if np.abs(delta).max() <= _K3_SERIES:
        return series
    k3: np.ndarray = np.where(np.abs(delta) > _K3_SERIES, excess - delta, series)
    return k3


def _measure_ratio(delta: np.ndarray, excess: np.ndarray) -> dict[str, float]:
    """Figures of ρ = exp Δ, computed from ρ − 1."""
    catastrophic = np.count_nonzero(delta < CATASTROPHIC_DELTA)
    mean, std = _find_moments(excess)
    variance = std * std
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
        ratio_mean, ratio_std = 1 + mean, std
    return {
        "ratio_mean": float(ratio_mean),
        "ratio_std": float(ratio_std),
        "chi2_token": _mean_of(lambda e: e * (e + 2), excess),
        "ess": float(ess),
        "catastrophic_tokens": int(catastrophic),
        "catastrophic_fraction": float(catastrophic / len(delta)) if len(delta) > 0 else np.nan,
    }


def _measure_probability(prob_diff: np.ndarray, rollout: np.ndarray, tokens: int) -> dict[str, float]:
    absolute = np.abs(prob_diff)
    mean, std = _find_moments(absolute)
    return {
        "prob_diff_mean": mean,
        "prob_diff_max": float(absolute.max()) if len(absolute) > 0 else np.nan,
        "prob_diff_std": std,
        "prob_diff_above_half": float(np.sum(absolute > 0.5) / tokens) if tokens > 0 else np.nan,
        "pearson": _correlate(prob_diff, rollout),
    }


def _correlate(prob_diff: np.ndarray, rollout: np.ndarray) -> float:
    """Pearson's r of p and p′ from the regression of Δp on p, whose residuals do not cancel.

    NaN if either is the same for all tokens.
    """
    if len(prob_diff) < 2:
        return np.nan
    prob, tail = _map(np.exp, rollout), _map(lambda p: -np.expm1(p), rollout)
    prob_mean, tail_mean = _mean(prob), _mean(tail)
    # Use whichever of p and 1 − p has more significant digits.
    deviation = _map(lambda p, q: np.where(p < 0.5, p - prob_mean, tail_mean - q), prob, tail)
    diff_mean = _mean(prob_diff)
    spread = _sum_of(lambda d: d * d, deviation)
    slope = _sum_of(lambda d, x: d * (x - diff_mean), deviation, prob_diff) / spread if spread > 0 else 0.0
    residual = _sum_of(lambda d, x: (x - diff_mean - slope * d) ** 2, deviation, prob_diff)
    explained = (1 + slope) ** 2 * spread
    total = residual + explained
    largest = max(prob_mean, prob_mean + diff_mean)
    if not (spread > 0 and total > len(rollout) * (_SAME * largest) ** 2):
        return np.nan
    r = float(np.sign(1 + slope)) * float(np.sqrt(explained / total))
    deficit = residual / total / (1 + r) if r > 0 else 1 - r
    return min(max(1 - deficit, -1.0), 1.0)


def _mean(values: np.ndarray) -> float:
    """The mean, summed around the first value so that equal values have exactly their own mean."""
    return _mean_of(lambda block: block, values)


def _mean_of(function: Callable[..., np.ndarray], *arrays: np.ndarray) -> float:
    """The mean of a function of values, summed as in `_mean`; NaN of none."""
    if len(arrays[0]) == 0:
        return np.nan
    first = float(function(*(values[:1] for values in arrays))[0])
    if not np.isfinite(first):
        first = 0.0
    return first + _sum_of(lambda *blocks: function(*blocks) - first, *arrays) / len(arrays[0])


def _find_moments(values: np.ndarray) -> tuple[float, float]:
    """Mean and population standard deviation, in one pass; NaN of none.

    Both are summed around the first value, which is one of the sample: the variance is at least 1/n of that value's
    squared distance from the mean, so that at most the last digits of n are lost.
    """
    if len(values) == 0:
        return np.nan, np.nan
    first = float(values[0])
    if not np.isfinite(first):
        return float(np.mean(values)), float(np.std(values))
    total = squares = 0.0
    for _, (block,) in _cut([values]):
        centered = block - first
        total += float(centered.sum())
        # Not by a product of BLAS, whose threads would take the loop's cores.
        squares += float(np.sum(centered * centered))
    shift = total / len(values)
    return first + shift, float(np.sqrt(max(squares / len(values) - shift * shift, 0.0)))


def _sum_of(function: Callable[..., np.ndarray], *arrays: np.ndarray) -> float:
    return float(sum(float(np.sum(function(*blocks))) for _, blocks in _cut(arrays)))


def _map(function: Callable[..., np.ndarray], *arrays: np.ndarray) -> np.ndarray:
    """A function of values, as float64."""
    out = np.empty(len(arrays[0]))
    for block, blocks in _cut(arrays):
        out[block] = function(*blocks)
    return out


def _cut(arrays: Sequence[np.ndarray]) -> Iterator[tuple[slice, list[np.ndarray]]]:
    for at in range(0, len(arrays[0]), _BLOCK):
        block = slice(at, at + _BLOCK)
        yield block, [values[block] for values in arrays]


def _choose(values: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The chosen values; the same array if that is all of them."""
    return values if chosen.all() else values[chosen]


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
    columns = ("rollout_logprobs", "trainer_logprobs", "response_mask")
    rollout, trainer, mask = (_join([batch[name] for batch in batches]) for name in columns)
    return measure(rollout, trainer, mask, np.concatenate([[0], np.cumsum(lengths)]))


def _join(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
