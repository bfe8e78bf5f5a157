"""Quantization: rounds numbers to what a narrow format can hold."""

from __future__ import annotations

import torch

from .checkpoints import State

FLOAT8 = {"e4m3": (torch.float8_e4m3fn, 448.0), "e5m2": (torch.float8_e5m2, 57344.0)}


def round_rows(x: torch.Tensor, kind: str) -> torch.Tensor:
    """Symmetric integers (`int8`, `int4`, …) with one scale per last axis, or 8-bit floats."""
    peak = x.abs().amax(dim=-1, keepdim=True).clamp(min=1e-8)
    if kind in FLOAT8:
        dtype, largest = FLOAT8[kind]
        scale = peak / largest
        return (x / scale).to(dtype).to(x.dtype) * scale
    scale = peak / (2 ** (int(kind.removeprefix("int")) - 1) - 1)
    return (x / scale).round() * scale


def round_keys(x: torch.Tensor, kind: str | None) -> torch.Tensor:
    """Keys or values as a cache of this kind returns them; 8-bit floats there have no scale."""
    if kind is None:
        return x
    if kind in FLOAT8:
        return x.float().to(FLOAT8[kind][0]).to(x.dtype)
    return round_rows(x.float(), kind).to(x.dtype)


def round_weights(state: State, kind: str, group: int | None = None, head: bool = False) -> State:
    """Rounds every matrix, with one scale per output channel or per `group` inputs. Norms stay unchanged."""
    out = dict(state)
    for name, w in state.items():
        if w.dim() != 2 or (name == "model.embed_tokens.weight"):
            continue
        size = group if group and w.shape[1] % group == 0 else w.shape[1]
        out[name] = round_rows(w.reshape(w.shape[0], -1, size), kind).reshape(w.shape)
    if head:
        out["lm_head.weight"] = round_rows(state["model.embed_tokens.weight"], kind)
    return out


def low_rank(base: State, target: State, rank: int) -> State:
    """base plus the best rank-r approximation of every matrix of target − base (what a LoRA could hold)."""
    out = dict(base)
    for name, w in base.items():
        if w.dim() == 2 and "proj" in name:
            u, s, v = torch.linalg.svd(target[name] - w, full_matrices=False)
            out[name] = w + (u[:, :rank] * s[:rank]) @ v[:rank]
    return out
