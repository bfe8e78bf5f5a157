"""Failures that the other end of the pipe shows to its user: what, where, the likely cause, the next thing to try."""

from __future__ import annotations

from ..errors import LogratioError


class WorkerError(LogratioError):
    """A foreseen failure in a worker.

    ``kind`` decides what it ends: ``unsupported``, ``not-found``, ``format`` and ``usage`` end a policy, ``refused`` a
    text (``reason`` says why), ``cancelled`` nothing.
    """

    def __init__(
        self,
        what: str,
        *,
        kind: str = "unsupported",
        where: str | None = None,
        likely: str | None = None,
        hint: str | None = None,
        reason: str | None = None,
    ) -> None:
        super().__init__(what, where=where, likely=likely, hint=hint)
        self.what = what
        self.kind = kind
        self.reason = reason

    def describe(self) -> dict[str, str]:
        """The failure as fields of an error frame's header; unknown ones are absent."""
        fields = ("what", "kind", "where", "likely", "hint", "reason")
        return {name: value for name in fields if (value := getattr(self, name)) is not None}


class Cancelled(WorkerError):
    """The other end no longer wants the answer."""

    def __init__(self) -> None:
        super().__init__("the request was canceled", kind="cancelled")


def first_line(error: BaseException) -> str:
    """An error's message in one line of bounded length."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    line = lines[0] if lines else type(error).__name__
    return line if len(line) <= 300 else f"{line[:300]}…"
