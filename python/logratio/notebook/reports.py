"""``report``: the command line's report as an object that a notebook shows."""

from __future__ import annotations

import html
import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import LogratioError
from ..metrics.sources import REPORTED, find_columns
from ..program import run_program, write_flags
from ..recorder import BatchError, Recorder
from .batches import Packed, pack_batch, write_batches
from .tables import Flat, flatten_packed, list_sequences, list_tokens, make_frame, read_parquet

#: What ``report`` sets itself.
_RESERVED = {"json", "html", "markdown", "brief", "full", "explain", "force"}
#: Options of ``logratio report`` that ``convert`` does not have.
_REPORT_ONLY = ("parity", "tokenizer", "threads")


class Report:
    """A report of a run, made by `report`. Shows itself in a notebook.

    Attributes:
        json: the whole report, as ``logratio report --json`` prints it.
        html: the same as one self-contained page with its pictures.
        skipped: whether some inputs could not be read; ``findings`` says which.
    """

    def __init__(
        self,
        result: dict[str, Any],
        page: str,
        skipped: bool,
        words: Sequence[str],
        options: Mapping[str, Any],
        packed: list[Packed] | None = None,
        folder: tempfile.TemporaryDirectory[str] | None = None,
    ) -> None:
        self.json = result
        self.html = page
        self.skipped = skipped
        self._words = list(words)
        self._options = dict(options)
        self._packed = packed
        # Files of arrays must live as long as the report.
        self._folder = folder
        self._flat: Flat | None = None

    @property
    def metrics(self) -> dict[str, Any]:
        """Figures over all tokens: ``delta_abs_mean``, ``k3``, ``ess`` and so on; docs/metrics.md defines them."""
        return dict(self.json["metrics"])

    @property
    def assessment(self) -> dict[str, Any]:
        """The answer about the run that ``logratio report``, ``doctor``, ``sweep`` and ``gate`` give: ``level``,
        ``sentence``, ``causes``, ``events``, ``where`` and so on; docs/assessment.md lists its parts."""
        return dict(self.json["assessment"])

    @property
    def verdict(self) -> dict[str, Any]:
        """The verdict: ``level`` (``normal``, ``elevated``, ``high``, ``broken``, …), ``headline`` and their
        reasons."""
        return dict(self.json["verdict"])

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What reading noticed; each finding has a count and its first place."""
        return list(self.json["findings"])

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

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the report: ``.html`` as one page, ``.json`` as data.

        Raises:
            LogratioError: for any other ending.
        """
        target = Path(path)
        if target.suffix in (".html", ".htm"):
            target.write_text(self.html, encoding="utf-8")
        elif target.suffix == ".json":
            target.write_text(json.dumps(self.json, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        else:
            raise LogratioError(f"a report is saved as .html or .json, not as {target.name!r}")
        return target

    def _read(self) -> Flat:
        if self._flat is not None:
            return self._flat
        if self._packed is not None and not self._options.get("steps") and not self._options.get("filter"):
            self._flat = flatten_packed(self._packed)
            return self._flat
        if self._options.get("filter"):
            raise LogratioError(
                "tokens of a filtered report are not there",
                hint="make a report without filter, and filter its data frame",
            )
        options = {name: value for name, value in self._options.items() if name not in _REPORT_ONLY}
        with tempfile.TemporaryDirectory(prefix="logratio-") as folder:
            path = Path(folder) / "tokens.parquet"
            run_program(["convert", *write_flags({**options, "out": path}), "--", *self._words])
            self._flat = read_parquet(path)
        return self._flat

    def _repr_html_(self) -> str:
        # In a frame, the styles of page and notebook do not affect each other. Without allow-same-origin, the page's
        # script (which sorts tables) cannot touch the notebook either.
        return (
            '<iframe sandbox="allow-scripts" title="logratio report" '
            'style="width:100%;height:720px;border:1px solid #8886;border-radius:6px;resize:vertical;background:#fff" '
            f'srcdoc="{html.escape(self.html)}"></iframe>'
        )

    def __repr__(self) -> str:
        metrics = self.json["metrics"]
        return (
            f"<logratio report of {self.json['run']}: {self.json['verdict']['level']}, mean |Δ| "
            f"{metrics['delta_abs_mean']:.3g} nats over {metrics['tokens']:,} tokens>"
        )


def report(run: Any, **options: Any) -> Report:
    """How far apart the two policies of a run are, where, and whether that is normal.

    Args:
        run: what ``logratio report`` reads (one or several paths), a `Recorder`, or arrays: a dict as ``Recorder.log``
            takes it (numpy, torch or lists; ``step`` may be left out), verl's ``DataProto`` or its ``TensorDict``, from
            which the known columns are taken, or a list of these.
        options: flags of ``logratio report`` with underscores: ``steps="100..200"``, ``filter="abs>0.5"``,
            ``rollout="column"``, ``parity="verl,xtuner"``, ``tokenizer="model/"``; True for a flag without value. For
            arrays, ``name="…"`` is their name in the report.

    Returns:
        The report, which a notebook shows with its pictures.

    Raises:
        LogratioError: if the run cannot be read, with the likely cause and what to try, or if the program is missing.
        TypeError: if an option is one that this function sets itself.
    """
    reserved = sorted(_RESERVED & set(options))
    if reserved:
        raise TypeError(f"{reserved[0]} is set by report() itself: use .json, .html and .save()")
    batches = as_batches(run)
    folder, packed = None, None
    if batches is None:
        words = as_paths(run)
    else:
        folder, packed, path = write_arrays(batches, str(options.pop("name", "arrays")))
        words = [str(path)]
    with tempfile.TemporaryDirectory(prefix="logratio-") as made:
        page = Path(made) / "report.html"
        flags = write_flags({**options, "json": True, "html": page})
        text, status = run_program(["report", *flags, "--", *words])
        return Report(json.loads(text), page.read_text(encoding="utf-8"), status == 4, words, options, packed, folder)


def as_batches(run: Any) -> list[dict[str, Any]] | None:
    """The given batches of arrays; None if paths were given.

    Raises:
        LogratioError: if the masks of a batch differ.
    """
    given = list(run) if isinstance(run, (list, tuple)) else [run]
    try:
        batches = [columns for batch in given if (columns := find_columns(batch, REPORTED)) is not None]
    except BatchError as error:
        raise error.explain() from error
    return batches if batches and len(batches) == len(given) else None


def as_paths(run: Any) -> list[str]:
    """The given paths as words of a command line.

    Raises:
        LogratioError: if ``run`` is neither paths nor a recorder.
    """
    if isinstance(run, Recorder):
        run.flush()
        if run.path is None:
            raise LogratioError(
                f"the batches of this recorder are on a server: {run.place}",
                hint="open that address, or give the run's folder in the server's data directory",
            )
        return [str(run.path)]
    if isinstance(run, (str, os.PathLike)):
        return [os.fspath(run)]
    if isinstance(run, (list, tuple)) and run and all(isinstance(path, (str, os.PathLike)) for path in run):
        return [os.fspath(path) for path in run]
    raise LogratioError(
        f"a run is paths, a recorder or arrays, not {type(run).__name__}",
        hint="give a directory, or a dict with rollout_log_probs and old_log_probs",
    )


def write_arrays(
    batches: Sequence[Mapping[str, Any]], name: str
) -> tuple[tempfile.TemporaryDirectory[str], list[Packed], Path]:
    """Writes arrays as a run into a directory that is removed with its last user.

    Raises:
        LogratioError: if the arrays do not fit together.
    """
    packed = [pack_batch(batch) for batch in batches]
    folder = tempfile.TemporaryDirectory(prefix="logratio-")
    path = Path(folder.name) / name
    try:
        write_batches(path, packed, [batch.get("meta") or {} for batch in batches])
    except BaseException:
        shutil.rmtree(folder.name, ignore_errors=True)
        raise
    return folder, packed, path
