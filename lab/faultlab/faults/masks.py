"""Faults in masks and at single positions."""

from __future__ import annotations

import numpy as np

from ..engine import Engine
from ..rows import Row
from ..task import EOS, PAD
from ..trainer import Trainer, score
from .alignment import shift
from .base import Draw, Fault, World


def prefill(engine: Engine, world: World, rows: list[Row]) -> list[np.ndarray]:
    """The engine's own log-probs of finished rows at temperature 1, including tool tokens."""
    from dataclasses import replace

    view = replace(engine.view, cache=None, split=False)
    trainer = Trainer(engine.state, view, 1.0, engine.edit_prompt, engine.positions, engine.attend_pads)
    return [r["log_prob"] for r in score(trainer, world.config, rows, None, details=False)]


def tool_tokens_unmasked(d: Draw) -> Fault:
    fill = d.pick("zero", "zero", "real")
    seen: dict[str, Engine] = {}

    def remember(engine: Engine, k: int) -> Engine:
        seen["engine"] = engine
        return engine

    def change(rows: list[Row], rng) -> list[Row]:
        values = prefill(seen["engine"], d.world, rows) if fill == "real" else None
        for i, row in enumerate(rows):
            row.mask = np.ones(row.size, np.int64)
            if values is not None:
                row.columns["rollout"] = np.where(row.own, row.columns["rollout"], values[i]).astype(np.float32)
        return rows

    return Fault(
        "tool_tokens_unmasked",
        "data",
        {"fill": fill},
        ["sentinel_fill"] if fill == "zero" else [],
        decode_only=fill == "zero",
        change_engine=remember,
        change_rows=change,
    )


def eos_not_in_mask(d: Draw) -> Fault:
    def change(rows, rng):
        for row in rows:
            row.mask = row.dumped_mask().copy()
            if row.response[-1] == EOS:
                row.mask[-1] = 0
                row.columns["rollout"][-1] = 0
        return rows

    return Fault("eos_not_in_mask", "data", {}, change_rows=change)


def mask_past_eos(d: Draw) -> Fault:
    extra = d.level_of(1, 2, int(d.rng.integers(3, 7)))
    seen: dict[str, Trainer] = {}

    def remember(trainer: Trainer, k: int) -> Trainer:
        seen["trainer"] = trainer
        return trainer

    def change(rows: list[Row], rng) -> list[Row]:
        ended = [r for r in rows if r.response[-1] == EOS]
        for row in ended:
            row.mask = np.concatenate((row.dumped_mask(), np.ones(extra, np.int64)))
            row.response = np.concatenate((row.response, np.full(extra, PAD)))
            row.own = np.concatenate((row.own, np.zeros(extra, bool)))
            for name, old in row.columns.items():
                fill = -1 if name.endswith("ids") else 0
                row.columns[name] = np.concatenate((old, np.full((extra, *old.shape[1:]), fill, old.dtype)))
        for row, fresh in zip(ended, score(seen["trainer"], d.world.config, ended, None, details=False), strict=True):
            row.columns["trainer"][-extra:] = fresh["log_prob"][-extra:]
        return rows

    return Fault(
        "mask_past_eos", "data", {"extra": extra}, ["sentinel_fill"], change_trainer=remember, change_rows=change
    )


def mask_shift(d: Draw) -> Fault:
    by = d.pick(1, -1)

    def change(rows, rng):
        for row in rows:
            row.mask = shift(row.dumped_mask(), by)
        return rows

    return Fault("mask_shift", "data", {"by": by}, change_rows=change)


def set_token(side: str, at: int, value: float | None, other: int):
    def change(rows, rng):
        for row in rows:
            owned = np.flatnonzero(row.own)
            if len(owned) > 4:
                column = row.columns[side]
                column[owned[at]] = column[owned[other]] if value is None else value
        return rows

    return change


def first_token_wrong(d: Draw) -> Fault:
    side = d.pick("rollout", "rollout", "trainer")
    value = d.pick(d.between(-3, -0.5, 2), d.level_of(-0.5, -1.0, -5.0), None)
    # The first token of this task is nearly certain, so a copy only shows if it comes from an uncertain position.
    other = 4
    return Fault(
        "first_token_wrong",
        side,
        {"value": value, "other": other},
        ["sentinel_fill"],
        scope={"position": 0},
        decode_only=side == "rollout",
        change_rows=set_token(side, 0, value, other),
    )


def last_token_wrong(d: Draw) -> Fault:
    side = d.pick("rollout", "rollout", "trainer")
    value = d.level_of(d.between(-0.8, -0.3, 2), d.pick(-1.0, -2.0, d.between(-4, -1, 2)), d.pick(-5.0, -9.0, -20.0))
    return Fault(
        "last_token_wrong",
        side,
        {"value": value},
        ["sentinel_fill"],
        scope={"position": -1},
        decode_only=side == "rollout",
        change_rows=set_token(side, -1, value, 0),
    )
