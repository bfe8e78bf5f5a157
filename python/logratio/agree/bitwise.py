"""Whether log-probs are bitwise equal, and how far apart their bits are otherwise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import LogratioError
from .inputs import Pair


@dataclass(frozen=True)
class Bitwise:
    """Counts of tokens whose bits differ between two policies.

    NaN equals NaN whatever its payload, and 0 equals -0; pairs of the latter kind are counted.
    """

    tokens: int
    unequal: int
    #: Tokens that are 0 on one side and -0 on the other.
    signed_zeros: int
    #: Tokens that are NaN, infinite or missing on one side only.
    incomparable: int
    #: Index, in the flat arrays, of the first unequal token; None without one.
    first: int | None
    #: Tokens by distance in units in the last place, as ``(from, to, tokens)``: 1, 2, 3-4, 5-8, …
    histogram: tuple[tuple[int, int, int], ...]


def compare_bits(pair: Pair, names: tuple[str, str]) -> Bitwise:
    """Compares the bits of the tokens with mask 1.

    Raises:
        LogratioError: if the types differ, since their bits then mean different things.
    """
    if pair.a.dtype != pair.b.dtype:
        raise LogratioError(
            f"{names[0]} is {pair.a.dtype}, {names[1]} {pair.b.dtype}: their bits cannot be equal",
            likely="one side was converted on its way",
            hint="give both as they were computed, in one type",
        )
    at = np.flatnonzero(pair.mask)
    a, b = pair.a.values[at], pair.b.values[at]
    both_missing = np.isnan(a) & np.isnan(b)
    bits_differ = pair.a.bits[at] != pair.b.bits[at]
    zeros = bits_differ & (a == 0) & (b == 0)
    unequal = bits_differ & ~both_missing & ~zeros
    comparable = unequal & np.isfinite(a) & np.isfinite(b)
    distance = _count_between(pair.a.bits[at][comparable], pair.b.bits[at][comparable])
    where = np.flatnonzero(unequal)
    return Bitwise(
        len(at),
        int(unequal.sum()),
        int(zeros.sum()),
        int((unequal & ~comparable).sum()),
        int(at[where[0]]) if len(where) else None,
        _bin(distance),
    )


def _count_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The number of steps between representable numbers from one to the other, uint64."""

    def order(bits: np.ndarray) -> np.ndarray:
        # Sign and magnitude to two's complement: the next larger number is the next integer, and -0 is 0.
        magnitude = bits & np.iinfo(bits.dtype).max
        return np.where(bits < 0, -magnitude, magnitude).astype(np.int64)

    x, y = order(a), order(b)
    # Wraps around if int64 overflows, which gives the right distance, as that is below 2⁶⁴.
    distance: np.ndarray = np.maximum(x, y).astype(np.uint64) - np.minimum(x, y).astype(np.uint64)
    return distance


def _bin(distance: np.ndarray) -> tuple[tuple[int, int, int], ...]:
    found = []
    low, high = 1, 1
    while distance.size and low <= int(distance.max()):
        count = int(((distance >= np.uint64(low)) & (distance <= np.uint64(high))).sum())
        if count:
            found.append((low, high, count))
        low, high = high + 1, min(high * 2, 2**64 - 1)
    return tuple(found)
