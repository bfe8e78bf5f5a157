"""Supervised fine-tuning from scratch on deliberately noisy demonstrations."""

import math
from collections.abc import Sequence
from random import Random

import torch
import torch.nn.functional as F

from ..model import TinyLlama, length_buckets, parameter_count, right_pad
from ..record.checkpoint import save_checkpoint
from ..task import Problem, held_out, held_out_prompts, problem_stream
from ..task.demonstrations import Segments, demonstration
from ..task.streams import SEED
from ..tokenizer import BOS, EOS, Tokenizer, save_tokenizer
from ..workspace import Log, Workspace
from .evaluate import accuracy
from .optimiser import AdamW, clip_grad_norm

VOCAB = 400
TOKENIZER_PROBLEMS = 4000
STEPS, BATCH, PEAK_LR, WARMUP = 1500, 64, 2e-3, 60
EVALUATE_EVERY = 250

Row = tuple[list[int], list[int]]  # ids, and 1 on the model's own tokens


def train_tokenizer(workspace: Workspace) -> Tokenizer:
    """Train the tokenizer on demonstrations and write it to ckpt/tokenizer."""
    rng, texts = Random(SEED), []
    stream = problem_stream(SEED)
    for _ in range(TOKENIZER_PROBLEMS):
        problem = next(stream)
        texts += [problem.prompt, *(text for _, text in demonstration(problem, rng))]
    tokenizer = Tokenizer.train(texts, VOCAB)
    save_tokenizer(tokenizer, workspace.checkpoint_folder("tokenizer"))
    return tokenizer


def encode_demonstration(problem: Problem, segments: Segments, tokenizer: Tokenizer) -> Row:
    ids = [BOS, *tokenizer.encode(problem.prompt)]
    mask = [0] * len(ids)
    for role, text in segments:
        part = tokenizer.encode(text)
        ids += part
        mask += [int(role == "model")] * len(part)
    return [*ids, EOS], [*mask, 1]


def learning_rate(step: int, steps: int) -> float:
    """Linear warm-up times a cosine from 1 to 0.05."""
    cosine = 0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * step / steps))
    return PEAK_LR * min(1, (step + 1) / WARMUP) * cosine


def update(model: TinyLlama, optimiser: AdamW, rows: list[Row]) -> float:
    """One step on the mean cross-entropy over the model's own tokens; returns the loss in nats."""
    total = sum(sum(mask) for _, mask in rows)
    loss_sum = 0.0
    optimiser.zero_grad()
    for bucket in length_buckets([len(ids) for ids, _ in rows]):
        ids = right_pad([rows[i][0] for i in bucket], 0)
        chosen = right_pad([rows[i][1] for i in bucket], 0)[:, 1:].bool()
        logits = model(ids)[:, :-1][chosen]
        loss = F.cross_entropy(logits, ids[:, 1:][chosen], reduction="sum") / total
        loss.backward()
        loss_sum += loss.item()
    clip_grad_norm(optimiser.parameters, 1.0)
    optimiser.step()
    return loss_sum


def train(
    workspace: Workspace, steps: int = STEPS, evaluation: Sequence[Problem] | None = None
) -> None:
    """Train the tokenizer and the checkpoint `sft`."""
    tokenizer = train_tokenizer(workspace)
    test = held_out()[:200] if evaluation is None else evaluation
    torch.manual_seed(SEED)
    model = TinyLlama()
    rng = Random(SEED + 1)
    stream = problem_stream(SEED + 1, held_out_prompts())
    optimiser = AdamW(model.parameters(), lr=PEAK_LR, betas=(0.9, 0.98), weight_decay=0.01)
    with Log(workspace, "sft") as log:
        size = parameter_count(model)
        log.say(f"{size} parameters, vocabulary {len(tokenizer.tokens)}")
        for step in range(steps):
            optimiser.lr = learning_rate(step, steps)
            problems = [next(stream) for _ in range(BATCH)]
            rows = [encode_demonstration(p, demonstration(p, rng), tokenizer) for p in problems]
            loss = update(model, optimiser, rows)
            if step % 25 == 0:
                log.say(f"step {step} loss {loss:.4f} lr {optimiser.lr:.2e}")
            if (step + 1) % EVALUATE_EVERY == 0 or step + 1 == steps:
                right, turns = accuracy(model, test, tokenizer)
                log.say(f"step {step + 1} greedy accuracy {right:.3f} turns {turns:.2f}")
                log.record(step=step + 1, loss=loss, accuracy=right, rounds=turns)
                save_checkpoint(workspace.checkpoint_folder("sft"), model, tokenizer)
        log.say("done")
