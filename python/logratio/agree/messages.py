"""Lists the worst tokens for a message."""

from __future__ import annotations

import numpy as np

from .inputs import Pair


def rank_sizes(delta: np.ndarray, pair: Pair) -> np.ndarray:
    """|Δ| for ranking: incomparable tokens come first, tokens that do not count last."""
    return np.where(pair.mask, np.where(np.isnan(delta), np.inf, np.abs(delta)), -1.0)


def find_largest(size: np.ndarray) -> float:
    finite = size[np.isfinite(size) & (size >= 0)]
    return float(finite.max()) if finite.size else 0.0


def list_worst(pair: Pair, size: np.ndarray, delta: np.ndarray, names: tuple[str, str], worst: int) -> list[str]:
    order = np.argsort(-size, kind="stable")[:worst]
    chosen = [int(token) for token in order if size[token] > 0]
    if not chosen:
        return []
    wide = max(len(pair.place(token)) for token in chosen)
    lines = ["  worst tokens (nats, Δ = " + f"{names[1]} - {names[0]})"]
    for token in chosen:
        name = "" if pair.ids is None else f"  id {pair.ids[token]}"
        lines.append(
            f"    {pair.place(token):<{wide}}{name}  {names[0]} {pair.a.values[token]:.6g}  {names[1]} "
            f"{pair.b.values[token]:.6g}  Δ {delta[token]:+.4g}"
        )
    return lines


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
