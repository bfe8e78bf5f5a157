"""What a fair expert could say about a case, measured on its own rows."""

from __future__ import annotations

import numpy as np

from .faults.base import Fault
from .produce import Case
from .rows import Row

# A definition fault that changes Δ by less than its own engine's noise is not identifiable either.
FAINT = {"bf16": 1.4e-3, "fp32": 1e-4}
MEANING = {
    "temperature_mismatch",
    "truncation_renormalised",
    "penalty_mismatch",
    "softcap_mismatch",
    "vocab_padding_in_softmax",
}
LEGS = [("decode", "rollout", "rescored"), ("trainer", "rescored", "trainer")]


def find_deltas(rows: list[Row], a: str = "rollout", b: str = "trainer", own: bool = False) -> np.ndarray:
    """b − a over the counted tokens; NaN if a side is not finite."""
    parts = []
    for row in rows:
        there = row.own if own else row.dumped_mask() == 1
        parts.append(row.columns[b][there].astype(np.float64) - row.columns[a][there])
    delta = np.concatenate(parts) if parts else np.zeros(0)
    return np.where(np.isfinite(delta), delta, np.nan)


def measure(rows: list[Row], a: str = "rollout", b: str = "trainer", own: bool = False) -> dict:
    delta = find_deltas(rows, a, b, own)
    d = delta[np.isfinite(delta)]
    if d.size == 0:
        return {
            "tokens": int(delta.size),
            "non_finite": int(delta.size),
            "mean_abs_delta": None,
            "mean_delta": None,
            "k3": None,
            "max_abs_delta": None,
        }
    with np.errstate(over="ignore"):
        k3 = float(np.mean(np.expm1(d) - d))
    return {
        "tokens": int(delta.size),
        "non_finite": int(delta.size - d.size),
        "mean_abs_delta": float(np.abs(d).mean()),
        "mean_delta": float(d.mean()),
        "k3": k3 if np.isfinite(k3) else None,
        "max_abs_delta": float(np.abs(d).max()),
    }


def find_hit(fault: Fault, steps: list[list[Row]]) -> list[Row]:
    return [r for k, rows in enumerate(steps) for i, r in enumerate(rows) if fault.hits(i, k, r.problem.source)]


def judge(case: Case, fault: Fault, steps: list[list[Row]]) -> str | None:
    """Why the dump does not show the fault; None if it does."""
    if fault.hidden:
        return fault.hidden
    name = fault.mechanism or fault.cause
    rows = find_hit(fault, steps)
    if not rows:
        return "no row of the dump has the fault"
    size = measure(rows)["mean_abs_delta"] or 0.0
    if not fault.structured and size < case.world.ordinary:
        return "mean |delta| is no larger than an ordinary bfloat16 engine's"
    noise = FAINT["fp32" if case.world.noise in ("fp32/fp32", "bf16/bf16") else "bf16"]
    if (
        name in MEANING
        and fault.params.get("kind") != "both_raw"
        and size < (case.world.ordinary if fault.mechanism else noise)
    ):
        return "the fault moves delta by less than the noise of the engine"
    return judge_tokens(name, fault, rows)


def judge_tokens(name: str, fault: Fault, rows: list[Row]) -> str | None:
    """The rules for faults that affect few tokens."""
    if name == "clamped_logprobs":
        floor = np.float32(fault.params["at"])
        hit = sum(int((r.columns[fault.side][r.own] == floor).sum()) for r in rows)
        return "hardly a sampled token is below the clamp" if hit < 5 else None
    if name in ("first_token_wrong", "last_token_wrong"):
        at = 0 if name == "first_token_wrong" else -1
        gap = [abs(r.columns["trainer"][r.own][at] - r.columns["rollout"][r.own][at]) for r in rows if r.own.any()]
        return "the wrong value is as near as the right one" if np.nanmean(gap) < 0.05 else None
    if name in ("fp16_overflow", "nan_logprobs") and measure(rows)["non_finite"] == 0:
        return "no value is missing"
    if name == "truncation_unlogged" or fault.params.get("kind") == "both_raw":
        return (
            None if abs(measure_calibration(rows)) > 4 else "too few tokens were drawn otherwise to show in the entropy"
        )
    if name == "retokenized_turns" and (measure(rows)["mean_abs_delta"] or 0) < 5e-3:
        return "hardly a turn starts with a token that has pieces"
    return None


def measure_calibration(rows: list[Row]) -> float:
    """z of the rollout's mean(surprisal − entropy), by sequence."""
    if "rollout_entropy" not in rows[0].columns:
        return 0.0
    x = np.array([-(r.columns["rollout"] + r.columns["rollout_entropy"])[r.own].sum() for r in rows])
    return float(x.mean() / (x.std(ddof=1) / np.sqrt(len(x)) + 1e-12))


def find_leg(case: Case, steps: list[list[Row]]) -> tuple[str | None, dict]:
    """The guilty leg of three columns, as measured; None if neither leg is above ordinary noise."""
    if not case.rescored:
        return None, {}
    rows = [r for s in steps for r in s]
    figures = {name: measure(rows, a, b, own=True) for name, a, b in LEGS}
    if not case.faults:
        return "none", figures
    bad = {k: f["non_finite"] > 0 or (f["mean_abs_delta"] or 0) > case.world.ordinary for k, f in figures.items()}
    if bad["decode"] and bad["trainer"]:
        return "both", figures
    return ("decode" if bad["decode"] else "trainer" if bad["trainer"] else None), figures


def describe(case: Case, steps: list[list[Row]], level: str, extra: dict) -> dict:
    """truth.json without `setup`."""
    rows = [r for s in steps for r in s]
    reasons = [judge(case, f, steps) for f in case.faults]
    why = "; ".join(r for r in reasons if r) if case.faults and all(reasons) else extra.get("why_not")
    measured = measure(rows)
    leg, legs = find_leg(case, steps)
    first = case.faults[0] if case.faults else None
    causes = [f.cause for f in case.faults] or ["healthy"]
    acceptable = set(extra.get("acceptable", []))
    for fault in case.faults:
        acceptable |= set(fault.acceptable)
        if needs_noise(fault, steps):
            acceptable.add("weight_quantization")
    if why and case.faults:
        acceptable.add("healthy")
    return {
        "case": case.name,
        "healthy": not case.faults,
        "cause": causes[0],
        "causes": causes,
        "mechanism": first.mechanism if first else None,
        "side": first.side if len(case.faults) == 1 else ("both" if case.faults else None),
        "acceptable": sorted(acceptable - set(causes)),
        "severity": level if len(case.faults) < 2 else "two",
        "onset_step": None if first is None or first.onset is None else first.onset,
        "scope": {k: v for f in case.faults for k, v in f.scope.items()},
        "identifiable": why is None,
        "why_not": why,
        "grey": extra.get("grey"),
        "guilty_leg": leg,
        "notes": "; ".join(f.notes for f in case.faults if f.notes) or extra.get("notes", ""),
        "measured": measured | ({"legs": legs} if legs else {}),
    }


def needs_noise(fault: Fault, steps: list[list[Row]]) -> bool:
    """Whether the fault needs noise: a small difference in weights looks like rounded weights."""
    small = (measure(find_hit(fault, steps))["mean_abs_delta"] or 0) < 8e-3
    return small and "layer_not_synced" in {fault.cause, fault.mechanism, *fault.acceptable}
