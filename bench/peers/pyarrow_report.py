"""The first screen from Parquet files with list columns, with pyarrow and NumPy.

pyarrow_report.py THREADS MASK,ROLLOUT,TRAINER FILE...
"""

import screen  # isort: skip
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

screen.imported()
pa.set_cpu_count(int(sys.argv[1]))
names = sys.argv[2].split(",")
edges = np.array(screen.EDGES, np.float32)
moments, largest = np.zeros(5), 0.0
sums, counts, histogram = np.zeros(10), np.zeros(10), np.zeros(len(edges) + 1)
rows, magnitudes = [], []

for path in sys.argv[3:]:
    lists = [column.combine_chunks() for column in pq.read_table(path, columns=names).select(names)]
    mask, a, b = (column.flatten().to_numpy() for column in lists)
    lengths = lists[0].value_lengths().to_numpy()
    starts = np.cumsum(lengths) - lengths
    kept = np.flatnonzero(mask)
    row = np.repeat(np.arange(len(lengths)), lengths)[kept]
    tenth = (kept - starts[row]) * 10 // lengths[row]
    a, b = a[kept], b[kept]
    delta = b - a
    magnitude, ratio, p, q = np.abs(delta), np.exp(delta), np.exp(a), np.exp(b)
    k3 = np.expm1(delta) - delta
    moments += [x.sum(dtype=np.float64) for x in (p, q, p * p, q * q, p * q)]
    largest = max(largest, np.abs(q - p).max())
    sums += np.bincount(tenth, magnitude, 10)
    counts += np.bincount(tenth, minlength=10)
    histogram += np.bincount(np.searchsorted(edges, delta), minlength=len(edges) + 1)
    per_row = [np.bincount(row, x, len(lengths)) for x in (magnitude, k3, ratio, ratio * ratio)]
    rows.append([np.bincount(row, minlength=len(lengths)), *per_row])
    magnitudes.append(magnitude)

every = np.concatenate(magnitudes)
order = [int(np.ceil(share * len(every))) - 1 for share in (0.99, 0.999, 1)]
extremes = [float(value) for value in np.partition(every, order)[order]]
rows = np.concatenate(rows, 1)
screen.show(rows, moments, [*extremes, float(largest)], sums / counts, histogram, len(magnitudes))
