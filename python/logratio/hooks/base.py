"""What all hooks share: one recorder per process, and a guard between a hook and the training loop."""

from __future__ import annotations

import functools
import importlib.metadata
import logging
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ..recorder import Recorder
from ..recorder.config import SAMPLING

logger = logging.getLogger("logratio")

P = ParamSpec("P")
R = TypeVar("R")

#: The most frames of this package between a trainer's call and the function that looks for its variables.
_FRAMES = 8


class Lacking(LookupError):
    """The trainer lacks some figures in this run; the message says what to set."""


class Hook:
    """One trainer's hook.

    The environment configures recording, since most hooks are named on a command line: ``LOGRATIO_DIR`` (default
    ``logratio``) or ``LOGRATIO_URL`` with ``LOGRATIO_NAME``; ``LOGRATIO_RESUME`` (``allow``, ``must`` or ``never``, for
    an earlier run there); ``LOGRATIO_EVERY`` (records every n-th step); ``LOGRATIO_SAMPLE`` (share of the sequences);
    ``LOGRATIO_MAX_TOKENS`` (per call); ``LOGRATIO_FIGURES`` (0: none for the trainer's own logger);
    ``LOGRATIO_SCORE_EVERY`` and ``LOGRATIO_SCORE_SEQUENCES`` (see `Scoring`).

    Args:
        trainer: the trainer's name, recorded as ``trainer``.
        distribution: its name on PyPI, to find its version.
        written_for: the version or commit that the hook was written for.
        expects: what the hook reads, for the message if it is not found.
    """

    def __init__(self, trainer: str, distribution: str, written_for: str, expects: str) -> None:
        self.trainer = trainer
        self.distribution = distribution
        self.written_for = written_for
        self.expects = expects
        self._recorder: Recorder | None = None
        self._said: set[str] = set()

    @functools.cached_property
    def version(self) -> str | None:
        """The installed version, which takes half a millisecond to find; None for a checkout that was never
        installed."""
        try:
            return importlib.metadata.version(self.distribution)
        except importlib.metadata.PackageNotFoundError:
            return None

    def open_recorder(self, rank: int | None = None) -> Recorder:
        """This process's recorder, created at the first call.

        Raises:
            ValueError: if an environment variable is out of range.
        """
        if self._recorder is None:
            self._recorder = self.make_recorder(rank)
        return self._recorder

    def make_recorder(
        self, rank: int | None = None, dir: str | os.PathLike[str] | None = None, name: str | None = None
    ) -> Recorder:
        """A recorder with the options of the environment, which says where it is.

        Raises:
            TypeError: if ``dir`` or ``name`` has another type.
            ValueError: if one of them, or an environment variable, is out of range.
        """
        recorder = Recorder(
            dir,
            name,
            rank=rank,
            every=read_number("LOGRATIO_EVERY", int, 1),
            sample=read_number("LOGRATIO_SAMPLE", float, 1.0),
            max_tokens=read_number("LOGRATIO_MAX_TOKENS", int, None),
        )
        where = "at" if recorder.path is None else "in"
        recorder.introduce(f"{self.trainer}: records both policies {where}")
        return recorder

    def log(
        self,
        step: int,
        *,
        rank: int | None = None,
        meta: dict[str, Any] | None = None,
        recorder: Recorder | None = None,
        **columns: Any,
    ) -> None:
        """Records a batch under the trainer's name, by default with the recorder of this process; see
        ``Recorder.log``."""
        known = {name: value for name, value in (meta or {}).items() if value is not None}
        software = {} if self.version is None else {"trainer_software": f"{self.distribution} {self.version}"}
        recorder = self.open_recorder(rank) if recorder is None else recorder
        recorder.log(step=step, meta={"trainer": self.trainer, **software, **known}, **columns)

    def flush(self) -> None:
        """Waits until everything is written, for loops whose process ends without running its exit handlers."""
        if self._recorder is not None:
            self._recorder.flush(60)

    def guard(self, function: Callable[P, R]) -> Callable[P, R | None]:
        """Wraps ``function`` so that a failure in it is reported once and the loop continues."""

        @functools.wraps(function)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> R | None:
            try:
                return function(*args, **kwargs)
            except Lacking as error:
                self.say(f"nothing is recorded: {error}")
            except Exception as error:
                self.say(
                    f"a batch was not recorded, training goes on: {type(error).__name__}: {error}; "
                    f"the hook was written for {self.trainer} {self.written_for} and expects {self.expects}"
                )
            return None

        return guarded

    def say(self, text: str) -> None:
        """Warns once for each text, because a loop of a million steps must not write a million lines."""
        if text not in self._said:
            self._said.add(text)
            logger.warning("logratio: %s%s: %s", self.trainer, f" {self.version}" if self.version else "", text)


