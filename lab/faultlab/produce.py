"""Produces a case's rows: sampled by the engine with its faults, scored by the trainer with its faults."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import torch

from .engine import Engine, generate
from .faults.base import Fault, World
from .faults.masks import prefill
from .network import View
from .rows import Row
from .sampling import Sampling
from .trainer import Trainer, score
from .training import draw_problems, set_advantages

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}


@dataclass
class Case:
    """Everything about a case that is drawn before a token is sampled."""

    name: str
    world: World
    faults: list[Fault]
    rows_per_step: int
    sampling: Sampling = field(default_factory=Sampling)  # of both sides, unless a fault changes it
    activations: str | None = None
    weights: object = None  # healthy but quantized engines: State → State
    bitwise: bool = False
    rescored: bool = False
    reference: bool = False
    details: bool = True
    longest: int | None = None  # answers are cut after so many tokens
    drop_equal: bool = False  # groups whose answers are all worth the same are left out, as DAPO does
    seed: int = 0


def base_engine(case: Case, step: int) -> Engine:
    kind = case.world.noise.split("/")[0]
    view = View(DTYPES[kind.removesuffix("split")], split=kind.endswith("split"), activations=case.activations)
    state = case.world.state(step)
    return Engine(case.weights(state) if case.weights else state, view, case.sampling)


def base_trainer(case: Case, step: int) -> Trainer:
    view = View(DTYPES[case.world.noise.split("/")[1]])
    return Trainer(case.world.state(step), view, case.sampling.temperature, replay_filters=case.sampling.filters)


def find_parts(case: Case, step: int, sources: list[str]) -> dict[tuple[int, ...], list[int]]:
    """Groups rows that share the same faults: the faults' indices → the rows' indices."""
    parts: dict[tuple[int, ...], list[int]] = {}
    for i, source in enumerate(sources):
        hit = tuple(k for k, f in enumerate(case.faults) if f.hits(i, step, source))
        parts.setdefault(hit, []).append(i)
    return parts


def make_step(case: Case, step: int, rng: np.random.Generator, torch_rng: torch.Generator) -> list[Row]:
    world = case.world
    groups = case.rows_per_step // world.group_size
    problems = draw_problems(world.task, rng, groups, world.group_size)
    parts = find_parts(case, step, [p.source for p in problems])
    engines: dict[tuple[int, ...], Engine] = {}
    rows: list[Row] = [None] * len(problems)  # type: ignore[list-item]
    for hit, indices in parts.items():
        engine = base_engine(case, step)
        for k in hit:
            engine = case.faults[k].change_engine(engine, step) if case.faults[k].change_engine else engine
        engines[hit] = engine
        some = [problems[i] for i in indices]
        change = lambda k: case.faults[k].change_engine  # noqa: E731
        sound = case.weights is None and not any(change(k) for k in hit)
        fresh = share(
            case, sound, ("engine", step, tuple(indices), case.sampling, case.details, case.longest),
            lambda engine=engine, some=some: generate(
                engine, world.config, some, world.task, torch_rng, case.details, case.longest
            ),
        )  # fmt: skip
        for i, row in zip(indices, fresh, strict=True):
            rows[i] = row
            row.staleness = max((case.faults[k].staleness(step) for k in hit), default=0)
    set_advantages(rows, world.task, world.group_size)
    name_rows(case, rows, step)
    if case.drop_equal:
        rows = [row for row in rows if row.advantage != 0]
        parts = {(): list(range(len(rows)))}
    for hit, indices in parts.items():
        faults = [case.faults[k] for k in hit]
        score_part(case, faults, engines[hit], [rows[i] for i in indices], step, torch_rng)
    if case.reference:
        plain = Trainer(world.history.states[0], View(), case.sampling.temperature)
        for row, one in zip(rows, score(plain, world.config, rows, None, details=False), strict=True):
            row.columns["reference"] = one["log_prob"]
    return damage_rows(case, rows, step, rng)


def share(case: Case, is_sound: bool, key: tuple, make: Callable[[], list]) -> list:
    """What `make` gives, or a copy of what an equal pass of another case gave."""
    passes = case.world.passes
    if passes is None or not is_sound:
        return make()
    key = (case.world.history.name, case.world.at, case.world.noise, case.activations, case.seed, *key)
    if key not in passes:
        passes[key] = make()
    return copy.deepcopy(passes[key])


def name_rows(case: Case, rows: list[Row], step: int) -> None:
    for i, row in enumerate(rows):
        row.step, row.rank = step, case.world.rank(i)
        group = i // case.world.group_size
        row.uid = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{case.seed}/{step}/{group}"))


def score_part(
    case: Case, faults: list[Fault], engine: Engine, rows: list[Row], step: int, rng: torch.Generator
) -> None:
    trainer = base_trainer(case, step)
    for fault in faults:
        trainer = fault.change_trainer(trainer, step) if fault.change_trainer else trainer
        if fault.train_on:
            trainer = replace(trainer, state=fault.train_on(trainer.state, rows))
    sound = case.weights is None and not any(f.change_engine or f.change_trainer or f.train_on for f in faults)
    scored = share(
        case, sound, ("trainer", step, tuple(r.uid + str(r.rank) for r in rows), case.sampling, case.details),
        lambda: score(trainer, case.world.config, rows, rng, case.details),
    )  # fmt: skip
    for row, one in zip(rows, scored, strict=True):
        row.columns |= {"trainer" if k == "log_prob" else f"trainer_{k}": v for k, v in one.items()}
        if case.bitwise:
            row.columns["trainer"] = np.where(row.own, row.columns["rollout"], row.columns["trainer"])
    if case.rescored:
        clean = replace(engine, sampling=Sampling(), prefix_state=None)
        for row, value in zip(rows, prefill(clean, case.world, rows), strict=True):
            row.columns["rescored"] = np.where(row.own, value, 0).astype(np.float32)


def damage_rows(case: Case, rows: list[Row], step: int, rng: np.random.Generator) -> list[Row]:
    for fault in case.faults:
        if fault.change_rows is None:
            continue
        hit = [i for i, r in enumerate(rows) if fault.hits(i, step, r.problem.source)]
        if not hit:
            continue
        for i, row in zip(hit, fault.change_rows([rows[i] for i in hit], rng), strict=True):
            rows[i] = row
    return rows


def make_rows(case: Case) -> list[list[Row]]:
    """Makes the rows of every step. Each has its own random numbers, so that equal steps of two cases are equal."""
    return [
        make_step(case, k, np.random.default_rng([case.seed, k]), torch.Generator().manual_seed(case.seed + k))
        for k in range(case.world.steps)
    ]
