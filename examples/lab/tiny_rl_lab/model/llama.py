"""A tiny Llama decoder: RMSNorm, rotary embedding, SwiGLU, head tied to the embedding."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from ..errors import require
from .config import Config
from .ops import linear, rms_norm, rope_tables, rotate

# Attribute of Layer -> the name under model.layers.N in Hugging Face's Llama.
HF_LAYER_NAMES = {
    "input_layernorm": "input_layernorm.weight",
    "q_proj": "self_attn.q_proj.weight",
    "k_proj": "self_attn.k_proj.weight",
    "v_proj": "self_attn.v_proj.weight",
    "o_proj": "self_attn.o_proj.weight",
    "post_attention_layernorm": "post_attention_layernorm.weight",
    "gate_proj": "mlp.gate_proj.weight",
    "up_proj": "mlp.up_proj.weight",
    "down_proj": "mlp.down_proj.weight",
}


def _normal(rows: int, columns: int, std: float) -> nn.Parameter:
    return nn.Parameter(torch.randn(rows, columns) * std)


class Layer(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        d, m = cfg.hidden_size, cfg.intermediate_size
        self.cfg = cfg
        in_std = d**-0.5
        out_std = 0.5 * d**-0.5 / math.sqrt(2 * cfg.num_hidden_layers)
        self.input_layernorm = nn.Parameter(torch.ones(d))
        self.q_proj, self.k_proj, self.v_proj = (_normal(d, d, in_std) for _ in range(3))
        self.o_proj = _normal(d, d, out_std)
        self.post_attention_layernorm = nn.Parameter(torch.ones(d))
        self.gate_proj, self.up_proj = (_normal(m, d, in_std) for _ in range(2))
        self.down_proj = _normal(d, m, out_std)

    def forward(self, x, cos, sin, mask):
        eps = self.cfg.rms_norm_eps
        h = rms_norm(x, self.input_layernorm, eps)
        q, k = (rotate(self._heads(h, w), cos, sin) for w in (self.q_proj, self.k_proj))
        v = self._heads(h, self.v_proj)
        a = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        x = x + linear(a.transpose(1, 2).reshape(x.shape), self.o_proj)
        h = rms_norm(x, self.post_attention_layernorm, eps)
        return x + linear(
            F.silu(linear(h, self.gate_proj)) * linear(h, self.up_proj), self.down_proj
        )

    def _heads(self, h, w):
        """[B, T, D] -> [B, heads, T, head_dim]."""
        c, (batch, time, _) = self.cfg, h.shape
        return linear(h, w).view(batch, time, c.num_attention_heads, c.head_dim).transpose(1, 2)


class TinyLlama(nn.Module):
    def __init__(self, cfg: Config | None = None):
        super().__init__()
        self.cfg = cfg or Config()
        d = self.cfg.hidden_size
        self.embed_tokens = _normal(self.cfg.vocab_size, d, d**-0.5)
        self.layers = nn.ModuleList(Layer(self.cfg) for _ in range(self.cfg.num_hidden_layers))
        self.norm = nn.Parameter(torch.ones(d))
        cos, sin = rope_tables(self.cfg)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)

    @property
    def rope(self) -> tuple[torch.Tensor, torch.Tensor]:
        return self.cos, self.sin

    def forward(self, input_ids, attention_mask=None):
        """Logits [B, T, V] of ids [B, T]; entry t predicts token t + 1.

        Without a mask the batch must be right-padded: pads come after everything that matters, so
        causality is mask enough. With one, pads may be on either side.
        """
        x = F.embedding(input_ids, self.embed_tokens)
        cos, sin, mask = self._positions(input_ids.shape[1], attention_mask)
        for layer in self.layers:
            x = layer(x, cos, sin, mask)
        return linear(rms_norm(x, self.norm, self.cfg.rms_norm_eps), self.embed_tokens)

    def _positions(self, width, attention_mask):
        if attention_mask is None:
            return self.cos[:width], self.sin[:width], None
        position = (attention_mask.long().cumsum(-1) - 1).clamp(min=0)
        causal = torch.ones(width, width, dtype=torch.bool).tril()
        mask = causal & attention_mask.bool()[:, None, None, :]
        mask = mask | torch.eye(width, dtype=torch.bool)  # no row without a key
        return self.cos[position][:, None], self.sin[position][:, None], mask

    def double_precision(self) -> "TinyLlama":
        """Turn this model into float64, rotary tables computed afresh."""
        self.double()
        self.cos, self.sin = rope_tables(self.cfg, torch.float64)
        return self

    def _by_hf_name(self) -> dict[str, nn.Parameter]:
        named = {"model.embed_tokens.weight": self.embed_tokens, "model.norm.weight": self.norm}
        for i, layer in enumerate(self.layers):
            for ours, theirs in HF_LAYER_NAMES.items():
                named[f"model.layers.{i}.{theirs}"] = getattr(layer, ours)
        return named

    def to_hf_state(self) -> dict[str, torch.Tensor]:
        """A copy of the weights under Hugging Face's names."""
        return {name: p.detach().clone() for name, p in self._by_hf_name().items()}

    def load_hf_state(self, state: dict[str, torch.Tensor]) -> "TinyLlama":
        own = self._by_hf_name()
        odd = sorted(own.keys() ^ state.keys())
        require(not odd, f"checkpoint and model differ in {len(odd)} tensor names: {odd[:4]}")
        with torch.no_grad():
            for name, parameter in own.items():
                parameter.copy_(torch.as_tensor(state[name]))
        return self


def parameter_count(model: nn.Module) -> int:
    return sum(p.numel() for p in model.parameters())
