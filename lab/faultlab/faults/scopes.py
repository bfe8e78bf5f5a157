"""Faults that affect a part of the run (a rank, a source, a step), and those that appear over time."""

from __future__ import annotations

from dataclasses import replace

from . import alignment, context, meaning, numerics, weights
from .base import Draw, Fault

# Mechanisms that a part of a run can have.
INNER = (
    meaning.temperature_mismatch,
    meaning.truncation_renormalised,
    meaning.softcap_mismatch,
    weights.stale_weights,
    weights.wrong_checkpoint,
    numerics.weight_quantization,
    context.rope_mismatch,
    context.template_mismatch,
    context.bos_missing,
    alignment.token_shift,
    numerics.sentinel_fill,
)


def draw_inner(d: Draw, left_out: tuple = ()) -> Fault:
    strong = Draw(d.rng, "high" if d.level != "low" else "medium", d.world)
    return d.pick(*[f for f in INNER if f not in left_out])(strong)


def scope_fault(cause: str, inner: Fault, params: dict, scope: dict, hits, needs=(), onset=None) -> Fault:
    return replace(
        inner,
        cause=cause,
        mechanism=inner.cause,
        params={**params, "inner": inner.params},
        acceptable=sorted({inner.cause, *inner.acceptable}),
        scope={**scope, **inner.scope},
        hits=hits,
        needs=inner.needs | frozenset(needs),
        onset=onset,
    )


def one_bad_rank(d: Draw) -> Fault:
    inner, rank = draw_inner(d), int(d.rng.integers(d.world.ranks))
    fault = scope_fault("one_bad_rank", inner, {"rank": rank}, {"rank": rank}, None, ["ranks"])
    fault.hits = lambda index, step, source: d.world.rank(index) == rank
    return fault


def one_bad_source(d: Draw) -> Fault:
    inner, bad = draw_inner(d), d.pick(*d.world.task.sources)
    return scope_fault(
        "one_bad_source",
        inner,
        {"source": bad},
        {"data_source": bad},
        lambda i, step, source: source == bad,
        ["sources"],
    )


def one_bad_step(d: Draw) -> Fault:
    inner = draw_inner(d)
    at = int(d.rng.integers(1, max(2, d.world.steps - 1)))
    return scope_fault(
        "one_bad_step", inner, {"step": at}, {"steps": "one"}, lambda i, step, source: step == at, ["steps"], at
    )


def sudden_onset(d: Draw) -> Fault:
    inner = draw_inner(d)
    at = int(d.rng.integers(2, max(3, d.world.steps - 1)))
    return scope_fault(
        "sudden_onset",
        inner,
        {"step": at},
        {"steps": "from onset to the end"},
        lambda i, step, source: step >= at,
        ["steps"],
        at,
    )


def growing_staleness(d: Draw) -> Fault:
    rate, start = d.level_of(2, 3, 4), d.pick(0, 0, 1, 2)
    return Fault(
        "growing_staleness",
        "rollout",
        {"rate": rate, "start": start},
        ["stale_weights"],
        structured=False,
        needs=frozenset({"steps"}),
        onset=start + 1,
        notes="the mismatch grows step by step from a sound level",
        # There are `rate` steps of training between two recorded steps; the engine keeps the initial weights.
        change_engine=lambda e, k: replace(e, state=d.world.state(k, rate * max(0, k - start))),
        **weights.report_lag(d, lambda k: rate * max(0, k - start)),
    )
