"""The recorder: ``log`` copies and returns, a thread packs and writes, and nothing is raised into the loop."""

from __future__ import annotations

import atexit
import contextlib
import json
import logging
import os
import queue
import re
import sys
import threading
import time
import uuid
import weakref
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import ArgumentError, read_number, read_path, read_text, read_whole
from .arrays import BufferPool, Copied, copy, is_ragged, join_rows
from .assess import describe_answer, find_answer, wants_answer
from .columns import BatchError, EmptyBatchError, check_columns, check_fact
from .config import read_config, read_tags
from .counts import Counts, describe
from .files import publish, read_safetensors
from .place import Place, check_name, claim, is_disabled, read_resume
from .record import pack
from .spool import ServerSink

if TYPE_CHECKING:
    from ..metrics.figures import Figures

logger = logging.getLogger("logratio")

SCHEMA_VERSION = "1"
_TEXTS = {"uid", "sample_id", "data_source", "finish_reason", "engine_id", "prompt_text", "response_text"}
#: What 64-bit integers become when copied: the record's type for ids, and for masks whether they are 0.
_NARROW: dict[str, Any] = {
    "responses": np.int32,
    "prompts": np.int32,
    "trainer_prompts": np.int32,
    "response_mask": np.bool_,
    "attention_mask": np.bool_,
    "prompt_mask": np.bool_,
}
_STOP = None
#: Steps whose row counts are kept; asynchronous loops have a few in progress.
_STEPS_KEPT = 64


#: The most warnings with different reasons that are shown.
_MOST_SAID = 100
#: Recorders of this process; a forked child starts its own.
_recorders: weakref.WeakSet[Recorder] = weakref.WeakSet()


@dataclass
class _Call:
    step: int
    columns: dict[str, Any]
    metadata: dict[str, str]
    copies: list[Copied] = field(default_factory=list)

    @property
    def size(self) -> int:
        return sum(copied.size for copied in self.copies)

    def free(self) -> None:
        for copied in self.copies:
            copied.free()


@dataclass
class _Rows:
    """A single copy of rows of different lengths, end to end."""

    copied: Copied
    lengths: list[int]

    def load(self) -> list[np.ndarray]:
        return np.split(self.copied.load(), np.cumsum(self.lengths)[:-1])


