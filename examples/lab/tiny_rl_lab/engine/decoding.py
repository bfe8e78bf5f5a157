"""Sampling with a tool: one token per step and sequence, calculator output forced in."""

from typing import NamedTuple

import torch
import torch.nn.functional as F

from ..errors import require
from ..task import Problem, calculator
from ..tokenizer import BOS, CALC, PAD, Tokenizer
from .forward import RolloutEngine
from .trajectory import TOP_K, Trajectory

MAX_PROMPT, MAX_RESPONSE = 48, 136  # 184 of the model's 192 positions
KEEP_SHARE = 0.85  # finished rows are dropped when fewer than this share is alive
MASKED = -1e9


class Sampled(NamedTuple):
    """A token for each live row; the last three only where details are wanted."""

    tokens: list[int]
    log_probs: list[float]
    entropy: list[float] | None
    top_ids: list[list[int]] | None
    top_log_probs: list[list[float]] | None


def prompt_ids(problem: Problem, tokenizer: Tokenizer) -> list[int]:
    ids = [BOS, *tokenizer.encode(problem.prompt)]
    require(len(ids) <= MAX_PROMPT, f"a prompt of {len(ids)} tokens, {MAX_PROMPT} allowed")
    return ids


@torch.inference_mode()
def generate(
    engine: RolloutEngine,
    prompts: list[list[int]],
    tokenizer: Tokenizer,
    rope: tuple[torch.Tensor, torch.Tensor],
    greedy: bool = False,
    generator: torch.Generator | None = None,
    details: bool = False,
) -> list[Trajectory]:
    """Finish every prompt (ids with <bos>); temperature 1.0 unless greedy.

    rope: the model's cos and sin tables. details: also keep entropies and the TOP_K most probable.
    """
    batch = _Batch(engine, prompts, rope)
    logits = batch.prefill()
    for step in range(MAX_RESPONSE):
        sampled = _sample(logits, greedy, generator, details)
        tokens = batch.append(sampled, tokenizer)
        if batch.all_stopped():
            break
        logits = batch.advance(batch.drop_stopped(tokens), step)
    return batch.trajectories


def _sample(logits, greedy, generator, details) -> Sampled:
    log_probs = F.log_softmax(logits.float(), dim=-1)
    if greedy:
        choice = logits.float().argmax(-1)
    else:
        choice = torch.multinomial(log_probs.exp(), 1, generator=generator).squeeze(-1)
    picked = log_probs.gather(-1, choice[:, None]).squeeze(-1).tolist()
    if not details:
        return Sampled(choice.tolist(), picked, None, None, None)
    entropy = (-(log_probs.exp() * log_probs).sum(-1)).tolist()
    top = log_probs.topk(TOP_K, dim=-1)
    return Sampled(choice.tolist(), picked, entropy, top.indices.tolist(), top.values.tolist())


class _Batch:
    """The sequences that are being decoded together, left-padded; shrinks as they finish."""

    def __init__(self, engine, prompts, rope):
        count, self.prompt_width = len(prompts), max(map(len, prompts))
        width = self.prompt_width + MAX_RESPONSE
        self.engine = engine
        self.trajectories = [Trajectory(list(p)) for p in prompts]
        self.live = list(range(count))  # batch row -> trajectory index
        self.pending: list[list[int]] = [[] for _ in prompts]  # tool tokens still to be forced
        self.cos, self.sin = (t.to(engine.dtype) for t in rope)
        self.pads = torch.tensor([self.prompt_width - len(p) for p in prompts])
        self.columns = torch.arange(width)
        self.cache = engine.new_cache(count, width)

    def prefill(self) -> torch.Tensor:
        """Logits after the prompts."""
        width, columns = self.prompt_width, self.columns[: self.prompt_width]
        ids = torch.full((len(self.live), width), PAD)
        for row, t in enumerate(self.trajectories):
            ids[row, width - len(t.prompt) :] = torch.tensor(t.prompt)
        position = (columns - self.pads[:, None]).clamp(min=0)
        real = (columns[None] >= self.pads[:, None])[:, None]
        seen = real & torch.ones(width, width, dtype=torch.bool).tril()
        seen = seen | torch.eye(width, dtype=torch.bool)
        return self._forward(ids, position, 0, torch.where(seen, 0.0, MASKED)[:, None])

    def append(self, sampled: Sampled, tokenizer: Tokenizer) -> list[int]:
        """Give each live trajectory its next token; returns the tokens to feed, row by row."""
        tokens = list(sampled.tokens)
        for row, i in enumerate(self.live):
            t = self.trajectories[i]
            if t.stop:  # not dropped yet
                continue
            if self.pending[i]:
                tokens[row] = self.pending[i].pop(0)
                t.add_forced(tokens[row], sampled.entropy is not None)
            else:
                t.add_sampled(tokens[row], sampled.log_probs[row])
                if sampled.entropy is not None:
                    t.entropy.append(sampled.entropy[row])
                    t.top_ids.append(sampled.top_ids[row])
                    t.top_log_prob.append(sampled.top_log_probs[row])
                if t.called_tool(tokens[row]):
                    self.pending[i] = tool_tokens(t.response, tokenizer)
            if not t.stop and len(t.response) == MAX_RESPONSE:
                t.stop = "length"
        return tokens

    def all_stopped(self) -> bool:
        return all(self.trajectories[i].stop for i in self.live)

    def drop_stopped(self, tokens: list[int]) -> list[int]:
        """Shrink the batch if enough rows have stopped; the tokens of the rows that stay."""
        alive = [row for row, i in enumerate(self.live) if not self.trajectories[i].stop]
        if len(alive) >= KEEP_SHARE * len(self.live):
            return tokens
        keep = torch.tensor(alive)
        self.cache = [(k[keep], v[keep]) for k, v in self.cache]
        self.pads = self.pads[keep]
        self.live = [self.live[row] for row in alive]
        return [tokens[row] for row in alive]

    def advance(self, tokens: list[int], step: int) -> torch.Tensor:
        """Logits after one more token in each row."""
        at = self.prompt_width + step
        seen = self.columns[None, : at + 1] >= self.pads[:, None]
        bias = torch.where(seen, 0.0, MASKED)[:, None, None]
        return self._forward(torch.tensor(tokens)[:, None], (at - self.pads)[:, None], at, bias)

    def _forward(self, ids, position, start, bias):
        cos, sin = self.cos[position][:, None], self.sin[position][:, None]
        return self.engine.forward(ids, cos, sin, self.cache, start, bias)


def tool_tokens(response: list[int], tokenizer: Tokenizer) -> list[int]:
    """The environment's reply to the call that `response` just closed: <out>result</out>."""
    start = len(response) - 1
    while start >= 0 and response[start] != CALC:
        start -= 1
    expression = tokenizer.decode(response[start + 1 : -1]) if start >= 0 else ""
    return tokenizer.encode(f"<out>{calculator(expression)}</out>")
