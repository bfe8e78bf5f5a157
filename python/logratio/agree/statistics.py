"""An interval for a mean over tokens if sequences were sampled rather than tokens; equivalence is judged by it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

#: With fewer clusters, an interval says more about its assumptions than about the data.
MIN_CLUSTERS = 10


@dataclass(frozen=True)
class Interval:
    """A mean over tokens, nats, and its interval at level 1 - 2·alpha; if it has no ends, ``reason`` says why."""

    mean: float
    low: float | None
    high: float | None
    clusters: int
    reason: str | None = None


def bound_mean(sums: np.ndarray, counts: np.ndarray, alpha: float) -> Interval:
    """Interval of ``sum(sums) / sum(counts)`` whose two ends are one-sided bounds at level ``alpha`` each.

    Both one-sided tests of Schuirmann (1987, J. Pharmacokinet. Biopharm. 15) reject at ``alpha`` exactly when this
    interval lies within the tolerance. The variance is that of a ratio of two sums over independent clusters, G/(G-1)
    Σ(Sᵢ - μ nᵢ)² / (Σnᵢ)², with Student's t at G - 1 degrees of freedom. |Δ| is skewed, which makes plain t bounds too
    low; Hall's cubic transformation (1992, J. R. Statist. Soc. B 54, equation 2.2) removes the first-order error. If
    every sum is positive, the upper end is also at least that of a log-normal mean (Cox's method, in Land 1972,
    Technometrics 14), which is right when a few clusters are many times as far off as the rest, and of a ratio of two,
    of sums to counts, in which longer clusters may be further off; the latter up to the largest of clusters' means,
    since lengths need not be log-normal. Each end is the widest of these. No interval can account for what no cluster
    shows.

    Args:
        sums: sum over the tokens of each cluster, ``[G]``, nats.
        counts: number of tokens in each cluster, ``[G]``.
        alpha: error rate of either test.
    """
    used = counts > 0
    sums, counts = sums[used].astype(np.float64), counts[used].astype(np.float64)
    groups = len(sums)
    total = counts.sum()
    mean = float(sums.sum() / total) if total > 0 else math.nan
    if groups < MIN_CLUSTERS:
        return Interval(mean, None, None, groups, f"{groups} of at least {MIN_CLUSTERS}")
    residuals = sums - mean * counts
    squares = float((residuals**2).sum())
    if squares <= (1e-12 * max(abs(mean), 1e-300) * total) ** 2:
        return Interval(mean, mean, mean, groups)
    error = math.sqrt(groups / (groups - 1) * squares) / float(total)
    # Sample skewness is bounded by the sample's size; this factor (Joanes and Gill 1998) makes it unbiased if normal.
    factor = math.sqrt(groups * (groups - 1)) / (groups - 2)
    skewness = factor * float((residuals**3).mean()) / (squares / groups) ** 1.5
    quantile = student_quantile(1 - alpha, groups - 1)
    bend = skewness / math.sqrt(groups)
    high = mean + error * max(quantile, -_bend_back(-quantile, bend))
    low = mean - error * max(quantile, _bend_back(quantile, bend))
    logs = _bound_log_normal(sums, counts, quantile), _bound_by_length(sums, counts, quantile)
    return Interval(mean, low, max(high, *logs), groups)


def _bound_log_normal(sums: np.ndarray, counts: np.ndarray, quantile: float) -> float:
    """Upper bound of the mean if clusters' means are log-normal, weighted by tokens; -∞ if one is not positive."""
    if not bool((sums > 0).all()):
        return -math.inf
    logs = np.log(sums / counts)
    weights = counts / counts.sum()
    groups = 1 / float((weights**2).sum())
    if groups < 2:
        return -math.inf
    center = float((weights * logs).sum())
    variance = float((weights * (logs - center) ** 2).sum()) * groups / (groups - 1)
    spread = math.sqrt(variance / groups + variance**2 / (2 * (groups - 1)))
    # Beyond this, exp overflows a double.
    return math.exp(min(700.0, center + variance / 2 + quantile * spread))


def _bound_by_length(sums: np.ndarray, counts: np.ndarray, quantile: float) -> float:
    """Upper bound of the mean if clusters' sums and counts are log-normal together, at most the largest of clusters'
    means; -∞ if a sum is not positive."""
    if not bool((sums > 0).all()):
        return -math.inf
    groups = len(sums)
    logs, lengths = np.log(sums), np.log(counts)
    (variance, covariance), (_, variance_of_lengths) = np.cov(logs, lengths)
    center = float(logs.mean() - lengths.mean() + (variance - variance_of_lengths) / 2)
    squares = max(0.0, variance + variance_of_lengths - 2 * covariance) / groups
    squares += max(0.0, variance**2 + variance_of_lengths**2 - 2 * covariance**2) / (2 * (groups - 1))
    return math.exp(min(float((logs - lengths).max()), center + quantile * math.sqrt(squares)))


def _bend_back(value: float, bend: float) -> float:
    """The t whose image under Hall's transformation is ``value``; ``bend`` is skewness / √G."""
    if abs(bend) < 1e-9:
        return value
    return 3 / bend * (float(np.cbrt(1 + bend * (value - bend / 6))) - 1)


@lru_cache(maxsize=1024)
def student_quantile(probability: float, degrees: int) -> float:
    """Quantile of Student's t above the median, by bisection of its distribution.

    Raises:
        ValueError: if the probability is outside 0.5 to 1.
    """
    if not 0.5 <= probability < 1:
        raise ValueError(f"probability must be from 0.5 to below 1, not {probability}")
    low, high = 0.0, 1.0
    while 1 - _upper_tail(high, degrees) < probability:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        if 1 - _upper_tail(middle, degrees) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _upper_tail(t: float, degrees: int) -> float:
    """P(T > t) for t ≥ 0: half the regularized incomplete beta function I_x(df/2, 1/2) at x = df / (df + t²)."""
    return _incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t)) / 2


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """I_x(a, b) by its continued fraction (DLMF 8.17.22), on the side where it converges fast."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, 1 - x)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    # 1 + d₁ / (1 + d₂ / (1 + …)) by the modified method of Lentz.
    value, c, d = 1.0, 1.0, 0.0
    for step in range(500):
        m = (step + 1) // 2
        if step % 2 == 1:
            coefficient = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            coefficient = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / _away_from_zero(1 + coefficient * d)
        c = _away_from_zero(1 + coefficient / c)
        value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return math.exp(log_front) / (a * value)


def _away_from_zero(value: float) -> float:
    return value if abs(value) > 1e-300 else 1e-300
