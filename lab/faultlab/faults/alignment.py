"""Alignment faults: values that belong to other tokens or rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..rows import Row
from ..task import Task
from .base import Draw, Fault

OF_TOKENS = {"rollout": ("rollout", "rollout_entropy", "rollout_top", "rollout_top_ids"), "trainer": ("trainer",)}


def shift(values: np.ndarray, by: int) -> np.ndarray:
    """Entry t moves to t + by; 0 fills the gap."""
    out = np.zeros_like(values)
    if by > 0:
        out[by:] = values[:-by]
    else:
        out[:by] = values[-by:]
    return out


def token_shift(d: Draw) -> Fault:
    side, kind = d.side(), d.pick("all", "all", "after_turn", "late")
    by = d.pick(1, -1, 1, -1, 2)
    if kind == "late":
        return Fault(
            "token_shift",
            "trainer",
            {"kind": kind},
            notes="the trainer looks the logits up one position late",
            change_trainer=lambda t, k: replace(t, late=True),
        )

    def change(rows: list[Row], rng) -> list[Row]:
        for row in rows:
            start = 0
            if kind == "after_turn" and len(row.turns()) > 1:
                start = row.turns()[1][0]
            elif kind == "after_turn":
                continue
            values = row.columns[side].copy()
            values[start:] = shift(values[start:], by)
            row.columns[side] = values
        return rows

    return Fault("token_shift", side, {"kind": kind, "by": by}, decode_only=side == "rollout", change_rows=change)


def place(row: Row, source: dict[str, np.ndarray], own: np.ndarray, names) -> None:
    """Puts another row's values into this row, cut or filled with 0."""
    for name in names:
        old = row.columns.get(name)
        if old is None:
            continue
        n = min(len(old), len(source[name]))
        fresh = np.full_like(old, -1) if name.endswith("ids") else np.zeros_like(old)
        fresh[:n] = source[name][:n]
        row.columns[name] = fresh


def shuffle_rows(rows: list[Row], rng: np.random.Generator, share: float, blocks: list[list[int]]) -> list[Row]:
    snapshot = [{k: v.copy() for k, v in r.columns.items()} for r in rows]
    for block in blocks:
        chosen = [i for i in block if rng.random() < share]
        if len(chosen) < 2:
            chosen = block[:2]
        turn = chosen[1:] + chosen[:1] if len(chosen) < 4 else derange(chosen, rng)
        for i, j in zip(chosen, turn, strict=True):
            place(rows[i], snapshot[j], rows[j].own, OF_TOKENS["rollout"])
    return rows


def derange(items: list[int], rng: np.random.Generator) -> list[int]:
    while True:
        order = rng.permutation(items).tolist()
        if all(a != b for a, b in zip(items, order, strict=True)):
            return order


def rows_shuffled_batch(d: Draw) -> Fault:
    share = d.level_of(0.3, 0.6, 1.0)
    return Fault(
        "rows_shuffled_batch",
        "data",
        {"share": share},
        ["rows_shuffled_group"],
        scope={"rows_share": share},
        decode_only=True,
        change_rows=lambda rows, rng: shuffle_rows(rows, rng, share, [list(range(len(rows)))]),
    )


def rows_shuffled_group(d: Draw) -> Fault:
    share, size = d.level_of(0.4, 0.7, 1.0), d.world.group_size

    def change(rows, rng):
        blocks = [list(range(i, min(i + size, len(rows)))) for i in range(0, len(rows), size)]
        return shuffle_rows(rows, rng, share, [b for b in blocks if len(b) > 1])

    return Fault(
        "rows_shuffled_group",
        "data",
        {"share": share},
        ["rows_shuffled_batch"],
        scope={"rows_share": share},
        decode_only=True,
        change_rows=change,
    )


def duplicated_rows(d: Draw) -> Fault:
    share = d.level_between((0.08, 0.12), (0.15, 0.3), (0.35, 0.5), 2)

    def change(rows: list[Row], rng) -> list[Row]:
        order = rng.permutation(len(rows))
        count = max(1, round(share * len(rows)))
        sources = order[count:]
        for i, j in zip(order[:count], sources, strict=False):
            kept = rows[i].rank
            rows[i] = replace(rows[j], columns={k: v.copy() for k, v in rows[j].columns.items()}, rank=kept)
        return rows

    return Fault("duplicated_rows", "data", {"share": share}, change_rows=change)


def respell_turns(task: Task, count: int, aligned: bool):
    """Splits the first tokens of every later turn into smaller ones, as encoding a turn's text again may do."""

    def respell(row: Row) -> tuple[list[int], list[int]]:
        starts = {s for s, _ in row.turns()[1:]}
        ids: list[int] = []
        pieces: list[int] = []
        left = 0
        for t, token in enumerate(row.response.tolist()):
            if t in starts:
                left = count
            spelled = spell_smaller(task, token) if left > 0 and row.own[t] else [token]
            left -= len(spelled) > 1
            ids += spelled
            pieces.append(len(spelled))
        return ids, pieces if aligned else []

    return respell


def spell_smaller(task: Task, token: int) -> list[int]:
    """A token as several shorter ones with the same text, if there are any."""
    text = task.decode([token])
    if token < 7 or len(text) < 2:
        return [token]
    split = task.encode(text[:1]) + task.encode(text[1:])
    return split if task.decode(split) == text and len(split) > 1 else [token]


def retokenized_turns(d: Draw) -> Fault:
    count, aligned = d.pick(1, 1, 2), d.pick(True, False)
    respell = respell_turns(d.world.task, count, aligned)
    return Fault(
        "retokenized_turns",
        "trainer",
        {"count": count, "aligned": aligned},
        [] if aligned else ["token_shift"],
        notes="sum of the pieces' log-probs" if aligned else "later log-probs belong to neighbors",
        change_trainer=lambda t, k: replace(t, respell=respell),
    )


def cp_boundary(d: Draw) -> Fault:
    chunk = d.level_of(d.pick(48, 64), d.pick(24, 32, 40), d.pick(8, 12, 16))
    return Fault(
        "cp_boundary",
        "trainer",
        {"chunk": chunk},
        scope={"position_modulo": chunk},
        change_trainer=lambda t, k: replace(t, chunk=chunk),
    )
