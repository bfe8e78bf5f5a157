"""Reads the answer to a batch. Only the server's own words may remove a batch from this machine's disk, because
proxies, login pages and default backends answer, too, with any status."""

from __future__ import annotations

import email.utils
import json
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: Statuses for a faulty batch, which sending again would not help.
_FAULTS = {413, 422}
#: Statuses for a faulty request, which may have been damaged on its way: worth another try or two.
_DOUBTFUL = {400, 411}
#: A server's request for a pause is limited to these seconds, so that none can stop or flood the sender.
_LONGEST_WAIT = 300.0
_SHORTEST_WAIT = 0.05
_MOST_CALLS = 1_000_000_000


@dataclass(frozen=True)
class Answer:
    """An answer of the server, or of a program in between."""

    status: int
    #: Headers by name in lower case.
    headers: Mapping[str, str]
    body: bytes

    def find_stored(self, sha256: str) -> dict[str, Any] | None:
        """The server's statement that this batch is stored, now or before; None if it does not say so.

        Args:
            sha256: digest of the batch, hexadecimal.
        """
        if self.status not in (200, 201):
            return None
        said = self.read_json()
        stored = said.get("stored")
        # 201 stands for a new batch, 200 for one that the server already has.
        if not isinstance(stored, bool) or (self.status == 201 and not stored):
            return None
        return said if said.get("sha256", sha256) == sha256 else None

    def is_refusal(self) -> bool:
        """Whether the server will never take this batch."""
        return self.status in _FAULTS and not self._is_page()

    def is_doubtful(self) -> bool:
        """Whether something is wrong with this one request, possibly through its way to the server."""
        return self.status in _DOUBTFUL | _FAULTS

    def find_next_call(self) -> int | None:
        """The free call number, if another batch has the one that was sent; None if the answer does not say."""
        text = self.headers.get("logratio-next-call", "").strip()
        if self.status != 409 or re.fullmatch(r"[0-9]{1,10}", text) is None or int(text) > _MOST_CALLS:
            return None
        return int(text)

    def find_wait(self) -> float | None:
        """Seconds that the server asks to wait; None if it does not, or not plausibly."""
        text = self.headers.get("retry-after", "").strip()
        if re.fullmatch(r"[0-9]{1,12}(\.[0-9]{0,9})?", text) is not None:
            seconds = float(text)
        else:
            try:
                seconds = email.utils.parsedate_to_datetime(text).timestamp() - time.time()
            except (TypeError, ValueError, OverflowError, IndexError, OSError):
                return None
            if seconds < 0:
                return None
        return min(max(seconds, _SHORTEST_WAIT), _LONGEST_WAIT) if math.isfinite(seconds) else None

    def read_json(self) -> dict[str, Any]:
        """The body as a JSON object; empty if it is something else."""
        try:
            said = json.loads(self.body)
        except (ValueError, RecursionError):
            return {}
        return said if isinstance(said, dict) else {}

    def describe(self) -> str:
        """Status and reason in one line."""
        said = self.read_json()
        reason = next((said[key] for key in ("error", "reason", "message") if isinstance(said.get(key), str)), None)
        text = reason or ("a page" if self._is_page() else self.body.decode("utf-8", "replace"))
        line = "".join(letter if letter.isprintable() else " " for letter in text).strip()
        return f"{self.status} {line[:300]}".strip()

    def _is_page(self) -> bool:
        kind = self.headers.get("content-type", "").lower()
        return "html" in kind or "xml" in kind or self.body.lstrip()[:1] == b"<"
