"""Finds the command line and runs it; its error messages become `LogratioError`."""

from __future__ import annotations

import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from .errors import LogratioError

#: Exit status of success, and of success with skipped inputs, which the report mentions itself.
GOOD = (0, 4)
_LABEL = re.compile(r"^  (where|likely|try) {1,7}(\S.*)$")
_COLOR = re.compile(r"\x1b\[[0-9;]*m")
_PACKAGE = Path(__file__).resolve().parent


def find_command() -> list[str]:
    """The words that start the program.

    In this order: ``$LOGRATIO_CLI`` (a command line); the program in the wheel, or in the source checkout that contains
    this package, with the Node that ``python -m logratio`` would take; ``logratio`` on the path.

    Raises:
        LogratioError: if none of them exists.
    """
    if own := os.environ.get("LOGRATIO_CLI"):
        return shlex.split(own)
    found = _find_own()
    if isinstance(found, list):
        return found
    if installed := shutil.which("logratio"):
        return [installed]
    raise found


def _find_own() -> list[str] | LogratioError:
    """The words that start this package's program, or why it cannot start."""
    try:
        own = importlib.import_module("logratio.command")
    except ModuleNotFoundError as error:
        if error.name != "logratio.command":
            raise
        return _find_in_checkout()
    try:
        return [str(own.find_node()), str(own.find_program())]
    except own.CommandError as error:
        message, *more = str(error).splitlines()
        told = dict(line.strip().split(": ", 1) for line in more if ": " in line)
        return LogratioError(message, likely=told.get("likely"), hint=told.get("hint"))


def _find_in_checkout() -> list[str] | LogratioError:
    script = _PACKAGE.parent.parent / "bin" / "logratio.js"
    node = shutil.which("node")
    if script.is_file() and node is not None:
        return [node, str(script)]
    return LogratioError(
        "the logratio program was not found",
        likely="this package was installed without its program" if node else "there is no Node to run it with",
        hint="install the wheel (pip install logratio) or the npm package, or set LOGRATIO_CLI to a command",
    )


def environment() -> dict[str, str]:
    """This process's environment, in which its Python is the one that scores Hugging Face models."""
    return {"LOGRATIO_PYTHON": sys.executable, **os.environ}


def write_flags(options: Mapping[str, Any]) -> list[str]:
    """Keyword arguments as flags: ``batch_tokens=9`` becomes ``--batch-tokens=9``; True becomes the flag without value,
    None and False become nothing, a list becomes the flag with each value."""
    words: list[str] = []
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                words.append(flag)
            elif one is not None and one is not False:
                # One word, so that a value may begin with a dash.
                words.append(f"{flag}={os.fspath(one) if isinstance(one, os.PathLike) else one}")
    return words


def run_program(words: Sequence[str], also: Collection[int] = (), timeout: float | None = None) -> tuple[str, int]:
    """Runs the program to its end.

    Args:
        also: further statuses with which it answers: 1 of a check that does not hold.
        timeout: seconds after which it is ended; None waits as long as it takes.

    Returns:
        What it printed, and its exit status (0, 4 or one of ``also``).

    Raises:
        LogratioError: with the error from standard error, for every other status, and when the time is up.
    """
    try:
        done = subprocess.run(
            [*find_command(), "--color", "never", *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            encoding="utf-8",
            errors="replace",
            env=environment(),
            timeout=timeout,
        )
    except subprocess.TimeoutExpired as error:
        raise LogratioError(f"logratio did not end within {error.timeout:.3g} seconds") from error
    if done.returncode not in GOOD and not (done.returncode in also and done.stdout):
        raise parse_error(done.stderr, done.returncode)
    return done.stdout, done.returncode


def parse_error(text: str, status: int) -> LogratioError:
    """The error in the program's standard error."""
    # LOGRATIO_CLI may name a program that colors it, as FORCE_COLOR of Jupyter asks.
    lines = _COLOR.sub("", text).splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith(("error: ", "bug: "))), None)
    if first is None:
        said = text.strip() or "it said nothing"
        return LogratioError(f"logratio ended with status {status}: {said}", status=status)
    message = [lines[first].split(": ", 1)[1]]
    advice: dict[str, list[str]] = {}
    current = message
    for line in lines[first + 1 :]:
        if label := _LABEL.match(line):
            current = advice[label[1]] = [label[2]]
        elif line.startswith(" "):
            current.append(line.strip())
        elif line == "(see --help)":
            advice["try"] = ["see the options: logratio VERB --help, or docs/python.md for how they are written here"]
        elif line and current is message:
            message.append(line)
        else:
            break
    told = {label: "\n".join(found) for label, found in advice.items()}
    return LogratioError(
        "\n".join(message), where=told.get("where"), likely=told.get("likely"), hint=told.get("try"), status=status
    )
