"""Inputs for the checks of exported files; also written to ROOT/checks for use elsewhere."""

from collections.abc import Iterator
from random import Random

import numpy as np

from ..task import held_out
from ..task.demonstrations import demonstration
from ..tokenizer import BOS, Tokenizer

ONNX_ROWS, CONTEXT, VOCAB = 6, 192, 400
TEXT_PROBLEMS, RANDOM_TEXTS = 300, 500

ODD_TEXTS = [
    "",
    " ",
    "\n\n",
    "  two  spaces ",
    "tabs\tand\r\nreturns \n x",
    "héllo wörld",
    "数学 123 は",
    "½ ² ٣ x²",
    "emoji 😀 family 👨‍👩‍👧",
    "<calc>1+2</calc><out>3</out>",
    "<calc >not a tag</calc",
    "a<eos>b<pad><bos>",
    "It's 3.14 (approx.)!?",
    "x=y*z-1/2;",
    "THEREFORE therefore Therefore",
    "\u00a0nbsp\u2003em",
    "don't <out>",
    "#### -42<eos>",
]
LETTERS = "abc xyz 019 .,;:!?()+-*/=#<>\n\té漢😀'_"


def worked_text(problem, rng: Random) -> str:
    return problem.prompt + "".join(text for _, text in demonstration(problem, rng))


def onnx_case(rng: Random, tokenizer: Tokenizer) -> tuple[np.ndarray, np.ndarray]:
    """(ids, mask) of six sequences: a full context of random ids, half of the rest left-padded."""
    rows = [
        [BOS, *tokenizer.encode(worked_text(p, rng))] for p in rng.sample(held_out(), ONNX_ROWS)
    ]
    rows[0] = [rng.randrange(VOCAB) for _ in range(CONTEXT)]
    width = max(map(len, rows))
    ids, mask = (np.zeros((len(rows), width), np.int64) for _ in range(2))
    for i, row in enumerate(rows):
        at = width - len(row) if i % 2 else 0
        ids[i, at : at + len(row)], mask[i, at : at + len(row)] = row, 1
    return ids, mask


def tokenizer_texts(rng: Random) -> Iterator[str]:
    """Oddities, prompts, worked solutions, and random strings."""
    yield from ODD_TEXTS
    for problem in held_out()[:TEXT_PROBLEMS]:
        yield problem.prompt
        yield worked_text(problem, rng) + "<eos>"
    for _ in range(RANDOM_TEXTS):
        yield "".join(rng.choice(LETTERS) for _ in range(rng.randint(1, 40)))
