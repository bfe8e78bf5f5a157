"""Worked solutions with deliberate noise, to imitate in supervised fine-tuning.

A solution is a list of (role, text) with the roles "model" and "tool", so that tool output can be
left out of every loss. Every draw from `rng` is part of the recorded streams.
"""

from random import Random
from typing import NamedTuple

from .arithmetic import apply_op, value_of
from .problems import Problem

Segments = list[tuple[str, str]]


class Noise(NamedTuple):
    """How one template's demonstrations go wrong; above one half, greedy imitation is wrong."""

    mental: float  # P(the sums are done in the head instead of by the tool)
    wrong_op: tuple[float, ...]  # P(wrong operation), for each step


NOISE = {
    "shop": Noise(0.66, (0.15, 0.05)),
    "gift": Noise(0.30, (0.05, 0.15)),
    "party": Noise(0.30, (0.10, 0.55, 0.05)),
    "share": Noise(0.35, (0.10, 0.10)),
    "solve": Noise(0.62, (0.12,)),
    "vars": Noise(0.35, (0.08, 0.08)),
    "compute": Noise(0.66, (0.05, 0.08, 0.08)),
    "small": Noise(0.85, (0.02,)),
}
MIXED = 0.20  # P(tool or head is decided afresh at every step)
MENTAL_ERROR = 0.35  # P(a result from the head is wrong)
COPY_ERROR = 0.03  # P(the left operand is miscopied), for each step


def demonstration(problem: Problem, rng: Random) -> Segments:
    """One noisy worked solution; the caller appends <eos>."""
    noise = NOISE[problem.template]
    mixed = rng.random() < MIXED
    mental_all = rng.random() < noise.mental
    segments: Segments = []
    text, results = "", []
    for i in range(len(problem.steps)):
        a, op, b, value = _noisy_step(problem, i, results, noise, rng)
        text += f"Step {i + 1}: {_lead(problem, i, rng)} {a} {op} {b}"
        mental = (rng.random() < noise.mental) if mixed else mental_all
        if mental:
            if rng.random() < MENTAL_ERROR:
                value = _perturb(rng, value)
            text += f" = {value}.\n"
        else:
            text += f" <calc>{a}{op}{b}</calc>"
            segments += [("model", text), ("tool", f"<out>{value}</out>")]
            text = rng.choice((f" = {value}.\n", f" so {value}.\n"))
        results.append(value)
    text += _conclusion(problem, results[-1], rng)
    segments.append(("model", text))
    return segments


def _noisy_step(problem: Problem, i: int, results: list[int], noise: Noise, rng: Random):
    """(left, operation, right, result) of step i, perhaps with a slip in the first two."""
    left, op, right = problem.steps[i]
    a, b = value_of(left, results), value_of(right, results)
    if rng.random() < noise.wrong_op[i]:
        op = "+" if op in "*-" else "-"
    if rng.random() < COPY_ERROR:
        a = _perturb(rng, a)
    value = apply_op(a, op, b)
    if value is None:  # a miscopied operand need not divide
        op, value = "-", a - b
    return a, op, b, value


def _lead(problem: Problem, i: int, rng: Random) -> str:
    if i == 0:
        lead = rng.choice(("first", "first compute", "so first"))
    elif i == len(problem.steps) - 1:
        lead = rng.choice(("finally", "then", "so then"))
    else:
        lead = rng.choice(("then", "next compute"))
    return rng.choice(("first x =", "so x =")) if problem.algebra else lead


def _conclusion(problem: Problem, value: int, rng: Random) -> str:
    if problem.algebra:
        text = rng.choice((f"Therefore x = {value}.", f"So x = {value}."))
    else:
        text = rng.choice(
            (
                f"Therefore the answer is {value}.",
                f"So the answer is {value}.",
                f"It is {value} because of step {len(problem.steps)}.",
            )
        )
    return f"{text} #### {value}"


def _perturb(rng: Random, value: int) -> int:
    """A plausible slip: off by one, off by ten, or one digit changed."""
    mode = rng.randrange(3)
    if mode == 0:
        return value + rng.choice((-1, 1))
    if mode == 1:
        return value + rng.choice((-10, 10))
    digits = list(str(abs(value)))
    i = rng.randrange(len(digits))
    digits[i] = rng.choice([d for d in "123456789" if d != digits[i]])
    return int("".join(digits))
