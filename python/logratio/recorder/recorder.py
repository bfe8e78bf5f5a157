"""The recorder: ``log`` copies and returns, a thread packs and writes, and nothing is ever raised into the loop."""

from __future__ import annotations

import atexit
import logging
import os
import queue
import sys
import threading
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import Copied, Copier, copy, is_ragged, join_rows
from .columns import BatchError, check_columns
from .files import publish, read_safetensors
from .record import pack
from .spool import ServerSink

if TYPE_CHECKING:
    from ..metrics.figures import Figures

logger = logging.getLogger("logratio")

SCHEMA_VERSION = "1"
_TEXTS = {"uid", "sample_id", "data_source", "finish_reason", "engine_id", "prompt_text", "response_text"}
#: What 64-bit integers become as they are copied: what the record has for ids, and for a mask whether it is 0.
_NARROW: dict[str, Any] = {
    "responses": np.int32,
    "prompts": np.int32,
    "trainer_prompts": np.int32,
    "response_mask": np.bool_,
    "attention_mask": np.bool_,
    "prompt_mask": np.bool_,
}
_STOP = None
#: Steps whose rows are counted on; asynchronous loops have a few under way.
_STEPS_KEPT = 64


@dataclass
class Counts:
    """What became of the calls of ``log``."""

    #: Written, as whole files; with ``url``, acknowledged by the server.
    written: int = 0
    #: Steps between those that ``every`` asks for.
    passed_over: int = 0
    #: The queue was full: the disk is slower than the loop. With ``url`` also: the spool was, since the server was away.
    dropped: int = 0
    #: Could not be copied, packed or written, or the server refused them; each reason is logged once.
    failed: int = 0
    #: With ``url``: still in the spool when the recorder finished; the next one of this run and rank sends them.
    unsent: int = 0
    sequences: int = 0
    tokens: int = 0
    #: Left out by ``sample`` and ``max_tokens``.
    sequences_left_out: int = 0

    def add_written(self, sequences: int, tokens: int) -> None:
        """One more batch is where it belongs."""
        self.written += 1
        self.sequences += sequences
        self.tokens += tokens


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
    """One copy of rows of different lengths, end to end."""

    copied: Copied
    lengths: list[int]

    def load(self) -> list[np.ndarray]:
        return np.split(self.copied.load(), np.cumsum(self.lengths)[:-1])


