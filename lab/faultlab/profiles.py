"""What a picture shows: a figure of the tokens over something, for a faulty run and a sound one."""

from __future__ import annotations

import itertools

import numpy as np

from .tokens import Tokens

FAULTY, SOUND = "with the fault", "sound run"


def line(title: str, x_label: str, unit: str, x: list, *series: tuple[str, list], scale: str = "linear") -> dict:
    digits = lambda v: None if v is None else float(f"{v:.4g}")  # noqa: E731
    # Leave out empty bins at either end.
    used = [i for i in range(len(x)) if any(y[i] is not None for _, y in series)]
    if used and used != list(range(len(x))):
        part = slice(used[0], used[-1] + 1)
        x, series = x[part], tuple((n, y[part]) for n, y in series)
    return {
        "kind": "line",
        "title": title,
        "x_label": x_label,
        "unit": unit,
        "scale": scale,
        "x": [digits(v) for v in x],
        "series": [{"name": n, "y": [digits(v) for v in y]} for n, y in series],
    }


def bars(title: str, labels: list[str], *series: tuple[str, list]) -> dict:
    return line(title, "", "", [], *series) | {"kind": "bars", "labels": labels}


def middles(bins: list) -> list:
    return [(a + b) / 2 for a, b in itertools.pairwise(bins)]


def confidence(t: Tokens, s: Tokens) -> dict:
    bins = [-8, -6, -5, -4, -3.25, -2.5, -2, -1.6, -1.3, -1, -0.75, -0.5, -0.3, -0.15, -0.05, 0.001]
    low = np.minimum(t.rollout, 0)
    return line(
        "Mean Δ by rollout log-prob", "rollout log-prob", "nats", middles(bins),
        (FAULTY, t.profile(low, bins, t.delta, 3)), (SOUND, s.profile(s.rollout, bins, s.delta, 3)),
    )  # fmt: skip


def signed(t: Tokens, s: Tokens) -> dict:
    shares = list(np.linspace(0.5, 99.5, 64))
    get = lambda run: [float(np.quantile(run.delta[run.counted & np.isfinite(run.delta)], q / 100)) for q in shares]  # noqa: E731
    return line("Δ in ascending order", "% of the tokens", "nats", shares, (FAULTY, get(t)), (SOUND, get(s)))


def values(t: Tokens, s: Tokens) -> dict:
    """The rollout column's values in ascending order, and the trainer's; floors and constants show as flat parts."""
    shares = list(np.linspace(0.2, 99.8, 64))
    get = lambda column: [float(np.nanquantile(np.clip(column[t.counted], -15, None), q / 100)) for q in shares]  # noqa: E731
    return line(
        "Log-probs in ascending order, cut off at −15", "% of the tokens", "nats", shares,
        ("rollout", get(t.rollout)), ("trainer", get(t.trainer)),
    )  # fmt: skip


def surprisal(t: Tokens, s: Tokens) -> dict:
    def by_row(run: Tokens) -> tuple[float, float]:
        gain = [(-r.columns["rollout"][r.own].sum(), r.columns["rollout_entropy"][r.own].sum()) for r in run.rows]
        total = sum(r.own.sum() for r in run.rows)
        return tuple(float(sum(v[i] for v in gain) / total) for i in (0, 1))

    (a, b), (c, d) = by_row(t), by_row(s)
    return bars(
        "Mean surprisal and mean entropy of the rollout, nats",
        [FAULTY, SOUND],
        ("surprisal", [a, c]),
        ("entropy", [b, d]),
    )


def repeats(t: Tokens, s: Tokens) -> dict:
    bins = list(range(0, 97, 12))
    make = lambda run, flag: run.profile(run.index, bins, np.where(run.repeated == flag, run.delta, np.nan))  # noqa: E731
    return line(
        "Mean Δ at repeated and at new tokens", "response position", "nats", middles(bins),
        ("repeated tokens", make(t, True)), ("new tokens", make(t, False)), ("sound run", s.profile(s.index, bins, s.delta)),
    )  # fmt: skip


def lags(t: Tokens, s: Tokens) -> dict:
    def correlate(run: Tokens, lag: int) -> float:
        pairs = []
        for row in run.rows:
            a, b = row.columns["rollout"], row.columns["trainer"]
            if lag > 0:
                a, b = a[lag:], b[:-lag]
            elif lag < 0:
                a, b = a[:lag], b[-lag:]
            keep = (a != 0) & (b > -9)
            pairs.append(np.stack((a[keep], b[keep])))
        return float(np.corrcoef(np.concatenate(pairs, axis=1))[0, 1])

    xs = list(range(-3, 4))
    return line(
        "Correlation of the two columns by lag", "trainer position − rollout position", "", xs,
        (FAULTY, [correlate(t, -x) for x in xs]), (SOUND, [correlate(s, -x) for x in xs]),
    )  # fmt: skip


