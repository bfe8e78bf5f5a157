"""The task: arithmetic word problems, their worked solutions, the calculator, the reward."""

from .environment import MAX_TOOL_CALLS, calculator, predicted_answer, reward
from .problems import Problem
from .streams import held_out, held_out_prompts, problem_stream

__all__ = [
    "MAX_TOOL_CALLS",
    "Problem",
    "calculator",
    "held_out",
    "held_out_prompts",
    "predicted_answer",
    "problem_stream",
    "reward",
]
