"""What a verb answers, as an object that a notebook and a terminal show."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from ..errors import LogratioError
from ..program import run_program, write_flags
from ..runs import OpenRun
from ..tables import make_frame

#: A typed dict of logratio.results.
Json = TypeVar("Json")


@dataclass(frozen=True)
class Question:
    """A verb with all that it is asked about.

    Attributes:
        options: flags with underscores.
        more: words after the paths.
        other: the other side of a comparison, whose files must live as long.
    """

    verb: str
    opened: OpenRun
    options: Mapping[str, Any]
    more: tuple[str, ...] = ()
    other: OpenRun | None = None

    def write(self, form: Mapping[str, Any]) -> list[str]:
        """The words of the command line, with these flags for the form of its answer."""
        sides = {} if self.other is None else {"to": self.other.words}
        return [self.verb, *write_flags({**self.options, **sides, **form}), "--", *self.opened.words, *self.more]


class Result(Generic[Json]):
    """The result of a verb. A notebook shows its page, ``print`` its text.

    Attributes:
        verb: the verb.
        json: the whole result, as ``logratio VERB --json`` prints it; logratio.results declares its type.
        html: the same as one self-contained page; None if the verb has none.
        skipped: whether some inputs could not be read; ``findings`` says which.
        opened: the run that it is about; a result is a run, too, for any other verb.
    """

    def __init__(
        self, question: Question, result: Json, page: str | None, skipped: bool, text: str | None = None
    ) -> None:
        self.verb = question.verb
        self.json = result
        self.html = page
        self.skipped = skipped
        self.opened = question.opened
        # Also holds the files of arrays, which must live as long as the result.
        self._question = question
        self._text = text

    @property
    def text(self) -> str:
        """What ``logratio VERB`` prints, without colors; of a report, its first screen. The run is read again for it,
        once. Of arrays, without the command to type next: their files end with the process.

        Raises:
            LogratioError: if the run cannot be read any more.
        """
        if self._text is None:
            form = {"brief": True} if self.verb == "report" else {}
            text = run_program(self._question.write(form), also=(1,))[0]
            self._text = text if self.opened.folder is None else _name_arrays(text, self.opened.folder.name)
        return self._text

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What reading noticed; each finding has a count and its first place."""
        return list(self._fields.get("findings") or [])

    def frame(self, field: str) -> Any:
        """A list of the result as a data frame (pandas, else polars): ``frame("per_step")``, ``frame("corrections")``.

        Raises:
            LogratioError: if the result has no such list, or neither pandas nor polars is installed.
        """
        rows = self._fields.get(field)
        if not isinstance(rows, list):
            lists = [name for name, value in self._fields.items() if isinstance(value, list)]
            raise LogratioError(f"{self.verb} has no list {field!r}", hint=f"its lists are {', '.join(lists)}")
        plain = [row if isinstance(row, Mapping) else {field: row} for row in rows]
        names = list(dict.fromkeys(name for row in plain for name in row))
        return make_frame({name: [row.get(name) for row in plain] for name in names})

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the result: ``.html`` as one page, ``.json`` as data.

        Raises:
            LogratioError: for any other ending, and for ``.html`` if the verb has no page.
        """
        target = Path(path)
        if target.suffix in (".html", ".htm") and self.html is not None:
            target.write_text(self.html, encoding="utf-8")
        elif target.suffix == ".json":
            target.write_text(json.dumps(self.json, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        else:
            forms = ".json" if self.html is None else ".html or .json"
            raise LogratioError(f"a result of {self.verb} is saved as {forms}, not as {target.name!r}")
        return target

    @property
    def _fields(self) -> dict[str, Any]:
        return cast("dict[str, Any]", self.json)

    def _repr_html_(self) -> str:
        if self.html is None:
            return f"<pre>{html.escape(self.text)}</pre>"
        # In a frame, the styles of page and notebook do not affect each other. Without allow-same-origin, the page's
        # script (which sorts tables) cannot touch the notebook either.
        return (
            f'<iframe sandbox="allow-scripts" title="logratio {self.verb}" '
            'style="width:100%;height:720px;border:1px solid #8886;border-radius:6px;resize:vertical;background:#fff" '
            f'srcdoc="{html.escape(self.html)}"></iframe>'
        )

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        answer = self._fields.get("assessment") or self._fields
        name = (
            self._fields.get("run") or self._fields.get("study") or ", ".join(map(os.path.basename, self.opened.words))
        )
        return f"<logratio {self.verb} of {name}: {answer.get('sentence') or ', '.join(sorted(self._fields))}>"


def _name_arrays(text: str, folder: str) -> str:
    """Writes files of arrays by their name, and leaves out the command to type next, since they end with the process."""
    kept = [part for part in text.split("\n\n") if not (part.startswith("  next") and folder in part)]
    return "\n\n".join(kept).rstrip("\n").replace(f"{folder}{os.sep}", "") + "\n"
