"""Texts of a record, as Python's ``repr`` prints them."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

Ids = Sequence[int] | np.ndarray

#: The end of a text may change with further tokens: bytes may combine to a character, spaces may be joined.
_UNSETTLED = 16

#: Vocabulary sizes by tokenizer, because some take hundreds of milliseconds to count each time.
_sizes: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()


class Vocabulary:
    """The number of ids that a tokenizer has, if it says."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._fresh = False
        self.size = self._measure(_sizes)

    def find_odd(self, ids: Ids) -> int | None:
        """The first id that the tokenizer lacks; None if it has all, or does not say."""
        if self.size is None or len(ids) == 0:
            return None
        values = np.asarray(ids)
        if values.min() >= 0 and values.max() < self.size:
            return None
        if not self._fresh:
            # Words may have been added since the tokenizer was asked.
            self.size = self._measure({})
        odd = values[(values < 0) | (values >= self.size)]
        return int(odd[0]) if odd.size else None

    def _measure(self, known: Mapping[Any, int]) -> int | None:
        """The known size, else what the tokenizer says."""
        if not hasattr(self._tokenizer, "__len__"):
            return None
        try:
            if self._tokenizer not in known:
                _sizes[self._tokenizer] = len(self._tokenizer)
                self._fresh = True
            return _sizes[self._tokenizer]
        except TypeError:
            # A tokenizer without hash or weak references is asked for each batch.
            self._fresh = True
            return len(self._tokenizer)


class Texts:
    """Decodes ids with a tokenizer like Hugging Face's, and remembers what went wrong."""

    def __init__(self, tokenizer: Any, vocabulary: Vocabulary) -> None:
        self._tokenizer = tokenizer
        self._vocabulary = vocabulary
        self.errors: list[str] = []

    def decode(self, ids: Ids | None, max_chars: int | None = None) -> str | None:
        """``repr`` of the text, cut to ``max_chars`` plus ``...``; None without a tokenizer, ids, or an answer."""
        text = self.decode_plain(ids, max_chars)
        return None if text is None else repr(text)

    def decode_plain(self, ids: Ids | None, max_chars: int | None = None) -> str | None:
        """The text itself, cut as by `decode`; None without a tokenizer, ids, or an answer."""
        if self._tokenizer is None or ids is None:
            return None
        try:
            return self._decode_start(ids, max_chars)
        except Exception as error:
            if str(error) not in self.errors:
                self.errors.append(str(error))
            return None

    def encode(self, text: str) -> list[int] | None:
        """The ids of a text tokenized by itself; None if unknown."""
        try:
            return [int(found) for found in self._tokenizer.encode(text, add_special_tokens=False)]
        except Exception:
            return None

    def _decode_start(self, ids: Ids, max_chars: int | None) -> str:
        if max_chars is None:
            return self._decode(ids)
        # A long text is only decoded as far as it is shown.
        count = max_chars + _UNSETTLED
        while count < len(ids):
            text = self._decode(ids[:count])
            if len(text) >= max_chars + _UNSETTLED:
                return text[:max_chars] + "..."
            count *= 2
        text = self._decode(ids)
        return text if len(text) <= max_chars else text[:max_chars] + "..."

    def _decode(self, ids: Ids) -> str:
        self._check(ids)
        if isinstance(ids, np.ndarray) and not _takes_arrays(self._tokenizer):
            ids = ids.tolist()
        return str(self._tokenizer.decode(ids))

    def _check(self, ids: Ids) -> None:
        odd = self._vocabulary.find_odd(ids)
        if odd is not None:
            # Many tokenizers decode such ids to nothing.
            raise ValueError(
                f"token {odd} is not among the {self._vocabulary.size} of the tokenizer; likely: it is another model's"
            )


def _takes_arrays(tokenizer: Any) -> bool:
    """Whether ``decode`` is that of transformers, which takes arrays; given a list, it first looks at every id."""
    method = getattr(type(tokenizer), "decode", None)
    return str(getattr(method, "__module__", "")).startswith("transformers.")
