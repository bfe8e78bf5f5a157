"""Sends scalars to the logger of a training run: Weights & Biases, TensorBoard, MLflow, Trackio, SwanLab, or another.

Loggers are recognized by their methods, so none of them is imported here.
"""

from __future__ import annotations

import contextlib
import inspect
import logging
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

from ..recorder.columns import BatchError
from .collect import PREFIX, find_metrics, flatten, is_report, measure_batch, read_report
from .figures import Figures
from .sources import find_columns

_said = logging.getLogger("logratio")
#: The name under which the bars of Δ are logged, after the prefix.
HISTOGRAM = "delta"


def log_to(
    logger: Any,
    source: Any = None,
    step: int | None = None,
    *,
    prefix: str = PREFIX,
    histogram: bool = True,
    report: str | os.PathLike[str] | None = None,
    **columns: Any,
) -> dict[str, float]:
    """Logs the figures of a batch, a report or a run. If a batch or a step has none, a warning says why, once for each
    reason. It never raises into the loop, except for a logger that it cannot use.

    Takes a logger with ``log(dict, step)`` (the ``wandb``, ``trackio`` and ``swanlab`` modules and their runs, verl's
    ``Tracking``), ``add_scalar(name, value, step)`` (TensorBoard's ``SummaryWriter``), ``log_metrics(dict, step)``
    (``mlflow``, Lightning), or a function of ``(dict, step)``.

    Args:
        logger: any of these.
        source: as for `scalars`, or a dict from `scalars`.
        step: training step. If a report has that step, its figures are logged.
        prefix: prepended to every name.
        histogram: also logs the bars of Δ if the logger has a type for bars (W&B, TensorBoard).
        report: path of the run's HTML report, logged as a link if the logger has a place for one (W&B summary,
            TensorBoard text, MLflow tag), else written to Python's log.
        columns: the batch, instead of ``source``.

    Returns:
        The logged scalars; empty if none could be logged.

    Raises:
        TypeError: if the logger has none of these methods.
    """
    send = _choose_sender(logger)
    try:
        return _log(logger, send, columns if source is None else source, step, prefix, histogram, report)
    except Exception as error:
        _warn_once(error)
        return {}


def _log(
    logger: Any,
    send: Callable[[dict[str, Any], int | None], None],
    source: Any,
    step: int | None,
    prefix: str,
    histogram: bool,
    report: str | os.PathLike[str] | None,
) -> dict[str, float]:
    metrics, bars = _gather(source, step)
    values = dict(metrics) if _is_flat(metrics, prefix) else flatten(metrics, prefix)
    shown = _draw_bars(logger, bars) if histogram and bars is not None else None
    send({**values, **({f"{prefix}{HISTOGRAM}": shown} if shown is not None else {})}, step)
    if histogram and bars is not None and shown is None:
        _add_raw_histogram(logger, f"{prefix}{HISTOGRAM}", bars, step)
    if report is not None:
        _link_report(logger, f"{prefix}report", os.path.abspath(os.fspath(report)), step)
    return values


#: Reasons that have been reported.
_warned: set[str] = set()


def _warn_once(error: Exception) -> None:
    """Warns once for each reason: a training run matters more than its figures, and a loop has a million steps."""
    reason = f"{type(error).__name__}: {error.reason if isinstance(error, BatchError) else error}"
    if reason in _warned:
        return
    _warned.add(reason)
    with contextlib.suppress(Exception):
        # A handler of the application may raise.
        _said.warning("logratio: no figures were logged: %s: %s", type(error).__name__, error)


def _gather(source: Any, step: int | None) -> tuple[Mapping[str, Any], Figures | None]:
    if isinstance(source, (str, os.PathLike)):
        from pathlib import Path

        source = read_report(Path(source))
    if isinstance(source, Figures):
        return source.all, source
    if is_report(source):
        known = any(row["step"] == step for row in source["per_step"])
        return find_metrics(source, step if known else None), None
    columns = find_columns(source)
    if columns is None:
        return find_metrics(source, step), None
    if columns and all(isinstance(value, (int, float)) for value in columns.values()):
        return columns, None
    figures = measure_batch(columns)
    return figures.all, figures


