"""What the policy acts in: the calculator tool, and the reward that can be verified."""

import re

from .arithmetic import apply_op
from .problems import Problem

MAX_TOOL_CALLS = 3  # so an episode has 1 to 4 turns

_EXPRESSION = re.compile(r"\s*(-?\d{1,6})\s*([-+*/])\s*(-?\d{1,6})\s*")
_FINAL = re.compile(r"#### (-?\d+)(?:<eos>)?\s*$")


def calculator(expression: str) -> str:
    """The tool: one binary integer operation; anything else is 'error'."""
    match = _EXPRESSION.fullmatch(expression)
    if not match:
        return "error"
    value = apply_op(int(match[1]), match[2], int(match[3]))
    return "error" if value is None else str(value)


def predicted_answer(response: str) -> int | None:
    """The number after the closing '####', if there is one."""
    match = _FINAL.search(response)
    return int(match[1]) if match else None


def reward(problem: Problem, response: str, finished: bool) -> float:
    """1.0 if the response ended by itself and its last number is the answer, else 0.0."""
    return 1.0 if finished and predicted_answer(response) == problem.answer else 0.0
