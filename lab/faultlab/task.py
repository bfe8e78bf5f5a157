"""The task: prompts with known answers from recorded runs, a calculator as a tool, and a reward."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

PAD, BOS, EOS, CALL, END_CALL, OUT, END_OUT = range(7)
MOST_CALLS = 3
LONGEST_RESPONSE = 136
LONGEST_PROMPT = 48

SOURCES = {"solve": "algebra", "vars": "algebra", "compute": "arithmetic", "small": "arithmetic"}


@dataclass(frozen=True)
class Problem:
    prompt: tuple[int, ...]
    answer: str
    template: str
    # What the environment says after each turn but the last, as tokens.
    follow_ups: tuple[tuple[int, ...], ...] = ()

    @property
    def source(self) -> str:
        return SOURCES.get(self.template, "word_problems")


class Task:
    """Problems and the rules of an episode."""

    # Tokens after which the environment may speak or the episode ends.
    enders = frozenset({EOS, END_CALL})
    longest_response = LONGEST_RESPONSE

    def __init__(self, tokenizer: Tokenizer, problems: Iterable[Problem]):
        self.tokenizer = tokenizer
        self.problems = sorted(set(problems), key=lambda p: p.prompt)
        self.sources = sorted({p.source for p in self.problems})

    def encode(self, text: str) -> list[int]:
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def decode(self, ids: list[int]) -> str:
        return self.tokenizer.decode(ids, skip_special_tokens=False)

    def react(self, problem: Problem, response: list[int], calls: int) -> list[int] | str:
        """The environment's tokens after a response that ends in one of `enders`, or why the episode ends."""
        if response[-1] == EOS:
            return "eos"
        return "tool_limit" if calls == MOST_CALLS else self.answer_call(response)

    def answer_call(self, response: list[int]) -> list[int]:
        """The tool's tokens after a response that ends in </calc>."""
        body = []
        for token in reversed(response[:-1]):
            if token == CALL:
                break
            body.append(token)
        result = calculate(self.decode(body[::-1]))
        return [OUT, *self.encode(result), END_OUT]

    def reward(self, problem: Problem, response: list[int], stop: str) -> float:
        found = re.search(r"#### (-?\d+)(<eos>)?\s*$", self.decode(response))
        return float(stop == "eos" and found is not None and found[1] == problem.answer)


def read_problems(recordings: Path):
    for path in sorted(recordings.glob("*/npz/*.npz")):
        with np.load(path) as record:
            rows = zip(record["prompts"], record["ground_truth"], record["template"], strict=True)
            for prompt, answer, template in rows:
                yield Problem(tuple(int(t) for t in prompt if t != PAD), str(answer), str(template))


def calculate(text: str) -> str:
    """One integer operation on two integers; `error` for everything else."""
    found = re.fullmatch(r"\s*(-?\d{1,6})\s*([-+*/])\s*(-?\d{1,6})\s*", text)
    if not found:
        return "error"
    a, operation, b = int(found[1]), found[2], int(found[3])
    if operation == "/":
        return "error" if b == 0 or a % b else str(a // b)
    return str({"+": a + b, "-": a - b, "*": a * b}[operation])
