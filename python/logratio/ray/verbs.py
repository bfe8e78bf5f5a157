"""The verbs that answer from parts, each as a function: ``doctor``, ``sweep``, ``divergence``, ``kl``."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from .run import Placed, answer


class Result:
    """The result of a verb. Shows its page in a notebook if the verb has one.

    Attributes:
        verb: the verb.
        json: the whole result, as ``logratio VERB --json`` prints it.
        html: the same as one self-contained page; None if the verb has none.
        skipped: whether some inputs could not be read; ``json["findings"]`` says which.
    """

    def __init__(self, verb: str, result: dict[str, Any], page: str | None, skipped: bool) -> None:
        self.verb = verb
        self.json = result
        self.html = page
        self.skipped = skipped

    def _repr_html_(self) -> str | None:
        if self.html is None:
            return None
        # In a frame, like a report: see logratio.notebook.
        return (
            f'<iframe sandbox="allow-scripts" title="logratio {self.verb}" '
            'style="width:100%;height:720px;border:1px solid #8886;border-radius:6px;resize:vertical;background:#fff" '
            f'srcdoc="{html.escape(self.html)}"></iframe>'
        )

    def __repr__(self) -> str:
        said = self.json.get("sentence") or ", ".join(sorted(self.json))
        name = self.json.get("run") or self.json.get("study")
        return f"<logratio {self.verb} of {name}: {said}>"


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
) -> Result:
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
    return _answer("doctor", paths, placed, options, {"for": trainer}, has_page=True)


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
) -> Result:
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
    return _answer("sweep", paths, placed, options, {"choose": choose, "for": trainers}, has_page=False)


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
) -> Result:
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
    return _answer("divergence", paths, placed, options, own, has_page=False)


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
) -> Result:
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
    return _answer("kl", paths, placed, options, own, has_page=True)


def _answer(
    verb: str, paths: Any, placed: Placed, options: Mapping[str, Any], own: Mapping[str, Any], *, has_page: bool
) -> Result:
    text, page, skipped = answer(verb, paths, placed, options, own, has_page=has_page)
    return Result(verb, json.loads(text), page, skipped)
