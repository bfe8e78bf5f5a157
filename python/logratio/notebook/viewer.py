"""``view``: the viewer in a notebook's cell."""

from __future__ import annotations

import atexit
import contextlib
import html
import subprocess
import threading
from typing import Any
from urllib.parse import urlsplit

from ..arguments import read_number, read_whole
from ..errors import LogratioError
from ..program import environment, find_command, parse_error, write_flags
from ..runs import OpenRun, open_run

#: What ``view`` sets itself.
_RESERVED = {"embed", "open", "no_open", "no_token", "bundle"}


class Viewer:
    """A running viewer, made by `view`. Shows itself in a notebook; ends with `stop` or with the kernel.

    Attributes:
        url: for a browser on this machine; anyone who has it can read the run.
    """

    def __init__(self, process: subprocess.Popen[str], url: str, height: int, opened: OpenRun) -> None:
        self.url = url
        self._process = process
        self._height = height
        # Files of arrays must live as long as their viewer.
        self._opened = opened
        atexit.register(self.stop)

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def stop(self, timeout: float = 5.0) -> None:
        """Ends the viewer; calling it again does nothing."""
        atexit.unregister(self.stop)
        _end(self._process, timeout)
        self._opened.remove_files()

    def _repr_html_(self) -> str:
        if not self.is_running:
            return "<p>this viewer was stopped: call logratio.view again</p>"
        url = html.escape(self.url)
        port = urlsplit(self.url).port
        return (
            f'<iframe src="{url}" title="logratio viewer" style="width:100%;height:{self._height}px;'
            'border:1px solid #8886;border-radius:6px;resize:vertical;background:#fff"></iframe>'
            f'<p style="font-size:12px;margin:4px 0"><a href="{url}" target="_blank">open in a tab</a> · '
            f"an empty frame means that the browser is on another machine: <code>ssh -N -L {port}:127.0.0.1:{port} "
            "HOST</code> there, HOST being this one</p>"
        )

    def __repr__(self) -> str:
        return f"<logratio viewer at {self.url}>" if self.is_running else "<logratio viewer, stopped>"


def view(run: Any, *, height: int = 800, timeout: float = 600.0, **options: Any) -> Viewer:
    """Shows every token of a run in the viewer, in a notebook's cell.

    Args:
        run: what `logratio.report` takes.
        height: height of the cell's frame, in pixels.
        timeout: how long preparing the run may take, in seconds.
        options: flags of ``logratio view`` with underscores: ``tokenizer="model/"``, ``follow=True``,
            ``compare="other/"``, ``port=8270``.

    Returns:
        The running viewer. It ends with ``stop()`` or with the kernel, however that ends.

    Raises:
        LogratioError: if the run cannot be read or is not prepared in time.
        TypeError: if an option is one that this function sets itself, or height or timeout is not a number.
    """
    reserved = sorted(_RESERVED & set(options))
    if reserved:
        raise TypeError(f"{reserved[0]} is set by view() itself")
    height, timeout = read_whole("height", height), read_number("timeout", timeout, "a number of seconds")
    opened = open_run(run, str(options.pop("name", "arrays")))
    flags = write_flags({"port": 0, **options, "embed": True, "no_open": True})
    process = subprocess.Popen(
        [*find_command(), "--color", "never", "view", *flags, "--", *opened.words],
        # If the kernel is killed, the end of this pipe stops the viewer.
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        env=environment(),
        # Interrupting a cell must not interrupt the viewer.
        start_new_session=True,
    )
    try:
        return Viewer(process, _wait_for_url(process, timeout), height, opened)
    except BaseException:
        _end(process, 5.0)
        raise


def _wait_for_url(process: subprocess.Popen[str], timeout: float) -> str:
    """The address that the program prints first.

    Raises:
        LogratioError: with what it said instead, or after the timeout.
    """
    said: list[str] = []
    reading = threading.Thread(target=_collect, args=(process.stderr, said), daemon=True)
    reading.start()
    late = threading.Timer(timeout, process.kill)
    late.start()
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
    finally:
        timed_out = not late.is_alive()
        late.cancel()
    if url.startswith("http"):
        return url
    status = process.wait()
    reading.join(5)
    if timed_out:
        raise LogratioError(f"the viewer was not ready in {timeout:g} s", hint="give view() a larger timeout")
    raise parse_error("".join(said), status)


def _collect(stream: Any, said: list[str]) -> None:
    for line in stream:
        # Keep only the end, because a viewer that follows a run prints something at every step.
        said.append(line)
        del said[:-200]


def _end(process: subprocess.Popen[str], timeout: float) -> None:
    with contextlib.suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
    try:
        process.wait(timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
