"""The verbs that answer from parts, each as a function: ``doctor``, ``sweep``, ``divergence``, ``kl``."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..verbs.result import Result
from .run import Placed, answer

if TYPE_CHECKING:
    from ..results import DivergenceReport, DoctorReport, KlReport, SweepReport


def doctor(
    paths: Any,
    *,
    out: str | os.PathLike[str] | None = None,
    trainer: str | None = None,
    address: str | None = None,
    workers: int | None = None,
    retries: int = 3,
    runtime_env: Mapping[str, Any] | None = None,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> Result[DoctorReport]:
    """What causes the mismatch of a run, computed on a Ray cluster: the same diagnosis as ``logratio doctor``, bit for
    bit.

    Args:
        out: directory on this machine that keeps the parts, so that an interrupted job resumes; None for a temporary
            one.
        trainer: the trainer whose flags the fixes name first (``--for``).

    The others are those of `logratio.ray.summarize`.

    Raises:
        LogratioError: as `summarize`, and when no token is left to compare.
    """
    placed = Placed(out, address, workers, retries, runtime_env, progress)
    return answer("doctor", paths, placed, options, {"for": trainer}, has_page=True, make=Result)


def sweep(
    paths: Any,
    *,
    out: str | os.PathLike[str] | None = None,
    choose: str | None = None,
    trainers: str | None = None,
    address: str | None = None,
    workers: int | None = None,
    retries: int = 3,
    runtime_env: Mapping[str, Any] | None = None,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> Result[SweepReport]:
    """What each correction would do to a run, computed on a Ray cluster: the same as ``logratio sweep``, bit for bit.

    Args:
        out: as in `doctor`.
        choose: the correction whose config is wanted; None for the recommended one.
        trainers: the only trainers to write configs for: ``"verl,xtuner"`` (``--for``).
        options: also say which corrections to try: ``methods``, ``preset``, ``set``, ``setting``, ``correction``, the
            last three as lists.

    The others are those of `logratio.ray.summarize`.

    Raises:
        LogratioError: as `summarize`, and if no token can be compared.
    """
    placed = Placed(out, address, workers, retries, runtime_env, progress)
    return answer("sweep", paths, placed, options, {"choose": choose, "for": trainers}, has_page=False, make=Result)


def divergence(
    paths: Any,
    *,
    out: str | os.PathLike[str] | None = None,
    log: str | os.PathLike[str] | None = None,
    threshold: float | None = None,
    tokenizer: str | os.PathLike[str] | None = None,
    lean: bool = False,
    rotate: str | None = None,
    address: str | None = None,
    workers: int | None = None,
    retries: int = 3,
    runtime_env: Mapping[str, Any] | None = None,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> Result[DivergenceReport]:
    """The tokens of a run whose two probabilities differ most, found on a Ray cluster, as by ``logratio divergence``.

    Args:
        out: as in `doctor`.
        log: file that the records are appended to (``--out``), in the order of a single process; None puts them into
            ``json``.
        threshold: a step is logged if its largest |Δp|, a fraction, is at least this.
        tokenizer: the model's, on this machine, where texts are decoded. A filter that needs one uses it on the nodes,
            too.
        lean: writes records with only the guide's fields.
        rotate: a new file for each ``iteration`` or ``date``.
        options: also ``top_k``, ``context`` and ``every``, which decide what parts keep.

    The others are those of `logratio.ray.summarize`.

    Raises:
        LogratioError: as `summarize`.
    """
    placed = Placed(out, address, workers, retries, runtime_env, progress)
    if options.get("filter") is not None and tokenizer is not None:
        options["tokenizer"] = os.fspath(tokenizer)
    own = {"out": log, "threshold": threshold, "tokenizer": tokenizer, "lean": lean, "rotate": rotate}
    return answer("divergence", paths, placed, options, own, has_page=False, make=Result)


def kl(
    paths: Any,
    *,
    out: str | os.PathLike[str] | None = None,
    alpha: float | None = None,
    bootstrap: int | None = None,
    seed: int | None = None,
    cases: int | None = None,
    address: str | None = None,
    workers: int | None = None,
    retries: int = 3,
    runtime_env: Mapping[str, Any] | None = None,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> Result[KlReport]:
    """What training changed, from scored studies of the same policies, on a Ray cluster, as ``logratio kl STUDY
    STUDY…``.

    Args:
        paths: directories that ``logratio score`` wrote, and directories of them, as the cluster sees them (a shared
            file system). Nothing is scored here.
        out: as in `doctor`.
        alpha: significance level after correction for multiple tests.
        bootstrap: number of replicates for intervals.
        seed: seed of the bootstrap.
        cases: number of case studies in the report.
        options: also say how tokens are judged, which decides what parts keep: ``spikes``, ``spike_threshold``,
            ``spike_distance``, ``spike_percentile``, ``parity``, ``floor``, ``outcomes`` (a list).

    The others are those of `logratio.ray.summarize`.

    Raises:
        LogratioError: as `summarize`, if no study can be read, and if studies are not about the same policies.
    """
    placed = Placed(out, address, workers, retries, runtime_env, progress)
    own = {"alpha": alpha, "bootstrap": bootstrap, "seed": seed, "cases": cases}
    return answer("kl", paths, placed, options, own, has_page=True, make=Result)
