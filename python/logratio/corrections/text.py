"""A correction as one line of text, as on the command line and in the viewer's address.

::

    weight:token truncate:..2                          token weights, at most 2
    mask:sequence.mean.ratio:0.999..1.001              sequences by the geometric mean of their ratios
    zero:token.prob_diff:..0.1:positive                where the advantage is positive
    zero:token.binary_kl:..0.05:prob=1e-6              probabilities kept 1e-6 away from 0 and 1
    weight:sequence:log=20 veto:ratio:0.0001.. normalize:sequence
    none
    tis, icepop, mis                                   short for token weights, bounded as usual; tis:..3 with own bounds

Parts are separated by spaces, their fields by colons.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any, NoReturn, TypedDict

from ..arguments import read_text
from .correction import (
    AGGREGATIONS,
    LEVELS,
    STATISTICS,
    Bounds,
    Correction,
    Measure,
    Normalize,
    Reject,
    Step,
    Truncate,
    Veto,
    Weight,
)

_SIGNS: dict[str, Any] = {"positive": "positive", "negative": "negative", "not-positive": "not positive"}
_DIVISORS: dict[str, Any] = {"token": "token", "sequence": "sequence", "every-sequence": "every sequence"}
#: What a trainer's word is short for, and the bounds that it stands for alone. Sources: docs/names.md.
_SHORT = {
    "tis": ("weight:token truncate:{}", "..2"),
    "icepop": ("weight:token zero:weight:{}", "0.5..5"),
    "mis": ("weight:token mask:weight:{}", "0.5..2"),
}
_NUMBER = re.compile(r"-?(\d+(\.\d+)?|\.\d+)(e-?\d+)?")


def parse_correction(text: str) -> Correction:
    """Parses the text form of a correction: ``weight:token truncate:..2``, or ``tis``, which is short for it.

    Raises:
        TypeError: if it is not a text.
        ValueError: if a part is not understood (the message says what could stand there), or the correction contradicts
            itself.
    """
    parts = [written for word in read_text("correction", text).split() for written in _expand(word)]
    if not parts:
        raise ValueError('the correction is empty: "none" does nothing')
    if parts == ["none"]:
        return Correction()
    weight = None
    if parts[0].startswith("weight:"):
        weight = _parse_weight(_Part(parts.pop(0)))
    return Correction(weight, tuple(_parse_step(_Part(part)) for part in parts))


def _expand(word: str) -> list[str]:
    """The parts that a word of `_SHORT` stands for; any other part as it is."""
    name, colon, bounds = word.partition(":")
    if name not in _SHORT:
        return [word]
    form, usual = _SHORT[name]
    return form.format(bounds if colon else usual).split()


class _Part:
    """One part of the text, read from left to right: fields in their order, then options in any order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.name, *self._fields = text.split(":")

    def refuse(self, why: str) -> NoReturn:
        raise ValueError(f'"{self._text[:80]}" is not understood: {why}')

    def pick(self, names: Iterable[str], text: str, what: str) -> Any:
        if text in names:
            return text
        self.refuse(f'there is no {what} "{text}"; known: {", ".join(names)}')

    def take(self, what: str) -> str:
        field = self._fields.pop(0) if self._fields else ""
        return field or self.refuse(f"{what} is missing after {self.name}:")

    def take_bounds(self) -> Bounds:
        text = self.take("a range")
        ends = text.split("..")
        if len(ends) != 2:
            self.refuse(f'"{text}" is not a range: write 0.5..2, 0.5.. or ..2')
        return Bounds(
            self._read(ends[0]) if ends[0] else -math.inf,
            self._read(ends[1]) if ends[1] else math.inf,
        )

    def take_number(self, name: str, without: float = math.inf) -> float:
        """The number of an option ``name=1.5``."""
        for at, field in enumerate(self._fields):
            if field.startswith(f"{name}="):
                return self._read(self._fields.pop(at)[len(name) + 1 :])
        return without

    def take_flag(self, name: str) -> bool:
        if name not in self._fields:
            return False
        self._fields.remove(name)
        return True

    def finish(self) -> None:
        if self._fields:
            self.refuse(f'there is no option "{self._fields[0]}" here')

    def _read(self, text: str) -> float:
        if _NUMBER.fullmatch(text):
            return float(text)
        self.refuse(f'"{text}" is not a number')


def _parse_weight(part: _Part) -> Weight:
    level, *rest = part.take("a level").split(".")
    if len(rest) > 1:
        part.refuse("write weight:sequence.mean")
    weight = Weight(
        level=part.pick(LEVELS, level, "level"),
        aggregation=part.pick(("sum", "mean"), rest[0] if rest else "sum", "aggregation of a weight"),
        delta_bound=part.take_number("delta"),
        log_bound=part.take_number("log"),
        kept=part.take_flag("kept"),
    )
    part.finish()
    return weight


def _parse_step(part: _Part) -> Step:
    step: Step
    if part.name == "truncate":
        step = Truncate(part.take_bounds())
    elif part.name == "normalize":
        step = Normalize(_DIVISORS[part.pick(_DIVISORS, part.take("over what"), "divisor")])
    elif part.name == "veto":
        statistic = part.pick(STATISTICS, part.take("a statistic"), "statistic")
        bounds = part.take_bounds()
        step = Veto(Measure(statistic, "token", **_take_figure_options(part)), bounds)
    elif part.name in ("zero", "mask"):
        step = _parse_reject(part)
    elif part.name == "weight":
        part.refuse("the one weight comes first")
    else:
        part.refuse(
            "it must begin with one of weight, truncate, zero, mask, veto, normalize, or be one of tis, icepop, mis"
        )
    part.finish()
    return step


def _parse_reject(part: _Part) -> Reject:
    measured = part.take("a measure")
    bounds = part.take_bounds()
    measure = None if measured == "weight" else _parse_measure(part, measured)
    return Reject(
        part.pick(("zero", "mask"), part.name, "action"),
        measure,
        bounds,
        when=next((sign for name, sign in _SIGNS.items() if part.take_flag(name)), None),
        diverging=part.take_flag("diverging"),
        nan_kept=part.take_flag("nan"),
    )


def _parse_measure(part: _Part, text: str) -> Measure:
    words = text.split(".")
    level = part.pick(LEVELS, words[0], "level")
    if len(words) != (2 if level == "token" else 3):
        part.refuse("a measure is token.STATISTIC, or LEVEL.AGGREGATION.STATISTIC")
    return Measure(
        part.pick(STATISTICS, words[-1], "statistic"),
        level,
        "sum" if level == "token" else part.pick(AGGREGATIONS, words[1], "aggregation"),
        kept=part.take_flag("kept"),
        **_take_figure_options(part),
    )


class _FigureOptions(TypedDict):
    delta_bound: float
    prob_bound: float
    rest_shift: float


def _take_figure_options(part: _Part) -> _FigureOptions:
    return {
        "delta_bound": part.take_number("delta"),
        "prob_bound": part.take_number("prob", 0.0),
        "rest_shift": part.take_number("shift", 0.0),
    }
