"""Tiny Hugging Face models, made here, and their results in float64."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

# Some virtual machines list AMX among the processor's instructions but forbid it, so that a bfloat16 layer kills the
# process.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE")
# With models of a few thousand weights, a second thread only waits in a loop for the first one and takes a processor
# that other tests need. This also applies to processes that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Ray lets its workers wait for everything else that runs (niceness 15): on a busy machine, for minutes.
os.environ.setdefault("RAY_worker_niceness", "0")
# Each recorder would start the program at its end; tests of that ask for it.
os.environ["LOGRATIO_ASSESS"] = "0"

VOCABULARY = 97


@pytest.fixture(scope="session")
def torch():
    return pytest.importorskip("torch", reason="PyTorch is not installed: the scoring worker is not tested")


@pytest.fixture(scope="session")
def transformers(torch):
    return pytest.importorskip("transformers", reason="transformers is not installed: the scoring worker is not tested")


def make_model(family: str, seed: int, vocabulary: int = VOCABULARY):
    import torch
    import transformers

    torch.manual_seed(seed)
    sizes = {"vocab_size": vocabulary, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
    small = {
        **sizes,
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 128,
        "head_dim": 8,
    }
    if family == "gpt2":
        config = transformers.GPT2Config(**sizes, n_embd=32, n_layer=2, n_head=4, n_positions=128)
    elif family == "gemma2":
        config = transformers.Gemma2Config(**small, final_logit_softcapping=3.0, sliding_window=16)
    elif family == "cohere":
        config = transformers.CohereConfig(**small, logit_scale=0.25)
    else:
        config = transformers.LlamaConfig(**small)
    model = transformers.AutoModelForCausalLM.from_config(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            # With the usual initialization, every distribution would be flat.
            parameter.add_(torch.randn_like(parameter) * 0.15)
    return model


@pytest.fixture(scope="session")
def checkpoints(tmp_path_factory, transformers) -> dict[str, Path]:
    """Directories by ``family-seed``."""
    root = tmp_path_factory.mktemp("models")
    found = {}
    for family in ("llama", "gpt2", "gemma2", "cohere"):
        for seed in (1, 2):
            path = root / f"{family}-{seed}"
            make_model(family, seed).save_pretrained(path)
            found[path.name] = path
    return found


def exact_logits(path: Path, ids: np.ndarray, dtype: str = "float64") -> np.ndarray:
    """Logits ``[tokens, vocabulary]`` of the model itself, in float64."""
    import torch
    import transformers

    model = transformers.AutoModelForCausalLM.from_pretrained(path).to(getattr(torch, dtype)).eval()
    with torch.inference_mode():
        return model(torch.from_numpy(ids.astype(np.int64))[None]).logits[0].double().numpy()


def exact_figures(p: np.ndarray, q: np.ndarray | None, tokens: np.ndarray) -> dict[str, np.ndarray]:
    """The figures of logits ``[rows, columns]`` by their textbook formulas in float64."""
    log_p = p - np.logaddexp.reduce(p, axis=1, keepdims=True)
    prob_p = np.exp(log_p)
    rows = np.arange(len(tokens))
    own = log_p[rows, np.maximum(tokens, 0)]
    found = {
        "logprobs": np.where(tokens >= 0, own, np.nan),
        "entropies": -(prob_p * log_p).sum(1),
        "ranks": np.where(tokens >= 0, 1 + (log_p > own[:, None]).sum(1), -1),
        "top_ids": np.argsort(-p, axis=1, kind="stable"),
    }
    found["top_logprobs"] = np.take_along_axis(log_p, found["top_ids"], 1)
    if q is None:
        return found
    columns = min(p.shape[1], q.shape[1])
    log_p = p[:, :columns] - np.logaddexp.reduce(p[:, :columns], axis=1, keepdims=True)
    log_q = q[:, :columns] - np.logaddexp.reduce(q[:, :columns], axis=1, keepdims=True)
    prob_p, prob_q = np.exp(log_p), np.exp(log_q)
    log_m = np.logaddexp(log_p, log_q) - np.log(2)
    return found | {
        "forward_kl.0": (prob_p * (log_p - log_q)).sum(1),
        "reverse_kl.0": (prob_q * (log_q - log_p)).sum(1),
        "js_divergence.0": (prob_p * (log_p - log_m) + prob_q * (log_q - log_m)).sum(1) / 2,
        "total_variation.0": np.abs(prob_p - prob_q).sum(1) / 2,
        "excluded_p.0": 1 - np.exp(np.logaddexp.reduce(p[:, :columns], axis=1) - np.logaddexp.reduce(p, axis=1)),
        "excluded_q.0": 1 - np.exp(np.logaddexp.reduce(q[:, :columns], axis=1) - np.logaddexp.reduce(q, axis=1)),
    }
