"""The stage `accuracy`: every checkpoint on the held-out problems -> accuracy.json."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from ..model import TinyLlama
from ..record.text import write_json
from ..task import Problem, held_out
from ..tokenizer import Tokenizer
from ..train.evaluate import generate_all, score
from ..workspace import Workspace

SAMPLING_SEED = 7


def measure_accuracy(workspace: Workspace, problems: Sequence[Problem] | None = None) -> None:
    tokenizer, table = workspace.tokenizer(), {}
    for name in workspace.checkpoint_names():
        table[name] = _figures(workspace.model(name), problems or held_out(), tokenizer)
        print(name, table[name], flush=True)
    write_json(workspace.root / "accuracy.json", table)


def _figures(model: TinyLlama, problems: Sequence[Problem], tokenizer: Tokenizer) -> dict:
    n = len(problems)
    greedy = generate_all(model, problems, tokenizer)
    right = [score(p, t, tokenizer) for p, t in zip(problems, greedy)]
    sampled = generate_all(model, problems, tokenizer, greedy=False, seed=SAMPLING_SEED)
    by_template = defaultdict(list)
    for problem, r in zip(problems, right):
        by_template[problem.template].append(r)
    return {
        "greedy": sum(right) / n,
        "sampled": sum(score(p, t, tokenizer) for p, t in zip(problems, sampled)) / n,
        "rounds": sum(t.turns for t in greedy) / n,
        "rounds_histogram": dict(sorted(Counter(t.turns for t in greedy).items())),
        "response_length": sum(len(t.response) for t in greedy) / n,
        "by_template": {k: round(sum(v) / len(v), 3) for k, v in sorted(by_template.items())},
    }
