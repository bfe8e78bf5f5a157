"""The verbs that explain a run: ``doctor``, ``compare``, ``divergence``, ``digits``, ``show``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LogratioError
from ..runs.open import find_batches
from ..tensors import is_tensor
from .ask import ask
from .in_process import DigitFigures, list_divergent, measure_digits
from .result import Result

if TYPE_CHECKING:
    from ..results import CompareReport, DigitsReport, DivergenceReport, DoctorReport, ShowReport


def doctor(run: Any, *, trainer: str | None = None, **options: Any) -> Result[DoctorReport]:
    """What causes the mismatch of a run, how sure that is, and what to do about it, as ``logratio doctor``.

    Args:
        run: as `logratio.report` takes it.
        trainer: the trainer whose flags the fixes name first (``--for``).
        options: flags of ``logratio doctor`` with underscores.

    Raises:
        LogratioError: if the run cannot be read or has no token to compare, or the program is missing.
    """
    return ask("doctor", run, {**options, "for": trainer}, has_page=True, make=Result)


def compare(a: Any, b: Any = None, **options: Any) -> Result[CompareReport]:
    """Certifies that two policies agree, or shows where they differ, as ``logratio compare``.

    Args:
        a: a run as `logratio.report` takes it, or log-probs ``[B, T]`` of one policy, nats.
        b: the other side, of the same kind; None compares the rollout column of ``a`` with its trainer column.
        options: flags of ``logratio compare`` with underscores: ``within=0.01`` (nats), ``column="rollout"``.

    Returns:
        The certificate: ``json["certificate"]`` is ``equal``, ``equivalent``, ``different`` or ``undecidable``.

    Raises:
        LogratioError: if a side cannot be read or they cannot be paired, or the program is missing.
    """
    if b is not None and all(is_tensor(side) or isinstance(side, np.ndarray) for side in (a, b)):
        a, b = (a, b), None
    return ask("compare", a, options, has_page=True, can_fail=True, other=b, make=Result)


def divergence(run: Any, *, tokenizer: Any = None, **options: Any) -> Result[DivergenceReport] | list[dict[str, Any]]:
    """The tokens of a run whose two probabilities differ most.

    Args:
        run: as `logratio.report` takes it.
        tokenizer: of files, its directory; of arrays, the tokenizer itself.
        options: of files, flags of ``logratio divergence`` with underscores: ``threshold=0.5`` (a difference of
            probabilities), ``top_k=5``, ``out="log.jsonl"``; of arrays, options of `collect_divergent_tokens`.

    Returns:
        Of files, what ``logratio divergence`` finds in each step. Of arrays, which are read in this process without the
        program, the records of `collect_divergent_tokens`, the furthest apart first.

    Raises:
        LogratioError: if the run cannot be read, or an option makes no sense.
    """
    batch = find_one_batch(run, "divergence")
    if batch is not None:
        return list_divergent(batch, tokenizer, options)
    return ask("divergence", run, {**options, "tokenizer": tokenizer}, make=Result)


def digits(
    run: Any, *, tokenizer: Any = None, digit_ids: Sequence[int] | None = None, **options: Any
) -> Result[DigitsReport] | DigitFigures:
    """How sure the policies of a run are of the digits they write, and how far off.

    Args:
        run: as `logratio.report` takes it; arrays need ``responses``.
        tokenizer: of files, its directory; of arrays, the tokenizer itself.
        digit_ids: token ids of 0 to 9, if there is no tokenizer.
        options: of files, flags of ``logratio digits`` with underscores: ``truth="answers.jsonl"``.

    Returns:
        Of files, what ``logratio digits`` prints. Of arrays, which are read in this process without the program, the
        proxy from sampled digits, and number-token loss if they have ``digit_log_probs`` ``[B, T, 10]``.

    Raises:
        LogratioError: if the run cannot be read, or nothing says which tokens are digits.
    """
    batch = find_one_batch(run, "digits")
    if batch is not None:
        if options:
            raise TypeError(f"digits() of arrays has no option {next(iter(options))!r}")
        return measure_digits(batch, tokenizer, digit_ids)
    ids = None if digit_ids is None else ",".join(map(str, digit_ids))
    return ask("digits", run, {**options, "tokenizer": tokenizer, "digit_ids": ids}, make=Result)


def show(run: Any, handle: str = "worst", **options: Any) -> Result[ShowReport]:
    """One sequence token by token, or everything about one token, as ``logratio show``; ``print`` shows it.

    Args:
        run: as `logratio.report` takes it.
        handle: ``s12.r3.q41`` for a sequence, ``s12.r3.q41.t880`` for a token, ``worst`` for the mistakes that count
            most.
        options: flags of ``logratio show`` with underscores: ``tokenizer="model/"``, ``metric="entropy"``.

    Raises:
        LogratioError: if the run cannot be read or has no such place, or the program is missing.
    """
    return ask("show", run, options, more=(handle,), make=Result)


def find_one_batch(run: Any, verb: str) -> dict[str, Any] | None:
    """The only batch of a run that is made of arrays; None if it is not.

    Raises:
        LogratioError: if it has several batches.
    """
    if isinstance(run, (str, os.PathLike, Result)):
        return None
    batches = find_batches(run)
    if batches is not None and len(batches) != 1:
        raise LogratioError(
            f"{verb} takes one batch of arrays at a time, and this run has {len(batches)}",
            likely="a list of batches, or a table with several steps or ranks, was given",
            hint=f"call {verb} for each of them",
        )
    return None if batches is None else batches[0]
