"""Which tokens are digits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

_DIGIT = re.compile(r" ?([0-9])")


def find_digit_tokens(tokenizer: Any) -> dict[int, int]:
    """Finds the tokens of one ASCII digit, with or without a leading space, by looking at every entry of a vocabulary.

    This takes a second for 150,000 entries, so do it once.

    Args:
        tokenizer: has ``len()`` and ``decode(ids)``, like those of Hugging Face.

    Returns:
        The digit of each of these token ids.

    Raises:
        ValueError: if no entry is a single digit.
    """
    found = {}
    for token in range(len(tokenizer)):
        match = _DIGIT.fullmatch(tokenizer.decode([token]))
        if match:
            found[token] = int(match[1])
    if not found:
        raise ValueError(
            f"none of the {len(tokenizer):,} entries of the vocabulary is a single digit; likely: the tokenizer "
            "belongs to another model, or writes numbers in another script"
        )
    return found


def take_digit_tokens(ids: Sequence[int]) -> dict[int, int]:
    """Maps ten token ids, those of 0 to 9 in order, to their digits.

    Raises:
        ValueError: unless they are ten different ids.
    """
    if len(ids) != 10 or len(set(ids)) != 10 or min(ids) < 0:
        raise ValueError(
            f"digit ids must be ten different token ids, those of 0 to 9 in order: {len(ids)} were given ({list(ids)})"
        )
    return {int(token): digit for digit, token in enumerate(ids)}
