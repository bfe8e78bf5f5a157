"""The numbers of a response by place value, its answer, and the true answer as a number.

Does the same as ``src/analyses/digits/numbers.ts`` and ``answer.ts``; the same test cases apply to both.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

#: Text of each token; None for a token that the policy did not write.
Texts = Sequence[str | None]

_DIGITS = re.compile(r"( ?)([0-9]+)")
_NUMBER = re.compile(r"([+-]?)([0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)(?:\.([0-9]+))?")
_BOXED = re.compile(r"\\boxed\s*\{([^{}]*)\}")
_DECORATION = re.compile(r"[\s$€£%]|\\[$%]|\.\s*\Z")
_SIGN = re.compile(r"(?:\A|[\s(=:$\[{])-\Z")
_MARKERS = ("####", "\\boxed")


@dataclass(frozen=True)
class Part:
    """A token of a number: its index, its digits, and the power of ten of its last digit."""

    at: int
    digits: str
    place: int


@dataclass(frozen=True)
class Number:
    """A number as decimal digits, ``fraction`` of them after the point."""

    digits: str
    fraction: int
    negative: bool
    parts: tuple[Part, ...] = ()

    def digit_at(self, place: int) -> int:
        """The digit at a power of ten; 0 if the number does not reach it."""
        at = len(self.digits) - self.fraction - 1 - place
        return int(self.digits[at]) if 0 <= at < len(self.digits) else 0

    def is_same(self, other: Number) -> bool:
        """Whether both have the same value, whatever zeros they are written with."""
        high = max(len(number.digits) - number.fraction for number in (self, other))
        low = -max(self.fraction, other.fraction)
        places = [(self.digit_at(place), other.digit_at(place)) for place in range(low, high)]
        is_zero = not self.digits.strip("0")
        return (self.negative == other.negative or is_zero) and all(own == wanted for own, wanted in places)

    def __str__(self) -> str:
        point = len(self.digits) - self.fraction
        behind = f".{self.digits[point:]}" if self.fraction else ""
        return f"{'-' if self.negative else ''}{self.digits[:point]}{behind}"


@dataclass
class _Run:
    tokens: list[tuple[int, str]]
    spaced: bool

    @property
    def length(self) -> int:
        return sum(len(digits) for _, digits in self.tokens)


def find_numbers(texts: Texts) -> list[Number]:
    """The numbers of one response.

    A number is a run of tokens of ASCII digits; a token with a leading space begins a new run. ``.`` between two runs
    makes the second a fraction, ``,`` before exactly three digits groups thousands, and ``-`` is a sign unless it
    follows a digit, letter or bracket.
    """
    runs: list[_Run] = []
    previous = -2
    for at, text in enumerate(texts):
        match = None if text is None else _DIGITS.fullmatch(text)
        if match is None:
            continue
        if previous == at - 1 and not match[1]:
            runs[-1].tokens.append((at, match[2]))
        else:
            runs.append(_Run([(at, match[2])], bool(match[1])))
        previous = at
    return _join_runs(runs, texts)


def _join_runs(runs: Sequence[_Run], texts: Texts) -> list[Number]:
    numbers = []
    first = 0
    while first < len(runs):
        last = first
        if runs[first].length <= 3:
            while _are_separated(runs, last, ",", texts) and runs[last + 1].length == 3:
                last += 1
        integers = list(runs[first : last + 1])
        fractions = []
        if _are_separated(runs, last, ".", texts):
            last += 1
            fractions = [runs[last]]
        numbers.append(_build_number(integers, fractions, _is_negative(runs[first], texts)))
        first = last + 1
    return numbers


def _are_separated(runs: Sequence[_Run], at: int, text: str, texts: Texts) -> bool:
    if at + 1 >= len(runs) or runs[at + 1].spaced:
        return False
    gap = runs[at].tokens[-1][0] + 1
    return runs[at + 1].tokens[0][0] == gap + 1 and texts[gap] == text


def _build_number(integers: Sequence[_Run], fractions: Sequence[_Run], negative: bool) -> Number:
    fraction = sum(run.length for run in fractions)
    tokens = [token for run in (*integers, *fractions) for token in run.tokens]
    digits = "".join(text for _, text in tokens)
    place = len(digits) - fraction
    parts = []
    for at, text in tokens:
        place -= len(text)
        parts.append(Part(at, text, place))
    return Number(digits, fraction, negative, tuple(parts))


def _is_negative(run: _Run, texts: Texts) -> bool:
    at = run.tokens[0][0]
    sign = texts[at - 1] if at > 0 else None
    if run.spaced or sign is None or not _SIGN.search(sign):
        return False
    before = texts[at - 2] if at > 1 else None
    if sign != "-" or not before:
        return True
    return before[-1] not in ")]}" and unicodedata.category(before[-1])[0] not in "LN"


def find_answer(texts: Texts, numbers: Sequence[Number]) -> Number | None:
    r"""The number that a response gives: the first after its last ``####`` or ``\boxed``, else its last."""
    marked = _find_marker_end(texts)
    behind = [number for number in numbers if marked is not None and number.parts[0].at >= marked]
    return behind[0] if behind else numbers[-1] if numbers else None


def _find_marker_end(texts: Texts) -> int | None:
    """Index of the first token after the last marker."""
    pieces = ["\n" if text is None else text for text in texts]
    whole = "".join(pieces)
    starts = {marker: whole.rfind(marker) for marker in _MARKERS}
    marker = max(_MARKERS, key=lambda each: starts[each])
    if starts[marker] < 0:
        return None
    end, covered = 0, 0
    while covered < starts[marker] + len(marker) and end < len(pieces):
        covered += len(pieces[end])
        end += 1
    return end


def parse_truth(text: str) -> Number | None:
    r"""Parses the true answer: the text after the last ``####``, in ``\boxed{}``, or all of it, without spaces,
    currency and percent signs and a full stop at the end. None if that is not one decimal number."""
    behind = text[text.rfind("####") + 4 :] if "####" in text else text
    boxed = _BOXED.search(behind)
    match = _NUMBER.fullmatch(_DECORATION.sub("", boxed[1] if boxed else behind))
    if match is None:
        return None
    sign, integer, fraction = match[1], match[2], match[3] or ""
    return Number(integer.replace(",", "") + fraction, len(fraction), sign == "-")
