"""How fast a GPU scores texts, compared with an upper bound, for random models of given sizes made here.

    python python/bench/score_speed.py [1b] [8b] [--tokens 65536] [--json FILE]

Weights are random, with a steeper head so that distributions are neither flat nor certain; the second model is the
first with noise. Timings are medians over rounds after a warm-up, with the device synchronized.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

import numpy as np
import torch
import transformers

sys.path.insert(0, str(Path(__file__).parents[1]))
from logratio.scoring import figures, models
from logratio.scoring.score import HiddenCache, Scorer, Text

SIZES = {
    "tiny": {
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
    },
    # The shapes of Llama 3.2 1B and Llama 3.1 8B.
    "1b": {
        "hidden_size": 2048,
        "intermediate_size": 8192,
        "num_hidden_layers": 16,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
    },
    "8b": {
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
    },
}
VOCABULARY = 128_256


def make(size: str, device: torch.device, dtype: torch.dtype) -> transformers.PreTrainedModel:
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        **SIZES[size], vocab_size=4096 if size == "tiny" else VOCABULARY, max_position_embeddings=8192
    )
    torch.set_default_dtype(dtype)
    try:
        with device:
            module = transformers.LlamaForCausalLM(config)
    finally:
        torch.set_default_dtype(torch.float32)
    with torch.no_grad():
        module.lm_head.weight.mul_(6 * (2048 / config.hidden_size) ** 0.5)
    return module.eval()


def disturb(module: torch.nn.Module) -> None:
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.ndim == 2:
                parameter.mul_(1 + torch.randn_like(parameter) * 0.05)


def wrap(module: torch.nn.Module, device: torch.device) -> models.Model:
    model = models.Model("random", module, device)
    with torch.inference_mode():
        models._check(model)
    return model


def wait() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def timed(work, rounds: int = 5) -> float:
    work()
    seconds = []
    for _ in range(rounds):
        wait()
        start = time.perf_counter()
        work()
        wait()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def ceilings(device: torch.device) -> dict[str, float]:
    """Bytes per second of one large copy, and operations per second of one large bf16 product."""
    if device.type != "cuda":
        return {"bytes_per_s": float("nan"), "flop_per_s": float("nan")}
    a = torch.randn(2**30, device=device)
    b = torch.empty_like(a)
    copy = timed(lambda: b.copy_(a))
    x, y = (torch.randn(8192, 8192, device=device, dtype=torch.bfloat16) for _ in range(2))
    product = timed(lambda: torch.mm(x, y), 20)
    return {"bytes_per_s": 2 * a.numel() * 4 / copy, "flop_per_s": 2 * 8192**3 / product}


def count_flop(model: models.Model, length: int, rows: float) -> tuple[float, float]:
    """Operations per token of the body (products and causal attention) and of the head, for texts of ``length``."""
    config = model.config
    head = model.vocabulary * config.hidden_size
    layers = model.parameters - 2 * head
    attention = 2 * 2 * config.num_hidden_layers * config.hidden_size * length / 2
    return 2 * layers + attention, 2 * head * rows


def check_against_float64(
    p: models.Model, q: models.Model, text: Text, found: dict[str, np.ndarray], count: int
) -> dict[str, float]:
    """Largest differences from the figures of float64 logits of the same hidden states, at ``count`` positions."""
    places = np.linspace(0, text.rows - 2, count).astype(int)
    scorer = Scorer(1 << 28, HiddenCache(0), lambda: None)
    logits = []
    for model in (p, q):
        hidden = scorer.hidden_rows(model, [text], False)[torch.from_numpy(places)]
        weight = model.module.get_output_embeddings().weight
        logits.append(torch.cat([part.double() @ weight.double().t() for part in hidden.split(16)]))
    log_p, log_q = (rows - torch.logsumexp(rows, -1, keepdim=True) for rows in logits)
    tokens = torch.from_numpy(text.ids[text.prompt_length + places].astype(np.int64)).to(log_p.device)
    log_m = torch.logaddexp(log_p, log_q) - np.log(2)
    wanted = {
        "logprobs": log_p.gather(1, tokens[:, None])[:, 0],
        "entropies": -(log_p.exp() * log_p).sum(-1),
        "forward_kl.0": (log_p.exp() * (log_p - log_q)).sum(-1),
        "reverse_kl.0": (log_q.exp() * (log_q - log_p)).sum(-1),
        "js_divergence.0": (log_p.exp() * (log_p - log_m) + log_q.exp() * (log_q - log_m)).sum(-1) / 2,
    }
    differences = {
        name: float(np.abs(found[name][places] - values.cpu().numpy()).max()) for name, values in wanted.items()
    }
    return differences | {
        "mean forward_kl": float(wanted["forward_kl.0"].mean()),
        "mean entropy": float(wanted["entropies"].mean()),
    }


def measure(size: str, tokens: int, device: torch.device, limits: dict[str, float]) -> list[dict]:
    started = time.perf_counter()
    dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
    module, other = make(size, device, dtype), make(size, device, dtype)
    disturb(other)
    p, q = wrap(module, device), wrap(other, device)
    cuda = device.type == "cuda"
    print(
        f"{size}: {p.parameters / 1e9:.2f} G parameters each, logits in float32: {p.head_is_wide}, made in {time.perf_counter() - started:.0f} s",
        flush=True,
    )
    weights = torch.cuda.memory_allocated() / 1e9 if cuda else 0
    random = np.random.default_rng(0)
    found = []
    for length, batch_tokens in ((512, 16384), (2048, 16384), (8192, 16384)) if cuda else ((64, 256),):
        texts = [
            Text(random.integers(0, p.vocabulary, length).astype(np.int32), length // 8)
            for _ in range(max(1, tokens // length))
        ]
        batches = [texts[i : i + batch_tokens // length] for i in range(0, len(texts), max(1, batch_tokens // length))]
        scorer = Scorer((1 << 31) if cuda else (1 << 26), HiddenCache(0), lambda: None)
        results: dict[int, dict] = {}

        def run(references: list[models.Model]) -> None:
            for number, batch in enumerate(batches):
                for place, figures_ in scorer.score(p, references, batch, 5):
                    if number == 0:
                        results[place] = figures_

        total = sum(len(text.ids) for text in texts)
        rows = sum(text.rows for text in texts) / total
        with torch.inference_mode():
            if cuda:
                torch.cuda.reset_peak_memory_stats()
            score = timed(lambda: run([]), 3)
            compare = timed(lambda: run([q]), 3)
            peak = torch.cuda.max_memory_allocated() / 1e9 if cuda else 0
            body = timed(
                lambda: [p.run_body(torch.from_numpy(np.stack([t.ids for t in b])).long()) for b in batches], 3
            )
            block = scorer.block_rows(p.head_device, p.vocabulary)
            hidden = scorer.hidden_rows(p, batches[0][:1], False)[:block]
            head = timed(lambda: p.run_head(hidden)) / len(hidden)
            a, b = p.run_head(hidden), q.run_head(hidden)
            ids = torch.zeros(len(hidden), dtype=torch.int64, device=a.device)
            describe = timed(lambda: figures.describe_rows(a, ids, 5)) / len(hidden)
            divergences = timed(lambda: figures.compare_rows(a, b)) / len(hidden)
            failure, figures.Compiled.failure = figures.Compiled.failure, "plain"
            plain = timed(lambda: figures.compare_rows(a, b)) / len(hidden)
            figures.Compiled.failure = failure
            errors = check_against_float64(p, q, batches[0][0], results[0], 64) if length <= 2048 else {}
        flop_body, flop_head = count_flop(p, length, rows)
        floor = (flop_body + flop_head) / limits["flop_per_s"]
        found.append(
            {
                "size": size,
                "length": length,
                "score_tokens_per_s": total / score,
                "compare_tokens_per_s": total / compare,
                "share_of_flop_bound_score": floor * total / score,
                "share_of_flop_bound_compare": 2 * floor * total / compare,
                "body_share_of_flop_bound": flop_body / limits["flop_per_s"] * total / body,
                "body_us_per_token": body / total * 1e6,
                "head_us_per_row": head * 1e6,
                "head_share_of_flop_bound": 2 * p.vocabulary * p.config.hidden_size / limits["flop_per_s"] / head,
                "describe_us_per_row": describe * 1e6,
                "compare_us_per_row": divergences * 1e6,
                "compare_share_of_bandwidth_bound": 2 * 4 * p.vocabulary / limits["bytes_per_s"] / divergences,
                "compare_plain_us_per_row": plain * 1e6,
                "compiled": failure is None,
                "why_not": failure,
                "weights_gb": weights,
                "peak_gb": peak,
                "block_rows": block,
                "errors": errors,
            }
        )
        print(json.dumps(found[-1]), flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("sizes", nargs="*", default=["1b"])
    parser.add_argument("--tokens", type=int, default=65536)
    parser.add_argument("--json")
    asked = parser.parse_args()
    device = models.choose_device(None)
    limits = ceilings(device)
    print(
        {"torch": torch.__version__, "transformers": transformers.__version__, "device": str(device), **limits},
        flush=True,
    )
    results = []
    for size in asked.sizes:
        results += measure(size, asked.tokens, device, limits)
        if device.type == "cuda":
            torch.cuda.empty_cache()
        if asked.json:
            Path(asked.json).write_text(json.dumps({"limits": limits, "results": results}, indent=1))


if __name__ == "__main__":
    main()
