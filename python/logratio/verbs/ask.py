"""Asks the program one verb about one run."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from ..errors import LogratioError
from ..program import find_command, run_program
from ..runs import open_run
from .result import Question, Result

#: What is asked for here, in one form.
_RESERVED = ("json", "html", "markdown", "brief", "full", "explain", "force", "on", "parts")
Made = TypeVar("Made", bound=Result[Any])


def ask(
    verb: str,
    run: Any,
    options: Mapping[str, Any],
    *,
    make: type[Made],
    has_page: bool = False,
    can_fail: bool = False,
    more: tuple[str, ...] = (),
    other: Any = None,
) -> Made:
    """Runs a verb with ``--json``.

    Args:
        run: as `logratio.report` takes it.
        options: flags with underscores; ``name`` is the name of arrays.
        has_page: whether the verb takes ``--html``.
        can_fail: whether status 1 is an answer: of a gate that fails, of sides that differ.
        more: words after the paths.
        other: the other side of a comparison, as ``run``; None if there is none.

    Raises:
        LogratioError: if the program is missing, or with its message.
        TypeError: if an option is one that is set here.
    """
    options = dict(options)
    for name in _RESERVED:
        if name in options:
            raise TypeError(f"{name} is set by {verb}() itself: use .json, .html, .text and .save()")
    _need_program(verb)
    name = str(options.pop("name", "arrays"))
    side = None if other is None else open_run(other, f"{name}-b")
    question = Question(verb, open_run(run, name), options, more, side)
    with tempfile.TemporaryDirectory(prefix="logratio-") as made:
        page = Path(made) / "page.html"
        form = {"json": True, **({"html": page} if has_page else {})}
        text, status = run_program(question.write(form), (1,) if can_fail else ())
        shown = page.read_text(encoding="utf-8") if has_page else None
        return make(question, json.loads(text), shown, status == 4)


def _need_program(verb: str) -> None:
    """Says what works without the program before any array is written."""
    try:
        find_command()
    except LogratioError as error:
        raise LogratioError(
            f"{verb} needs the program, and {error.message}",
            likely=error.likely,
            hint=f"{error.hint}; without it, scalars, correct, divergence and digits work on arrays",
        ) from error
