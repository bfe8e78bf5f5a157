"""Direct preference optimisation against frozen sft, on its own right and wrong samples."""

from collections.abc import Sequence
from random import Random

import torch
import torch.nn.functional as F

from ..engine import Trajectory
from ..errors import require
from ..model import TinyLlama, length_buckets, next_token_log_probs
from ..record.checkpoint import save_checkpoint
from ..task import Problem, held_out, held_out_prompts, problem_stream
from ..task.streams import DPO_SEED, SEED
from ..tokenizer import Tokenizer
from ..workspace import Log, Workspace
from .evaluate import accuracy, generate_all, score
from .optimiser import AdamW, clip_grad_norm

PROBLEMS, SAMPLES, PAIRS_PER_PROBLEM = 320, 8, 2
BETA, LR, BATCH, EPOCHS = 0.1, 5e-6, 16, 2

Pair = tuple[Trajectory, Trajectory]  # right, wrong


def sample_pairs(model: TinyLlama, tokenizer: Tokenizer, log: Log) -> list[Pair]:
    """(right, wrong) trajectories to the same problem, at most two pairs for each."""
    stream = problem_stream(DPO_SEED, held_out_prompts())
    chosen = [next(stream) for _ in range(PROBLEMS)]
    repeated = [p for p in chosen for _ in range(SAMPLES)]
    trajectories = generate_all(model, repeated, tokenizer, greedy=False, seed=SEED)
    scores = [score(p, t, tokenizer) for p, t in zip(repeated, trajectories)]
    log.say(f"{len(scores)} samples, {sum(scores) / len(scores):.3f} right")
    rng, pairs = Random(SEED), []
    for start in range(0, len(repeated), SAMPLES):
        group = range(start, start + SAMPLES)
        right = [trajectories[i] for i in group if scores[i] == 1]
        wrong = [trajectories[i] for i in group if scores[i] == 0]
        rng.shuffle(right)
        rng.shuffle(wrong)
        pairs += list(zip(right, wrong))[:PAIRS_PER_PROBLEM]
    return pairs


def sequence_log_probs(model: TinyLlama, trajectories: Sequence[Trajectory]) -> torch.Tensor:
    """Summed log-prob of each response's own tokens (tool output left out), in nats."""
    rows = [t.prompt + t.response for t in trajectories]
    out: list[torch.Tensor | None] = [None] * len(rows)
    for bucket in length_buckets([len(r) for r in rows]):
        token_log_probs, _ = next_token_log_probs(model, [rows[i] for i in bucket])
        for k, i in enumerate(bucket):
            start = len(trajectories[i].prompt) - 1
            mask = torch.tensor(trajectories[i].mask)
            out[i] = (token_log_probs[k, start : start + len(mask)] * mask).sum()
    return torch.stack(out)


class _Fit:
    """The optimisation of `model` on `pairs`, the reference's log-probs computed once."""

    def __init__(self, model: TinyLlama, reference: TinyLlama, pairs: list[Pair]):
        self.model, self.pairs = model, pairs
        self.optimiser = AdamW(model.parameters(), lr=LR)
        with torch.no_grad():
            right, wrong = zip(*pairs)
            self.reference = [sequence_log_probs(reference, side) for side in (right, wrong)]

    def update(self, part: list[int]) -> dict[str, float]:
        """One step on the pairs `part`: loss -log sigmoid(beta (gain of right - gain of wrong))."""
        self.optimiser.zero_grad()
        sides = [self.pairs[i][0] for i in part] + [self.pairs[i][1] for i in part]
        log_probs = sequence_log_probs(self.model, sides)
        gain_right = log_probs[: len(part)] - self.reference[0][part]
        gain_wrong = log_probs[len(part) :] - self.reference[1][part]
        margin = BETA * (gain_right - gain_wrong)
        loss = -F.logsigmoid(margin).mean()
        loss.backward()
        norm = clip_grad_norm(self.optimiser.parameters, 1.0)
        self.optimiser.step()
        return {
            "loss": loss.item(),
            "margin": margin.mean().item(),
            "preferred": (margin > 0).float().mean().item(),
            "grad_norm": norm,
        }


def fit(model: TinyLlama, reference: TinyLlama, pairs: list[Pair], log: Log) -> None:
    """Two epochs over `pairs`; a batch that is not full is left out."""
    require(len(pairs) >= BATCH, f"dpo needs {BATCH} right/wrong pairs, {len(pairs)} are there")
    log.say(f"{len(pairs)} pairs")
    run = _Fit(model, reference, pairs)
    rng, step = Random(SEED), 0
    for _ in range(EPOCHS):
        order = list(range(len(pairs)))
        rng.shuffle(order)
        for start in range(0, len(order) - BATCH + 1, BATCH):
            figures = run.update(order[start : start + BATCH])
            step += 1
            log.record(step=step, **figures)
            if step % 10 == 0:
                log.say(f"step {step} loss {figures['loss']:.4f} margin {figures['margin']:.3f}")


def train(
    workspace: Workspace,
    pairs: list[Pair] | None = None,
    evaluation: Sequence[Problem] | None = None,
) -> None:
    """Train the checkpoint `dpo` from `sft`, by default on pairs sampled from it."""
    tokenizer = workspace.tokenizer()
    model, reference = workspace.model("sft"), workspace.model("sft")
    with Log(workspace, "dpo") as log:
        fit(model, reference, pairs or sample_pairs(model, tokenizer, log), log)
        right, turns = accuracy(model, evaluation or held_out()[:400], tokenizer)
        log.say(f"greedy accuracy {right:.3f} turns {turns:.2f}")
    save_checkpoint(workspace.checkpoint_folder("dpo"), model, tokenizer)
