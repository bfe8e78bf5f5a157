"""What an answer to a batch says about it. Only the server's own words end a batch's stay on this machine's disk: proxies,
login pages and default backends answer too, with any status."""

from __future__ import annotations

import email.utils
import json
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: The batch is at fault, and sending it again would not help.
_FAULTS = {413, 422}
#: The request is at fault, or was damaged on its way: worth another try or two.
_DOUBTFUL = {400, 411}
#: No server asks for a longer pause than is honored, and none for a shorter one.
_LONGEST_WAIT = 300.0
_SHORTEST_WAIT = 0.05
_MOST_CALLS = 1_000_000_000


@dataclass(frozen=True)
class Answer:
    """An answer of the server, or of a program between."""

    status: int
    #: With names in lower case.
    headers: Mapping[str, str]
    body: bytes

    def find_stored(self, sha256: str) -> dict[str, Any] | None:
        """What the server says where it says that this batch is stored, now or before; None where it does not say so.

        Args:
            sha256: of the batch, hexadecimal.
        """
        if self.status not in (200, 201):
            return None
        said = self.read_json()
        stored = said.get("stored")
        # 201 is a batch that is new, 200 one that the server has already.
        if not isinstance(stored, bool) or (self.status == 201 and not stored):
            return None
        return said if said.get("sha256", sha256) == sha256 else None

    def is_refusal(self) -> bool:
        """Whether the server will never take this batch."""
        return self.status in _FAULTS and not self._is_page()

    def is_doubtful(self) -> bool:
        """Whether something is wrong with this one request, which may be its way here."""
        return self.status in _DOUBTFUL | _FAULTS

    def find_next_call(self) -> int | None:
        """The call that is free where another batch has the one that was sent; None where the answer does not say."""
        text = self.headers.get("logratio-next-call", "").strip()
        if self.status != 409 or re.fullmatch(r"[0-9]{1,10}", text) is None or int(text) > _MOST_CALLS:
            return None
        return int(text)

    def find_wait(self) -> float | None:
        """Seconds that the server asks to wait; None where it does not, or not in a way that can be meant."""
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
        """The object that the body is; empty where it is something else."""
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
