"""Numerical faults."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from ..rounding import round_weights
from .alignment import OF_TOKENS
from .base import Draw, Fault, swap_view

NOISE_LIKE = ["kv_cache_quantization", "layer_not_synced", "moe_routing_flips", "stale_weights"]


def weight_quantization(d: Draw) -> Fault:
    kind = d.level_of(d.pick("int8", "e4m3"), d.pick("e4m3", "int6", "int5"), d.pick("int4", "e5m2", "int4"))
    group = d.pick(None, 32, 64) if kind.startswith("int") else None
    activations = "int8" if kind == "int8" and d.rng.random() < 0.5 else None
    head = bool(d.rng.random() < 0.4)
    side = d.pick("rollout", "rollout", "rollout", "trainer")
    fault = Fault(
        "weight_quantization",
        side,
        {"kind": kind, "group": group, "head": head, "activations": activations},
        NOISE_LIKE,
        structured=False,
        notes="noise-like difference of two fixed policies; which numerics made it is not in the log-probs",
    )

    def change(thing, k):
        state = round_weights(thing.state, kind, group, head)
        return swap_view(replace(thing, state=state), activations=activations)

    if side == "rollout":
        fault.change_engine = change
    else:
        fault.change_trainer = change
    return fault


def kv_cache_quantization(d: Draw) -> Fault:
    kind = d.level_of(d.pick("int8", "e4m3"), d.pick("e4m3", "int5", "e5m2"), d.pick("int4", "e5m2", "int3"))
    return Fault(
        "kv_cache_quantization",
        "rollout",
        {"kind": kind},
        ["moe_routing_flips", "stale_prefix_cache", "weight_quantization"],
        structured=False,
        decode_only=True,
        change_engine=lambda e, k: swap_view(e, cache=kind),
    )


def round_column(rows, name: str, dtype: torch.dtype):
    for row in rows:
        row.columns[name] = torch.from_numpy(row.columns[name]).to(dtype).float().numpy()
    return rows


NARROW = {"bf16": torch.bfloat16, "fp16": torch.float16}


def logprob_storage_rounding(d: Draw) -> Fault:
    dtype = d.pick("bf16", "bf16", "fp16", "2 decimals", "3 decimals")
    sides = d.pick(["rollout"], ["trainer"], ["rollout", "trainer"])

    def change(rows, rng):
        for side in sides:
            if dtype in NARROW:
                round_column(rows, side, NARROW[dtype])
            else:
                for row in rows:
                    row.columns[side] = row.columns[side].astype(np.float64).round(int(dtype[0])).astype(np.float32)
        return rows

    return Fault(
        "logprob_storage_rounding",
        "both" if len(sides) == 2 else sides[0],
        {"dtype": dtype, "sides": sides},
        decode_only=sides == ["rollout"],
        notes=f"every value is a number of {dtype}",
        change_rows=change,
    )


def fp16_overflow(d: Draw) -> Fault:
    scale = d.level_between((2400, 2700), (2700, 3000), (3000, 3400), 0)
    return Fault(
        "fp16_overflow",
        "trainer",
        {"scale": scale},
        ["nan_logprobs"],
        notes="float16 activations overflow: NaN from a token to the end of its row",
        change_trainer=lambda t, k: swap_view(t, dtype=torch.float16, half_scale=scale),
    )


def dropout_on(d: Draw) -> Fault:
    rate = d.level_between((0.002, 0.004), (0.006, 0.02), (0.03, 0.1))
    return Fault(
        "dropout_on",
        "trainer",
        {"rate": rate},
        structured=False,
        notes="not deterministic: rows with the same prefix get different log-probs",
        change_trainer=lambda t, k: swap_view(t, dropout=rate),
    )


def moe_routing_flips(d: Draw) -> Fault:
    experts = int(d.rng.integers(5, 8))
    noise = d.level_between((0.01, 0.03), (0.04, 0.08), (0.1, 0.2))
    return Fault(
        "moe_routing_flips",
        "rollout",
        {"experts": experts, "noise": noise},
        ["kv_cache_quantization", "weight_quantization"],
        structured=False,
        notes=f"every token goes to the best {experts} of 8 slices of the MLP; noise on the engine's router flips some",
        change_engine=lambda e, k: swap_view(e, experts=experts, router_noise=noise),
        change_trainer=lambda t, k: swap_view(t, experts=experts),
    )


def draw_places(d: Draw) -> tuple[dict, object]:
    """Draws the missing tokens: single tokens, whole rows, or the tail of every row."""
    how = d.pick("tokens", "tokens", "rows", "tail")
    share = {
        "tokens": d.level_between((0.005, 0.015), (0.02, 0.06), (0.1, 0.4)),
        "rows": d.level_between((0.06, 0.1), (0.12, 0.25), (0.3, 0.6), 2),
        "tail": d.level_between((0.04, 0.08), (0.1, 0.3), (0.4, 0.7), 2),
    }[how]

    def places(row, rng) -> np.ndarray:
        if how == "tokens":
            return row.own & (rng.random(row.size) < share)
        if how == "rows":
            return row.own & bool(rng.random() < share)
        return row.own & (np.arange(row.size) >= row.size * (1 - share))

    return {"how": how, "share": share}, places


def sentinel_fill(d: Draw) -> Fault:
    where, places = draw_places(d)
    value = d.pick(0.0, 0.0, 1.0, -1.0, -100.0, -9999.0)
    side = d.pick("rollout", "rollout", "rollout", "trainer")
    return fill(d, "sentinel_fill", side, {"value": value, **where}, value, places)


def nan_logprobs(d: Draw) -> Fault:
    where, places = draw_places(d)
    return fill(d, "nan_logprobs", d.side(), where, np.nan, places)


def fill(d: Draw, cause: str, side: str, params: dict, value: float, places) -> Fault:
    def change(rows, rng):
        hit = 0
        for row in rows:
            chosen = places(row, rng)
            hit += int(chosen.sum())
            row.columns[side] = np.where(chosen, value, row.columns[side]).astype(np.float32)
        if hit == 0:
            row = rows[int(rng.integers(len(rows)))]
            row.columns[side] = np.where(row.own, value, row.columns[side]).astype(np.float32)
        return rows

    return Fault(cause, side, params, scope=params, decode_only=side == "rollout", change_rows=change)


def clamped_logprobs(d: Draw) -> Fault:
    side = d.side()
    at = (
        d.pick(-100.0, -1000.0)
        if d.level == "low" and d.rng.random() < 0.3
        else -d.level_between((3.5, 5), (2, 3.2), (1, 1.8), 1)
    )

    def change(rows, rng):
        for row in rows:
            row.columns[side] = np.maximum(row.columns[side], np.float32(at))
        return rows

    return Fault(
        "clamped_logprobs", side, {"at": at}, scope={"at": at}, decode_only=side == "rollout", change_rows=change
    )


def copied_column(d: Draw) -> Fault:
    source = d.pick("trainer", "trainer", "rollout")
    side = "rollout" if source == "trainer" else "trainer"

    def change(rows, rng):
        for row in rows:
            for name in OF_TOKENS[side][:1]:
                row.columns[name] = row.columns[source].copy()
        return rows

    return Fault(
        "copied_column",
        side,
        {"from": source},
        decode_only=side == "rollout",
        notes="Δ is exactly 0 everywhere, tool tokens included",
        change_rows=change,
    )
