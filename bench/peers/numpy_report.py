"""The first screen from many small files (.npz, .jsonl), with only NumPy.

numpy_report.py LIST, a file that names one file per line
"""

import screen  # isort: skip
import json
import sys
from pathlib import Path

import numpy as np

screen.imported()
NAMES = ("responses", "response_mask", "rollout_log_probs", "old_log_probs")
edges = np.array(screen.EDGES)


def read(path):
    """Sequences of a file: ids, mask, rollout and trainer log-probs, each with its padding or without."""
    if path.endswith(".npz"):
        with np.load(path) as arrays:
            yield from zip(*(arrays[name] for name in NAMES), strict=True)
        return
    with Path(path).open() as lines:
        for line in lines:
            row = json.loads(line)
            yield tuple(np.array(row[name]) for name in ("response_ids", *NAMES[1:]))


moments = np.zeros(5)
sums, counts = np.zeros((2, 10))
histogram = np.zeros(len(edges) + 1, dtype=np.int64)
rows, magnitudes, largest = [], [], 0.0
paths = Path(sys.argv[1]).read_text().split("\n")
for path in paths:
    for ids, mask, rollout, trainer in read(path):
        used = np.flatnonzero(mask)
        length = np.flatnonzero(ids)[-1] + 1
        a, b = rollout[used].astype(np.float64), trainer[used].astype(np.float64)
        delta = b - a
        magnitude, ratio, p, q = np.abs(delta), np.exp(delta), np.exp(a), np.exp(b)
        moments += [p.sum(), q.sum(), (p * p).sum(), (q * q).sum(), (p * q).sum()]
        largest = max(largest, float(np.abs(q - p).max()))
        tenth = used * 10 // length
        sums += np.bincount(tenth, magnitude, minlength=10)
        counts += np.bincount(tenth, minlength=10)
        histogram += np.bincount(np.searchsorted(edges, delta), minlength=len(edges) + 1)
        k3 = np.expm1(delta) - delta
        rows.append([len(used), magnitude.sum(), k3.sum(), ratio.sum(), (ratio * ratio).sum()])
        magnitudes.append(magnitude)

extremes = [float(x) for x in np.quantile(np.concatenate(magnitudes), [0.99, 0.999, 1])]
columns = np.array(rows).T
screen.show(
    columns,
    moments.tolist(),
    [*extremes, largest],
    (sums / counts).tolist(),
    histogram.tolist(),
    len(paths),
)
