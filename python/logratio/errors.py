"""What a caller of this package catches."""

from __future__ import annotations


class LogratioError(Exception):
    """A failure that was foreseen, as the command line says it.

    Attributes:
        message: what is wrong, with the value found and the one expected.
        where: file, row or column; None where it is unknown.
        likely: the probable cause; None where it is unknown.
        hint: the next thing to try; None where there is none.
        status: exit status of the program (2 wrong usage, 3 unreadable or misaligned data); None where none ran.
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
