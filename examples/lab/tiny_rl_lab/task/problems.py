"""Templated arithmetic word problems.

Every draw from `rng` is part of the recorded streams: the order of the draws must not change.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from .arithmetic import Step, run_chain

NAMES = ["Tom", "Ana", "Ben", "Mia", "Sam", "Eva"]
ITEMS = ["apples", "books", "coins", "cards", "pens", "eggs"]


class Draft(NamedTuple):
    """What a template makes up: the question and the steps that answer it."""

    text: str
    steps: list[Step]


class Cast(NamedTuple):
    """Who and what a word problem is about."""

    name: str
    friend: str
    item: str


class Template(NamedTuple):
    weight: float  # sampling weight
    level: int
    subject: str
    make: Callable[[Random, Cast], Draft]


@dataclass
class Problem:
    uid: str
    template: str
    prompt: str  # without <bos>; ends in a newline
    steps: list[Step]
    answer: int
    algebra: bool  # the conclusion reads "x = ..."

    @property
    def level(self) -> str:
        return f"Level {TEMPLATES[self.template].level}"

    @property
    def subject(self) -> str:
        return TEMPLATES[self.template].subject


def _big(rng: Random) -> int:
    return rng.randint(11, 99)


def _few(rng: Random) -> int:
    return rng.randint(2, 9)


def _shop(rng: Random, cast: Cast) -> Draft:
    a, b, c = _big(rng), _few(rng), _big(rng)
    text = f"{cast.name} has {a} {cast.item} and buys {b} boxes of {c}. How many?"
    return Draft(text, [(b, "*", c), (a, "+", ("r", 0))])


def _gift(rng: Random, cast: Cast) -> Draft:
    a, b = _big(rng), _big(rng)
    c = rng.randint(2, a + b - 1)
    text = (
        f"{cast.name} has {a} {cast.item}, finds {b} and gives {c} to {cast.friend}. "
        "How many are left?"
    )
    return Draft(text, [(a, "+", b), (("r", 0), "-", c)])


def _party(rng: Random, cast: Cast) -> Draft:
    a, b, c, d = _few(rng), _big(rng), _few(rng), _big(rng)
    text = f"{cast.name} buys {a} boxes of {b} {cast.item} and {c} bags of {d}. How many?"
    return Draft(text, [(a, "*", b), (c, "*", d), (("r", 0), "+", ("r", 1))])


def _share(rng: Random, cast: Cast) -> Draft:
    friends, each, more = _few(rng), _big(rng), _big(rng)
    text = (
        f"{friends * each} {cast.item} are shared by {friends} friends. "
        f"Then {cast.name} finds {more}. How many has {cast.name}?"
    )
    return Draft(text, [(friends * each, "/", friends), (("r", 0), "+", more)])


def _solve(rng: Random, _: Cast) -> Draft:
    a, x = _big(rng), _big(rng)
    form = rng.randrange(3)
    if form == 0:
        return Draft(f"Solve x + {a} = {x + a}. What is x?", [(x + a, "-", a)])
    if form == 1:
        return Draft(f"Solve x - {a} = {x}. What is x?", [(x, "+", a)])
    k = _few(rng)
    return Draft(f"Solve {k} * x = {k * x}. What is x?", [(k * x, "/", k)])


def _vars(rng: Random, _: Cast) -> Draft:
    a, b, c = _few(rng), _big(rng), _big(rng)
    given = f"Let x = {a} and y = {b}."
    if rng.random() < 0.5:
        return Draft(f"{given} What is {c} * x + y?", [(c, "*", a), (("r", 0), "+", b)])
    c = rng.randint(2, a * b - 1)
    return Draft(f"{given} What is x * y - {c}?", [(a, "*", b), (("r", 0), "-", c)])


def _compute(rng: Random, _: Cast) -> Draft:
    a, b, c, d = _big(rng), _big(rng), _few(rng), _big(rng)
    steps = [(a, "+", b), (("r", 0), "*", c), (("r", 1), "-", d)]
    return Draft(f"Compute ({a} + {b}) * {c} - {d}.", steps)


def _small(rng: Random, _: Cast) -> Draft:
    a, b = _few(rng), _few(rng)
    return Draft(f"What is {a} + {b}?", [(a, "+", b)])


TEMPLATES = {
    "shop": Template(0.18, 2, "Word Problems", _shop),
    "gift": Template(0.14, 2, "Word Problems", _gift),
    "party": Template(0.14, 4, "Word Problems", _party),
    "share": Template(0.10, 3, "Word Problems", _share),
    "solve": Template(0.12, 1, "Algebra", _solve),
    "vars": Template(0.13, 3, "Algebra", _vars),
    "compute": Template(0.13, 4, "Arithmetic", _compute),
    "small": Template(0.06, 1, "Arithmetic", _small),
}


def make_problem(rng: Random) -> Problem:
    """One problem, without a uid."""
    kind = rng.choices(list(TEMPLATES), [t.weight for t in TEMPLATES.values()])[0]
    name, friend = rng.sample(NAMES, 2)
    cast = Cast(name, friend, rng.choice(ITEMS))
    draft = TEMPLATES[kind].make(rng, cast)
    answer = run_chain(draft.steps)[-1]
    prompt = f"Question: {draft.text}\n"
    return Problem("", kind, prompt, draft.steps, answer, algebra=kind == "solve")
