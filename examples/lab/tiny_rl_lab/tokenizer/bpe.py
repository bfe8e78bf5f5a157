"""Byte-pair encoding."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from ..errors import require
from .alphabet import (
    BYTE_TO_CHAR,
    CHAR_TO_BYTE,
    PAD,
    PRETOKEN,
    SPECIAL_SPLIT,
    SPECIALS,
    to_chars,
)

Pair = tuple[str, str]
UNMERGED = 1 << 30  # the rank of a pair that is no merge


class Tokenizer:
    """Ids 0-6 are special, the next 256 are bytes, the rest are merges in order of training."""

    def __init__(self, merges: Iterable[Sequence[str]]):
        self.merges: list[Pair] = [tuple(m) for m in merges]
        self.rank = {m: i for i, m in enumerate(self.merges)}
        single = [BYTE_TO_CHAR[b] for b in range(256)]
        self.tokens = SPECIALS + single + ["".join(m) for m in self.merges]
        self.id = {t: i for i, t in enumerate(self.tokens)}
        require(len(self.id) == len(self.tokens), "two merges give the same token")
        self._cache: dict[str, list[int]] = {}

    @classmethod
    def train(cls, texts: Iterable[str], vocab_size: int) -> "Tokenizer":
        """Merge the most frequent pair until the vocabulary has `vocab_size` tokens."""
        counts: Counter[str] = Counter()
        for text in texts:
            for chunk in SPECIAL_SPLIT.split(text):
                if chunk not in SPECIALS:
                    counts.update(PRETOKEN.findall(chunk))
        # Damped counts: rarer template words still earn a whole token.
        words = [(list(to_chars(w)), c**0.5) for w, c in counts.items()]
        merges: list[Pair] = []
        while len(SPECIALS) + 256 + len(merges) < vocab_size:
            best = _most_frequent_pair(words)
            if best is None:
                break
            merges.append(best)
            words = [(_merge(p, best) if best[0] in p else p, c) for p, c in words]
        return cls(merges)

    def encode(self, text: str) -> list[int]:
        """Ids of `text`, without <bos>."""
        ids: list[int] = []
        for chunk in SPECIAL_SPLIT.split(text):
            if chunk in SPECIALS:
                ids.append(self.id[chunk])
            else:
                for word in PRETOKEN.findall(chunk):
                    ids += self._encode_word(word)
        return ids

    def decode(self, ids: Iterable[int], skip: Collection[int] = (PAD,)) -> str:
        """Text of `ids`; special tokens are spelt out unless in `skip`."""
        out, run = [], bytearray()
        for i in map(int, ids):
            if i >= len(SPECIALS):
                run += bytes(CHAR_TO_BYTE[c] for c in self.tokens[i])
                continue
            out.append(run.decode("utf-8", "replace"))
            run = bytearray()
            if i not in skip:
                out.append(SPECIALS[i])
        out.append(run.decode("utf-8", "replace"))
        return "".join(out)

    def _encode_word(self, word: str) -> list[int]:
        if word not in self._cache:
            parts = list(to_chars(word))
            while len(parts) > 1:
                rank, pair = min((self.rank.get(p, UNMERGED), p) for p in zip(parts, parts[1:]))
                if rank == UNMERGED:
                    break
                parts = _merge(parts, pair)
            self._cache[word] = [self.id[p] for p in parts]
        return self._cache[word]


def _most_frequent_pair(words: list[tuple[list[str], float]]) -> Pair | None:
    pairs: Counter[Pair] = Counter()
    for parts, count in words:
        for pair in zip(parts, parts[1:]):
            pairs[pair] += count
    return max(pairs, key=lambda p: (pairs[p], p)) if pairs else None


def _merge(parts: list[str], pair: Pair) -> list[str]:
    """`parts` with every occurrence of `pair` joined, from the left."""
    out, i = [], 0
    while i < len(parts):
        if i + 1 < len(parts) and (parts[i], parts[i + 1]) == pair:
            out.append(pair[0] + pair[1])
            i += 2
        else:
            out.append(parts[i])
            i += 1
    return out