class Recorder:
    """Writes what ``log`` is given into a directory that ``logratio report`` and ``logratio view --follow`` read, or sends
    it to ``logratio serve``.

    Every rank writes files of its own, ``NAME/step_S.rank_R.call_N.safetensors``; a file has its name only when it is
    whole. Use ``init`` to make one.

    Args:
        dir: where runs lie; ``$LOGRATIO_DIR``, else ``logratio`` in the current directory.
        name: of the run, a folder in ``dir``; None writes into ``dir`` itself. With ``url`` None means ``$LOGRATIO_NAME``,
            else ``run``.
        url: of ``logratio serve``, in place of ``dir``; None means ``$LOGRATIO_URL`` where ``dir`` is not given. The token
            is ``$LOGRATIO_TOKEN``.
        rank: of this process; None asks ``torch.distributed`` if it runs, else ``$RANK``, else 0.
        every: logs each so many steps.
        sample: share of the sequences to write, 0 to 1; the same sequences of a step on every machine.
        max_tokens: of one call, tokens to write at most; whole sequences are left out, chosen without looking at them.
        max_queue_bytes: copies that may wait for the disk; beyond it calls are dropped and counted.
        max_spool_bytes: with ``url``, files that may wait for the server in ``$LOGRATIO_SPOOL`` (default: the system's
            temporary directory); beyond it calls are dropped and counted.
    """

    def __init__(
        self,
        dir: str | os.PathLike[str] | None = None,
        name: str | None = None,
        *,
        url: str | None = None,
        rank: int | None = None,
        every: int = 1,
        sample: float = 1.0,
        max_tokens: int | None = None,
        max_queue_bytes: int = 2 << 30,
        max_spool_bytes: int = 4 << 30,
    ) -> None:
        if every < 1:
            raise ValueError(f"every must be at least 1, not {every}")
        if not 0 < sample <= 1:
            raise ValueError(f"sample must be above 0 and at most 1, not {sample}")
        if dir is not None and url is not None:
            raise ValueError("dir and url cannot be combined: batches go to one place")
        if url is None and dir is None:
            url = os.environ.get("LOGRATIO_URL") or None
        self.counts = Counts()
        self._rank = rank
        self._said: set[str] = set()
        self._server: ServerSink | None = None
        if url is not None:
            self._server = ServerSink(url, name, max_spool_bytes, self.counts, self._find_rank, self._warn)
        base = Path(dir if dir is not None else os.environ.get("LOGRATIO_DIR") or "logratio")
        #: Where this run's files go; None where a server has them.
        self.path: Path | None = None if self._server is not None else base if name is None else base / name
        #: With ``url``: the address of the run's page, which is there once the first batch is.
        self.page: str | None = None if self._server is None else self._server.page
        #: The directory, or the server with the run's name.
        self.place = str(self.path) if self._server is None else self._server.place
        self._every = every
        self._sample = sample
        self._max_tokens = max_tokens
        self._max_queue_bytes = max_queue_bytes
        self._copier = Copier()
        self._queue: queue.Queue[_Call | None] = queue.Queue()
        self._waiting = 0
        self._waiting_bytes = 0
        self._lock = threading.Lock()
        self._rows: dict[int, int] = {}
        self._thread: threading.Thread | None = None
        self._pid = os.getpid()
        self._finished = False

    def log(
        self,
        *,
        step: int,
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
        """Records a batch. Returns as soon as it is copied; never raises.

        Arrays are numpy's, torch's (any device and type) or lists: ``[B, T]`` with responses right-padded, or one array
        for each of ``B`` sequences.

        Args:
            step: training step.
            rollout_log_probs: log-probs of the sampled tokens under the engine, nats.
            old_log_probs: the same under the trainer, before the update.
            response_mask: 1 for tokens that the policy sampled.
            responses: response token ids.
            prompts: prompt token ids, ``[B, P]`` left-padded, or one array for each sequence.
            uid: of each sequence, its prompt's group.
            rewards: one for each sequence, or ``[B, T]``, which is summed.
            advantages: ``[B, T]``, or one for each sequence.
            top_k: alternatives by policy (``"rollout"``, ``"trainer"``): ids and log-probs, ``[B, T, K]`` each.
            meta: facts of the whole batch: ``temperature``, ``top_p``, ``top_k``, ``min_p``, ``repetition_penalty``,
                ``presence_penalty``, ``frequency_penalty``, ``logprobs_mode``, ``trainer``; and of each side
                ``rollout_software``, ``rollout_weights``, ``rollout_config``, ``rollout_topology``, ``trainer_software``
                and so on: versions, digests, and how the model was spread.
            further: ``attention_mask`` ``[B, P + T]``, ``prompt_mask``, ``ref_log_prob``, ``rollout_entropy``,
                ``entropys``, ``digit_log_probs`` ``[B, T, 10]``, ``acc``, ``position_ids``, ``weight_versions``, ``data_source``, ``sample_id``,
                ``prompt_text``, ``response_text``; what decides causes: ``finish_reason``, ``engine_id`` and
                ``cached_tokens`` of each sequence, ``kept_mass`` (of top-p, top-k and min-p) and ``route_agreement`` at
                each token, both as fractions, and ``trainer_prompts`` where the trainer scored other prompt ids.
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
        try:
            self._log(int(step), given, meta or {})
        except Exception as error:
            # Whatever it is, a training run is worth more than a recording of it.
            self.counts.failed += 1
            reason = error.reason if isinstance(error, BatchError) else None
            self._warn(f"a batch could not be recorded: {type(error).__name__}: {error}", reason)

    def _log(self, step: int, given: dict[str, Any], meta: Mapping[str, Any]) -> None:
        if self._finished:
            raise RuntimeError("the recorder is finished")
        if not self.is_due(step):
            self.counts.passed_over += 1
            return
        if self._waiting_bytes > self._max_queue_bytes:
            self.counts.dropped += 1
            self._warn("batches are dropped: the disk is slower than the training loop (every= or sample= writes less)")
            return
        call = _Call(step, {}, {name: str(value) for name, value in meta.items()})
        try:
            for name, value in check_columns(given).items():
                call.columns[name] = self._copy_column(name, value, call.copies)
            self._copier.join()
        except BaseException:
            self._copier.join()
            call.free()
            raise
        self._start()
        with self._lock:
            self._waiting += 1
            self._waiting_bytes += call.size
        self._queue.put(call)

    def is_due(self, step: int) -> bool:
        """Whether ``log`` would record this step; ask before computing what is only for the record."""
        return step % self._every == 0

    def _copy_column(self, name: str, value: Any, copies: list[Copied]) -> Any:
        """The column with its arrays as loaders; texts as they are, since strings do not change."""

        def keep(array: Any) -> Copied:
            copies.append(copy(array, self._copier, _NARROW.get(name)))
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
        if self._pid != os.getpid():
            # Threads do not survive a fork: the child has the queue of its parent and no thread that empties it.
            self._pid = os.getpid()
            self._thread = None
            self._queue = queue.Queue()
            self._lock = threading.Lock()
            self._waiting = self._waiting_bytes = 0
            if self._server is not None:
                self._server.restart()
        if self._thread is None:
            self._thread = threading.Thread(target=self._write_all, name="logratio-recorder", daemon=True)
            self._thread.start()
            atexit.register(self.finish)

    def _write_all(self) -> None:
        while (call := self._queue.get()) is not _STOP:
            try:
                self._write(call)
            except Exception as error:
                self.counts.failed += 1
                reason = f"{type(error).__name__}: {error}"
                self._warn(f"step {call.step} could not be written: {reason}", reason)
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
        rank = self._find_rank()
        arrays["row"] += np.int32(self._number_rows(call.step, lengths[0]))
        metadata = {
            "logratio.schema_version": SCHEMA_VERSION,
            "trainer": "recorder",
            **call.metadata,
            "step": str(call.step),
            "rank": str(rank),
        }
        stem = f"step_{call.step}.rank_{rank}"
        self.counts.sequences_left_out += lengths[0] - len(arrays["row"])
        if self._server is not None:
            self._server.publish(call.step, stem, arrays, metadata)
            return
        assert self.path is not None
        publish(self.path, stem, arrays, metadata)
        self.counts.add_written(len(arrays["row"]), int(arrays["response_offsets"][-1]))

    def _number_rows(self, step: int, sequences: int) -> int:
        """The row of the first of ``sequences``: calls of one step count on, so that a handle names one sequence."""
        first = self._rows.pop(step, 0)
        self._rows[step] = first + sequences
        if len(self._rows) > _STEPS_KEPT:
            del self._rows[next(iter(self._rows))]
        return first

    def _choose(self, step: int, sequences: int, columns: Mapping[str, Any], seen: list[int]) -> np.ndarray:
        """Which sequences to write, from their place alone: a choice by length or content would bend every figure."""
        seen.append(sequences)
        order = np.random.default_rng(zlib.crc32(f"{step}.{self._find_rank()}".encode())).permutation(sequences)
        chosen = order[: max(1, round(self._sample * sequences))] if sequences > 0 else order
        if self._max_tokens is not None:
            source = next(
                columns[name] for name in ("rollout_log_probs", "old_log_probs", "responses") if name in columns
            )
            totals = np.cumsum([len(source[i]) for i in chosen])
            chosen = chosen[: max(1, int(np.searchsorted(totals, self._max_tokens, "right")))]
        return np.sort(chosen)

    def _find_rank(self) -> int:
        if self._rank is None:
            self._rank = _current_rank()
        return self._rank

    def _warn(self, message: str, reason: str | None = None) -> None:
        """Once for each reason: a loop of a million steps must not write a million lines."""
        if (reason or message) not in self._said:
            self._said.add(reason or message)
            logger.warning("logratio: %s", message)

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until everything logged so far is written, or with ``url`` acknowledged; whether it was, within ``timeout``
        seconds."""
        until = None if timeout is None else time.monotonic() + timeout
        return self._flush_files(until) and (self._server is None or self._server.wait(until))

    def _flush_files(self, until: float | None) -> bool:
        while self._waiting > 0:
            if until is not None and time.monotonic() > until:
                return False
            time.sleep(0.005)
        return True

    def measure(self, step: int | None = None, timeout: float = 10.0) -> Figures | None:
        """The mismatch figures of what this rank recorded at a step: read back, once it is written.

        Args:
            step: of training; None means the last that was logged.
            timeout: seconds to wait for the disk.

        Returns:
            None, and a warning, where there are none: the step was passed over or dropped, or one policy is missing.
            Never raises.
        """
        try:
            return self._measure(step, timeout)
        except Exception as error:
            self._warn(f"no figures: {type(error).__name__}: {error}")
            return None

    def _measure(self, step: int | None, timeout: float) -> Figures:
        from ..metrics.figures import measure_packed

        if not self._flush_files(time.monotonic() + timeout):
            raise TimeoutError(f"the disk took longer than {timeout} seconds")
        if step is None:
            step = next(reversed(self._rows), None)
        folder = self.path if self._server is None else self._server.folder
        paths = sorted(folder.glob(f"step_{step}.rank_{self._find_rank()}.call_*.safetensors")) if folder else []
        if not paths:
            raise FileNotFoundError(f"nothing was recorded at step {step}")
        return measure_packed([read_safetensors(path)[0] for path in paths])

    def scalars(self, step: int | None = None, prefix: str = "logratio/", timeout: float = 10.0) -> dict[str, float]:
        """The figures of `measure` as a flat dict for a logger (see `logratio.scalars`); empty where there are none."""
        from ..metrics.collect import flatten

        figures = self.measure(step, timeout)
        return {} if figures is None else flatten(figures.all, prefix)

    def finish(self, timeout: float = 60.0) -> Counts:
        """Writes and sends what waits, at most ``timeout`` seconds long, and says what was recorded. Never raises."""
        if self._finished or self._pid != os.getpid():
            return self.counts
        self._finished = True
        if self._thread is not None:
            until = time.monotonic() + timeout
            self._queue.put(_STOP)
            self._thread.join(timeout)
            atexit.unregister(self.finish)
            if self._server is not None:
                self._server.finish(until)
        logger.info("logratio: %s", describe(self.counts, self.place))
        if self.counts.dropped or self.counts.failed or self.counts.unsent:
            logger.warning("logratio: %s", describe(self.counts, self.place))
        return self.counts

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.finish()


def init(dir: str | os.PathLike[str] | None = None, name: str | None = None, **options: Any) -> Recorder:
    """Begins a recording; see `Recorder` for the arguments. It can be used in ``with``, and finishes by itself at exit.

    Raises:
        ValueError: when an argument is out of its range.
    """
    return Recorder(dir, name, **options)


def describe(counts: Counts, place: str | Path) -> str:
    """What was recorded, in one line."""
    parts = [f"{counts.written} batches ({counts.sequences} sequences, {counts.tokens} tokens) written to {place}"]
    if counts.dropped:
        slow = "server was away or" if str(place).startswith("http") else "disk was"
        parts.append(f"{counts.dropped} dropped because the {slow} too slow")
    if counts.unsent:
        parts.append(f"{counts.unsent} not sent yet: the next recorder of this run sends them")
    if counts.failed:
        parts.append(f"{counts.failed} failed")
    if counts.sequences_left_out:
        parts.append(f"{counts.sequences_left_out} sequences left out by sample and max_tokens")
    return ", ".join(parts)


def _load(value: Any) -> Any:
    if isinstance(value, (Copied, _Rows)):
        return value.load()
    if isinstance(value, dict):
        return {policy: tuple(copied.load() for copied in pair) for policy, pair in value.items()}
    if isinstance(value, list) and value and isinstance(value[0], Copied):
        return [copied.load() for copied in value]
    return value


def _current_rank() -> int:
    # Only where the loop itself has imported it: importing torch takes seconds.
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return int(distributed.get_rank())
    return int(os.environ.get("RANK") or 0)


__all__ = ["BatchError", "Counts", "Recorder", "describe", "init"]
