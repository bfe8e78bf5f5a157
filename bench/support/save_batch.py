"""Saves raw columns as a trainer would, for bench/support/padded-run.mjs.

    save_batch.py torch|parquet FOLDER OUT WIDTH

Each FOLDER/NAME.f32 or NAME.i64 is a column of [rows, WIDTH]; FOLDER/lengths has the length of each row as int32.
`torch` saves a dict of tensors, padded; `parquet` a table of one list per row and column, as pyarrow writes it by
default, without the padding.
"""

import sys
from pathlib import Path

import numpy as np


def read_columns(folder, width):
    kinds = {".f32": np.float32, ".i64": np.int64}
    files = [path for path in sorted(folder.iterdir()) if path.suffix in kinds]
    return {path.stem: np.fromfile(path, kinds[path.suffix]).reshape(-1, width) for path in files}


def save_torch(columns, _, out):
    import torch

    torch.save({name: torch.from_numpy(array) for name, array in columns.items()}, out)


def save_parquet(columns, lengths, out):
    import pyarrow as pa
    import pyarrow.parquet as pq

    held = np.arange(next(iter(columns.values())).shape[1]) < lengths[:, None]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    lists = {name: pa.ListArray.from_arrays(offsets, array[held]) for name, array in columns.items()}
    pq.write_table(pa.table(lists), out)


kind, folder, out, width = sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
save = {"torch": save_torch, "parquet": save_parquet}[kind]
save(read_columns(folder, width), np.fromfile(folder / "lengths", np.int32), out)