def rows(t: Tokens, s: Tokens) -> dict:
    xs = list(range(24))
    get = lambda run: [run.mean(np.abs(run.delta), run.counted & (run.row == i)) for i in xs]  # noqa: E731
    return line("Mean |Δ| of each row of a step", "row", "nats", xs, (FAULTY, get(t)), (SOUND, get(s)))


def twins(t: Tokens, s: Tokens) -> dict:
    def count(run: Tokens) -> tuple[float, float]:
        texts = [(tuple(r.response.tolist()), r.columns["rollout"].tobytes()) for r in run.rows]
        ids = [a for a, _ in texts]
        return sum(ids.count(a) > 1 for a in ids) / len(ids), sum(texts.count(a) > 1 for a in texts) / len(ids)

    (a, b), (c, d) = count(t), count(s)
    return bars(
        "Share of rows that have a copy in the run",
        [FAULTY, SOUND],
        ("same tokens", [a, c]),
        ("same tokens and log-probs", [b, d]),
    )


def turn_start(t: Tokens, s: Tokens) -> dict:
    xs = list(range(-6, 13))
    get = lambda run: [run.mean(np.abs(run.delta), run.counted & (run.after_turn == x)) for x in xs]  # noqa: E731
    return line(
        "Mean |Δ| around the start of later turns",
        "tokens after the tool's output",
        "nats",
        xs,
        (FAULTY, get(t)),
        (SOUND, get(s)),
    )


def positions(t: Tokens, s: Tokens) -> dict:
    bins = list(range(16, 129, 2))
    get = lambda run: run.profile(run.place, bins, np.abs(run.delta))  # noqa: E731
    return line(
        "Mean |Δ| by position, prompt included",
        "position",
        "nats",
        [b for b in bins[:-1]],
        (FAULTY, get(t)),
        (SOUND, get(s)),
    )


def starts(t: Tokens, s: Tokens) -> dict:
    xs = list(range(12))
    get = lambda run: [run.mean(np.abs(run.delta), run.counted & (run.index == x)) for x in xs]  # noqa: E731
    return line(
        "Mean |Δ| from the start of the response", "response position", "nats", xs, (FAULTY, get(t)), (SOUND, get(s))
    )


def ends(t: Tokens, s: Tokens) -> dict:
    xs = list(range(-12, 1))
    get = lambda run: [run.mean(np.abs(run.delta), run.counted & (run.from_end == -x)) for x in xs]  # noqa: E731
    return line(
        "Mean |Δ| toward the end of the response", "tokens from the end", "nats", xs, (FAULTY, get(t)), (SOUND, get(s))
    )


def counted(t: Tokens, s: Tokens) -> dict:
    xs = list(range(-8, 1))
    get = lambda run: [float(run.counted[run.own & (run.from_end == -x)].mean()) for x in xs]  # noqa: E731
    return line(
        "Share of the model's own tokens that have mask 1",
        "tokens from the end",
        "",
        xs,
        (FAULTY, get(t)),
        (SOUND, get(s)),
    )


def prompts(t: Tokens, s: Tokens) -> dict:
    bins = [8, 14, 18, 21, 24, 26, 28, 30, 33, 38]
    get = lambda run: run.profile(run.prompt, bins, np.abs(run.delta))  # noqa: E731
    return line(
        "Mean |Δ| by length of the prompt", "prompt tokens", "nats", middles(bins), (FAULTY, get(t)), (SOUND, get(s))
    )


def distribution(t: Tokens, s: Tokens) -> dict:
    """Share of tokens with |Δ| above x; both axes span orders of magnitude, so x is the exponent."""
    xs = [round(v, 3) for v in np.arange(-6, 1.01, 0.125)]

    def get(run: Tokens) -> list:
        size = np.abs(run.delta[run.counted & np.isfinite(run.delta)])
        share = [float((size > 10.0**x).mean()) for x in xs]
        return [v if v > 0 else None for v in share]

    both = [(FAULTY, get(t)), (SOUND, get(s))] if t is not s else [(SOUND, get(s))]
    return line("Share of tokens whose |Δ| exceeds x", "log10 of x, in nats", "share", xs, *both, scale="log")


