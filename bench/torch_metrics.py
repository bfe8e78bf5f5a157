"""Times mismatch metrics as PyTorch operations, for bench/kernel.mjs.

    torch_metrics.py FOLDER THREADS COLUMNS

FOLDER holds rollout.f32, trainer.f32 and mask.u8. Prints a line when the tensors are loaded; then, for each line on
standard input, one JSON line {"seconds", "figures"}:

    ops       the figures of one pass of logratio's kernel (pooled over tokens; no rows, no turns), each as the
              operation that a PyTorch user would write, after selecting by mask once
    trainers  the metrics that verl logs per step: probability differences over selected tokens, and perplexities, KL
              estimates and chi-squared over a [rows, COLUMNS] batch by masked means; float32, rewritten from their
              definitions, for orientation
"""

import json
import os
import sys
import time

import torch


def ops(rollout, trainer, mask):
    a = rollout[mask]
    b = trainer[mask]
    delta = b - a
    ratio = delta.exp()
    p = a.exp()
    q = b.exp()
    diff = q - p
    abs_diff = diff.abs()
    up = delta > 0
    down = delta < 0
    square = (ratio * ratio).mean()
    return {
        "count": delta.numel(),
        "delta_mean": delta.mean(),
        "delta_std": delta.std(correction=0),
        "delta_min": delta.min(),
        "delta_max": delta.max(),
        "delta_abs_mean": delta.abs().mean(),
        "positive_count": up.sum(),
        "positive_sum": delta[up].sum(),
        "negative_count": down.sum(),
        "negative_sum": delta[down].sum(),
        "k2": (delta * delta).mean() / 2,
        "k3": (ratio - delta - 1).mean(),
        "ratio_mean": ratio.mean(),
        "ratio_std": ratio.std(correction=0),
        "chi2_token": square - 1,
        "ess": ratio.mean() ** 2 / square,
        "prob_diff_mean": diff.mean(),
        "abs_prob_diff_mean": abs_diff.mean(),
        "abs_prob_diff_std": abs_diff.std(correction=0),
        "abs_prob_diff_max": abs_diff.max(),
        "pearson": torch.corrcoef(torch.stack([p, q]))[0, 1],
        "rollout_mean": a.mean(),
        "trainer_mean": b.mean(),
    }


def masked_mean(values, mask, dim=None):
    return (values * mask).sum(dim) / (mask.sum(dim) + 1e-8)


def trainers(rollout, trainer, mask):
    p = rollout.exp()[mask]
    q = trainer.exp()[mask]
    diff = (p - q).abs()
    figures = {
        "probs_diff_max": diff.max(),
        "probs_diff_mean": diff.mean(),
        "probs_diff_std": diff.std(),
        "probs_pearson": torch.corrcoef(torch.stack([q, p]))[0, 1],
    }
    weight = mask.float()
    delta = trainer - rollout
    mean_trainer = masked_mean(trainer, weight, -1)
    mean_rollout = masked_mean(rollout, weight, -1)
    apart = mean_rollout - mean_trainer
    sums = (delta * weight).sum(-1)
    ratio = delta.clamp(-20, 20).exp()
    figures |= {
        "training_ppl": (-mean_trainer).exp().mean(),
        "training_log_ppl": (-mean_trainer).mean(),
        "rollout_ppl": (-mean_rollout).exp().mean(),
        "rollout_log_ppl": (-mean_rollout).mean(),
        "kl": masked_mean(-delta, weight),
        "k3": masked_mean(delta.exp() - delta - 1, weight),
        "log_ppl_diff": apart.mean(),
        "log_ppl_abs_diff": apart.abs().mean(),
        "log_ppl_diff_max": apart.max(),
        "log_ppl_diff_min": apart.min(),
        "ppl_ratio": apart.exp().mean(),
        "chi2_token": masked_mean(ratio.square(), weight) - 1,
        "chi2_seq": (2 * sums.clamp(-20, 20)).exp().mean() - 1,
    }
    return figures


def load(path, dtype, size):
    return torch.from_file(path, size=os.path.getsize(path) // size, dtype=dtype).clone()


def main():
    folder, threads, columns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    torch.set_num_threads(threads)
    rollout = load(f"{folder}/rollout.f32", torch.float32, 4)
    trainer = load(f"{folder}/trainer.f32", torch.float32, 4)
    mask = load(f"{folder}/mask.u8", torch.uint8, 1).bool()
    padded = [column.view(-1, columns) for column in (rollout, trainer, mask)]
    print(json.dumps({"ready": torch.__version__}), flush=True)
    for line in sys.stdin:
        what = line.strip()
        start = time.perf_counter()
        figures = ops(rollout, trainer, mask) if what == "ops" else trainers(*padded)
        seconds = time.perf_counter() - start
        values = {name: float(value) for name, value in figures.items()}
        print(json.dumps({"seconds": seconds, "figures": values}), flush=True)


if __name__ == "__main__":
    main()
