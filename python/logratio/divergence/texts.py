"""Texts of a record, as Python's ``repr`` prints them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

#: The end of a text may still change with the tokens after it: bytes that become one character, joined spaces.
_UNSETTLED = 16


def measure_vocabulary(tokenizer: Any) -> int | None:
    """How many ids a tokenizer has; None where it does not say. Some count them each time they are asked."""
    return len(tokenizer) if hasattr(tokenizer, "__len__") else None


class Texts:
    """Decodes ids with a tokenizer as Hugging Face's are, and remembers what went wrong."""

    def __init__(self, tokenizer: Any, size: int | None = None) -> None:
        """``size`` of its vocabulary: see `measure_vocabulary`."""
        self._tokenizer = tokenizer
        self._size = size
        self.errors: list[str] = []

    def decode(self, ids: Sequence[int] | None, max_chars: int | None = None) -> str | None:
        """``repr`` of the text, cut to ``max_chars`` and ``...``; None without a tokenizer, ids, or an answer."""
        if self._tokenizer is None or ids is None:
            return None
        try:
            return repr(self._decode_start(ids, max_chars))
        except Exception as error:
            if str(error) not in self.errors:
                self.errors.append(str(error))
            return None

    def encode(self, token: int) -> list[int] | None:
        """The ids that the text of a token alone is tokenized to; None where that cannot be said."""
        try:
            text = self._decode([token])
            return [int(found) for found in self._tokenizer.encode(text, add_special_tokens=False)]
        except Exception:
            return None

    def _decode_start(self, ids: Sequence[int], max_chars: int | None) -> str:
        if max_chars is None:
            return self._decode(ids)
        # Of a long text no more is decoded than what is shown takes.
        count = max_chars + _UNSETTLED
        while count < len(ids):
            text = self._decode(ids[:count])
            if len(text) >= max_chars + _UNSETTLED:
                return text[:max_chars] + "..."
            count *= 2
        text = self._decode(ids)
        return text if len(text) <= max_chars else text[:max_chars] + "..."

    def _decode(self, ids: Sequence[int]) -> str:
        if self._size is not None and ids and not 0 <= min(ids) <= max(ids) < self._size:
            # Many tokenizers decode such ids to nothing.
            odd = next(token for token in ids if not 0 <= token < self._size)
            raise ValueError(
                f"token {odd} is not among the {self._size} of the tokenizer; likely: it is another model's"
            )
        return str(self._tokenizer.decode(list(ids)))
