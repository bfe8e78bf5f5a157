"""Answers of a model to many problems, and how many are right."""

from collections.abc import Sequence

import torch

from ..engine import RolloutEngine, Trajectory, generate, prompt_ids
from ..model import TinyLlama
from ..task import Problem, reward
from ..tokenizer import Tokenizer


def generate_all(
    model: TinyLlama,
    problems: Sequence[Problem],
    tokenizer: Tokenizer,
    greedy: bool = True,
    seed: int = 0,
    batch: int = 128,
) -> list[Trajectory]:
    """A float32 trajectory for every problem, in order (batched by prompt length)."""
    engine = RolloutEngine(model.cfg, torch.float32)
    engine.sync(model.to_hf_state())
    generator = torch.Generator().manual_seed(seed)
    prompts = [prompt_ids(p, tokenizer) for p in problems]
    order = sorted(range(len(prompts)), key=lambda i: len(prompts[i]))
    out: list[Trajectory | None] = [None] * len(prompts)
    for start in range(0, len(order), batch):
        part = order[start : start + batch]
        rows = [prompts[i] for i in part]
        done = generate(engine, rows, tokenizer, model.rope, greedy=greedy, generator=generator)
        for i, trajectory in zip(part, done):
            out[i] = trajectory
    return out


def score(problem: Problem, trajectory: Trajectory, tokenizer: Tokenizer) -> float:
    return reward(problem, tokenizer.decode(trajectory.response), trajectory.finished)


def accuracy(
    model: TinyLlama, problems: Sequence[Problem], tokenizer: Tokenizer
) -> tuple[float, float]:
    """(mean reward, mean number of turns) of greedy answers."""
    answers = generate_all(model, problems, tokenizer)
    right = sum(score(p, t, tokenizer) for p, t in zip(problems, answers))
    return right / len(answers), sum(t.turns for t in answers) / len(answers)
