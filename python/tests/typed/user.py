"""A user's script, for type checkers: it is checked as strictly as they can, and never run."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import logratio


def train(rollout: np.ndarray, old: np.ndarray) -> int:
    config = {"temperature": 1.0, "engine": "vllm 0.11.0"}
    with logratio.init("runs", "a", config=config, tags=["x"], resume="allow", mode="enabled", every=2) as run:
        run.log({"rollout_log_probs": rollout, "old_log_probs": old}, step=1)
        run.log(step=2, rollout_log_probs=rollout, old_log_probs=old, meta={"top_p": 0.9})
        figures: dict[str, float] = run.scalars(step=2)
        folder: Path | None = run.path
        text: str | None = run.url or run.dir or run.name
        print(figures, folder, text, run.id, run.summary["step"], dict(run.config), run.tags)
    logratio.log({"rollout_log_probs": rollout}, step=3)
    counts: logratio.Counts | None = logratio.finish(timeout=5)
    return run.counts.written if counts is None else counts.empty


def fail() -> str:
    try:
        logratio.report("runs/a")
    except logratio.LogratioError as error:
        return error.hint or error.message
    return logratio.__version__
