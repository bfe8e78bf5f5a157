"""Decides whether two policies agree, and says why."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..arguments import read_number, read_whole
from .bitwise import Bitwise, compare_bits
from .inputs import Pair, read_pair
from .messages import find_largest, list_worst, plural, rank_sizes
from .record import write_failure
from .statistics import Interval, bound_mean

Decision = Literal["equal", "equivalent", "within", "different", "undecided", "incomparable", "empty"]
Statistic = Literal["mean_abs", "mean"]


@dataclass
class Agreement:
    """The result of a comparison.

    Attributes:
        agree: whether the assertion holds.
        decision: ``equal`` bit for bit; ``equivalent`` by interval; ``within`` the tolerance at every token;
            ``different`` or ``undecided``; ``incomparable`` if only one side has NaN or infinity at a token;
            ``empty`` without tokens.
        message: the result in words, including the worst tokens.
        tokens: number of tokens compared.
        max_abs: largest |Δ|, nats.
        interval: interval of the mean, nats, at level 1 - 2·alpha; None for a bitwise comparison.
        bitwise: result of the bitwise comparison; None unless asked for.
    """

    agree: bool
    decision: Decision
    message: str
    tokens: int
    max_abs: float
    interval: Interval | None = None
    bitwise: Bitwise | None = None
    pair: Pair = field(repr=False, default=None)  # type: ignore[assignment]


def compare_policies(
    a: Any,
    b: Any = None,
    *,
    tol: float | None = None,
    mask: Any = None,
    names: tuple[str, str] = ("a", "b"),
    bitwise: bool = False,
    clusters: Any = None,
    statistic: Statistic = "mean_abs",
    max_tol: float | None = None,
    alpha: float = 0.05,
    worst: int = 5,
) -> Agreement:
    """Compares two policies' log-probs of the same tokens, as `assert_policies_agree` does, without asserting anything.

    Raises:
        LogratioError: if columns do not fit together.
        TypeError: if a tolerance or level is not a number.
        ValueError: if a tolerance, level or statistic is out of range.
    """
    tol, max_tol = (
        None if value is None else read_number(name, value) for name, value in (("tol", tol), ("max_tol", max_tol))
    )
    alpha, worst = read_number("alpha", alpha), read_whole("worst", worst)
    if not bitwise and (tol is None or not tol > 0):
        raise ValueError(f"tol must be above 0 nats, not {tol}")
    if not 0 < alpha < 0.5:
        raise ValueError(f"alpha must be between 0 and 0.5, not {alpha}")
    if statistic not in ("mean_abs", "mean"):
        raise ValueError(f"statistic must be 'mean_abs' or 'mean', not {statistic!r}")
    pair = read_pair(a, b, mask, names, clusters)
    with np.errstate(invalid="ignore", over="ignore"):
        delta = np.where(pair.a.values == pair.b.values, 0.0, pair.b.values - pair.a.values)
    if bitwise:
        return _judge_bits(pair, delta, names, worst)
    assert tol is not None
    return _judge_interval(pair, delta, names, worst, tol, statistic, max_tol, alpha)


def assert_policies_agree(
    a: Any,
    b: Any = None,
    *,
    tol: float | None = None,
    mask: Any = None,
    names: tuple[str, str] = ("a", "b"),
    bitwise: bool = False,
    clusters: Any = None,
    statistic: Statistic = "mean_abs",
    max_tol: float | None = None,
    alpha: float = 0.05,
    worst: int = 5,
) -> Agreement:
    """Asserts that two policies give the same tokens the same log-probs, within a tolerance that the data show to hold.

    Finding no difference does not show agreement. The assertion holds if the 1 - 2·alpha interval of the mean lies
    within ``tol`` (two one-sided tests, in which sequences are what was sampled), or if every token is within ``tol``.
    With fewer than 10 clusters there is no interval, and every token must be within ``tol``. It is about sequences like
    these: ``logratio compare`` also keeps a reserve for kinds of prompts that none of them is. If the policies differ by
    ``tol`` on average, the assertion holds in about ``alpha`` of all samples: measured 0.02 to 0.09 with 10 sequences
    and 0.01 to 0.06 with 50, for sequences whose means are normal to log-normal with sigma 1.5. A single token never
    decides, except through ``max_tol``.

    Args:
        a: log-probs of the sampled tokens, nats: ``[B, T]``, ``[T]``, or one array for each sequence; numpy, torch or
            lists; or a dict as ``Recorder.log`` takes it, whose mask, responses and uid are used.
        b: the same under the other policy; None if ``a`` is a dict with both. Δ = b - a.
        tol: tolerance of the mean, nats; required unless ``bitwise``.
        mask: 1 for tokens that count, in the shape of ``a``; combined with the dicts' own masks.
        names: names of the policies, for the message.
        bitwise: asserts that all bits are equal instead (NaN equals NaN, 0 equals -0).
        clusters: the prompt or group that each sequence was sampled for, ``[B]``; default a dict's ``uid``, else every
            sequence is its own cluster.
        statistic: ``mean_abs`` for mean |Δ|, or ``mean`` for mean Δ, in which noise cancels and bias does not.
        max_tol: upper bound on every |Δ|, nats.
        alpha: error rate of either test.
        worst: number of tokens that the message names.

    Returns:
        The result of the comparison.

    Raises:
        AssertionError: if they do not agree or the data do not show it; the message has the worst tokens.
        LogratioError: if columns do not fit together.
    """
    __tracebackhide__ = True
    found = compare_policies(
        a,
        b,
        tol=tol,
        mask=mask,
        names=names,
        bitwise=bitwise,
        clusters=clusters,
        statistic=statistic,
        max_tol=max_tol,
        alpha=alpha,
        worst=worst,
    )
    if not found.agree:
        raise AssertionError("\n".join([found.message, *_write(found, names)]))
    return found


def _write(found: Agreement, names: tuple[str, str]) -> list[str]:
    path: Path | None = write_failure(found.pair, names)
    return [] if path is None else [f"  written    {path} (logratio report {path})"]


def _judge_bits(pair: Pair, delta: np.ndarray, names: tuple[str, str], worst: int) -> Agreement:
    found = compare_bits(pair, names)
    size = rank_sizes(delta, pair)
    zeros = f"; {plural(found.signed_zeros, 'token')} 0 on one side and -0 on the other" if found.signed_zeros else ""
    if found.first is None:
        decision: Decision = "equal" if found.tokens else "empty"
        # If none of n tokens is unequal, the share is below 3/n in 95 of 100 samples (rule of three).
        share = f": fewer than {3 / max(found.tokens, 1):.2g} of all are unequal (95 %)"
        message = f"all {plural(found.tokens, 'token')} are equal bit for bit{share}{zeros}"
        if decision == "empty":
            message = _EMPTY
        return Agreement(decision == "equal", decision, message, found.tokens, find_largest(size), None, found, pair)
    spans = [
        f"{low}{'' if low == high else f'-{high}'}: {count:,}" for low, high, count in found.histogram if low <= _FAR
    ]
    far = sum(count for low, _, count in found.histogram if low > _FAR)
    spans += [f"above {_FAR}: {far:,}"] if far else []
    spans += [f"NaN or infinity on one side: {found.incomparable:,}"] if found.incomparable else []
    lines = [
        f"{names[0]} and {names[1]} are not equal bit for bit: {found.unequal:,} of {plural(found.tokens, 'token')} "
        f"differ, the first at {pair.place(found.first)}",
        f"  units in the last place ({pair.a.dtype})  {', '.join(spans)}{zeros}",
        *list_worst(pair, size, delta, names, worst),
    ]
    return Agreement(False, "different", "\n".join(lines), found.tokens, find_largest(size), None, found, pair)


#: Distances in units in the last place that no order of summation explains form one class in a message; a power of 2.
_FAR = 64
_EMPTY = "there are no tokens to compare: the mask is 0 everywhere, or both sides are NaN"


def _judge_interval(
    pair: Pair,
    delta: np.ndarray,
    names: tuple[str, str],
    worst: int,
    tol: float,
    statistic: Statistic,
    max_tol: float | None,
    alpha: float,
) -> Agreement:
    missing = np.isnan(pair.a.values) & np.isnan(pair.b.values)
    counted = pair.mask & ~missing
    size = rank_sizes(delta, pair)
    tokens, broken = int(counted.sum()), int((counted & ~np.isfinite(delta)).sum())
    largest = find_largest(size)
    sequence = pair.sequence if pair.clusters is None else pair.clusters[pair.sequence]
    good = counted & np.isfinite(delta)
    value = np.abs(delta) if statistic == "mean_abs" else delta
    sums = np.bincount(sequence[good], value[good])
    interval = bound_mean(sums, np.bincount(sequence[good], minlength=len(sums)), alpha)
    label = "mean |Δ|" if statistic == "mean_abs" else "mean Δ"
    level = f"{100 * (1 - 2 * alpha):g} %"
    decision, why = _decide(interval, tokens, broken, largest, tol, statistic, label, level)
    agree = decision in ("equivalent", "within")
    if agree and max_tol is not None and largest > max_tol:
        agree, decision, why = False, "different", f"max |Δ| is {largest:.4g}, above max_tol {max_tol:g}"
    verb = "agree" if agree else "do not agree" if decision == "different" else "are not shown to agree"
    unit = "prompt or group" if pair.clusters is not None else "sequence"
    left_out = int((pair.mask & missing).sum())
    lines = [
        f"{names[0]} and {names[1]} {verb} within {tol:g} nats: {why}",
        f"  compared   {plural(tokens, 'token')} in {plural(len(pair.a.lengths), 'sequence')}, "
        f"{interval.clusters:,} independent by {unit}"
        + (f"; {plural(left_out, 'token')} left out, NaN on both sides" if left_out else ""),
    ]
    if tokens > broken:
        bounds = "" if interval.low is None else f", {level} interval {interval.low:.4g} to {interval.high:.4g}"
        lines.append(f"  {label:<9}  {interval.mean:.4g}{bounds}; max |Δ| {largest:.4g}")
    lines += _advise(decision, interval, tol)
    return Agreement(
        agree,
        decision,
        "\n".join([*lines, *list_worst(pair, np.where(missing, -1, size), delta, names, worst)]),
        tokens,
        largest,
        interval,
        None,
        pair,
    )


def _decide(
    interval: Interval,
    tokens: int,
    broken: int,
    largest: float,
    tol: float,
    statistic: Statistic,
    label: str,
    level: str,
) -> tuple[Decision, str]:
    if tokens == 0:
        return "empty", _EMPTY
    if broken:
        return "incomparable", f"{plural(broken, 'token')} NaN or infinite on one side only"
    if largest <= tol:
        return "within", "every token is within it"
    if interval.low is None or interval.high is None:
        reason = f"too few to judge the mean by an interval ({interval.reason}), and max |Δ| is {largest:.4g}"
        return "undecided", reason
    low, high = interval.low, interval.high
    if high < tol and (statistic == "mean_abs" or low > -tol):
        return "equivalent", f"the {level} interval of {label} ends at {_far_end(low, high, statistic):.4g}"
    if low > tol or (statistic == "mean" and high < -tol):
        return "different", f"the whole {level} interval of {label} is beyond it"
    return "undecided", f"the {level} interval of {label} reaches {_far_end(low, high, statistic):.4g}"


def _far_end(low: float, high: float, statistic: Statistic) -> float:
    return low if statistic == "mean" and -low > high else high


def _advise(decision: Decision, interval: Interval, tol: float) -> list[str]:
    if decision != "undecided":
        return []
    if interval.low is None or interval.high is None:
        return ["  try        more sequences: 10 or more that were drawn independently have an interval"]
    room = tol - abs(interval.mean)
    if room <= 0:
        return ["  try        the worst tokens first: the mean itself is beyond the tolerance"]
    wide = interval.high - interval.mean if interval.mean > 0 else interval.mean - interval.low
    wanted = int(np.ceil(interval.clusters * (wide / room) ** 2 - 1e-6))
    return [f"  try        about {wanted:,} independent sequences, where the mean would be told from {tol:g}"]
