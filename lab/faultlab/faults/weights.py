"""Weight faults: the engine serves different weights than the trainer has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..rounding import low_rank
from ..training import update
from .base import Draw, Fault

# Causes that log-probs alone cannot tell apart: a real, different policy on the engine's side.
OTHER_POLICY = ["layer_not_synced", "lora_not_merged", "stale_weights", "tied_head_not_synced", "wrong_checkpoint"]
ORDER = ["sft", "dpo", *(f"rlvr_step_{n}" for n in range(100, 1001, 100))]


def others(cause: str, *more: str) -> list[str]:
    return sorted({*OTHER_POLICY, *more} - {cause})


def draw_lag(d: Draw) -> int:
    return d.level_of(d.pick(1, 2), int(d.rng.integers(3, 7)), int(d.rng.integers(9, 17)))


def report_lag(d: Draw, lag) -> dict:
    """Half of the engines know how old their weights are; the others report those of the last sync that they saw."""
    return {"staleness": lag} if d.rng.random() < 0.5 else {}


def stale_weights(d: Draw) -> Fault:
    lag = draw_lag(d)
    return Fault(
        "stale_weights",
        "rollout",
        {"lag": lag},
        others("stale_weights", "trainer_ahead_one_update"),
        structured=False,
        scope={"lag_steps": lag},
        notes="which weights differ, and how, is not in the log-probs",
        change_engine=lambda e, k: replace(e, state=d.world.state(k, lag)),
        **report_lag(d, lambda k: lag),
    )


def update_below_precision(d: Draw) -> Fault:
    """Updates of float32 weights, most of them smaller than half a step of the engine's bfloat16: each sync is exact, and
    most weights in the engine stay what they were."""
    updates = d.level_of(4, 10, 16)
    start = d.world.state(0, updates)

    def masters(k):
        now = d.world.state(k)
        return {n: t.bfloat16().float() + (now[n] - t) if t.is_floating_point() else t for n, t in start.items()}

    def served(k):
        return {n: t.bfloat16().float() if t.is_floating_point() else t for n, t in masters(k).items()}

    return Fault(
        "update_below_precision",
        "rollout",
        {"updates": updates},
        others("update_below_precision", "growing_staleness", "trainer_ahead_one_update"),
        structured=False,
        noise="bf16/fp32",
        notes="which weights differ, and how, is not in the log-probs",
        change_engine=lambda e, k: replace(e, state=served(k)),
        change_trainer=lambda t, k: replace(t, state=masters(k)),
    )


def columns_swapped(d: Draw) -> Fault:
    """Older weights on the engine's side, and the two columns in each other's place."""
    fault = stale_weights(d)

    def change(rows, rng):
        for row in rows:
            old = row.columns["rollout"]
            row.columns["rollout"] = np.where(row.own, row.columns["trainer"], 0).astype(np.float32)
            row.columns["trainer"] = np.where(row.own, old, row.columns["trainer"]).astype(np.float32)
        return rows

    fault.cause, fault.side, fault.change_rows = "columns_swapped", "data", change
    fault.acceptable = ["cannot_tell", *others("columns_swapped", "trainer_ahead_one_update")]
    return fault


def trainer_ahead_one_update(d: Draw) -> Fault:
    lr = d.level_of(3e-5, 1e-4, 2e-4)

    return Fault(
        "trainer_ahead_one_update",
        "trainer",
        {"lr": lr},
        ["stale_weights"],
        structured=False,
        needs=frozenset({"advantages"}),
        notes="Δ follows the advantages of this very batch",
        train_on=lambda state, rows: update(state, d.world.config, rows, lr, updates=1),
    )


def wrong_checkpoint(d: Draw) -> Fault:
    origin = d.world.history.origin
    far = [n for n in d.world.checkpoints if n != origin]
    near = [n for n in far if origin in ORDER and abs(ORDER.index(n) - ORDER.index(origin)) <= 2]
    name = d.pick(*(near if d.level == "low" and near else far))
    side = d.pick("rollout", "rollout", "trainer")
    is_reference = side == "trainer" and d.rng.random() < 0.5
    fault = Fault(
        "wrong_checkpoint",
        side,
        {"checkpoint": "reference" if is_reference else name},
        others("wrong_checkpoint"),
        structured=False,
    )
    state = d.world.history.states[0] if is_reference else d.world.checkpoints[name]
    if is_reference:
        fault.needs, fault.structured = frozenset({"reference"}), False
        fault.notes = "the trainer's column is the reference policy"
    if side == "rollout":
        fault.change_engine = lambda e, k: replace(e, state=state)
    else:
        fault.change_trainer = lambda t, k: replace(t, state=state)
    return fault


def older(d: Draw):
    """Name and state by step of old weights that a part of the engine may still have."""
    if d.level == "high" or d.rng.random() < 0.4:
        origin = d.world.history.origin
        known = [n for n in ("sft", "dpo", "rlvr_step_200", "rlvr_step_1000") if n in d.world.checkpoints]
        name = d.pick(*[n for n in known or d.world.checkpoints if n != origin])
        return {"from": name}, lambda k: d.world.checkpoints[name]
    lag = d.level_of(4, 10, 16)
    return {"lag": lag}, lambda k: d.world.state(k, lag)


def layer_not_synced(d: Draw) -> Fault:
    count = d.world.config["num_hidden_layers"]
    draw = lambda: int(d.rng.integers(count))  # noqa: E731
    layers = d.level_of([count // 2], [draw()], sorted({draw(), draw()}))
    params, old = older(d)

    def change(engine, k):
        source = old(k)
        mixed = {n: source[n] if any(f"layers.{i}." in n for i in layers) else t for n, t in engine.state.items()}
        return replace(engine, state=mixed)

    return Fault(
        "layer_not_synced",
        "rollout",
        {"layers": layers, **params},
        others("layer_not_synced"),
        structured=False,
        scope={"layers": layers},
        change_engine=change,
    )


def tied_head_not_synced(d: Draw) -> Fault:
    params, old = older(d)
    both = bool(d.rng.random() < 0.5)

    def change(engine, k):
        head = old(k)["model.embed_tokens.weight"]
        changed = {"lm_head.weight": head} | ({"model.embed_tokens.weight": head} if both else {})
        return replace(engine, state=engine.state | changed)

    return Fault(
        "tied_head_not_synced",
        "rollout",
        {"embedding": both, **params},
        others("tied_head_not_synced"),
        structured=False,
        change_engine=change,
    )


def lora_not_merged(d: Draw) -> Fault:
    """The trainer has base + LoRA, so in this case the engine gets the base and the trainer the low-rank part, too."""
    rank = d.level_of(2, 4, 16)
    origin = d.world.history.origin
    target = d.pick(*[n for n in d.world.checkpoints if n != origin])
    merged: dict[int, dict] = {}

    def adapt(k):
        base = d.world.history.states[0]
        if 0 not in merged:
            merged[0] = low_rank(base, d.world.checkpoints[target], rank)
        return merged[0]

    return Fault(
        "lora_not_merged",
        "rollout",
        {"target": target, "rank": rank},
        others("lora_not_merged"),
        structured=False,
        notes="the trainer has base + LoRA (the best rank-r part of a real difference), the engine the base",
        change_engine=lambda e, k: replace(e, state=d.world.history.states[0]),
        change_trainer=lambda t, k: replace(t, state=adapt(k)),
    )


def mixed_weight_versions(d: Draw) -> Fault:
    lag = d.level_of(6, 10, 16)
    workers = int(d.rng.integers(2, 5))
    bad = int(d.rng.integers(workers))
    by = d.pick("modulo", "block")

    def hits(index, step, source):
        return (index % workers == bad) if by == "modulo" else (index // d.world.group_size) % workers == bad

    return Fault(
        "mixed_weight_versions",
        "rollout",
        {"lag": lag, "workers": workers, "bad": bad, "by": by},
        ["stale_weights"],
        structured=False,
        scope={"lag_steps": lag, "rows": f"worker {bad} of {workers}, by {by}"},
        change_engine=lambda e, k: replace(e, state=d.world.state(k, lag)),
        hits=hits,
        **report_lag(d, lambda k: lag),
    )


def stale_prefix_cache(d: Draw) -> Fault:
    params, old = older(d)
    return Fault(
        "stale_prefix_cache",
        "rollout",
        params,
        ["kv_cache_quantization", "stale_weights"],
        structured=False,
        decode_only=True,
        notes="the prompt's cache was filled by older weights; all else is current",
        change_engine=lambda e, k: replace(e, prefix_state=old(k)),
    )
