"""Faults in meaning: the two columns are log-probs of different distributions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .base import Draw, Fault, swap_view


def temperature_mismatch(d: Draw) -> Fault:
    log = d.level_between((0.05, 0.1), (0.12, 0.25), (0.28, 0.5))
    value = round(float(np.exp(d.pick(-1, 1, -1) * log)), 2)
    kind = d.pick(
        "engine_raw", "engine_raw", "trainer_raw", "trainer_raw", "trainer_other", "trainer_other", "both_raw"
    )
    if kind == "both_raw":
        return sampled_otherwise(value)
    fault = Fault("temperature_mismatch", "rollout" if kind == "engine_raw" else "trainer", {"kind": kind, "T": value})
    if kind != "trainer_other":
        how = "raw" if kind == "engine_raw" else "processed"
        fault.change_engine = lambda e, k: replace(e, sampling=replace(e.sampling, temperature=value, report=how))
    if kind != "trainer_raw":
        fault.change_trainer = lambda t, k: replace(t, temperature=value)
    fault.notes = {
        "engine_raw": f"sampled at T={value}, reported at T=1, trainer at T={value}",
        "trainer_raw": f"sampled and reported at T={value}, trainer at T=1",
        "trainer_other": f"sampled and reported at T=1, trainer at T={value}",
    }[kind]
    return fault


def sampled_otherwise(value: float) -> Fault:
    """Both columns are at temperature 1, the samples are not."""
    return Fault(
        "temperature_mismatch",
        "rollout",
        {"kind": "both_raw", "T": value},
        ["cannot_tell", *(["truncation_unlogged"] if value < 1 else [])],
        needs=frozenset({"entropy"}),
        notes=f"sampled at T={value}, both sides at T=1",
        change_engine=lambda e, k: replace(e, sampling=replace(e.sampling, temperature=value, report="raw")),
    )


def other_statistic(d: Draw) -> Fault:
    """A column that is not about the sampled token: the likeliest token's log-prob, or minus the entropy."""
    side, kind = d.side(), d.pick("likeliest", "entropy")

    def change(rows, rng):
        for row in rows:
            source = row.columns[f"{side}_top"][:, 0] if kind == "likeliest" else -row.columns[f"{side}_entropy"]
            row.columns[side] = np.where(row.own, source, row.columns[side]).astype(np.float32)
        return rows

    return Fault(
        "other_statistic",
        side,
        {"kind": kind},
        ["cannot_tell", "wrong_checkpoint"],
        decode_only=side == "rollout",
        details=True,
        change_rows=change,
    )


def scale_column(name: str, factor: float):
    def change(rows, rng):
        for row in rows:
            row.columns[name] = (row.columns[name] * factor).astype(np.float32)
        return rows

    return change


def log_base(d: Draw) -> Fault:
    side, base = d.side(), d.pick(2, 10)
    return Fault(
        "log_base",
        side,
        {"base": base},
        decode_only=side == "rollout",
        change_rows=scale_column(side, 1 / np.log(base)),
    )


def probabilities_not_logs(d: Draw) -> Fault:
    side = d.side()

    def change(rows, rng):
        for row in rows:
            there = row.own if side == "rollout" else np.ones(row.size, bool)
            row.columns[side] = np.where(there, np.exp(row.columns[side]), 0).astype(np.float32)
        return rows

    return Fault("probabilities_not_logs", side, {}, decode_only=side == "rollout", change_rows=change)


def draw_filters(d: Draw) -> dict:
    kind = d.pick("top_p", "top_p", "top_k", "min_p")
    if kind == "top_p":
        return {"top_p": d.level_between((0.93, 0.97), (0.85, 0.92), (0.6, 0.84))}
    if kind == "top_k":
        return {"top_k": d.level_of(4, 3, 2)}
    return {"min_p": d.level_between((0.02, 0.05), (0.06, 0.15), (0.2, 0.4))}


def truncation_renormalised(d: Draw) -> Fault:
    filters = draw_filters(d)
    return Fault(
        "truncation_renormalised",
        "rollout",
        filters,
        decode_only=True,
        notes="the engine's log-probs are renormalized over the kept tokens",
        change_engine=lambda e, k: replace(e, sampling=replace(e.sampling, **filters)),
    )


def truncation_unlogged(d: Draw) -> Fault:
    filters = draw_filters(d)
    return Fault(
        "truncation_unlogged",
        "rollout",
        filters,
        needs=frozenset({"entropy"}),
        notes="filtered sampling, unfiltered log-probs on both sides",
        change_engine=lambda e, k: replace(e, sampling=replace(e.sampling, report="raw", **filters)),
    )


def penalty_mismatch(d: Draw) -> Fault:
    kind = d.pick("repetition", "presence", "frequency")
    value = {
        "repetition": d.level_between((1.04, 1.08), (1.1, 1.18), (1.2, 1.35)),
        "presence": d.level_between((0.15, 0.3), (0.35, 0.7), (0.8, 1.3)),
        "frequency": d.level_between((0.05, 0.1), (0.12, 0.25), (0.3, 0.5)),
    }[kind]
    return Fault(
        "penalty_mismatch",
        "rollout",
        {kind: value},
        decode_only=True,
        change_engine=lambda e, k: replace(e, sampling=replace(e.sampling, **{kind: value})),
    )


def greedy_zero_logprobs(d: Draw) -> Fault:
    return Fault(
        "greedy_zero_logprobs",
        "rollout",
        {},
        ["sentinel_fill"],
        decode_only=True,
        change_engine=lambda e, k: replace(e, sampling=replace(e.sampling, greedy=True)),
    )


def softcap_mismatch(d: Draw) -> Fault:
    side, cap = d.side(), d.level_between((20, 28), (14, 19), (9, 13), 1)
    fault = Fault("softcap_mismatch", side, {"cap": cap}, ["temperature_mismatch"])
    attach_view(fault, side, softcap=cap)
    return fault


def vocab_padding_in_softmax(d: Draw) -> Fault:
    side = d.side()
    columns, seed = int(d.rng.integers(60, 240)), int(d.rng.integers(1 << 30))
    deviation = d.level_between((1.4, 1.6), (1.7, 1.9), (2.0, 2.3))
    fault = Fault("vocab_padding_in_softmax", side, {"columns": columns, "deviation": deviation})
    attach_view(fault, side, padding=(columns, deviation, seed))
    return fault


def attach_view(fault: Fault, side: str, **changes) -> None:
    """Makes the side compute with another view."""
    if side == "rollout":
        fault.change_engine = lambda e, k: swap_view(e, **changes)
    else:
        fault.change_trainer = lambda t, k: swap_view(t, **changes)
