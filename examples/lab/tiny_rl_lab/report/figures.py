"""Markdown tables of the figures that the other stages measured."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from ..errors import require
from ..record.text import read_json
from ..workspace import RUN_NAMES, Workspace

TEMPLATE_ROWS = ("sft", "dpo", "rlvr_step_100", "rlvr_step_1000")


def table(head: Sequence[str], rows: Iterable[Sequence]) -> str:
    lines = (head, ["---"] * len(head), *rows)
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def figures(workspace: Workspace, name: str) -> dict:
    """ROOT/NAME, which an earlier stage wrote."""
    path = workspace.root / name
    require(path.exists(), f"no {path}: run the stages accuracy, engines, probe and verify first")
    return read_json(path)


def log_rows(workspace: Workspace, run: str) -> list[dict]:
    path = workspace.root / "logs" / f"rlvr_{run}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def seconds(path: Path) -> float:
    """Wall time of a stage: the time stamp of its log's last line."""
    lines = [x for x in path.read_text(encoding="utf-8").splitlines() if x.startswith("[")]
    return float(lines[-1][1:].split("s]")[0])


def accuracy_table(accuracy: dict) -> str:
    head = "checkpoint | greedy | sampled (T=1) | mean turns | turns histogram (greedy)"
    rows = (
        [
            f"`{name}`",
            f"{a['greedy']:.3f}",
            f"{a['sampled']:.3f}",
            f"{a['rounds']:.2f}",
            json.dumps(a["rounds_histogram"]).replace('"', ""),
            f"{a['response_length']:.1f}",
        ]
        for name, a in accuracy.items()
    )
    return table([*head.split(" | "), "mean response tokens"], rows)


def template_table(accuracy: dict) -> str:
    kinds = list(next(iter(accuracy.values()))["by_template"])
    rows = (
        [f"`{name}`", *(a["by_template"][kind] for kind in kinds)]
        for name, a in accuracy.items()
        if name in TEMPLATE_ROWS
    )
    return table(["greedy, by template", *kinds], rows)


def mismatch_table(mismatch: dict) -> str:
    head = (
        "run | records | responses | model tokens | tool tokens | mean abs Δ | max abs Δ | k1 KL | "
        "k3 KL | max prob diff | Pearson(p, p') | share abs Δ>0.01 | k3 KL(policy‖ref)"
    )
    rows = (
        [
            run,
            m["recorded_steps"],
            m["responses"],
            m["tokens"],
            m["tool_tokens"],
            f"{m['mean_abs_logprob_diff']:.3e}",
            f"{m['max_abs_logprob_diff']:.3f}",
            f"{m['k1_kl']:.2e}",
            f"{m['k3_kl']:.2e}",
            f"{m['max_prob_diff']:.4f}",
            f"{m['pearson_of_probs']:.6f}",
            f"{m['share_of_tokens_with_abs_diff_above_0.01']:.3f}",
            f"{m['k3_kl_to_ref']:.4f}",
        ]
        for run, m in mismatch.items()
    )
    return table(head.split(" | "), rows)


def engine_table(engines: dict) -> str:
    head = "engine (dpo weights, same problems) | mean abs Δ | max abs Δ | k3 KL | max prob diff"
    keys = ("abs_diff_mean", "abs_diff_max", "k3", "prob_diff_max")
    rows = ([name, *(f"{m[k]:.2e}" for k in keys)] for name, m in engines.items())
    return table(head.split(" | "), rows)


def run_table(workspace: Workspace) -> str:
    head = (
        "run | steps | mean reward, first → last tenth | largest per-step mean abs Δ | "
        "largest k3 | largest clip fraction | unfinished responses"
    )
    logs = workspace.root / "logs"
    runs = [run for run in RUN_NAMES if (logs / f"rlvr_{run}.jsonl").exists()]
    return table(head.split(" | "), (_run_row(run, log_rows(workspace, run)) for run in runs))


def _run_row(run: str, rows: list[dict]) -> list:
    edge = max(1, len(rows) // 10)
    first, last = (np.mean([r["reward"] for r in part]) for part in (rows[:edge], rows[-edge:]))
    widest = max(rows, key=lambda r: r["abs_diff_mean"])
    return [
        run,
        len(rows),
        f"{first:.3f} → {last:.3f}",
        f"{widest['abs_diff_mean']:.4f} (step {widest['step']})",
        f"{max(r['k3'] for r in rows):.2e}",
        f"{max(r['clip_fraction'] for r in rows):.4f}",
        sum(r["unfinished"] for r in rows),
    ]


def timing(workspace: Workspace) -> str:
    """Wall time of every training stage that has a log."""
    logs = sorted((workspace.root / "logs").glob("*.log"))
    return ", ".join(f"{path.stem} {seconds(path):.0f} s" for path in logs)
