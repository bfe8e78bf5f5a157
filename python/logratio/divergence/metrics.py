"""verl's metrics of a batch, computed in float64."""

from __future__ import annotations

import math

import numpy as np

_FIGURES = ("max", "mean", "std")


def measure_probabilities(rollout: np.ndarray, old: np.ndarray, mask: np.ndarray) -> dict[str, float]:
    """Computes ``training/*`` of verl's ``calculate_debug_metrics``: figures of probabilities, over tokens with mask 1.

    Definition: verl-project/verl verl/utils/debug/metrics.py @ 1dda039b. The deviation divides by n - 1, so it and the
    correlation are NaN for a single token. A NaN among the log-probs makes every figure NaN, as in torch.

    Args:
        rollout: ``[B, T]``, nats.
        old: ``[B, T]``, nats.
        mask: ``[B, T]``.

    Returns:
        Figures of abs(e^old - e^rollout), fractions; a correlation; without tokens, ``_valid`` is 0 and the rest NaN.
    """
    flags = mask != 0
    p, q = np.exp(rollout[flags]), np.exp(old[flags])
    return measure_gaps(p, q, abs(q - p))


def measure_gaps(p: np.ndarray, q: np.ndarray, gap: np.ndarray) -> dict[str, float]:
    """The same as `measure_probabilities`, from known probabilities ``[N]`` and abs(q - p)."""
    with np.errstate(all="ignore"):
        figures = (
            (math.nan, math.nan, math.nan)
            if gap.size == 0
            else (gap.max(), gap.mean(), gap.std(ddof=1) if gap.size > 1 else math.nan)
        )
    metrics: dict[str, float] = {"training/rollout_probs_diff_valid": int(gap.size > 0)}
    metrics |= {
        f"training/rollout_probs_diff_{name}": float(value) for name, value in zip(_FIGURES, figures, strict=True)
    }
    metrics["training/rollout_actor_probs_pearson_corr"] = _correlate(p, q)
    return metrics


def measure_rounds(rollout: np.ndarray, old: np.ndarray, mask: np.ndarray) -> dict[str, float]:
    """Computes ``per_round/*`` of verl's pull request 5229: mean abs(Δ) of all tokens in the i-th run of mask 1.

    Definition: verl/utils/debug/metrics.py @ 63b63f3b. A round counts with all its tokens; a NaN among them makes its
    mean NaN, and such a round is never the worst. ``max_round_diff`` is -1 if every round is like that; the earlier
    round wins a tie.

    Args:
        rollout: ``[B, T]``, nats.
        old: ``[B, T]``, nats.
        mask: ``[B, T]``.

    Returns:
        Nats and counts; only ``total_rounds`` if no token has mask 1.
    """
    flags = mask != 0
    return measure_own_rounds(rollout[flags].astype(np.float64), old[flags].astype(np.float64), flags)


def measure_own_rounds(rollout: np.ndarray, old: np.ndarray, flags: np.ndarray) -> dict[str, float]:
    """The same as `measure_rounds`, from the log-probs of the tokens with mask 1, ``[N]``, row after row."""
    begins = flags.copy()
    begins[:, 1:] &= ~flags[:, :-1]
    # Each run's first token among these, and its place among the runs of its row.
    first = np.flatnonzero(begins[flags])
    runs = np.count_nonzero(begins, axis=1)
    rounds = np.arange(first.size) - np.repeat(np.cumsum(runs) - runs, runs)
    total = int(runs.max(initial=0))
    metrics: dict[str, float] = {"per_round/total_rounds": total}
    if total == 0:
        return metrics
    with np.errstate(invalid="ignore"):
        sums = np.add.reduceat(abs(old - rollout), first)
    counts = np.bincount(rounds, weights=np.diff(first, append=rollout.size)).astype(np.int64)
    means = np.bincount(rounds, weights=sums) / counts
    for number in range(total):
        metrics[f"per_round/round_{number}_abs_diff_mean"] = float(means[number])
        metrics[f"per_round/round_{number}_token_count"] = int(counts[number])
    known = np.where(np.isnan(means), -1.0, means)
    worst = int(known.argmax()) if known.max() >= 0 else -1
    metrics["per_round/max_round_diff"] = worst
    if worst >= 0:
        metrics["per_round/max_diff_value"] = float(means[worst])
    return metrics


def _correlate(p: np.ndarray, q: np.ndarray) -> float:
    """Pearson's correlation of centered values; NaN if one side does not vary."""
    if p.size < 2:
        return math.nan
    with np.errstate(all="ignore"):
        p, q = p - p.mean(), q - q.mean()
        # Not with `@`: its threads wait for each other in a loop, which takes processor time from the training step.
        return float(np.clip((p * q).sum() / np.sqrt((p * p).sum() * (q * q).sum()), -1.0, 1.0))
