"""Times figures of whole distributions as PyTorch operations, for bench/kl.mjs.

    torch_kl.py FOLDER THREADS COLUMNS

FOLDER holds rows of logits of two policies, [rows, COLUMNS] each: p.f32, q.f32, p.bf16, q.bf16, p.f16, q.f16. Prints a
line when the tensors are loaded; then, for each line `OPERATION FORMAT BATCH` on standard input, one JSON line
{"seconds", "figures"} for all rows in batches of BATCH; figures are means over the rows:

    describe  only P: the first token's log-prob, entropy, the five most probable tokens
    compare   both described, and forward and reverse KL, Jensen-Shannon divergence, total variation

Logits of 16 bits become float32 first, as in the trainers' own functions.
"""

import json
import os
import sys
import time

import torch

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}


def described(logprobs, probs):
    return {
        "logprob": logprobs[:, 0],
        "entropy": -(probs * logprobs).sum(-1),
        "top": logprobs.topk(5, dim=-1).values.sum(-1),
    }


def describe(p):
    logprobs = p.float().log_softmax(-1)
    return described(logprobs, logprobs.exp())


def compare(p, q):
    log_p = p.float().log_softmax(-1)
    log_q = q.float().log_softmax(-1)
    p, q = log_p.exp(), log_q.exp()
    delta = log_p - log_q
    log_mean = ((p + q) / 2).log()
    of_q = described(log_q, q)
    return described(log_p, p) | {
        "entropyOfQ": of_q["entropy"],
        "topOfQ": of_q["top"],
        "forwardKl": (p * delta).sum(-1),
        "reverseKl": -(q * delta).sum(-1),
        "jsDivergence": ((p * (log_p - log_mean)).sum(-1) + (q * (log_q - log_mean)).sum(-1)) / 2,
        "totalVariation": (p - q).abs().sum(-1) / 2,
    }


def main():
    folder, threads, columns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    torch.set_num_threads(threads)

    def load(name):
        path = f"{folder}/{name}"
        dtype = DTYPES[name.split(".")[1]]
        size = os.path.getsize(path) // dtype.itemsize
        return torch.from_file(path, size=size, dtype=dtype).clone().view(-1, columns)

    rows = {name: (load(f"p.{name}"), load(f"q.{name}")) for name in DTYPES}
    print(json.dumps({"ready": torch.__version__}), flush=True)
    for line in sys.stdin:
        operation, name, batch = line.split()
        p, q = rows[name]
        parts = []
        start = time.perf_counter()
        with torch.inference_mode():
            for at in range(0, len(p), int(batch)):
                pair = p[at : at + int(batch)], q[at : at + int(batch)]
                parts.append(describe(pair[0]) if operation == "describe" else compare(*pair))
        seconds = time.perf_counter() - start
        figures = {key: float(torch.cat([part[key] for part in parts]).double().mean()) for key in parts[0]}
        print(json.dumps({"seconds": seconds, "figures": figures}), flush=True)


if __name__ == "__main__":
    main()
