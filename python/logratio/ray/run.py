"""``summarize``, and the verbs that answer from its parts: a run of any size, on the cores of a cluster.

    paths ─► plan ─► chunks of shards ─► a part each, on the pool ─► files in `out` ─► merged, in a tree ─► the result
                            └ parts that `out` already has are not made again

Figures are those of a single process, whichever worker makes a part and in whichever order parts are merged.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import ray

from ..errors import LogratioError
from ..notebook.reports import Report
from ..program import run_program, write_flags
from ..runs import OpenRun
from ..runs.open import as_paths
from ..shard_worker import Plan
from ..verbs.result import Question, Result
from .chunks import Chunk, make_chunks, split_chunk
from .pool import ActorPool, Task

#: Parts that one process merges in a second or two; if there are more, actors merge groups first.
FAN_IN = 128
Made = TypeVar("Made", bound=Result[Any])


@dataclass(frozen=True)
class Summary:
    """The result of `summarize`.

    Attributes:
        part: the file with the merged part, for ``logratio merge`` or the verb that it is for.
        shards: number of files, or groups of files, in the run.
        resumed: number of shards whose parts an earlier job left in ``out``.
        lost: number of workers that were lost; their shards were summarized again.
        given_up: names of the shards that ended every worker that tried them, and why. Shards that cannot be *read* are
            not among them; the part reports them, as the report of a single process would.
        workers: the largest number of actors at a time.
        seconds: time from the plan to the merged part.
    """

    part: Path
    shards: int
    resumed: int
    lost: int
    given_up: Mapping[str, str]
    workers: int
    seconds: float


def summarize(
    paths: Any,
    *,
    out: str | os.PathLike[str],
    verb: str = "report",
    address: str | None = None,
    workers: int | None = None,
    retries: int = 3,
    runtime_env: Mapping[str, Any] | None = None,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> Summary:
    """Summarizes a run on a Ray cluster, with a worker process for each core.

    Args:
        paths: files, directories and addresses, as the *cluster* sees them: a shared file system or an object store.
        out: directory on this machine for the parts. Repeating the call resumes where the last one stopped; files that
            were rewritten since then are summarized again. Parts for several verbs may share it.
        verb: what the parts are for: ``report``, ``doctor``, ``sweep``, ``divergence``; ``kl``, whose paths are studies.
        address: address of the cluster (``ray://host:10001``, ``auto``); None for the one that this process is
            connected to, or that ``RAY_ADDRESS`` names, or else a new one on this machine.
        workers: number of actors, each with one core; None for all cores of the cluster.
        retries: how often a chunk of shards is tried again after its worker or its node was lost.
        runtime_env: Ray's, for the actors: ``{"pip": ["logratio[ray]"]}`` if the nodes lack the package.
        progress: called with a sentence that says what was done; None: not called.
        options: flags of ``logratio summarize`` with underscores: ``steps="100..200"``, ``rollout="column"``.

    Raises:
        LogratioError: if nothing can be read, no worker starts, or parts in ``out`` were made with other options.
    """
    start = time.monotonic()
    # Parts for a report keep the names from before there were other verbs, so that begun work can be resumed.
    suffix = "" if verb == "report" else f"-{verb}"
    if suffix:
        options = {**options, "for": verb}
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    tell = progress or (lambda _: None)
    with _connected(address):
        pool = ActorPool(workers or _count_cores(), retries=retries, runtime_env=runtime_env, tell=progress)
        try:
            plan = _make_plan(pool, as_paths(paths), options)
            planned = folder / f"plan{suffix}.lrs"
            _write_whole(planned, plan.part)
            chunks = make_chunks(plan.shards, options)
            kept = [chunk for chunk in chunks if (folder / chunk.name).exists()]
            missing = [chunk for chunk in chunks if not (folder / chunk.name).exists()]
            resumed = sum(len(chunk.shards) for chunk in kept)
            tell(f"{len(plan.shards)} shards in {len(chunks)} chunks, {resumed} of them done before")
            made, given_up = _summarize_chunks(pool, missing, options, folder, tell, resumed)
            parts = [planned, *(folder / chunk.name for chunk in kept), *made]
            merged = folder / "merged" / f"run{suffix}.lrs"
            merged.parent.mkdir(exist_ok=True)
            _write_whole(merged, _merge(pool, parts))
        finally:
            pool.close()
    return Summary(merged, len(plan.shards), resumed, pool.lost, given_up, pool.most, time.monotonic() - start)


def report(
    paths: Any,
    *,
    out: str | os.PathLike[str] | None = None,
    parity: str | None = None,
    address: str | None = None,
    workers: int | None = None,
    retries: int = 3,
    runtime_env: Mapping[str, Any] | None = None,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> Report:
    """The report of a run, made on a Ray cluster: figures, intervals and worst tokens are those of `logratio.report`.

    Args:
        out: as in `summarize`; None for a temporary directory, so that an interrupted job starts over.
        parity: trainers whose own metrics are included: ``"verl,xtuner"``.

    The others are those of `summarize`.

    Raises:
        LogratioError: as `summarize`, and if no token is left to compare.
    """
    placed = Placed(out, address, workers, retries, runtime_env, progress)
    return answer("report", paths, placed, options, {"parity": parity}, has_page=True, make=Report)


@dataclass(frozen=True)
class Placed:
    """Where a run is summarized, and what is reported about it: arguments of `summarize`."""

    out: str | os.PathLike[str] | None
    address: str | None
    workers: int | None
    retries: int
    runtime_env: Mapping[str, Any] | None
    progress: Callable[[str], None] | None


def answer(
    verb: str,
    paths: Any,
    placed: Placed,
    options: Mapping[str, Any],
    own: Mapping[str, Any],
    *,
    has_page: bool,
    make: type[Made],
) -> Made:
    """Summarizes a run for a verb, and lets the verb answer from the merged part.

    Args:
        options: flags that decide what is summed, as `summarize` takes them.
        own: the verb's other flags.

    Returns:
        What the verb prints, in all its forms.
    """
    folder: AbstractContextManager[Any] = (
        nullcontext(placed.out) if placed.out is not None else tempfile.TemporaryDirectory(prefix="logratio-")
    )
    with folder as parts, tempfile.TemporaryDirectory(prefix="logratio-") as made:
        summary = summarize(
            paths,
            out=parts,
            verb=verb,
            address=placed.address,
            workers=placed.workers,
            retries=placed.retries,
            runtime_env=placed.runtime_env,
            progress=placed.progress,
            **options,
        )
        page = Path(made) / "page.html"
        form = {"json": True, **({"html": page} if has_page else {})}
        read = [answering_command(verb), *write_flags(own)]
        result, status = run_program([*read, *write_flags(form), "--", str(summary.part)])
        # Now, because the part is removed with the folder. Nothing is written to a log a second time.
        brief = write_flags({"brief": verb == "report"})
        text = "" if own.get("out") else run_program([*read, *brief, "--", str(summary.part)])[0]
        # Shards that were given up are in no part, so the program cannot know about them.
        skipped = status == 4 or bool(summary.given_up)
        shown = page.read_text(encoding="utf-8") if has_page else None
        return make(Question(verb, OpenRun(as_paths(paths)), options), json.loads(result), shown, skipped, text)


def answering_command(verb: str) -> str:
    """The command that answers from parts for a verb."""
    return "merge" if verb == "report" else verb


def tell_on_stderr(sentence: str) -> None:
    """A function for ``progress``."""
    print(sentence, file=sys.stderr, flush=True)


def _connected(address: str | None) -> AbstractContextManager[Any]:
    """Connects to Ray; disconnects at the end unless it was connected before."""
    if address is None and ray.is_initialized():
        return nullcontext()
    try:
        context: AbstractContextManager[Any] = ray.init(address=address, log_to_driver=False)
        return context
    except ConnectionError as error:
        raise LogratioError(
            f"no Ray cluster answers at {address or os.environ.get('RAY_ADDRESS') or 'this machine'}: {str(error).splitlines()[0]}",
            likely="the address is wrong, the cluster has ended, or its RAY_AUTH_MODE and token are not those of this process",
            hint="give the address that `ray start` printed, or ray://HOST:10001 from outside the cluster; "
            "tokens: docs/larger-than-one-machine.md",
        ) from error


def _count_cores() -> int:
    resources: Mapping[str, float] = ray.cluster_resources()
    return max(1, int(resources.get("CPU", 1)))


def _make_plan(pool: ActorPool, paths: Sequence[str], options: Mapping[str, Any]) -> Plan:
    (done,) = pool.run([Task("plan", lambda actor: actor.plan.remote(paths, options))])
    if done.error is not None:
        raise done.error
    plan: Plan = done.result
    return plan


def _summarize_chunks(
    pool: ActorPool,
    chunks: Sequence[Chunk],
    options: Mapping[str, Any],
    folder: Path,
    tell: Callable[[str], None],
    resumed: int,
) -> tuple[list[Path], dict[str, str]]:
    """Writes the part of each chunk as soon as it arrives; ``resumed`` shards already have theirs.

    Returns:
        The written files, and why each shard without a part was given up.
    """
    made: list[Path] = []
    given_up: dict[str, str] = {}
    # The largest first, so that the last one to finish is small.
    queue = sorted(chunks, key=lambda chunk: -chunk.bytes)
    total = resumed + sum(len(chunk.shards) for chunk in chunks)
    counted = resumed
    while queue:
        again: list[Chunk] = []
        for done in pool.run(_make_tasks(queue, options)):
            chunk: Chunk = done.key
            if done.error is None:
                _write_whole(folder / chunk.name, done.result)
                made.append(folder / chunk.name)
                counted += len(chunk.shards)
                tell(f"{counted} of {total} shards")
            elif len(chunk.shards) > 1:
                again += split_chunk(chunk, options)
            else:
                given_up[chunk.shards[0].name] = done.error.message
                counted += 1
                tell(f"{chunk.shards[0].name} was given up: {done.error.message}")
        queue = again
    return made, given_up


def _make_tasks(chunks: Sequence[Chunk], options: Mapping[str, Any]) -> list[Task]:
    return [
        Task(chunk, lambda actor, paths=chunk.paths: actor.summarize.remote(paths, options))  # type: ignore[misc]
        for chunk in chunks
    ]


def _merge(pool: ActorPool, parts: Sequence[Path]) -> bytes:
    """Merges all parts into one: actors merge groups of `FAN_IN` until one group is left."""
    level: list[Callable[[], bytes]] = [path.read_bytes for path in parts]
    while True:
        groups = [level[i : i + FAN_IN] for i in range(0, len(level), FAN_IN)]
        merged: dict[int, bytes] = {}
        for done in pool.run(
            Task(i, lambda actor, group=group: actor.merge.remote(*(read() for read in group)))  # type: ignore[misc]
            for i, group in enumerate(groups)
        ):
            if done.error is not None:
                raise done.error
            merged[done.key] = done.result
        if len(groups) == 1:
            return merged[0]
        level = [lambda part=part: part for _, part in sorted(merged.items())]  # type: ignore[misc]


def _write_whole(path: Path, payload: bytes) -> None:
    """Writes a file that gets its name only when complete, so that the rest of a broken job is never taken for a
    part."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    partial.write_bytes(payload)
    os.replace(partial, path)
