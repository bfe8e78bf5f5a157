"""The error that callers of this package catch."""

from __future__ import annotations


class LogratioError(Exception):
    """A foreseen failure, in the command line's words.

    Attributes:
        message: what is wrong, with the value found and the one expected.
        where: file, row or column; None if unknown.
        likely: the probable cause; None if unknown.
        hint: the next thing to try; None if there is none.
        status: exit status of the program (2 wrong usage, 3 unreadable or misaligned data); None if it did not run.
    """

    def __init__(
        self,
        message: str,
        *,
        where: str | None = None,
        likely: str | None = None,
        hint: str | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.likely = likely
        self.hint = hint
        self.status = status

    def __str__(self) -> str:
        advice = (("where", self.where), ("likely", self.likely), ("try", self.hint))
        return "\n".join([self.message, *(f"  {label:<8}{text}" for label, text in advice if text)])
