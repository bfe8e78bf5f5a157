"""A Llama, computed as one side of a run computes it: with its precision, its kernels, its mistakes."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F

from .checkpoints import State
from .rounding import round_keys, round_rows

LAST_POSITION = 1200
EXPERTS = 8
EXPERT_SEED = 7


@dataclass(frozen=True)
class View:
    """How a side computes: everything that can differ between two sides with equal weights."""

    dtype: torch.dtype = torch.float32
    theta: float | None = None  # base of RoPE; None: the config's
    scale: float = 1.0  # positions are multiplied by it
    window: int | None = None  # keys that a query sees, including its own
    softcap: float | None = None
    padding: tuple[int, float, int] | None = None  # padded vocabulary columns: count, deviation, seed
    experts: int | None = None  # the MLP as 8 experts, this many per token
    router_noise: float = 0.0
    cache: str | None = None  # rounding of keys and values in the cache
    activations: str | None = None  # "int8": inputs of the matrices, per token
    split: bool = False  # every product of the layers is summed in two halves, each rounded
    split_from: int | None = None  # the same, from this position on
    dropout: float = 0.0
    half_scale: float = 1.0  # activations of the first MLP are this much larger (float16 overflows)


def rope_tables(theta: float, scale: float, width: int) -> tuple[torch.Tensor, torch.Tensor]:
    frequency = theta ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    angle = torch.outer(torch.arange(LAST_POSITION, dtype=torch.float64) * scale, frequency)
    angle = torch.cat((angle, angle), dim=-1)
    return angle.cos(), angle.sin()


def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin


class Network:
    """Weights and a view of them. `noise` draws dropout masks and the router's noise.

    Values are stored in float32. In a narrower view, every result is rounded to it, while products are summed in
    float32, as in the matrix units of accelerators.
    """

    def __init__(self, state: State, config: dict, view: View, noise: torch.Generator | None = None):
        self.config, self.view, self.noise = config, view, noise
        self.heads = config["num_attention_heads"]
        self.key_heads = config.get("num_key_value_heads", self.heads)
        self.width = config["hidden_size"] // self.heads
        self.eps = config["rms_norm_eps"]
        cast = lambda name: self._round(state[name])  # noqa: E731
        self.embedding = cast("model.embed_tokens.weight")
        self.head = cast("lm_head.weight") if "lm_head.weight" in state else self.embedding
        self.norm = cast("model.norm.weight")
        self.layers = []
        for i in range(config["num_hidden_layers"]):
            p = f"model.layers.{i}."
            # An overflow in an early layer reaches all later tokens; in the last layer, it would stay at its own token.
            scale = view.half_scale if i == 0 else 1.0
            self.layers.append(
                (
                    cast(p + "input_layernorm.weight"),
                    self._round(torch.cat([state[f"{p}self_attn.{n}_proj.weight"] for n in "qkv"])),
                    cast(p + "self_attn.o_proj.weight"),
                    cast(p + "post_attention_layernorm.weight"),
                    cast(p + "mlp.gate_proj.weight"),
                    self._round(state[p + "mlp.up_proj.weight"] * scale),
                    self._round(state[p + "mlp.down_proj.weight"] / scale),
                )
            )
        theta = config.get("rope_theta", 10_000.0) if view.theta is None else view.theta
        self.cos, self.sin = (self._round(t.float()) for t in rope_tables(theta, view.scale, self.width))
        rng = torch.Generator().manual_seed(EXPERT_SEED)
        self.router = torch.randn(len(self.layers), EXPERTS, config["hidden_size"], generator=rng)
        self.columns = self._draw_columns()

    def _round(self, x: torch.Tensor) -> torch.Tensor:
        return x if self.view.dtype == torch.float32 else x.to(self.view.dtype).float()

    def _draw_columns(self) -> torch.Tensor | None:
        if self.view.padding is None:
            return None
        count, deviation, seed = self.view.padding
        rng = torch.Generator().manual_seed(seed)
        return torch.randn(count, self.config["hidden_size"], generator=rng) * deviation * self.embedding.float().std()

    def new_cache(self, rows: int, width: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
        shape = (rows, self.key_heads, width, self.width)
        return [(torch.zeros(shape), torch.zeros(shape)) for _ in self.layers]

    def _times(self, x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        if self.view.activations:
            x = self._round(round_rows(x, self.view.activations))
        if self.view.split_from is not None:
            return torch.where(self._is_late, self._times_split(x, w), self._round(F.linear(x, w)))
        return self._times_split(x, w) if self.view.split else self._round(F.linear(x, w))

    def _times_split(self, x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        half = w.shape[1] // 2
        parts = (self._round(F.linear(x[..., p], w[:, p])) for p in (slice(half), slice(half, None)))
        return self._round(sum(parts))

    def _norm(self, x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return self._round(w * self._round(x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)))

    def _drop(self, x: torch.Tensor) -> torch.Tensor:
        rate = self.view.dropout
        if rate == 0:
            return x
        kept = torch.rand(x.shape, generator=self.noise) >= rate
        return x * kept / (1 - rate)

    def _mlp(self, x: torch.Tensor, layer: int) -> torch.Tensor:
        *_, gate, up, down = self.layers[layer]
        inner = self._round(F.silu(self._times(x, gate)) * self._times(x, up))
        if self.view.experts is not None:
            inner = inner * self._route(x, layer).repeat_interleave(inner.shape[-1] // EXPERTS, -1)
        return self._times(inner, down)

    def _route(self, x: torch.Tensor, layer: int) -> torch.Tensor:
        """The weight of each expert at each token: 0 unless chosen, else such that the outputs' sum keeps its size."""
        score = x @ self.router[layer].T
        if self.view.router_noise:
            score = score + torch.randn(score.shape, generator=self.noise) * self.view.router_noise * score.std()
        best = score.topk(self.view.experts, dim=-1).indices
        return torch.zeros_like(score).scatter(-1, best, EXPERTS / self.view.experts)

    def logits(
        self,
        ids: torch.Tensor,
        positions: torch.Tensor,
        visible: torch.Tensor,
        cache: list | None = None,
        start: int = 0,
        last_only: bool = False,
    ) -> torch.Tensor:
        """float32 logits [rows, n, V] after ids [rows, n]; `visible` is [rows, 1, n, keys]. With a cache, keys go to
        its columns start … start + n, and a single new token reads all keys from there."""
        rows, n = ids.shape
        cos, sin = self.cos[positions][:, None], self.sin[positions][:, None]
        if self.view.split_from is not None:
            self._is_late = (positions >= self.view.split_from).expand(rows, n)[..., None]
        bias = torch.zeros(visible.shape).masked_fill_(~visible, -1e9)
        x = F.embedding(ids, self.embedding)
        for i, (before, qkv, out, after, *_) in enumerate(self.layers):
            parts = self._times(self._norm(x, before), qkv).view(rows, n, -1, self.width).transpose(1, 2)
            q, k, v = parts.split((self.heads, self.key_heads, self.key_heads), dim=1)
            q, k = self._round(rotate(q, cos, sin)), self._round(rotate(k, cos, sin))
            if cache is not None:
                keys, values = cache[i]
                keys[:, :, start : start + n] = self._round(round_keys(k, self.view.cache))
                values[:, :, start : start + n] = self._round(round_keys(v, self.view.cache))
                if n == 1:
                    k, v = keys[:, :, : start + n], values[:, :, : start + n]
            if self.key_heads < self.heads:
                k, v = (part.repeat_interleave(self.heads // self.key_heads, dim=1) for part in (k, v))
            weight = F.softmax((q @ k.transpose(-1, -2)) * self.width**-0.5 + bias, dim=-1)
            mixed = (self._round(self._drop(weight)) @ v).transpose(1, 2).reshape(rows, n, -1)
            x = self._round(x + self._drop(self._times(self._round(mixed), out)))
            x = self._round(x + self._drop(self._mlp(self._norm(x, after), i)))
        x = self._norm(x[:, -1:] if last_only else x, self.norm)
        return self._cap(self._round(F.linear(x, self.head))), x

    def _cap(self, logits: torch.Tensor) -> torch.Tensor:
        cap = self.view.softcap
        return logits if cap is None else cap * torch.tanh(logits / cap)

    def read(self, *args, **keywords) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Logits of the vocabulary, and of the padded columns if the view has any."""
        logits, x = self.logits(*args, **keywords)
        if self.columns is None:
            return logits, None
        return logits, self._cap(x @ self.columns.T)
