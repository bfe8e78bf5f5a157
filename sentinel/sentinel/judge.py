"""One release, asked in a process of its own, and its answers compared with what the product knows."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

# Seconds; the slowest module takes ten.
LONGEST = 120
PACKAGE = Path(__file__).resolve().parents[1]


class NoAnswer(Exception):
    """The process that read the release ended without an answer."""


def ask(name: str, paths: Sequence[Path], configs: Sequence[str] = (), dumps: Path | None = None) -> Mapping[str, Any]:
    """What the module of this name says of the release in `paths`.

    Raises:
        NoAnswer: its process failed or took too long, with the end of what it said.
    """
    request: dict[str, Any] = {"paths": [str(path) for path in paths], "configs": list(configs)}
    if dumps is not None:
        request["dumps"] = str(dumps)
    command = [sys.executable, "-m", "sentinel.child", name]
    try:
        done = subprocess.run(
            command, input=json.dumps(request), capture_output=True, text=True, timeout=LONGEST, cwd=PACKAGE
        )
    except subprocess.TimeoutExpired as error:
        raise NoAnswer(f"no answer within {LONGEST} s") from error
    if done.returncode != 0:
        raise NoAnswer("\n".join(done.stderr.strip().splitlines()[-5:]))
    reply: Mapping[str, Any] = json.loads(done.stdout)
    return reply
