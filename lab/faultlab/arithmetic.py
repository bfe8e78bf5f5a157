"""A Llama in PyTorch's own narrow kernels, where `network.py` rounds float32 results: two settings of it differ as two
real programs do, in precision, kernel, batch and order of sums."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F

from .checkpoints import State
from .network import rope_tables, rotate
from .rounding import round_keys, round_weights


@dataclass(frozen=True)
class Arithmetic:
    """How a setting computes, from the same weights."""

    dtype: torch.dtype = torch.bfloat16
    master: bool = False  # weights as trained, in float32, instead of as published, in bfloat16
    attention: str = "sdpa"  # "eager": a product, a softmax in float32, a product; "narrow": that softmax in `dtype`
    weights: str | None = None  # rounding of the matrices: int8, e4m3
    keys: str | None = None  # rounding of keys and values: bf16, int8, e4m3
    norm: torch.dtype = torch.float32
    head: torch.dtype | None = None  # of the product that gives the logits; None: `dtype`
    softmax: torch.dtype = torch.float32  # of the log-softmax over the vocabulary
    halves: bool = False  # every product of the layers is summed in two halves, each rounded
    rows: int = 8  # per batch
    pad: str = "right"


class Model:
    """Weights under a setting."""

    def __init__(self, state: State, config: dict, how: Arithmetic):
        self.how = how
        self.heads = config["num_attention_heads"]
        self.key_heads = config.get("num_key_value_heads", self.heads)
        self.width = config["hidden_size"] // self.heads
        self.eps = config["rms_norm_eps"]
        self.count = config["num_hidden_layers"]
        published = state if how.master else {name: w.bfloat16().float() for name, w in state.items()}
        rounded = round_weights(published, how.weights) if how.weights else published
        self.state = {name: w.to(how.dtype) for name, w in rounded.items()}
        self.head = rounded.get("lm_head.weight", rounded["model.embed_tokens.weight"]).to(how.head or how.dtype)
        tables = rope_tables(config.get("rope_theta", 10_000.0), 1.0, self.width)
        self.cos, self.sin = (table.to(how.dtype) for table in tables)

    def new_cache(self, rows: int, width: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
        shape = (rows, self.key_heads, width, self.width)
        return [tuple(torch.zeros(shape, dtype=self.how.dtype) for _ in "kv") for _ in range(self.count)]

    def _times(self, x: torch.Tensor, name: str) -> torch.Tensor:
        w = self.state[name]
        if not self.how.halves:
            return F.linear(x, w)
        half = w.shape[1] // 2
        return F.linear(x[..., :half], w[:, :half]) + F.linear(x[..., half:], w[:, half:])

    def _norm(self, x: torch.Tensor, name: str) -> torch.Tensor:
        wide = x.to(self.how.norm)
        scaled = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)
        return self.state[name] * scaled.to(x.dtype)

    def _store(self, x: torch.Tensor) -> torch.Tensor:
        if self.how.keys == "bf16":
            return x.bfloat16().to(x.dtype)
        return round_keys(x, self.how.keys)

    def _attend(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, visible: torch.Tensor) -> torch.Tensor:
        if self.how.attention == "sdpa":
            return F.scaled_dot_product_attention(q, k, v, attn_mask=visible)
        score = (q @ k.transpose(-1, -2)) * self.width**-0.5
        score = score.masked_fill(~visible, torch.finfo(score.dtype).min)
        if self.how.attention == "narrow":
            # PyTorch's own softmax of bfloat16 computes in float32.
            weight = (score - score.amax(dim=-1, keepdim=True)).exp()
            return (weight / weight.sum(dim=-1, keepdim=True)) @ v
        return F.softmax(score, dim=-1, dtype=torch.float32).to(v.dtype) @ v

    def read(self, ids: torch.Tensor, positions: torch.Tensor, visible: torch.Tensor, cache=None, start: int = 0):
        """Log-probs [rows, n, V] after ids [rows, n]; `visible` is [rows, 1, n, keys]. With a cache, keys go to its
        columns start … start + n, and queries read all keys up to there."""
        rows, n = ids.shape
        cos, sin = self.cos[positions][:, None], self.sin[positions][:, None]
        x = F.embedding(ids, self.state["model.embed_tokens.weight"])
        for i in range(self.count):
            p = f"model.layers.{i}."
            inner = self._norm(x, p + "input_layernorm.weight")
            q, k, v = (
                self._times(inner, f"{p}self_attn.{one}_proj.weight").view(rows, n, -1, self.width).transpose(1, 2)
                for one in "qkv"
            )
            q, k, v = rotate(q, cos, sin), self._store(rotate(k, cos, sin)), self._store(v)
            if cache is not None:
                for stored, new in zip(cache[i], (k, v), strict=True):
                    stored[:, :, start : start + n] = new
                k, v = (stored[:, :, : start + n] for stored in cache[i])
            k, v = (part.repeat_interleave(self.heads // self.key_heads, dim=1) for part in (k, v))
            mixed = self._attend(q, k, v, visible).transpose(1, 2).reshape(rows, n, -1)
            x = x + self._times(mixed, p + "self_attn.o_proj.weight")
            inner = self._norm(x, p + "post_attention_layernorm.weight")
            gate = F.silu(self._times(inner, p + "mlp.gate_proj.weight"))
            x = x + self._times(gate * self._times(inner, p + "mlp.up_proj.weight"), p + "mlp.down_proj.weight")
        logits = F.linear(self._norm(x, "model.norm.weight").to(self.head.dtype), self.head)
        return F.log_softmax(logits.to(self.how.softmax), dim=-1)


def pad_texts(texts: list[list[int]], side: str) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Ids [rows, n], positions [rows, n] and what is visible [rows, 1, n, n]: what came before and is no padding."""
    width = max(map(len, texts))
    ids = torch.zeros(len(texts), width, dtype=torch.long)
    first = torch.tensor([width - len(text) if side == "left" else 0 for text in texts])
    for i, text in enumerate(texts):
        ids[i, first[i] : first[i] + len(text)] = torch.tensor(text)
    column = torch.arange(width)
    positions = (column - first[:, None]).clamp(min=0)
    # A pad sees itself, since a softmax over nothing is not a number.
    visible = (column >= first[:, None])[:, None] & torch.ones(width, width, dtype=torch.bool).tril()
    return ids, positions, (visible | torch.eye(width, dtype=torch.bool))[:, None]