def advantages(t: Tokens, s: Tokens) -> dict:
    bins = [-2.5, -1.2, -0.7, -0.2, 0.2, 0.7, 1.2, 2.5]

    def get(run: Tokens) -> list:
        sums = np.array([float((r.columns["trainer"] - r.columns["rollout"])[r.own].sum()) for r in run.rows])
        of = np.array([r.advantage for r in run.rows])
        out = []
        for low, high in itertools.pairwise(bins):
            there = (of >= low) & (of < high)
            out.append(float(sums[there].mean()) if there.sum() > 1 else None)
        return out

    return line(
        "Mean sum of Δ over a sequence, by its advantage",
        "advantage",
        "nats",
        middles(bins),
        (FAULTY, get(t)),
        (SOUND, get(s)),
    )


def identities(t: Tokens, s: Tokens) -> dict:
    """Mean ρ is 1 if the samples are the rollout's, mean 1/ρ if they are the trainer's."""

    def get(run: Tokens) -> list:
        delta = run.delta[run.counted & np.isfinite(run.delta)]
        return [float(np.expm1(delta).mean()), float(np.expm1(-delta).mean())]

    return bars(
        "How far the two identities are from 1", ["mean ρ − 1", "mean 1/ρ − 1"], (FAULTY, get(t)), (SOUND, get(s))
    )


def lattice(t: Tokens, s: Tokens) -> dict:
    """Sorted values near −1, where the grid of a narrow format is coarse: steps of 2^−7 in bfloat16."""
    near = lambda run, column: np.sort(column[run.counted & (column > -1.1) & (column < -1.0)])  # noqa: E731
    a, b = near(t, t.rollout), near(t, t.trainer)
    n = min(len(a), len(b), 80)
    pick = lambda v: v[np.linspace(0, len(v) - 1, n).astype(int)].tolist()  # noqa: E731
    return line(
        "Log-probs between −1.1 and −1.0 in ascending order",
        "rank",
        "nats",
        list(range(n)),
        ("rollout", pick(a)),
        ("trainer", pick(b)),
    )


def missing(t: Tokens, s: Tokens) -> dict:
    bins = list(range(0, 105, 4))
    get = lambda run: [  # noqa: E731
        float((~np.isfinite(run.delta[run.counted & (run.index >= a) & (run.index < a + 4)])).mean()) for a in bins
    ]
    return line(
        "Share of log-probs that are not numbers, by position",
        "response position",
        "",
        bins,
        (FAULTY, get(t)),
        (SOUND, get(s)),
    )


def prefixes(t: Tokens, s: Tokens) -> dict:
    """Rows of a group share their prompt, so the first response token has one log-prob per group and token."""

    def spread(run: Tokens, column: str) -> float:
        found = []
        groups: dict[tuple, list[float]] = {}
        for row in run.rows:
            for n in range(1, 7):
                key = (row.step, row.uid, tuple(row.response[:n].tolist()))
                groups.setdefault(key, []).append(float(row.columns[column][n - 1]))
        found = [np.std(v) for v in groups.values() if len(v) > 1]
        return float(np.mean(found))

    labels = ["trainer, dropout", "trainer, sound", "rollout, dropout", "rollout, sound"]
    spreads = [spread(t, "trainer"), spread(s, "trainer"), spread(t, "rollout"), spread(s, "rollout")]
    return bars(
        "Spread of the log-prob of one token after equal prefixes, nats", labels, ("standard deviation", spreads)
    )


def by_label(name: str, key: str, labels: list | None = None):
    def draw(t: Tokens, s: Tokens) -> dict:
        found = labels or sorted(set(getattr(t, key).tolist()))
        get = lambda run: [run.mean(np.abs(run.delta), run.counted & (getattr(run, key) == v)) for v in found]  # noqa: E731
        return bars(f"Mean |Δ| by {name}, nats", [str(v) for v in found], (FAULTY, get(t)), (SOUND, get(s)))

    return draw


def steps(t: Tokens, s: Tokens) -> dict:
    xs = sorted(set(t.step.tolist()))
    get = lambda run: [run.mean(np.abs(run.delta), run.counted & (run.step == x)) for x in xs]  # noqa: E731
    return line("Mean |Δ| by step", "step", "nats", xs, (FAULTY, get(t)), (SOUND, get(s)))


PROFILES = {
    "confidence": confidence, "signed": signed, "values": values, "surprisal": surprisal, "repeats": repeats,
    "lags": lags, "rows": rows, "twins": twins, "turn_start": turn_start, "positions": positions, "starts": starts,
    "ends": ends, "counted": counted, "prompts": prompts, "distribution": distribution, "advantages": advantages,
    "lattice": lattice, "missing": missing, "prefixes": prefixes, "ranks": by_label("rank", "rank"),
    "sources": by_label("data source", "source"), "steps": steps, "identities": identities,
}  # fmt: skip
