"""``report``: the command line's report as an object that a notebook shows."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import LogratioError
from ..program import run_program, write_flags
from ..tables import make_frame
from ..verbs.ask import ask
from ..verbs.result import Result
from .tables import Flat, flatten_packed, list_sequences, list_tokens, read_parquet

if TYPE_CHECKING:
    from ..results import Assessment, MismatchReport, ReportMetrics, Verdict

    _Reported = Result[MismatchReport]
else:
    # Two hundred typed dicts take longer to import than a report takes to start.
    _Reported = Result

#: Options of ``logratio report`` that ``convert`` does not have.
_REPORT_ONLY = ("parity", "tokenizer", "threads")


class Report(_Reported):
    """A report of a run, made by `report`: a `Result` with data frames of its tokens and sequences.

    Where a file holds logged metrics or one policy alone, ``json`` is a ``SeriesReport`` or a ``PolicyReport`` of
    logratio.results instead, and says so in ``json["kind"]``.
    """

    _flat: Flat | None = None

    @property
    def metrics(self) -> ReportMetrics:
        """Figures over all tokens: ``delta_abs_mean``, ``k3``, ``ess`` and so on; docs/metrics.md defines them."""
        return self.json["metrics"]

    @property
    def assessment(self) -> Assessment:
        """The answer about the run that ``logratio report``, ``doctor``, ``sweep`` and ``gate`` give: ``level``,
        ``sentence``, ``causes``, ``events``, ``where`` and so on; docs/assessment.md lists its parts."""
        return self.json["assessment"]

    @property
    def verdict(self) -> Verdict:
        """The verdict: ``level`` (``normal``, ``elevated``, ``high``, ``broken``, …), ``headline`` and their
        reasons."""
        return self.json["verdict"]

    @property
    def tokens(self) -> Any:
        """A data frame (pandas, else polars) with a row for every response token: ``handle``, ``step``, ``rank``,
        ``sequence``, ``position`` (from 0), ``token_id``, ``mask``, ``rollout_logprob``, ``trainer_logprob`` and
        ``delta`` (trainer - rollout) in nats, and everything else that was recorded. The whole run is read into memory.

        Raises:
            LogratioError: without pandas and polars, or if the report has a filter.
        """
        return make_frame(list_tokens(self._read()))

    @property
    def sequences(self) -> Any:
        """A data frame with a row for every sequence: its handle, number of tokens, figures of Δ, reward, ids of texts.

        Raises:
            LogratioError: as `tokens`.
        """
        return make_frame(list_sequences(self._read()))

    def _read(self) -> Flat:
        if self._flat is not None:
            return self._flat
        asked = self._question.options
        if self.opened.packed is not None and not asked.get("steps") and not asked.get("filter"):
            self._flat = flatten_packed(self.opened.packed)
            return self._flat
        if asked.get("filter"):
            raise LogratioError(
                "tokens of a filtered report are not there",
                hint="make a report without filter, and filter its data frame",
            )
        options = {name: value for name, value in asked.items() if name not in _REPORT_ONLY}
        with tempfile.TemporaryDirectory(prefix="logratio-") as folder:
            path = Path(folder) / "tokens.parquet"
            run_program(["convert", *write_flags({**options, "out": path}), "--", *self.opened.words])
            self._flat = read_parquet(path)
        return self._flat

    def __repr__(self) -> str:
        if self.json["kind"] != "report":
            return super().__repr__()
        metrics = self.json["metrics"]
        return (
            f"<logratio report of {self.json['run']}: {self.json['verdict']['level']}, mean |Δ| "
            f"{metrics['delta_abs_mean']:.3g} nats over {metrics['tokens']:,} tokens>"
        )


def report(run: Any, **options: Any) -> Report:
    """How far apart the two policies of a run are, where, and whether that is normal.

    Args:
        run: what ``logratio report`` reads, one or several of them: paths, or addresses of object stores and of the
            Hugging Face Hub; a `Recorder`; the result of another verb; or what is in memory: a dict as ``Recorder.log``
            takes it (numpy, torch or lists; ``step`` may be left out), a tuple (rollout, trainer) or (rollout, trainer,
            mask) of arrays ``[B, T]`` in nats, verl's ``DataProto`` or its ``TensorDict``, or a table with a row for
            each sequence and columns of these names (pandas, polars, Arrow, Hugging Face ``Dataset``; its rows are
            taken by ``step`` and ``rank``). Of whole batches and tables the known columns are taken.
        options: flags of ``logratio report`` with underscores: ``steps="100..200"``, ``filter="abs>0.5"``,
            ``rollout="column"``, ``parity="verl,xtuner"``, ``tokenizer="model/"``; True for a flag without value. For
            arrays, ``name="…"`` is their name in the report.

    Returns:
        The report, which a notebook shows with its pictures.

    Raises:
        LogratioError: if the run cannot be read, with the likely cause and what to try, or if the program is missing.
        TypeError: if an option is one that this function sets itself.
    """
    return ask("report", run, options, has_page=True, make=Report)
