"""The table of docs/trainers.md: which release of each trainer was judged, and how much of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .drift import Judged

PAGE = Path(__file__).resolve().parents[2] / "docs" / "trainers.md"
BEGIN, END = "<!-- sentinel: begin -->", "<!-- sentinel: end -->"
HEAD = [
    "| trainer | release | date | configs tried | keys compared | dumps recognized | places of hooks found |",
    "|---|---|---|--:|--:|--:|--:|",
]


def make(results: Sequence[Judged]) -> str:
    """The table's lines."""
    rows = [
        f"| {each.trainer} | {each.version} | {each.date} | {each.configs or '–'} | {each.keys or '–'} "
        f"| {'–' if each.dumps is None else each.dumps} | {_of(*each.hooks)} |"
        for each in results
    ]
    return "\n".join([*HEAD, *rows])


def _of(found: int, places: int) -> str:
    return "–" if places == 0 else str(found) if found == places else f"{found} of {places}"


def read() -> str:
    """The table as the page has it.

    Raises:
        ValueError: the page has lost the marks around it.
    """
    _, mark, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    inside, end, _ = rest.partition(END)
    if not mark or not end:
        raise ValueError(f"{PAGE} has no {BEGIN} … {END}")
    return inside.strip()


def write(results: Sequence[Judged]) -> None:
    """Puts the table between the page's marks."""
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text.replace(read(), make(results)), encoding="utf-8")
