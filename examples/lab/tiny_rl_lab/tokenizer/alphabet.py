"""Special tokens, the printable stand-ins for bytes, and how text is cut before BPE.

One digit at a time; words and punctuation runs with at most one leading space; whitespace. Special
tokens are cut out first.
"""

import re
import sys
import unicodedata

SPECIALS = ["<pad>", "<bos>", "<eos>", "<calc>", "</calc>", "<out>", "</out>"]
PAD, BOS, EOS, CALC, END_CALC, OUT, END_OUT = range(len(SPECIALS))

# The same cut as PRETOKEN, as it is written into tokenizer.json.
HF_REGEX = r"\p{N}| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def _byte_alphabet() -> dict[int, str]:
    """GPT-2's printable stand-ins for the 256 bytes."""
    keep = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table = {b: chr(b) for b in keep}
    others = (b for b in range(256) if b not in table)
    return table | {b: chr(256 + i) for i, b in enumerate(others)}


BYTE_TO_CHAR = _byte_alphabet()
CHAR_TO_BYTE = {c: b for b, c in BYTE_TO_CHAR.items()}


def to_chars(text: str) -> str:
    """The UTF-8 bytes of `text`, one printable character for each."""
    return "".join(BYTE_TO_CHAR[b] for b in text.encode("utf-8"))


def _char_class(initial: str) -> str:
    """A class for `re` of the Unicode general categories that start with `initial`."""
    ranges, start = [], None
    for code in range(sys.maxunicode + 2):
        inside = code <= sys.maxunicode and unicodedata.category(chr(code))[0] == initial
        if inside and start is None:
            start = code
        elif not inside and start is not None:
            ranges.append((start, code - 1))
            start = None
    return "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in ranges)


def _pretoken_pattern() -> re.Pattern[str]:
    letters, numbers = _char_class("L"), _char_class("N")
    return re.compile(rf"[{numbers}]| ?[{letters}]+| ?[^\s{letters}{numbers}]+|\s+(?!\S)|\s+")


PRETOKEN = _pretoken_pattern()
SPECIAL_SPLIT = re.compile("(" + "|".join(re.escape(s) for s in SPECIALS) + ")")