class Recorder:
    """Writes logged batches into a directory that ``logratio report`` and ``logratio view --follow`` read, or sends
    them to ``logratio serve``.

    Every rank writes its own files, ``NAME/step_S.rank_R.call_N.safetensors``; a file gets its name only when it is
    complete. Use ``init`` to create a recorder.

    Args:
        dir: directory of runs; default ``$LOGRATIO_DIR``, else ``logratio`` in the current directory.
        name: name of the run, a folder in ``dir`` that it must not lead out of; None writes into ``dir`` itself. With
            ``url``, None means ``$LOGRATIO_NAME``, else ``run``.
        url: address of ``logratio serve``, instead of ``dir``; None means ``$LOGRATIO_URL`` if ``dir`` is not given.
            The token is ``$LOGRATIO_TOKEN``.
        rank: rank of this process; None asks ``torch.distributed`` if it runs, else ``$RANK``, else 0.
        resume: what to do if the name (or ``dir``) has the record of an earlier run. None: record this run beside it,
            as ``NAME-2``, ``NAME-3``, …. ``"allow"``: add batches to it, for a training that resumes from a checkpoint.
            ``"must"``: the same, and there must be one. ``"never"``: there must be none. Recorders of one launch
            share a run in any case. The default is ``$LOGRATIO_RESUME``.
        config: the run's configuration: a dict, nested or not, a dataclass, a pydantic model or ``argparse``'s namespace.
            It is kept in the metadata of every file; what it says of temperature, top-p, engine, precision and the like
            counts as ``meta`` of every batch that does not say otherwise (docs/training-loop.md has the names).
        tags: words for the run, kept with it.
        mode: ``"disabled"``: nothing is recorded, printed or written, and every method can be called; ``"enabled"``.
            The default is ``$LOGRATIO_MODE``, else ``"enabled"``.
        every: records every n-th step.
        sample: share of the sequences to write, 0 to 1; the same sequences of a step on every machine.
        max_tokens: the most tokens of one call to write; whole sequences are left out, chosen without looking at them.
        max_queue_bytes: bytes of copies that may wait for the disk; beyond that, calls are dropped and counted.
        max_spool_bytes: with ``url``, bytes of files of all recorders of this machine that may wait for the server in
            ``$LOGRATIO_SPOOL`` (default: the system's temporary directory, or another place if that is in memory);
            beyond that, calls are dropped and counted.

    Raises:
        TypeError: if an argument has a wrong type.
        ValueError: if an argument is out of range, or ``resume`` contradicts what exists (with ``url``, the server
            refuses the batches instead).
    """

    def __init__(
        self,
        dir: str | os.PathLike[str] | None = None,
        name: str | None = None,
        *,
        url: str | None = None,
        rank: int | None = None,
        resume: str | None = None,
        config: Any = None,
        tags: Sequence[str] | None = None,
        mode: str | None = None,
        every: int = 1,
        sample: float = 1.0,
        max_tokens: int | None = None,
        max_queue_bytes: int = 2 << 30,
        max_spool_bytes: int = 4 << 30,
    ) -> None:
        sample = read_number("sample", sample)
        if not 0 < sample <= 1:
            raise ValueError(f"sample must be above 0 and at most 1, not {sample:g}")
        name = None if name is None else read_text("name", name)
        url = None if url is None else read_text("url", url)
        if dir is not None and url is not None:
            raise ValueError("dir and url cannot be combined: batches go to one place")
        if url is None and dir is None:
            url = os.environ.get("LOGRATIO_URL") or None
        #: 32 hexadecimal digits in the metadata of every file of this recorder.
        self.id = uuid.uuid4().hex
        self.counts = Counts()
        self._config = read_config(config)
        self._tags = read_tags(tags)
        self._is_disabled = is_disabled(mode)
        #: The assessment of the run once `finish` has asked for it.
        self._answer: dict[str, Any] = {}
        self._rank = rank = None if rank is None else _read_least("rank", rank, 0)
        self._said: set[str] = set()
        self._every = _read_least("every", every, 1)
        self._sample = sample
        self._max_tokens = None if max_tokens is None else _read_least("max_tokens", max_tokens, 1)
        self._max_queue_bytes = _read_least("max_queue_bytes", max_queue_bytes, 0)
        max_spool_bytes = _read_least("max_spool_bytes", max_spool_bytes, 0)
        self._thread: threading.Thread | None = None
        self._finished = False
        self._has_rank = False
        self._begin()
        resume = read_resume(resume)
        self._server: ServerSink | None = None
        self._claimed: Place | None = None
        if self._is_disabled:
            return
        if url is not None:
            self._server = ServerSink(self, url, name, resume, max_spool_bytes)
        else:
            base = Path(read_path("dir", dir) if dir is not None else os.environ.get("LOGRATIO_DIR") or "logratio")
            asked = base / check_name(name) if name else base
            self._claimed = claim(asked, resume, self.id, _current_rank() if rank is None else rank)
        _recorders.add(self)
        atexit.register(self._finish_at_exit)

    def _begin(self) -> None:
        """Creates everything that belongs to the process, which a forked child needs for itself."""
        self._pid = os.getpid()
        self._pool = BufferPool()
        # A signal handler may call `finish` within `log`, so neither may wait for the other.
        self._queue: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        self._lock = threading.RLock()
        self._waiting = 0
        self._waiting_bytes = 0
        self._rows: dict[int, int] = {}
        self._thread = None

    @property
    def path(self) -> Path | None:
        """Where this run's files are written; None if a server gets them, or if it is disabled."""
        return None if self._claimed is None else self._claimed.path

    @property
    def dir(self) -> str | None:
        """`path` as a text."""
        return None if self.path is None else str(self.path)

    @property
    def url(self) -> str | None:
        """With ``url``: the address of the run's page, which exists once the first batch does."""
        return None if self._server is None else self._server.page

    @property
    def name(self) -> str | None:
        """The name of the run, which differs from the given one beside an earlier run."""
        if self._server is not None:
            return self._server.run
        return None if self.path is None else self.path.resolve().name

    @property
    def place(self) -> str:
        """The directory, or the server with the run's name."""
        return str(self.path) if self._server is None else self._server.place

    @property
    def config(self) -> Mapping[str, Any]:
        """The configuration as it was given, read-only."""
        return MappingProxyType(self._config.values)

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(self._tags)

    @property
    def summary(self) -> Mapping[str, Any]:
        """What is known of the run so far, read-only: the last ``step``, the `counts` by name and, after `finish`, the
        ``level`` and the ``sentence`` of the run's assessment if there is one (docs/assessment.md)."""
        last = next(reversed(self._rows), None)
        answer = {name: self._answer[name] for name in ("level", "sentence") if name in self._answer}
        return MappingProxyType({"step": last, **asdict(self.counts), **answer})

    def __repr__(self) -> str:
        if self._is_disabled:
            return "<logratio.Recorder disabled>"
        counts = self.counts
        state = "finished" if self._finished else "recording"
        lost = f", {counts.dropped + counts.failed} lost" if counts.dropped + counts.failed else ""
        return f"<logratio.Recorder {state} to {self.place}: {counts.written} batches written{lost}>"

    def __reduce__(self) -> Any:
        raise TypeError(
            "a Recorder belongs to its process and cannot be sent to another: call logratio.init() there with the same dir "
            "(or url) and name, in a Ray actor in its __init__; recorders of one launch share the run"
        )

    def log(
        self,
        *batch: Any,
        step: Any = None,
        rollout_log_probs: Any = None,
        old_log_probs: Any = None,
        response_mask: Any = None,
        responses: Any = None,
        prompts: Any = None,
        uid: Any = None,
        rewards: Any = None,
        advantages: Any = None,
        top_k: Mapping[str, tuple[Any, Any]] | None = None,
        meta: Mapping[str, Any] | None = None,
        **further: Any,
    ) -> None:
        """Records a batch. Returns as soon as the batch is copied; never raises.

        Arrays may be numpy's, torch's (any device and type) or lists: ``[B, T]`` with responses right-padded, or one
        array for each of ``B`` sequences.

        Args:
            batch: the columns as a dict, instead of keywords: ``run.log(columns, step=step)``.
            step: training step.
            rollout_log_probs: log-probs of the sampled tokens under the engine, nats.
            old_log_probs: the same under the trainer, before the update.
            response_mask: 1 for tokens that the policy sampled.
            responses: response token ids.
            prompts: prompt token ids, ``[B, P]`` left-padded, or one array for each sequence.
            uid: prompt group of each sequence, ``[B]``.
            rewards: one for each sequence, ``[B]``, or ``[B, T]``, which is summed.
            advantages: ``[B, T]``, or one for each sequence, ``[B]``.
            top_k: alternatives by policy (``"rollout"``, ``"trainer"``): ids and log-probs, ``[B, T, K]`` each.
            meta: facts about the whole batch: ``temperature``, ``top_p``, ``top_k``, ``min_p``, ``repetition_penalty``,
                ``presence_penalty``, ``frequency_penalty``, ``logprobs_mode``, ``trainer``; and for each side
                ``rollout_software``, ``rollout_weights``, ``rollout_config``, ``rollout_topology``, ``trainer_software``
                and so on: versions, digests, and how the model was distributed.
            further: ``attention_mask`` ``[B, P + T]``, ``prompt_mask``, ``ref_log_prob``, ``rollout_entropy``,
                ``entropys``, ``digit_log_probs`` ``[B, T, 10]``, ``acc``, ``position_ids``, ``weight_versions``,
                ``data_source``, ``sample_id``, ``prompt_text``, ``response_text``; for finding causes:
                ``finish_reason``, ``engine_id`` and ``cached_tokens`` of each sequence, ``kept_mass`` (of top-p, top-k
                and min-p) and ``route_agreement`` at each token, both as fractions, and ``trainer_prompts`` if the
                trainer scored other prompt ids.
        """
        given = {
            "rollout_log_probs": rollout_log_probs,
            "old_log_probs": old_log_probs,
            "response_mask": response_mask,
            "responses": responses,
            "prompts": prompts,
            "uid": uid,
            "rewards": rewards,
            "advantages": advantages,
            "top_k": top_k,
            **further,
        }
        if self._is_disabled:
            return
        try:
            step, given, meta = _merge(batch, step, given, meta)
            self._log(check_fact("step", step), given, {} if meta is None else check_fact("meta", meta))
        except EmptyBatchError:
            self.count("empty")
        except Exception as error:
            # Whatever the error, a training run matters more than its recording.
            self.count("failed")
            reason = error.reason if isinstance(error, BatchError) else None
            self.warn(f"a batch could not be recorded: {type(error).__name__}: {error}", reason)

    def _log(self, step: int, given: dict[str, Any], meta: Mapping[str, Any]) -> None:
        if self._finished:
            raise RuntimeError("the recorder is finished")
        if not self.is_due(step):
            self.count("passed_over")
            return
        if self._waiting_bytes > self._max_queue_bytes:
            self.count("dropped")
            self.warn("batches are dropped: the disk is slower than the training loop (every= or sample= writes less)")
            return
        call = _Call(step, {}, {name: str(value) for name, value in meta.items()})
        try:
            for name, value in check_columns(given).items():
                call.columns[name] = self._copy_column(name, value, call.copies)
            with self._lock:
                # The thread would not see a call after the end of the queue.
                if self._finished:
                    raise RuntimeError("the recorder is finished")
                self._start()
                self._waiting += 1
                self._waiting_bytes += call.size
                self._queue.put(call)
        except BaseException:
            call.free()
            raise

    def is_due(self, step: int) -> bool:
        """Whether ``log`` would record this step; ask before computing anything only for the record. Never raises."""
        if self._is_disabled:
            return False
        try:
            return read_whole("step", step) % self._every == 0
        except ArgumentError as error:
            self.warn(f"no step is due: {error}", error.reason)
            return False

    def _copy_column(self, name: str, value: Any, copies: list[Copied]) -> Any:
        """The column with its arrays as loaders; texts unchanged, since strings are immutable."""

        def keep(array: Any) -> Copied:
            copies.append(copy(array, self._pool, _NARROW.get(name)))
            return copies[-1]

        if name == "top_k":
            return {policy: tuple(keep(array) for array in pair) for policy, pair in value.items()}
        if name in _TEXTS:
            return value if isinstance(value, str) else [None if text is None else str(text) for text in value]
        if is_ragged(value):
            joined = join_rows(value)
            if joined is not None:
                return _Rows(keep(joined), [len(row) for row in value])
            return [keep(array) for array in value]
        return keep(value)

    def _start(self) -> None:
        if self._thread is not None:
            return
        thread = threading.Thread(target=self._write_all, name="logratio-recorder", daemon=True)
        thread.start()
        self._thread = thread
        # A child of multiprocessing ends without running the handlers of atexit.
        multiprocessing = sys.modules.get("multiprocessing")
        if multiprocessing is not None and multiprocessing.parent_process() is not None:
            from multiprocessing.util import Finalize

            Finalize(self, self.finish, exitpriority=100)

    def _after_fork(self) -> None:
        """Makes the child's copy another recorder of the same run, without thread, locks or anything recorded."""
        self._begin()
        self.id = uuid.uuid4().hex
        self.counts = Counts()
        self._has_rank = False
        if self._server is not None:
            self._server.restart()
        if self._claimed is not None:
            self._claimed.held = None

    def _write_all(self) -> None:
        while (call := self._queue.get()) is not _STOP:
            try:
                self._write(call)
            except Exception as error:
                self.count("failed")
                reason = f"{type(error).__name__}: {error}"
                self.warn(f"step {call.step} could not be written: {reason}", reason)
            finally:
                size = call.size
                call.free()
                with self._lock:
                    self._waiting -= 1
                    self._waiting_bytes -= size

    def _write(self, call: _Call) -> None:
        columns = {name: _load(value) for name, value in call.columns.items()}
        lengths: list[int] = []
        arrays = pack(columns, lambda sequences: self._choose(call.step, sequences, columns, lengths))
        rank = self.find_rank()
        arrays["row"] += np.int32(self._number_rows(call.step, lengths[0]))
        metadata = {
            "logratio.schema_version": SCHEMA_VERSION,
            "trainer": "recorder",
            **self._config.facts,
            **call.metadata,
            **self._describe_run(),
            "step": str(call.step),
            "rank": str(rank),
            "recorder": self.id,
        }
        self.count("sequences_left_out", lengths[0] - len(arrays["row"]))
        if self._server is not None:
            self._server.publish(call.step, rank, arrays, metadata)
            return
        assert self.path is not None
        self._enter(rank)
        publish(self.path, f"step_{call.step}.rank_{rank}", arrays, metadata, self.id)
        self.count_written(len(arrays["row"]), int(arrays["response_offsets"][-1]))

    def _describe_run(self) -> dict[str, str]:
        """The run's own part of every file's metadata."""
        tags = json.dumps(self._tags) if self._tags else ""
        return {name: text for name, text in (("run_config", self._config.text), ("run_tags", tags)) if text}

    def _enter(self, rank: int) -> None:
        """Tells the folder's other recorders which rank this is, once it is known."""
        place = self._claimed
        if self._has_rank or place is None or place.roster is None:
            return
        self._has_rank = True
        with contextlib.suppress(OSError):
            if place.held is None:
                place.held = place.roster.enter(self.id, place.launch, rank)
            else:
                place.roster.introduce(place.held, place.launch, rank)
            self.warn_of_twin(place.roster.list_living(but=self.id), rank)

    def warn_of_twin(self, others: Mapping[str, Mapping[str, Any]], rank: int) -> None:
        """Warns if another living recorder has the same rank."""
        for facts in others.values():
            if facts.get("rank") == rank:
                self.warn(
                    f"another process records this run as rank {rank} (process {facts.get('pid')} on {facts.get('host')}): "
                    "both are kept; give each its rank=, or set RANK",
                    "twin",
                )

    def _number_rows(self, step: int, sequences: int) -> int:
        """The first of ``sequences`` rows: calls of one step continue the count, so that a handle names one
        sequence."""
        first = self._rows.pop(step, 0)
        self._rows[step] = first + sequences
        if len(self._rows) > _STEPS_KEPT:
            del self._rows[next(iter(self._rows))]
        return first

    def _choose(self, step: int, sequences: int, columns: Mapping[str, Any], seen: list[int]) -> np.ndarray:
        """Chooses the sequences to write by place only: a choice by length or content would bias every figure."""
        seen.append(sequences)
        order = np.random.default_rng(zlib.crc32(f"{step}.{self.find_rank()}".encode())).permutation(sequences)
        chosen = order[: max(1, round(self._sample * sequences))] if sequences > 0 else order
        if self._max_tokens is not None:
            source = next(
                columns[name] for name in ("rollout_log_probs", "old_log_probs", "responses") if name in columns
            )
            totals = np.cumsum([len(source[i]) for i in chosen])
            chosen = chosen[: max(1, int(np.searchsorted(totals, self._max_tokens, "right")))]
        return np.sort(chosen)

    def find_rank(self) -> int:
        if self._rank is None:
            self._rank = _current_rank()
        return self._rank

    def count(self, name: str, number: int = 1) -> None:
        """Adds to one of the counts."""
        with self._lock:
            setattr(self.counts, name, getattr(self.counts, name) + number)

    def count_written(self, sequences: int, tokens: int) -> None:
        """Counts one more written batch."""
        with self._lock:
            self.counts.written += 1
            self.counts.sequences += sequences
            self.counts.tokens += tokens
            # It was written after `finish` had given up.
            if self._finished and self.counts.unsent > 0:
                self.counts.unsent -= 1

    def warn(self, message: str, reason: str | None = None) -> None:
        """Warns once for each reason, whatever its numbers: a loop of a million steps must not write a million
        lines."""
        key = re.sub(r"[0-9]+", "#", reason or message)
        with self._lock:
            if key in self._said or len(self._said) > _MOST_SAID:
                return
            self._said.add(key)
            if len(self._said) > _MOST_SAID:
                message = "further warnings are not shown; the counts of finish() go on"
        # A user's handler that raises must end neither the loop nor the recorder's threads.
        with contextlib.suppress(Exception):
            logger.warning("logratio: %s", message)

    def introduce(self, how: str) -> None:
        """Prints where the record is, and what earlier runs left there."""
        if self._is_disabled:
            return
        if self._config.unclear:
            self.warn(
                f"config states {' and '.join(self._config.unclear)} twice, differently: neither counts; give meta= to log"
            )
        if self._server is not None and not self._server.is_named:
            self.warn("the run has no name and is called 'run': give name=, or set LOGRATIO_NAME")
        place = self.place if self.path is None else str(self.path.absolute())
        for note in [] if self._claimed is None else self._claimed.notes:
            self.announce(note)
        self.announce(f"{how} {place}")

    def announce(self, message: str) -> None:
        """Prints a line for people, from one process per run: by default, a logger does not show info anywhere."""
        with contextlib.suppress(Exception):
            if self.find_rank() == 0:
                self._print(message)

    def _print(self, message: str) -> None:
        print(f"logratio: {message}", file=sys.stderr, flush=True)

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until everything logged so far is written or, with ``url``, acknowledged; returns whether it was within
        ``timeout`` seconds. Never raises."""
        until = None if timeout is None else time.monotonic() + self._read_seconds(timeout, 60.0)
        return self._flush_files(until) and (self._server is None or self._server.wait(until))

    def _flush_files(self, until: float | None) -> bool:
        while self._waiting > 0:
            if until is not None and time.monotonic() > until:
                return False
            time.sleep(0.005)
        return True

    def measure(self, step: int | None = None, timeout: float = 10.0) -> Figures | None:
        """The mismatch figures of what this rank recorded at a step, read back once it is written.

        Args:
            step: training step; None means the last one logged.
            timeout: seconds to wait for the disk.

        Returns:
            The figures; None, with a warning, if there are none because the step was skipped or dropped, or one policy
            is missing. Never raises.
        """
        if self._is_disabled:
            return None
        try:
            return self._measure(step, timeout)
        except Exception as error:
            self.warn(f"no figures: {type(error).__name__}: {error}")
            return None

    def _measure(self, step: int | None, timeout: float) -> Figures:
        from ..metrics.figures import measure_packed

        timeout = self._read_seconds(timeout, 10.0)
        if not self._flush_files(time.monotonic() + timeout):
            raise TimeoutError(f"the disk took longer than {timeout} seconds")
        step = next(reversed(self._rows), None) if step is None else read_whole("step", step)
        if self._server is not None:
            paths = self._server.find(step) if step is not None else []
        else:
            assert self.path is not None
            paths = sorted(self.path.glob(f"step_{step}.rank_{self.find_rank()}.call_*.safetensors"))
        # Other recorders may have written this step, too: an earlier one that this run resumes, or one of the same
        # rank.
        found = [arrays for arrays, metadata in map(read_safetensors, paths) if metadata.get("recorder") == self.id]
        if not found:
            raise FileNotFoundError(f"nothing was recorded at step {step}")
        return measure_packed(found)

    def scalars(self, step: int | None = None, prefix: str = "logratio/", timeout: float = 10.0) -> dict[str, float]:
        """The figures of `measure` as a flat dict for a logger (see `logratio.scalars`); empty if there are none. Never
        raises."""
        from ..metrics.collect import flatten

        figures = self.measure(step, timeout)
        try:
            return {} if figures is None else flatten(figures.all, prefix)
        except ArgumentError as error:
            self.warn(f"no figures: {error}", error.reason)
            return {}

    def finish(self, timeout: float = 60.0) -> Counts:
        """Writes and sends what waits, for at most ``timeout`` seconds, and prints what was recorded. Never raises.

        It waits at most 5 seconds for a server that is away, since the spool is sent later. The last recorder of a
        directory that ends also asks the program for the run's assessment, for at most 15 seconds, and prints its first
        line; ``$LOGRATIO_ASSESS`` 0 leaves that out.
        """
        return self._finish(timeout, wants_answer())

    def _finish(self, timeout: Any, is_asking: bool) -> Counts:
        with self._lock:
            if self._finished:
                return self.counts
            self._finished = True
            self._queue.put(_STOP)
        with contextlib.suppress(Exception):
            atexit.unregister(self._finish_at_exit)
        lost, place = 0, ""
        until = time.monotonic() + self._read_seconds(timeout, 60.0)
        with contextlib.suppress(Exception):
            lost, place = self._end(until)
        with contextlib.suppress(Exception):
            self._report(lost, place)
            if is_asking:
                self._assess(until)
        return self.counts

    def _finish_at_exit(self) -> None:
        # After an error, a person wants to see that, and to have the prompt back.
        self._finish(60.0, wants_answer() and getattr(sys, "last_value", None) is None)

    def _read_seconds(self, timeout: Any, usual: float) -> float:
        """A timeout; if it is not a number, the usual one, with a warning."""
        try:
            return read_number("timeout", timeout, "a number of seconds")
        except ArgumentError as error:
            self.warn(f"{error}: {usual:g} are waited", error.reason)
            return usual

    def _end(self, until: float) -> tuple[int, str]:
        """Ends writing; the number of batches still in memory, and where the spooled ones wait."""
        if self._thread is not None:
            self._thread.join(max(0.0, until - time.monotonic()))
        left, folder = (0, "") if self._server is None else self._server.finish(until)
        with self._lock:
            waiting = self._waiting
            self.counts.unsent = waiting + left
        place = self._claimed
        if waiting == 0 and place is not None and place.held is not None and place.roster is not None:
            place.held.release(remove=True)
            if place.launch is not None:
                place.roster.mark_done(place.launch, self.find_rank())
        return waiting, folder if left else ""

    def _report(self, lost: int, folder: str) -> None:
        counts = self.counts
        text = describe(counts, self.place)
        if lost > 0:
            text += f"; {lost} were still in memory when the time ran out, and are lost if the process ends now"
        if folder:
            text += f"; what was not sent waits in {folder}: the next recorder of this run on this machine sends it"
        if counts.dropped or counts.failed or counts.unsent or (counts.empty and not counts.written):
            logger.warning("logratio: %s", text)
        elif counts.written:
            self.announce(text)

    def _assess(self, until: float) -> None:
        """Prints the first line of the assessment, if no other recorder of the run still writes."""
        place = self._claimed
        if place is None or self.counts.written == 0 or (place.roster is not None and place.roster.list_living()):
            return
        answer = find_answer(place.path, until - time.monotonic())
        if answer is not None:
            self._answer = answer
            self._print(describe_answer(answer, place.path))

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._finish(60.0, wants_answer() and kind is None)


def _merge(
    batch: tuple[Any, ...], step: Any, given: dict[str, Any], meta: Mapping[str, Any] | None
) -> tuple[Any, dict[str, Any], Mapping[str, Any] | None]:
    """Joins columns given as a dict with those given by keyword."""
    dicts = list(batch)
    if len(dicts) == 2 and step is None:
        # W&B's order: log(data, step).
        step = dicts.pop()
    if len(dicts) > 1 or not all(isinstance(columns, Mapping) for columns in dicts):
        raise TypeError("log takes columns by keyword, or one dict of them: run.log(columns, step=step)")
    for columns in dicts:
        rest = dict(columns)
        step = rest.pop("step", None) if step is None else step
        meta = rest.pop("meta", None) if meta is None else meta
        given = {**rest, **{name: value for name, value in given.items() if value is not None}}
    if step is None:
        raise TypeError("log needs the training step: run.log(step=step, …)")
    return step, given, meta


def _read_least(name: str, value: Any, least: int) -> int:
    number = read_whole(name, value)
    if number < least:
        raise ValueError(f"{name} must be at least {least}, not {number}")
    return number


def _load(value: Any) -> Any:
    if isinstance(value, (Copied, _Rows)):
        return value.load()
    if isinstance(value, dict):
        return {policy: tuple(copied.load() for copied in pair) for policy, pair in value.items()}
    if isinstance(value, list) and value and isinstance(value[0], Copied):
        return [copied.load() for copied in value]
    return value


def _current_rank() -> int:
    # Only if the loop itself has imported it, because importing torch takes seconds.
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return int(distributed.get_rank())
    return int(os.environ.get("RANK") or 0)


def _after_fork() -> None:
    for recorder in list(_recorders):
        recorder._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
