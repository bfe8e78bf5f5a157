"""Draws a case: base run, numerics, layout, columns and faults, independently of each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .checkpoints import State
from .faults import FAULTS, LEVELS, Draw, Fault, World
from .layouts import CAN_HOLD
from .produce import Case
from .rounding import round_weights
from .sampling import Sampling
from .task import Task
from .training import History

NUMERICS = {"bf16/fp32": 0.62, "fp32/fp32": 0.14, "bf16/bf16": 0.1, "bf16split/bf16": 0.07, "bf16split/fp32": 0.07}
# Twice the mean |Δ| of sound engines of SmolLM2, nats.
ORDINARY = {"bf16/fp32": 0.075, "bf16split/fp32": 0.075, "bf16split/bf16": 0.06, "bf16/bf16": 0.02, "fp32/fp32": 2.5e-3}
HEALTHY = ("bf16", "fp32", "bf16-both", "split", "moving", "single-step", "few-tokens", "hot", "cold", "filters-on-both",
           "bitwise", "three-way", "quantized", "long-run", "wide-groups", "very-hot", "very-cold", "one-token",
           "filtered-groups")  # fmt: skip
TEMPERATURES = {"hot": (1.15, 1.3), "cold": (0.6, 0.8), "very-hot": (1.6, 2.0), "very-cold": (0.2, 0.3)}
# Second faults that leave the first one visible.
SECOND = ("sentinel_fill", "nan_logprobs", "eos_not_in_mask", "duplicated_rows", "logprob_storage_rounding",
          "mask_past_eos", "tool_tokens_unmasked", "last_token_wrong")  # fmt: skip
FIRST = ("temperature_mismatch", "stale_weights", "rope_mismatch", "truncation_renormalised", "dropout_on",
         "template_mismatch", "weight_quantization", "softcap_mismatch", "context_window", "packing_leak",
         "mixed_weight_versions", "wrong_checkpoint")  # fmt: skip
THREE_COLUMNS = ("kv_cache_quantization", "stale_prefix_cache", "dropout_on", "trainer_ahead_one_update", "stale_weights",
                 "truncation_renormalised", "sentinel_fill", "rope_mismatch", "temperature_mismatch", "weight_quantization",
                 "penalty_mismatch", "wrong_checkpoint", "bos_missing", "token_shift", "context_window")  # fmt: skip


class Dice:
    """Random numbers of one case."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)

    def weighted(self, table: dict):
        p = np.array(list(table.values()), float)
        return list(table)[int(self.rng.choice(len(p), p=p / p.sum()))]

    def pick(self, *options):
        return options[int(self.rng.integers(len(options)))]

    def chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)


@dataclass
class Setting:
    """What all cases of a folder share."""

    task: Task
    config: dict
    checkpoints: dict[str, State]
    histories: list[History]
    layouts: dict[str, float]  # how often each occurs
    causes: list[str]
    healthy: tuple[str, ...]
    # Sound passes by what they depend on, if cases share them; then worlds and seeds are few.
    passes: dict | None = None


def draw_world(dice: Dice, setting: Setting, long: bool) -> tuple[World, int, int]:
    """A world, its rows per step and the seed of its tokens."""
    return draw_shared_world(dice, setting, long) if setting.passes is not None else draw_own_world(dice, setting, long)


def draw_shared_world(dice: Dice, setting: Setting, long: bool) -> tuple[World, int, int]:
    (history,) = setting.histories
    steps, rows = (4, 16) if long else (2, 24)
    world = World(
        task=setting.task, config=setting.config, checkpoints=setting.checkpoints, history=history,
        at=len(history.states) - 2, steps=steps, moving=False, ranks=2, group_size=4, noise=dice.weighted(NUMERICS),
        rows_per_step=rows, passes=setting.passes, limits=ORDINARY,
    )  # fmt: skip
    return world, rows, dice.pick(1, 2)


def draw_own_world(dice: Dice, setting: Setting, long: bool) -> tuple[World, int, int]:
    history = setting.histories[int(dice.rng.integers(len(setting.histories)))]
    steps = dice.pick(5, 6, 7, 8) if long else dice.pick(2, 2, 3, 3, 4)
    size = dice.pick(4, 4, 5, 6, 8)
    rows = size * max(2, round(dice.pick(*((16, 20) if long else (20, 24, 32))) / size))
    last = len(history.states) - steps
    world = World(
        task=setting.task, config=setting.config, checkpoints=setting.checkpoints, history=history, at=int(dice.rng.integers(min(16, last), last + 1)),
        steps=steps, moving=True, ranks=dice.pick(2, 4), group_size=size, noise=dice.weighted(NUMERICS), rows_per_step=rows,
    )  # fmt: skip
    return world, rows, int(dice.rng.integers(1 << 31))


def draw_fault(dice: Dice, world: World, cause: str) -> tuple[Fault, str]:
    level = dice.weighted(dict(zip(LEVELS, (0.22, 0.38, 0.4), strict=True)))
    return FAULTS[cause](Draw(dice.rng, level, world)), level


def draw_layout(dice: Dice, layouts: dict[str, float], needs: set[str]) -> str:
    able = {k: w for k, w in layouts.items() if needs - {"steps", "advantages"} <= CAN_HOLD[k] | {"reference"} and
            ("reference" not in needs or "ref" in CAN_HOLD[k])}  # fmt: skip
    return dice.weighted(able)


