"""The first screen from padded batches (.npz, .pt, .safetensors), with NumPy and PyTorch.

torch_report.py THREADS MASK,ROLLOUT,TRAINER FILE...
"""

import screen  # isort: skip
import sys

import numpy as np
import torch
from safetensors.torch import load_file

screen.imported()
torch.set_num_threads(int(sys.argv[1]))
names = ["responses", *sys.argv[2].split(",")]
edges = torch.tensor(screen.EDGES)
moments = torch.zeros(5, dtype=torch.double)
sums, counts = torch.zeros(2, 10, dtype=torch.double)
histogram = torch.zeros(len(edges) + 1, dtype=torch.int64)
rows, magnitudes, largest = [], [], 0.0


def read(path):
    if path.endswith(".npz"):
        with np.load(path) as arrays:
            return [torch.from_numpy(arrays[name]) for name in names]
    batch = load_file(path) if path.endswith(".safetensors") else torch.load(path, weights_only=True)
    return [batch[name] for name in names]


for path in sys.argv[3:]:
    ids, mask, rollout, trainer = read(path)
    mask = mask.bool()
    position = torch.arange(mask.shape[1])
    lengths = (position * (ids != 0)).amax(1, keepdim=True) + 1
    tenth = (position * 10 // lengths)[mask]
    count = mask.sum(1)
    row = torch.arange(len(mask)).repeat_interleave(count)
    a, b = rollout[mask], trainer[mask]
    delta = b - a
    magnitude, ratio, p, q = delta.abs(), delta.exp(), a.exp(), b.exp()
    k3 = delta.expm1() - delta
    moments += torch.stack([x.sum(dtype=torch.double) for x in (p, q, p * p, q * q, p * q)])
    largest = max(largest, float((q - p).abs().max()))
    sums += torch.bincount(tenth, magnitude, minlength=10)
    counts += torch.bincount(tenth, minlength=10)
    histogram += torch.bincount(torch.bucketize(delta, edges), minlength=len(edges) + 1)
    per_row = [torch.bincount(row, x, minlength=len(mask)) for x in (magnitude, k3, ratio, ratio * ratio)]
    rows.append(torch.stack([count, *per_row]).double())
    magnitudes.append(magnitude)

every = torch.cat(magnitudes)
extremes = [float(every.kthvalue(int(np.ceil(share * len(every)))).values) for share in (0.99, 0.999, 1)]
rows = torch.cat(rows, 1)
screen.show(rows, moments.tolist(), [*extremes, largest], (sums / counts).tolist(), histogram.tolist(), len(magnitudes))
