"""Greedy answers to the held-out problems, and which of them to look at."""

from collections.abc import Sequence

from ..engine import Trajectory
from ..errors import require
from ..task import Problem, predicted_answer
from ..tokenizer import BOS, EOS, Tokenizer
from ..train.evaluate import score
from .forcing import Forced

Answers = dict[str, dict]  # by uid of the problem


def answers(
    problems: Sequence[Problem], trajectories: Sequence[Trajectory], tokenizer: Tokenizer
) -> Answers:
    return {p.uid: _answer(p, t, tokenizer) for p, t in zip(problems, trajectories)}


def _answer(problem: Problem, trajectory: Trajectory, tokenizer: Tokenizer) -> dict:
    ids = trajectory.response[:-1] if trajectory.finished else trajectory.response
    text = tokenizer.decode(ids)
    predicted = predicted_answer(text)
    return {
        "response": text,
        "correct": score(problem, trajectory, tokenizer) == 1.0,
        "ground_truth": str(problem.answer),
        "predicted": None if predicted is None else str(predicted),
        "response_token_ids": trajectory.response,
        "response_mask": trajectory.mask,
        "num_rounds": trajectory.turns,
        "finish_reason": trajectory.stop,
    }


def problem_rows(problems: Sequence[Problem]) -> list[dict]:
    return [
        {
            "problem": p.prompt,
            "unique_id": p.uid,
            "answer": str(p.answer),
            "level": p.level,
            "subject": p.subject,
        }
        for p in problems
    ]


def spread(problems: Sequence[Problem], count: int) -> list[Problem]:
    """`count` problems, evenly spread over the list."""
    return [problems[i * len(problems) // count] for i in range(count)]


def forced_answer(problem: Problem, given: Answers, tokenizer: Tokenizer) -> Forced:
    """The given answer as a sequence; its text must encode to the same ids."""
    answer = given[problem.uid]
    forced = Forced(problem, [BOS, *tokenizer.encode(problem.prompt)], answer["response_token_ids"])
    again = [BOS, *tokenizer.encode(problem.prompt + answer["response"]), EOS]
    require(again == forced.ids, f"{problem.uid}: the answer's text encodes to other ids")
    return forced
