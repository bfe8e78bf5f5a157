"""Context faults: one side sees another prompt, other positions or other keys."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from ..rows import Row
from ..task import BOS
from .base import Draw, Fault
from .meaning import attach_view

PROMPTS = ["bos_missing", "bos_double", "prompt_left_cut", "template_mismatch"]


def edit(fault: Fault, change) -> Fault:
    """Makes the side read another prompt."""
    if fault.side == "rollout":
        fault.change_engine = lambda e, k: replace(e, edit_prompt=change)
    else:
        fault.change_trainer = lambda t, k: replace(t, edit_prompt=change)
    return fault


def others(cause: str) -> list[str]:
    return [c for c in PROMPTS if c != cause]


def bos_missing(d: Draw) -> Fault:
    return edit(Fault("bos_missing", d.side(), {}, others("bos_missing"), structured=False), lambda p: p[1:])


def bos_double(d: Draw) -> Fault:
    return edit(Fault("bos_double", d.side(), {}, others("bos_double"), structured=False), lambda p: [BOS, *p])


def prompt_left_cut(d: Draw) -> Fault:
    if d.level != "low" and d.rng.random() < 0.5:
        keep = d.level_of(28, 24, 14)
        params, change = {"keep": keep}, lambda p: p[-keep:]
    else:
        drop = d.level_of(2, 4, int(d.rng.integers(6, 10)))
        params, change = {"drop": drop}, lambda p: p[min(drop, len(p) - 2) :]
    return edit(Fault("prompt_left_cut", d.side(), params, others("prompt_left_cut"), structured=False), change)


TEMPLATES = {
    "low": ["User: ", "Q. "],
    "medium": ["User: ", "Human: ", "Solve this.\n"],
    "high": ["System: You are a helpful assistant.\n", "You are a careful tutor. Think step by step.\n"],
}


def template_mismatch(d: Draw) -> Fault:
    fault = Fault("template_mismatch", d.side(), {}, others("template_mismatch"), structured=False)
    if d.rng.random() < 0.3:
        tail = d.pick("\n", " Answer:\n", "Assistant: ")
        more = d.world.task.encode(tail)
        fault.params = {"after": tail}
        return edit(fault, lambda p: [*p, *more])
    text = d.pick(*TEMPLATES[d.level])
    head = d.world.task.encode(text)
    fault.params = {"before": text}
    return edit(fault, lambda p: [p[0], *head, *p[1:]])


def pads_attended(d: Draw) -> Fault:
    side = d.side()

    def change(thing, k):
        return replace(thing, attend_pads=True)

    fault = Fault(
        "pads_attended",
        side,
        {},
        ["bos_double", "position_ids_wrong", "template_mismatch"],
        scope={"grows_with": "padding of the prompt"},
    )
    if side == "rollout":
        fault.change_engine = change
    else:
        fault.change_trainer = change
    return fault


def jump(by: int):
    return lambda index, prompt: torch.where(index >= prompt, index + by, index)


def restart(index: torch.Tensor, prompt: torch.Tensor) -> torch.Tensor:
    return torch.where(index >= prompt, index - prompt, index)


def position_ids_wrong(d: Draw) -> Fault:
    kinds = ("gap", "gap", "restart", "turn_reset") + (() if d.level == "high" else ("start",))
    kind = d.pick(*kinds)
    by = d.level_of(1, int(d.rng.integers(2, 4)), int(d.rng.integers(4, 24)))
    visible = kind == "turn_reset" or d.rng.random() < 0.4
    if kind == "turn_reset":
        return positions_by_turn()
    rule = {"gap": jump(by), "restart": restart, "start": lambda index, prompt: index + 5}[kind]

    def change(rows: list[Row], rng) -> list[Row]:
        for row in rows:
            prompt = torch.tensor(len(row.prompt))
            row.positions = rule(torch.arange(len(row.prompt) + row.size), prompt).numpy()
        return rows

    fault = Fault(
        "position_ids_wrong",
        "trainer",
        {"kind": kind, "by": by if kind == "gap" else None, "visible": visible},
        [] if visible else ["context_window", "rope_mismatch", "template_mismatch", "pads_attended"],
        structured=visible,
        change_trainer=lambda t, k: replace(t, positions=rule),
    )
    if visible:
        fault.needs, fault.change_rows = frozenset({"positions"}), change
    elif kind == "start":
        fault.hidden = "a constant offset cancels in RoPE: the log-probs are the same"
    return fault


def positions_by_turn() -> Fault:
    """Position ids start again with every turn, in the trainer's pass and in the dump."""

    def change(rows: list[Row], rng) -> list[Row]:
        for row in rows:
            row.positions = count_by_turn(row)
        return rows

    return Fault(
        "position_ids_wrong",
        "trainer",
        {"kind": "turn_reset", "by": None, "visible": True},
        needs=frozenset({"positions"}),
        change_trainer=lambda t, k: replace(t, row_positions=count_by_turn),
        change_rows=change,
    )


def count_by_turn(row: Row) -> np.ndarray:
    """Positions of the prompt and the response; later turns count from 0."""
    size = len(row.prompt)
    positions = np.arange(size + row.size)
    for start, _ in row.turns()[1:]:
        positions[size + start :] = np.arange(row.size - start)
    return positions


def rope_mismatch(d: Draw) -> Fault:
    side = d.side()
    if d.rng.random() < 0.6:
        power = d.level_between((0.6, 0.9), (1.0, 1.8), (2.0, 4.0))
        base = d.world.config.get("rope_theta", 10_000)
        params = {"theta": round(base * 2.718281828 ** (power * d.pick(1, 1, -1)))}
    else:
        params = {"scale": d.level_of(d.pick(0.97, 1.03), d.pick(0.93, 1.06, 0.9), d.pick(0.8, 0.5, 1.25))}
    fault = Fault("rope_mismatch", side, params, ["context_window", "position_ids_wrong"], structured=False)
    attach_view(fault, side, **params)
    return fault


def context_window(d: Draw) -> Fault:
    side = d.side()
    window = d.level_of(int(d.rng.integers(76, 88)), int(d.rng.integers(58, 75)), int(d.rng.integers(36, 56)))
    fault = Fault(
        "context_window",
        side,
        {"window": window},
        ["rope_mismatch"],
        structured=False,
        scope={"positions_from": window},
    )
    attach_view(fault, side, window=window)
    return fault


def packing_leak(d: Draw) -> Fault:
    rows, resets = d.level_of(2, d.pick(3, 5), d.pick(4, 6)), d.pick(True, False)
    budget = d.pick(None, None, 260, 420)
    return Fault(
        "packing_leak",
        "trainer",
        {"rows": None if budget else rows, "budget": budget, "reset": resets},
        ["template_mismatch"],
        scope={"rows_sound": "the first row of every pack"},
        change_trainer=lambda t, k: replace(t, pack=rows, pack_budget=budget, pack_resets=resets),
    )


def kernel_boundary(d: Draw) -> Fault:
    """From one absolute position on, the engine's products are summed in another order; before it, both sides are bit
    for bit equal."""
    at = d.level_of(96, d.pick(64, 80), d.pick(48, 56))
    fault = Fault(
        "kernel_boundary",
        "rollout",
        {"at": at},
        ["context_window", "weight_quantization", "healthy"],
        scope={"positions_from": at},
        noise="bf16/bf16",
    )
    attach_view(fault, "rollout", split_from=at)
    return fault