def need(found: Any, message: str) -> Any:
    """Returns the value.

    Raises:
        Lacking: with the message, if the value is None.
    """
    if found is None:
        raise Lacking(message)
    return found


def look_up(batch: Any, name: str) -> Any:
    """A column of a dict, a TensorDict or an object with attributes; None if there is none."""
    if hasattr(batch, "keys"):
        return batch[name] if name in set(batch.keys()) else None
    return getattr(batch, name, None)


def describe_sampling(source: Any, prefix: str = "") -> dict[str, Any]:
    """The sampling parameters of an object or a dict, by the record's names, without those that are unset or off."""
    read = source.get if isinstance(source, dict) else functools.partial(_read_attribute, source)
    found = {name: read(prefix + name) for name in SAMPLING}
    # 0 and -1 mean no top-k.
    return {
        name: value
        for name, value in found.items()
        if isinstance(value, (int, float, str)) and not (name == "top_k" and float(value) <= 0)
    }


def _read_attribute(source: Any, name: str) -> Any:
    return getattr(source, name, None)


def spread_versions(versions: Sequence[Any], mask: Any) -> np.ndarray | None:
    """The version of the weights at each token ``[T]``, from one for each generation call; -1 where unknown.

    Several versions belong to one turn each if there are as many turns. If a response was continued in mid-turn, it is
    unknown where. None if nothing is known.
    """
    numbers = [int(version) if str(version).isdigit() else -1 for version in versions]
    on = np.asarray(mask.tolist() if hasattr(mask, "tolist") else mask) != 0
    turns = np.cumsum(on & ~np.concatenate([[False], on[:-1]])) - 1
    if not numbers or max(numbers) < 0 or (len(set(numbers)) > 1 and turns.max(initial=-1) + 1 != len(numbers)):
        return None
    spread = np.array(numbers)[turns] if len(set(numbers)) > 1 else np.full(len(on), numbers[0])
    return np.where(on, spread, -1).astype(np.int32)


def find_caller(*names: str) -> dict[str, Any]:
    """The variables of the nearest calling function that has all of these names; an empty dict if none has."""
    frame = sys._getframe(1)
    for _ in range(_FRAMES):
        if frame.f_back is None:
            break
        frame = frame.f_back
        variables = frame.f_locals
        if all(name in variables for name in names):
            return dict(variables)
    return {}


def cut_rows(value: Any, spans: Sequence[tuple[int, int]]) -> list[Any] | None:
    """Row i of ``[B, L]`` from ``spans[i][0]`` to ``spans[i][1]``, as views, which the recorder copies immediately."""
    return None if value is None else [row[start:end] for row, (start, end) in zip(value, spans, strict=True)]


def find_spans(mask: Any) -> list[tuple[int, int]]:
    """The span ``[from, to)`` from the first 1 to the last 1 in each row of ``[B, L]``; ``(0, 0)`` without any."""
    on = mask.bool()
    first = on.int().argmax(1)
    last = on.shape[1] - on.flip(1).int().argmax(1)
    return [(a, b) if any_on else (0, 0) for a, b, any_on in zip(*_to_lists(first, last, on.any(1)), strict=True)]


def _to_lists(*tensors: Any) -> list[list[Any]]:
    return [tensor.tolist() for tensor in tensors]


def read_number(name: str, kind: type[int] | type[float], default: Any) -> Any:
    """The number in an environment variable, or the default if it is not set.

    Raises:
        ValueError: if it holds anything else.
    """
    text = os.environ.get(name)
    if not text:
        return default
    try:
        return kind(text)
    except ValueError:
        raise ValueError(f"{name} must be a number, not {text!r}") from None
