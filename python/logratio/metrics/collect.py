"""Flat scalars with stable names, from a batch, a report, or a run on disk."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..arguments import read_text
from ..errors import LogratioError
from ..recorder.record import pack
from .figures import Figures, join_names, measure_packed
from .sources import find_columns, load_columns

PREFIX = "logratio/"


class MetricsError(ValueError):
    """The source has no figures; the message says why."""


def scalars(source: Any = None, *, step: int | None = None, prefix: str = PREFIX, **columns: Any) -> dict[str, float]:
    """Figures of a batch or a report as one flat dict: ``logratio/k3``, ``logratio/delta_abs_mean``, …

    The names are those of ``metrics`` in ``logratio report --json`` (docs/metrics.md); ``excluded_*`` count the tokens
    that are in no figure. ``sequence_metrics/…`` and, if there are several turns, ``per_turn/0/…`` are that report's
    objects of the same names. Figures that the data do not allow (NaN, null) are left out.

    Args:
        source: a mapping with the columns of ``Recorder.log``; a tuple (rollout, trainer) or (rollout, trainer, mask);
            verl's ``DataProto`` or its ``TensorDict``, another dict with ``input_ids`` and a mask, or a table with a row
            for each sequence (pandas, polars, Arrow, Hugging Face), from which the known columns are taken; `Figures`;
            a report as parsed from ``--json``; the path of a report's file, or of a run, which the command line then
            reads.
        step: takes only this training step of a report; None takes all of its tokens together.
        prefix: prepended to every name.
        columns: the batch, instead of ``source``: ``rollout_log_probs`` and ``old_log_probs`` ``[B, T]`` in nats
            (numpy, torch or lists), ``response_mask`` ``[B, T]``.

    Returns:
        Logs and KLs in nats, shares as fractions, counts as floats.

    Raises:
        MetricsError: if one policy is missing, the report has no such step, or the run cannot be read.
        logratio.recorder.BatchError: if names are unknown or the columns do not fit together.
        logratio.LogratioError: if a table has no log-probs, or they are not lists.
        TypeError: if ``prefix`` is not a text.
    """
    return flatten(find_metrics(columns if source is None else source, step), prefix)


def flatten(metrics: Mapping[str, Any], prefix: str = PREFIX) -> dict[str, float]:
    """The finite numbers among ``metrics``, with the prefix."""
    read_text("prefix", prefix)
    return {
        prefix + name: float(value)
        for name, value in metrics.items()
        if isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and math.isfinite(value)
    }


def find_metrics(source: Any, step: int | None = None) -> Mapping[str, Any]:
    """The metrics of any source of `scalars`, by the report's names."""
    if isinstance(source, Figures):
        return source.all
    if isinstance(source, (str, os.PathLike)):
        source = read_report(Path(source))
    if is_report(source):
        return choose_from_report(source, step)
    columns = find_columns(source)
    if columns is None:
        raise MetricsError(f"expected a batch, a report or a path, got {type(source).__name__}")
    return measure_batch(columns).all


def measure_batch(columns: Mapping[str, Any]) -> Figures:
    """The figures of a batch with the names that ``Recorder.log`` takes, including torch tensors.

    Raises:
        MetricsError: if either policy's log-probs are missing.
    """
    for name in ("rollout_log_probs", "old_log_probs"):
        if columns.get(name) is None:
            raise MetricsError(f"{name} is missing: figures need the log-probs of both policies")
    return measure_packed([pack(load_columns(columns))])


def is_report(value: Any) -> bool:
    """Whether a value is a report as ``--json`` prints it."""
    if not isinstance(value, Mapping) or hasattr(value, "batch_size"):
        return False
    return value.get("kind") == "report" and isinstance(value.get("metrics"), Mapping)


def choose_from_report(report: Mapping[str, Any], step: int | None) -> Mapping[str, Any]:
    if step is not None:
        for row in report["per_step"]:
            if row["step"] == step:
                return {name: value for name, value in row.items() if name != "step"}
        raise MetricsError(f"the report has no step {step}")
    excluded = {f"excluded_{name}": count for name, count in report["excluded"].items()}
    sequence = join_names("sequence_metrics", report.get("sequence_metrics") or {})
    rows = report.get("per_turn") or []
    turns = {name: value for row in rows for name, value in join_names(f"per_turn/{row['turn']}", row).items()}
    return {**report["metrics"], **excluded, **sequence, **(turns if len(rows) > 1 else {})}


def read_report(path: Path) -> Mapping[str, Any]:
    """Reads a report: the file itself if it is one, else the command line's report of the run at the path.

    Raises:
        MetricsError: with the command line's message, if the run cannot be read.
    """
    if path.suffix == ".json" and path.is_file():
        value = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(value, Mapping) and is_report(value):
            return value
    from ..program import run_program

    try:
        said, _ = run_program(["report", "--json", "--", str(path)])
    except LogratioError as error:
        raise MetricsError(f"cannot read {path}: {error}") from error
    report: Mapping[str, Any] = json.loads(said)
    return report
