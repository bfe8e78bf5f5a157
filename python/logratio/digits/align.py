"""Finds the true digit at each position of a response's digits, from the text of the answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..tensors import to_numpy
from .numbers import Texts, find_answer, find_numbers, parse_truth

_DIGITS = re.compile(r" ?[0-9]+")


@dataclass
class AlignedDigits:
    """The true digit at each single-digit token of the answers, by sequence.

    Attributes:
        digit_positions: ``[B]`` lists of positions in the response, for `number_token_loss`.
        digit_ground_truth: the true digit at each position, ``[B]`` lists.
        answers: the number that each response gives; None if it gives none.
        right: whether that is the true number; None if either is unknown.
        without_truth: number of sequences without an answer text.
        truth_not_a_number: number of sequences whose answer text is not one decimal number.
        without_answer: number of sequences with a true number whose response has no number.
    """

    digit_positions: list[list[int]] = field(default_factory=list)
    digit_ground_truth: list[list[int]] = field(default_factory=list)
    answers: list[str | None] = field(default_factory=list)
    right: list[bool | None] = field(default_factory=list)
    without_truth: int = 0
    truth_not_a_number: int = 0
    without_answer: int = 0


def align_true_digits(
    tokens: Any, answers: Sequence[Any], tokenizer: Any = None, response_mask: Any = None
) -> AlignedDigits:
    r"""Compares the answer of each response with the true one, place by place outward from the decimal point.

    A response's answer is the first number after its last ``####`` or ``\boxed``, else its last number. Places that the
    true answer does not reach have the digit 0. Tokens of several digits are left out.

    Args:
        tokens: texts of the tokens of ``B`` responses or, with ``tokenizer``, their ids: ``[B, T]`` or rows.
        answers: ``[B]`` texts: ``"581"``, ``"1,234.50"``, ``"… #### 72"``, ``"\boxed{12}"``; None if unknown.
        tokenizer: has ``decode(ids)``, like those of Hugging Face.
        response_mask: ``[B, T]`` or rows; tokens with 0 are not part of a number and end one.

    Raises:
        ValueError: if the columns differ in length, or ids are given without a tokenizer.
    """
    for name, column in (("answers", answers), ("response_mask", response_mask)):
        if column is not None and len(column) != len(tokens):
            raise ValueError(f"{name} has {len(column)} sequences, tokens {len(tokens)}")
    reader = _TokenTexts(tokenizer)
    found = AlignedDigits()
    for row in range(len(tokens)):
        texts = reader.read(tokens[row], row)
        if response_mask is not None:
            mask = to_numpy(response_mask[row])
            if len(mask) != len(texts):
                raise ValueError(f"response_mask has {len(mask)} tokens in sequence {row}, tokens {len(texts)}")
            texts = [text if on else None for text, on in zip(texts, mask != 0, strict=True)]
        _align(texts, answers[row], found)
    return found


def _align(texts: Texts, answer: Any, found: AlignedDigits) -> None:
    numbers = find_numbers(texts)
    given = find_answer(texts, numbers)
    truth = None if answer is None else parse_truth(str(answer))
    found.without_truth += answer is None
    found.truth_not_a_number += answer is not None and truth is None
    found.without_answer += truth is not None and given is None
    found.answers.append(None if given is None else str(given))
    known = truth is not None and given is not None
    found.right.append(given.is_same(truth) if truth is not None and given is not None else None)
    parts = [part for part in given.parts if len(part.digits) == 1] if known and given is not None else []
    found.digit_positions.append([part.at for part in parts])
    found.digit_ground_truth.append([truth.digit_at(part.place) for part in parts] if truth is not None else [])


class _TokenTexts:
    """Texts of tokens; each id is decoded once."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._known: dict[int, str] = {}
        #: A digit to put before others, so that their leading space shows: SentencePiece drops one at the start of a
        #: text.
        self._anchor: int | None = None

    def read(self, tokens: Any, row: int) -> list[str | None]:
        values = tokens if isinstance(tokens, (list, tuple)) else to_numpy(tokens).tolist()
        if all(isinstance(token, str) for token in values):
            return list(values)
        if self._tokenizer is None:
            raise ValueError(
                f"tokens are ids in sequence {row}, and there is no tokenizer; give tokenizer=, or the texts of the tokens"
            )
        return [self._decode(int(token)) for token in values]

    def _decode(self, token: int) -> str:
        if token not in self._known:
            text = str(self._tokenizer.decode([token]))
            if _DIGITS.fullmatch(text):
                self._anchor = token if self._anchor is None else self._anchor
                before = str(self._tokenizer.decode([self._anchor]))
                digits = text.strip(" ")
                behind = str(self._tokenizer.decode([self._anchor, token]))
                text = f" {digits}" if behind == f"{before} {digits}" else digits
            self._known[token] = text
        return self._known[token]
