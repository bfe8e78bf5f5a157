"""The answer about a recorded run (docs/assessment.md), asked of the program when a recorder ends."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

#: Less time than the program takes to start.
_LEAST_SECONDS = 0.5
#: Seconds that the end of a recorder waits for the program: a run of several gigabytes takes longer.
_MOST_SECONDS = 15.0


def wants_answer() -> bool:
    """Whether a recorder asks at its end; ``$LOGRATIO_ASSESS`` 0 says no."""
    return os.environ.get("LOGRATIO_ASSESS", "1") not in ("0", "")


def find_answer(folder: Path, seconds: float) -> dict[str, Any] | None:
    """The ``assessment`` of ``logratio report`` of a folder. Never raises.

    Returns:
        Empty if it fails or takes longer than ``seconds``; None if there is no program, or no Node to run it with.
    """
    # Not imported with the recorder, which needs no program.
    from ..program import find_command, run_program

    try:
        find_command()
    except Exception:
        return None
    answer: Any = None
    if seconds >= _LEAST_SECONDS:
        with contextlib.suppress(Exception):
            text, _ = run_program(["report", "--json", "--", str(folder)], timeout=min(seconds, _MOST_SECONDS))
            answer = json.loads(text)["assessment"]
    return answer if isinstance(answer, dict) else {}


def describe_answer(answer: dict[str, Any], folder: Path) -> str:
    """The first line of the answer, and how to see the rest."""
    if not answer:
        return f"what it shows: logratio report {folder}"
    level = " ".join(str(answer.get("level", "")).split("_"))
    return f"{level}: {answer.get('sentence', '')} (logratio report {folder})"
