"""Runs tasks on actors that may be lost at any moment.

    waiting ──► an idle actor ──► done
       ▲                │
       └── its actor, its node or its process is lost ──► again, `retries` times, then given up

A lost actor is replaced; the new one only counts once it has answered, since a cluster that lost a node may have no
room for it.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import ray
from ray.exceptions import RayActorError, RayError, RayTaskError

from ..errors import LogratioError
from ..shard_worker import WorkerDied
from .actors import start_summarizer

#: Seconds between looks at a cluster while nothing happens.
_PATIENCE = 30.0
#: Seconds without any worker before that is reported.
_SILENCE = 5.0

logger = logging.getLogger("logratio")


@dataclass(frozen=True)
class Task:
    """One call of an actor's method.

    Attributes:
        key: returned with the result.
        call: makes the call on an actor and returns its reference.
    """

    key: Any
    call: Callable[[Any], Any]


@dataclass(frozen=True)
class Done:
    """The outcome of a task: a result, or the error of its last try."""

    key: Any
    result: Any = None
    error: LogratioError | None = None
    #: Whether the error is due to the cluster or the process, not to the task's input.
    is_lost: bool = False


class ActorPool:
    """A pool of at most ``size`` actors. Tasks that lose their actor are tried again up to ``retries`` times.

    Args:
        tell: called with a sentence if no worker starts for a while; None writes it to the logger ``logratio``.
    """

    def __init__(
        self,
        size: int,
        *,
        retries: int,
        runtime_env: Mapping[str, Any] | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        self._tell = tell or logger.warning
        self._waits_since: float | None = None
        self._has_said = False
        self._size = size
        self._retries = retries
        self._runtime_env = runtime_env
        self._idle: deque[Any] = deque()
        #: Starting actors, by the reference of the answer that they still owe.
        self._starting: dict[Any, Any] = {}
        self._busy: dict[Any, tuple[Any, Task]] = {}
        #: Failed starts since the last successful one.
        self._failed_starts = 0
        #: Number of actors and processes lost so far.
        self.lost = 0
        #: The largest number of actors at a time.
        self.most = 0

    def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """Runs all tasks in any order and yields each when it is done.

        Raises:
            LogratioError: if no actor starts.
        """
        waiting = deque(tasks)
        tries: dict[Any, int] = {}
        while waiting or self._busy:
            self._grow(len(waiting))
            while waiting and self._idle:
                actor, task = self._idle.popleft(), waiting.popleft()
                self._busy[task.call(actor)] = (actor, task)
            ready = self._wait()
            for ref in ready:
                if ref in self._starting:
                    self._admit(ref)
                    continue
                actor, task = self._busy.pop(ref)
                done = self._collect(ref, actor, task)
                if done.error is None or not done.is_lost:
                    yield done
                    continue
                self.lost += 1
                tries[task.key] = tries.get(task.key, 0) + 1
                if tries[task.key] > self._retries:
                    yield done
                else:
                    waiting.append(task)

    def _wait(self) -> list[Any]:
        """Waits for the next answers; reports if the cluster gives no worker, since that looks like a job that
        hangs."""
        waits = not self._busy and not self._idle
        timeout = _SILENCE if waits and not self._has_said else _PATIENCE
        ready: list[Any]
        ready, _ = ray.wait([*self._busy, *self._starting], num_returns=1, timeout=timeout)
        if ready or not waits:
            self._waits_since = None
            return ready
        self._waits_since = self._waits_since or time.monotonic() - timeout
        waited = time.monotonic() - self._waits_since
        free = ray.available_resources().get("CPU", 0.0)
        # If a core is free, starting is merely slow.
        if not self._has_said and (free < 1 or waited > _PATIENCE):
            self._has_said = True
            self._tell(self._describe_wait(waited, free))
        return ready

    def _describe_wait(self, seconds: float, free: float) -> str:
        total = ray.cluster_resources().get("CPU", 0.0)
        why = (
            f"all {total:g} cores of the cluster are taken, likely by a training job; add a node or free a core, or "
            "use the command line on one machine, which gives the same figures"
            if free < 1
            else f"{free:g} of {total:g} cores are free, so its nodes are likely still installing or starting"
        )
        return (
            f"no worker has started in {seconds:.0f} s: {why}; waiting for one (stop with Ctrl-C; what is done is kept)"
        )

    def close(self) -> None:
        """Ends the actors and their processes."""
        for actor in [*self._idle, *self._starting.values(), *(actor for actor, _ in self._busy.values())]:
            ray.kill(actor)
        self._idle.clear()
        self._starting.clear()
        self._busy.clear()

    def _grow(self, waiting: int) -> None:
        alive = len(self._idle) + len(self._starting) + len(self._busy)
        useful = len(self._busy) + waiting
        for _ in range(min(self._size, useful) - alive):
            actor = start_summarizer(self._runtime_env)
            self._starting[actor.start.remote()] = actor
        self.most = max(self.most, len(self._idle) + len(self._busy))

    def _admit(self, ref: Any) -> None:
        actor = self._starting.pop(ref)
        try:
            ray.get(ref)
        except RayTaskError as error:
            raise _as_logratio_error(error) from error
        except RayActorError as error:
            # Actors lost with their node are replaced; if none starts, that would go on forever.
            self._failed_starts += 1
            if self._failed_starts <= self._retries:
                return
            raise LogratioError(
                f"no worker starts on the cluster: {_first_line(error)}",
                likely="its nodes lack the logratio package",
                hint="pip install 'logratio[ray]' on every node, or give runtime_env={'pip': ['logratio[ray]']}",
            ) from error
        self._failed_starts = 0
        self._idle.append(actor)

    def _collect(self, ref: Any, actor: Any, task: Task) -> Done:
        """Returns the outcome of a task and marks its actor as idle, unless it was lost."""
        try:
            result = ray.get(ref)
        except RayActorError as error:
            return Done(task.key, error=LogratioError(f"the worker was lost: {_first_line(error)}"), is_lost=True)
        except RayTaskError as error:
            self._idle.append(actor)
            return Done(task.key, error=_as_logratio_error(error), is_lost=isinstance(error.cause, WorkerDied))
        except RayError as error:
            # The node was lost after the task was done and before its result was fetched.
            self._idle.append(actor)
            return Done(task.key, error=LogratioError(f"a result was lost: {_first_line(error)}"), is_lost=True)
        self._idle.append(actor)
        return Done(task.key, result)


def _first_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[0]


def _as_logratio_error(error: RayTaskError) -> LogratioError:
    """The error of the task itself; Ray's wrapper only adds a traceback."""
    cause = error.cause
    return cause if isinstance(cause, LogratioError) else LogratioError(f"a worker failed: {_first_line(error)}")