@torch.inference_mode()
def sample(model: Model, prompts: list[list[int]], longest: int, enders: frozenset[int], rng: torch.Generator):
    """Decodes one response per prompt, token by token with a cache: its ids and log-probs, lists of two arrays."""
    ids, positions, visible = pad_texts(prompts, "left")
    rows, width = ids.shape
    cache = model.new_cache(rows, width + longest)
    shown = torch.nn.functional.pad(visible[:, :, -1:], (0, longest), value=True)
    logprobs = model.read(ids, positions, visible, cache)[:, -1].float()
    found: list[tuple[list[int], list[float]]] = [([], []) for _ in range(rows)]
    ended = [False] * rows
    for t in range(longest):
        token = torch.multinomial(logprobs.exp(), 1, generator=rng)
        taken = logprobs.gather(-1, token)[:, 0].tolist()
        for i, one in enumerate(token[:, 0].tolist()):
            if not ended[i]:
                found[i][0].append(one)
                found[i][1].append(taken[i])
                ended[i] = one in enders
        if all(ended) or t + 1 == longest:
            break
        positions = positions[:, -1:] + 1
        at = width + t
        logprobs = model.read(token, positions, shown[..., : at + 1], cache, at)[:, -1].float()
    return found


@torch.inference_mode()
def force(model: Model, texts: list[tuple[list[int], list[int]]]) -> list[list[float]]:
    """Log-probs of the response of each (prompt, response), in whole texts at once."""
    found: list[list[float]] = []
    for at in range(0, len(texts), model.how.rows):
        group = texts[at : at + model.how.rows]
        ids, positions, visible = pad_texts([[*prompt, *response] for prompt, response in group], model.how.pad)
        logprobs = model.read(ids, positions, visible)
        for i, (prompt, response) in enumerate(group):
            end = ids.shape[1] if model.how.pad == "left" else len(prompt) + len(response)
            rows = logprobs[i, end - len(response) - 1 : end - 1]
            found.append(rows.gather(-1, torch.tensor(response)[:, None])[:, 0].tolist())
    return found
