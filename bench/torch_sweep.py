"""Times one correction setting as PyTorch operations, for bench/sweep.mjs.

    torch_sweep.py FOLDER THREADS COLUMNS

FOLDER holds rollout.f32, trainer.f32 and mask.u8. Prints a line when the tensors are loaded; then, for each line on
standard input, a JSON object {"kind", "correction"}, one JSON line {"seconds", "figures"}. A call does what a trainer
does once per setting and step on a [rows, COLUMNS] batch in float32: log-ratio clamped to +-20, exp, clamp or compare,
mask, and the summary metrics of weights (mean, standard deviation, effective sample size, fractions beyond the
thresholds, means per sequence) or of the rejection statistic (mean, extremes, fractions). Rewritten from the
definitions; the off-policy metrics that trainers compute along with them are left out.
"""

import json
import math
import os
import sys
import time

import torch


def masked_mean(values, mask, dim=None):
    return (values * mask).sum(dim) / (mask.sum(dim) + 1e-8)


def weight_metrics(raw, weights, mask, low, high):
    mean = masked_mean(weights, mask)
    per_sequence = masked_mean(weights, mask, -1)
    square = masked_mean(weights.square(), mask)
    return {
        "mean": mean,
        "std": (square - mean.square()).clamp(min=0).sqrt(),
        "ess": 1 / masked_mean((weights / mean).square(), mask),
        "max": weights.masked_fill(mask == 0, -math.inf).max(),
        "min": weights.masked_fill(mask == 0, math.inf).min(),
        "fraction_high": masked_mean((raw > high).float(), mask),
        "fraction_low": masked_mean((raw < low).float(), mask),
        "seq_mean": per_sequence.mean(),
        "seq_std": per_sequence.std(),
        "seq_max": per_sequence.max(),
        "seq_min": per_sequence.min(),
    }


def token_weights(log_ratio, mask, step):
    raw = log_ratio.exp()
    upper = step["upper"]
    lower = step.get("lower", 1 / upper)
    if step["action"] == "truncate":
        weights = raw.clamp(max=upper)
    else:
        weights = torch.where((raw >= lower) & (raw <= upper), raw, torch.zeros_like(raw))
    weights = weights * mask
    return weights, weight_metrics(raw, weights, mask, lower, upper)


def rejection(log_ratio, mask, step):
    if step["measure"]["statistic"] == "k3":
        values = masked_mean(log_ratio.exp() - 1 - log_ratio, mask, -1)
        low, high = -math.inf, step["upper"]
    else:
        values = masked_mean(log_ratio, mask, -1)
        low, high = math.log(step["lower"]), math.log(step["upper"])
    keep = (values >= low) & (values <= high)
    kept = mask * keep.unsqueeze(-1)
    tokens = values.unsqueeze(-1).expand_as(mask)
    mean = masked_mean(tokens, mask)
    return kept, {
        "rs_mean": mean,
        "rs_std": masked_mean((tokens - mean).square(), mask).sqrt(),
        "rs_max": values.max(),
        "rs_min": values.min(),
        "rs_fraction_high": (values > high).float().mean(),
        "rs_fraction_low": (values < low).float().mean(),
        "rs_masked_fraction": 1 - masked_mean(kept, mask),
        "rs_seq_masked_fraction": 1 - keep.float().mean(),
    }


def correct(rollout, trainer, mask, steps):
    mask = mask.float()
    log_ratio = (trainer - rollout).clamp(-20, 20)
    figures = {"ess": None}
    kept = mask
    weights = None
    for step in steps:
        if step["action"] == "mask":
            kept, metrics = rejection(log_ratio, mask, step)
        else:
            weights, metrics = token_weights(log_ratio, mask, step)
        figures |= metrics
    if weights is None:
        figures["tokens_kept"] = kept.sum(dtype=torch.float64)
    else:
        left = weights * kept
        figures["tokens_kept"] = (left != 0).sum()
        figures["ess"] = left.sum().square() / (mask.sum() * left.square().sum())
    return {name: None if value is None else float(value) for name, value in figures.items()}


def load(path, dtype, size):
    return torch.from_file(path, size=os.path.getsize(path) // size, dtype=dtype).clone()


def main():
    folder, threads, columns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    torch.set_num_threads(threads)
    rollout = load(f"{folder}/rollout.f32", torch.float32, 4).view(-1, columns)
    trainer = load(f"{folder}/trainer.f32", torch.float32, 4).view(-1, columns)
    mask = load(f"{folder}/mask.u8", torch.uint8, 1).bool().view(-1, columns)
    print(json.dumps({"ready": torch.__version__}), flush=True)
    for line in sys.stdin:
        steps = json.loads(line)["correction"]["steps"]
        start = time.perf_counter()
        figures = correct(rollout, trainer, mask, steps)
        print(json.dumps({"seconds": time.perf_counter() - start, "figures": figures}), flush=True)


if __name__ == "__main__":
    main()