def draw_fields(dice: Dice, layout: str, needs: set[str], rescored: bool, ranks: int) -> dict:
    can = CAN_HOLD[layout]
    entropy = "entropy" in can and ("entropy" in needs or dice.chance(0.4))
    return {
        "entropy": entropy,
        "topk": "topk" in can and entropy and dice.chance(0.35),
        "ref": "ref" in can and ("reference" in needs or dice.chance(0.45)),
        "per_rank": layout == "verl_npz" and ("ranks" in needs or dice.chance(0.3)),
        "rescored": rescored,
        "ranks": ranks,
        "versions": "versions" in can and ("versions" in needs or dice.chance(0.5)),
    }


def draw_faulty(dice: Dice, name: str, causes: list[str], setting: Setting, rescored: bool) -> tuple[Case, str, dict]:
    """Draws a case with these faults."""
    late = {"growing_staleness", "sudden_onset", "one_bad_step"}
    world, rows, seed = draw_world(dice, setting, bool(late & set(causes)))
    drawn = [draw_fault(dice, world, c) for c in causes]
    faults = [f for f, _ in drawn]
    world.noise = next((f.noise for f in faults if f.noise), world.noise)
    needs = set().union(*(f.needs for f in faults)) | ({"rescored"} if rescored else set())
    layout = draw_layout(dice, setting.layouts, needs)
    fields = draw_fields(dice, layout, needs, rescored, world.ranks)
    if "retokenized_turns" in {c for f in faults for c in (f.cause, f.mechanism)}:
        fields["entropy"] = fields["topk"] = False
    if any(f.cause == "moe_routing_flips" for f in faults):
        fields["topk"] = False
    case = Case(name, world, faults, rows, rescored=rescored, reference=fields["ref"], seed=seed)
    case.details = fields["entropy"] or "truncation_unlogged" in causes or any(f.details for f in faults)
    return case, drawn[0][1], {"layout": layout, "fields": fields}


def draw_healthy(dice: Dice, name: str, kind: str, setting: Setting) -> tuple[Case, str, dict, dict]:
    world, rows, seed = draw_world(dice, setting, kind in ("long-run", "moving"))
    extra: dict = {}
    case = Case(name, world, [], rows, seed=seed)
    noise = {"fp32": "fp32/fp32", "bf16": "bf16/fp32", "bf16-both": "bf16/bf16", "split": "bf16split/bf16"}
    world.noise = noise.get(kind, world.noise)
    if kind == "single-step":
        world.steps = 1
    elif kind == "few-tokens":
        world.steps, world.group_size, case.rows_per_step, world.ranks = 2, 2, 4, 2
        world.rows_per_step = 4
    elif kind == "wide-groups":
        world.group_size = case.rows_per_step // 2
    elif kind in TEMPERATURES:
        case.sampling = Sampling(temperature=dice.pick(*TEMPERATURES[kind]))
    elif kind == "one-token":
        case.longest, case.rows_per_step = 1, 8 * case.rows_per_step
        world.rows_per_step = case.rows_per_step
    elif kind == "filtered-groups":
        case.drop_equal = True
    elif kind == "filters-on-both":
        case.sampling = dice.pick(
            Sampling(top_p=0.9), Sampling(top_k=4), Sampling(top_p=0.95, temperature=0.9), Sampling(min_p=0.05)
        )
    elif kind == "bitwise":
        case.bitwise = True
        extra = {
            "acceptable": ["copied_column"],
            "why_not": "bitwise equal columns: a copy and a bitwise-consistent engine look alike",
        }
    elif kind == "three-way":
        case.rescored = True
    elif kind == "quantized":
        world.noise = "bf16/fp32"
        rounding = dice.pick("int8", "e4m3")
        case.weights = lambda state: round_weights(state, rounding)
        extra = {
            "grey": True,
            "notes": f"{rounding} weights per channel: expected for this engine",
            "acceptable": [
                "weight_quantization",
                "kv_cache_quantization",
                "layer_not_synced",
                "moe_routing_flips",
                "stale_weights",
            ],
        }
    layout = draw_layout(dice, setting.layouts, {"rescored"} if case.rescored else set())
    fields = draw_fields(dice, layout, set(), case.rescored, world.ranks)
    case.reference, case.details = fields["ref"], fields["entropy"]
    return case, kind, {"layout": layout, "fields": fields}, extra


def draw_causes(
    dice: Dice, count: int, causes: Sequence[str], healthy_kinds: Sequence[str]
) -> list[tuple[str, list[str], bool]]:
    """Draws (kind, causes, three columns) of every case: each cause at least once, uneven weights, healthy cases and
    cases with two faults."""
    healthy, two, three = round(0.13 * count), round(0.06 * count), round(0.09 * count)
    plan = [("healthy", [healthy_kinds[i % len(healthy_kinds)]], False) for i in range(healthy)]
    plan += [("faulty", [dice.pick(*FIRST), dice.pick(*SECOND)], False) for _ in range(two)]
    plan += [("faulty", [dice.pick(*THREE_COLUMNS)], True) for _ in range(three)]
    names = list(causes)
    weights = dice.rng.dirichlet(np.full(len(names), 1.5))
    rest = count - len(plan)
    chosen = [names[i] for i in dice.rng.permutation(len(names))][:rest]
    chosen += [names[int(i)] for i in dice.rng.choice(len(names), max(0, rest - len(chosen)), p=weights)]
    plan += [("faulty", [c], False) for c in chosen]
    return [plan[int(i)] for i in dice.rng.permutation(len(plan))]
