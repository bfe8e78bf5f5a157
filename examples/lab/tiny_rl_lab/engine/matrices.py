"""The engine's copy of the weights: fused matrices, plain or int8."""

from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.nn.functional as F

from ..model import Config

Matrix = Callable[[torch.Tensor], torch.Tensor]


def int8_rows(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Symmetric int8 with one float32 scale per row: (integers as floats, scales)."""
    scale = x.abs().amax(dim=-1, keepdim=True).clamp(min=1e-8) / 127
    return (x / scale).round(), scale


class Int8Linear:
    """W8A8: weights int8 per output channel, activations int8 per token (dynamic).

    The integers are held in bfloat16, which represents them exactly, and their products are summed
    in float32, so this is int8 arithmetic up to the rounding of the sum.
    """

    def __init__(self, w: torch.Tensor):
        q, scale = int8_rows(w)
        self.q, self.scale = q.bfloat16(), scale.squeeze(-1)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        q, scale = int8_rows(x.float())
        return (F.linear(q.bfloat16(), self.q).float() * (scale * self.scale)).to(x.dtype)


class PlainLinear:
    def __init__(self, w: torch.Tensor):
        self.w = w

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return F.linear(x, self.w)


class EngineLayer(NamedTuple):
    attention_norm: torch.Tensor
    qkv: Matrix
    o: Matrix
    mlp_norm: torch.Tensor
    gate_up: Matrix
    down: Matrix


class EngineWeights(NamedTuple):
    embed: torch.Tensor
    layers: list[EngineLayer]
    norm: torch.Tensor
    head: Matrix


def engine_weights(
    state: dict[str, torch.Tensor], cfg: Config, dtype: torch.dtype, int8: bool
) -> EngineWeights:
    """A copy of the trainer's weights in the engine's type and layout."""

    def vector(name: str) -> torch.Tensor:
        return state[name].to(dtype)

    def matrix(*names: str) -> Matrix:
        w = torch.cat([state[n].float() for n in names])
        return Int8Linear(w) if int8 else PlainLinear(w.to(dtype))

    def layer(prefix: str) -> EngineLayer:
        return EngineLayer(
            attention_norm=vector(prefix + "input_layernorm.weight"),
            qkv=matrix(*(f"{prefix}self_attn.{n}_proj.weight" for n in "qkv")),
            o=matrix(prefix + "self_attn.o_proj.weight"),
            mlp_norm=vector(prefix + "post_attention_layernorm.weight"),
            gate_up=matrix(prefix + "mlp.gate_proj.weight", prefix + "mlp.up_proj.weight"),
            down=matrix(prefix + "mlp.down_proj.weight"),
        )

    return EngineWeights(
        embed=state["model.embed_tokens.weight"].to(dtype).clone(),
        layers=[layer(f"model.layers.{i}.") for i in range(cfg.num_hidden_layers)],
        norm=vector("model.norm.weight"),
        head=matrix("model.embed_tokens.weight"),
    )
