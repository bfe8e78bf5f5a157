"""Seeds, and the streams of problems that come from them."""

from collections.abc import Collection, Iterator
from functools import cache
from random import Random

from .problems import Problem, make_problem

SEED = 20261121
HELD_OUT_SEED, DPO_SEED, RL_SEED = 101, 202, 303
HELD_OUT_COUNT = 800


def problem_stream(seed: int, exclude: Collection[str] = ()) -> Iterator[Problem]:
    """Endless problems whose prompts are not in `exclude`."""
    rng = Random(seed)
    count = 0
    while True:
        problem = make_problem(rng)
        if problem.prompt not in exclude:
            problem.uid = f"calc-{seed}-{count:06d}"
            count += 1
            yield problem


@cache
def held_out() -> tuple[Problem, ...]:
    """The 800 distinct problems that no training stream contains."""
    chosen: dict[str, Problem] = {}
    for problem in problem_stream(HELD_OUT_SEED):
        if problem.prompt not in chosen:
            problem.uid = f"calc/{problem.template}/{len(chosen):04d}"
            chosen[problem.prompt] = problem
            if len(chosen) == HELD_OUT_COUNT:
                break
    return tuple(chosen.values())


def held_out_prompts() -> frozenset[str]:
    return frozenset(p.prompt for p in held_out())
