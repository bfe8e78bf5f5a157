"""The engine's forward pass over a KV cache."""

import torch
import torch.nn.functional as F

from ..model import Config
from ..model.ops import rotate
from .matrices import EngineWeights, engine_weights

Cache = list[tuple[torch.Tensor, torch.Tensor]]  # keys and values of each layer


class RolloutEngine:
    """float32 in softmax and norm statistics, `dtype` in everything else, logits included."""

    def __init__(self, cfg: Config, dtype: torch.dtype = torch.bfloat16, int8: bool = False):
        self.cfg, self.dtype, self.int8 = cfg, dtype, int8
        self.weights: EngineWeights | None = None

    def sync(self, hf_state: dict[str, torch.Tensor]) -> None:
        """Take over a copy of the trainer's weights."""
        self.weights = engine_weights(hf_state, self.cfg, self.dtype, self.int8)

    def new_cache(self, rows: int, width: int) -> Cache:
        """A zeroed cache for `rows` sequences of up to `width` tokens."""
        c = self.cfg
        shape = (rows, c.num_attention_heads, width, c.head_dim)
        return [
            (torch.zeros(shape, dtype=self.dtype), torch.zeros(shape, dtype=self.dtype))
            for _ in self.weights.layers
        ]

    def forward(self, ids, cos, sin, cache: Cache, start: int, bias) -> torch.Tensor:
        """Logits [B, V] after ids [B, n], which go to cache columns start .. start + n.

        cos, sin: rotary tables at the positions of `ids`; bias: additive, [B, 1, n, start + n].
        """
        x = F.embedding(ids, self.weights.embed)
        for layer, (keys, values) in zip(self.weights.layers, cache):
            h = self._norm(x, layer.attention_norm)
            x = x + layer.o(self._attend(layer.qkv(h), cos, sin, keys, values, start, bias))
            gate, up = layer.gate_up(self._norm(x, layer.mlp_norm)).chunk(2, dim=-1)
            x = x + layer.down(F.silu(gate) * up)
        return self.weights.head(self._norm(x[:, -1], self.weights.norm))

    def _attend(self, qkv, cos, sin, keys, values, start, bias):
        c, (rows, n, _) = self.cfg, qkv.shape
        heads, head_dim, end = c.num_attention_heads, c.head_dim, start + n
        q, k, v = qkv.view(rows, n, 3, heads, head_dim).permute(2, 0, 3, 1, 4)
        keys[:, :, start:end] = rotate(k, cos, sin)
        values[:, :, start:end] = v
        score = rotate(q, cos, sin) @ keys[:, :, :end].transpose(-1, -2)
        weight = F.softmax(score.float() * head_dim**-0.5 + bias, dim=-1).to(self.dtype)
        return (weight @ values[:, :, :end]).transpose(1, 2).reshape(rows, n, heads * head_dim)

    def _norm(self, x, w):
        y = x.float()
        y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + self.cfg.rms_norm_eps)
        return w * y.to(self.dtype)
