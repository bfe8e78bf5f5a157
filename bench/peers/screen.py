"""Prints the first screen of `logratio report` for the scripts beside it, and reports to bench/end-to-end.mjs.

A script imports this first, calls `imported()` after its imports, and `show(...)` at its end. This module costs almost
nothing, since it sees one entry per sequence.
"""

import json
import sys
import time

#: Edges of the histogram of Δ, in nats.
EDGES = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10]
EDGES = [-edge for edge in reversed(EDGES)] + [0.0] + EDGES
BARS = "▁▂▃▄▅▆▇█"
#: Quantile for 95 % of a normal distribution.
Z = 1.96

_start = time.perf_counter()
_imports = {}


def imported():
    """Notes that all time so far was spent on imports."""
    _imports.update(cpu=time.process_time(), wall=time.perf_counter() - _start)


def interval(mean, influence):
    """A figure and its 95 % interval over sampled sequences, from the influence of each on it (Cochran 1977, 6.3)."""
    n = len(influence)
    error = float((n / (n - 1) * (influence * influence).sum()) ** 0.5)
    return mean, mean - Z * error, mean + Z * error


def mean_of(sums, counts):
    mean = float(sums.sum() / counts.sum())
    return interval(mean, (sums - mean * counts) / counts.sum())


def bars(values):
    top = max(values)
    return "".join(BARS[min(7, int(8 * value / top))] for value in values)


def show(rows, moments, extremes, deciles, histogram, steps):
    """Prints the screen, and on standard error one line of JSON with the figures and what the imports took.

    `rows`: per sequence the number of tokens, Σ|Δ|, Σk3, Σρ, Σρ², as arrays; `moments`: Σp, Σq, Σp², Σq², Σpq over
    tokens; `extremes`: p99 and p99.9 of |Δ|, max |Δ|, max |Δp|; `deciles`: mean |Δ| by tenth of the response.
    """
    count, magnitude, k3, ratio, square = rows
    n = float(count.sum())
    p, q, pp, qq, pq = moments
    ess = float(ratio.sum() ** 2 / (n * square.sum()))
    figures = {
        "delta_abs_mean": mean_of(magnitude, count),
        **dict(zip(("delta_abs_p99", "delta_abs_p999", "delta_abs_max"), extremes, strict=False)),
        "k3": mean_of(k3, count),
        "prob_diff_max": extremes[3],
        "pearson": (pq - p * q / n) / ((pp - p * p / n) * (qq - q * q / n)) ** 0.5,
        "ess": interval(ess, ess * (2 * ratio / ratio.sum() - count / n - square / square.sum())),
    }
    print(f"{steps} steps · {len(count):,} sequences · {int(n):,} tokens\n")
    values = {"sequences": len(count), "tokens": int(n)}
    for name, value in figures.items():
        values[name], *ends = value if isinstance(value, tuple) else (value,)
        print(f"{name:15}{values[name]:12.6g}" + (f"   {ends[0]:.6g} – {ends[1]:.6g}" if ends else ""))
    print(f"\nmean |Δ|   {bars(deciles)}  by position, first to last tenth of the response")
    print(f"Δ          {bars(histogram)}  counts")
    print(json.dumps({"figures": values, "imports": _imports}), file=sys.stderr)
