"""The verbs that act on a run: ``sweep``, ``correct``, ``gate``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..corrections import AppliedCorrection, Correction
from ..errors import LogratioError
from .ask import ask
from .explain import find_one_batch
from .in_process import correct_batch
from .result import Result

if TYPE_CHECKING:
    from ..results import CorrectReport, GateReport, SweepReport


def sweep(run: Any, *, choose: str | None = None, trainers: str | None = None, **options: Any) -> Result[SweepReport]:
    """What each correction would do to a run, and the best one as a config, as ``logratio sweep``.

    Args:
        run: as `logratio.report` takes it.
        choose: the correction whose config is wanted; None for the recommended one.
        trainers: the only trainers to write configs for: ``"verl,xtuner"`` (``--for``).
        options: flags of ``logratio sweep`` with underscores: ``methods="token-tis,icepop"``, ``correction="mis"``.

    Returns:
        The figures: ``frame("corrections")`` has a row for each correction, ``json["configs"]`` the configs.

    Raises:
        LogratioError: if the run cannot be read or has no token to compare, or the program is missing.
    """
    return ask("sweep", run, {**options, "choose": choose, "for": trainers}, make=Result)


def correct(
    run: Any,
    correction: Correction | str | None = None,
    *,
    preset: str | None = None,
    settings: Mapping[str, Any] | None = None,
    **options: Any,
) -> AppliedCorrection | Result[CorrectReport]:
    """Applies a correction to a run.

    Args:
        run: as `logratio.report` takes it.
        correction: as text, ``"tis"`` or ``"weight:token truncate:..2"`` (docs/corrections.md); for arrays also a
            `logratio.corrections.Correction`.
        preset: a trainer's correction instead, with ``settings`` under that trainer's names.
        options: flags of ``logratio correct`` with underscores: ``out="corrected/"`` writes weights and masks.

    Returns:
        Of arrays and a correction, which are computed in this process without the program, the weights and the mask in
        the shape and type of the log-probs: on their device for tensors, lists of rows for rows of unequal length.
        Otherwise what ``logratio correct`` prints.

    Raises:
        LogratioError: if the run cannot be read, or the correction is not understood.
        TypeError: unless there is either a correction or a preset.
    """
    if (correction is None) == (preset is None):
        raise TypeError('correct() takes either a correction such as "tis", or preset="verl" with its settings')
    if correction is not None:
        batch = find_one_batch(run, "correct")
        if batch is not None:
            if options:
                raise TypeError(f"correct() of arrays has no option {next(iter(options))!r}")
            return correct_batch(batch, correction)
        if not isinstance(correction, str):
            raise LogratioError("the correction of files is a text", hint='give "weight:token truncate:..2"')
    pairs = [f"{name}={value}" for name, value in (settings or {}).items()]
    asked = {**options, "correction": correction, "preset": preset, "set": pairs}
    return ask("correct", run, asked, make=Result)


def gate(
    run: Any,
    *,
    limits: Sequence[str] = (),
    against: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Result[GateReport]:
    """Whether a run is within the corridors of a baseline and its limits, as ``logratio gate``.

    Args:
        run: as `logratio.report` takes it.
        limits: conditions that must hold: ``["k3 <= 0.001"]``.
        against: the baseline, a YAML file.
        options: flags of ``logratio gate`` with underscores: ``alpha=0.01``, ``allow_undecidable=True``.

    Returns:
        The checks; ``json["passed"]`` says whether all of them hold. A gate that fails raises nothing.

    Raises:
        LogratioError: if the run or the baseline cannot be read, or the program is missing.
    """
    asked = {**options, "limit": list(limits), "against": against}
    return ask("gate", run, asked, has_page=True, can_fail=True, make=Result)
