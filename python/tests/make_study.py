"""Makes a tiny study of Hugging Face models and its expected results.

    python python/tests/make_study.py OUT

Needs torch and transformers (tried: torch 2.15.0, transformers 5.23.0). It is not committed; tests make it each time,
so that it always comes from the installed transformers. OUT gets

    ckpt/dpo, ckpt/step_10, ckpt/step_20   Llama, two layers, float32; ckpt/step_20 is sharded
    texts.jsonl                            prompts and responses as token ids, of different lengths
    logits.npz                             every policy's logits for every text, computed in float64, stored in float32
    expected.json                          figures of every response token by their textbook formulas in float64
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import torch
import transformers

VOCABULARY = 193
LENGTHS = [(5, 9), (1, 30), (17, 4), (8, 61), (3, 1)]
POLICIES = ["dpo", "step_10", "step_20"]


def make_model(noise: float) -> transformers.LlamaForCausalLM:
    """The same weights each time, moved by `noise`."""
    torch.manual_seed(1)
    model = transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=VOCABULARY,
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=128,
        )
    ).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.15)
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * noise)
    return model


def compute_figures(p: np.ndarray, q: np.ndarray, tokens: np.ndarray) -> dict[str, list[float]]:
    log_p, log_q = (rows - np.logaddexp.reduce(rows, axis=1, keepdims=True) for rows in (p, q))
    prob_p, prob_q = np.exp(log_p), np.exp(log_q)
    log_m = np.logaddexp(log_p, log_q) - np.log(2)
    own = log_p[np.arange(len(tokens)), tokens]
    return {
        "logprob": own.tolist(),
        "entropy": (-(prob_p * log_p).sum(1)).tolist(),
        "rank": (1 + (log_p > own[:, None]).sum(1)).tolist(),
        "topk_ids": np.argsort(-log_p, axis=1, kind="stable")[:, :5].tolist(),
        "forward_kl": (prob_p * (log_p - log_q)).sum(1).tolist(),
        "reverse_kl": (prob_q * (log_q - log_p)).sum(1).tolist(),
        "js_divergence": ((prob_p * (log_p - log_m) + prob_q * (log_q - log_m)).sum(1) / 2).tolist(),
        "total_variation": (np.abs(prob_p - prob_q).sum(1) / 2).tolist(),
    }


def main(out: Path) -> None:
    random = np.random.default_rng(4)
    models = {name: make_model(noise) for name, noise in zip(POLICIES, (0.0, 0.01, 0.05), strict=True)}
    for name, model in models.items():
        model.save_pretrained(out / "ckpt" / name, max_shard_size="40KB" if name == "step_20" else "5GB")
    texts = [
        (f"t{i}", random.integers(3, VOCABULARY, p), random.integers(3, VOCABULARY, r))
        for i, (p, r) in enumerate(LENGTHS)
    ]
    with (out / "texts.jsonl").open("w") as file:
        for name, prompt, response in texts:
            row = {
                "id": name,
                "prompt": "p",
                "response": "r",
                "prompt_ids": prompt.tolist(),
                "response_ids": response.tolist(),
            }
            file.write(json.dumps(row) + "\n")
    logits: dict[str, dict[str, np.ndarray]] = {}
    saved: dict[str, np.ndarray] = {}
    with torch.inference_mode():
        for policy, model in models.items():
            exact = model.to(torch.float64)
            for name, prompt, response in texts:
                ids = np.concatenate([prompt, response])
                rows = exact(torch.from_numpy(ids)[None]).logits[0].numpy()
                logits.setdefault(name, {})[policy] = rows
                saved |= {
                    f"{name}.{policy}": rows.astype(np.float32),
                    f"{name}.input_ids": ids,
                    f"{name}.prompt_length": np.array(len(prompt)),
                }
    np.savez(out / "logits.npz", **saved)
    expected = {
        policy: {
            name: compute_figures(
                logits[name][policy][len(prompt) - 1 : -1], logits[name]["dpo"][len(prompt) - 1 : -1], response
            )
            for name, prompt, response in texts
        }
        for policy in POLICIES
    }
    (out / "expected.json").write_text(json.dumps(expected))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