def _is_flat(metrics: Mapping[str, Any], prefix: str) -> bool:
    """Whether ``scalars`` has already put the prefix before the names."""
    return prefix != "" and all(name.startswith(prefix) for name in metrics)


def _choose_sender(logger: Any) -> Callable[[dict[str, Any], int | None], None]:
    if callable(getattr(logger, "add_scalar", None)):

        def add_each(values: dict[str, Any], step: int | None) -> None:
            for name, value in values.items():
                logger.add_scalar(name, value, step)

        return add_each
    method = getattr(logger, "log_metrics", None)
    if not callable(method):
        method = getattr(logger, "log", None)
    if isinstance(logger, (logging.Logger, logging.LoggerAdapter)):
        method = None
    if not callable(method) and callable(logger) and not isinstance(logger, type):
        method = logger
    if not callable(method):
        raise TypeError(
            f"{type(logger).__name__} has neither log(dict, step), log_metrics(dict, step) nor "
            "add_scalar(name, value, step)"
        )
    return _call_with_step(method)


def _call_with_step(method: Callable[..., Any]) -> Callable[[dict[str, Any], int | None], None]:
    """Passes the step under the method's name for it, because the second argument may be something else."""
    try:
        parameters: Mapping[str, inspect.Parameter] = inspect.signature(method).parameters
    except (TypeError, ValueError):
        parameters = {}
    name = next((each for each in ("step", "global_step") if each in parameters), None)
    takes_any = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())
    second = list(parameters.values())[1:2]

    def send(values: dict[str, Any], step: int | None) -> None:
        if step is None:
            method(values)
        elif name is not None:
            method(values, **{name: step})
        elif not parameters or (second and second[0].kind is inspect.Parameter.VAR_POSITIONAL):
            method(values, step)
        elif takes_any:
            method(values, step=step)
        elif method.__name__ != "log" and second:
            # A plain function of (dict, step), whatever its parameters are called.
            method(values, step)
        else:
            # transformers' Trainer.log(logs, start_time) knows the step itself.
            method(values)

    return send


def _find_module(logger: Any) -> Any:
    """The loaded top-level module of a logger's class: ``wandb`` for a W&B run."""
    name = logger.__name__ if inspect.ismodule(logger) else type(logger).__module__
    return sys.modules.get(name.partition(".")[0])


def _draw_bars(logger: Any, figures: Figures) -> Any:
    """The logger's own histogram of Δ; None if it has no such type."""
    if callable(getattr(logger, "add_scalar", None)):
        return None
    histogram = getattr(_find_module(logger), "Histogram", None)
    if histogram is None:
        return None
    try:
        return histogram(np_histogram=(figures.counts, figures.edges))
    except TypeError:
        # A class of the same name from another library.
        return None


def _add_raw_histogram(logger: Any, name: str, figures: Figures, step: int | None) -> None:
    add = getattr(logger, "add_histogram_raw", None)
    if not callable(add):
        return
    low, high, total, squares = figures.moments
    add(
        name,
        min=low,
        max=high,
        num=int(figures.counts.sum()),
        sum=total,
        sum_squares=squares,
        # TensorBoard identifies a bar by its right edge; the first begins at the smallest value.
        bucket_limits=figures.edges[1:].tolist(),
        bucket_counts=figures.counts.tolist(),
        global_step=step,
    )


def _link_report(logger: Any, name: str, path: str, step: int | None) -> None:
    link = f"file://{path}"
    summary = getattr(logger, "summary", None)
    if callable(getattr(logger, "add_text", None)):
        logger.add_text(name, f"[{path}]({link})", step)
    elif callable(getattr(logger, "set_tag", None)):
        logger.set_tag(name, link)
    elif summary is not None and hasattr(summary, "__setitem__"):
        summary[name] = link
    else:
        _said.info("logratio: the report is %s", path)
