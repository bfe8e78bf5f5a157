"""Saves raw columns as one torch file, for bench/readers.mjs.

    torch_save.py FOLDER OUT WIDTH NAME.f32|NAME.i32...

Each FOLDER/NAME.* becomes the tensor NAME of [rows, WIDTH] in the dict that OUT holds.
"""

import os
import sys

import torch

DTYPES = {"f32": torch.float32, "i32": torch.int32}

folder, out, width, *names = sys.argv[1:]
batch = {}
for file in names:
    name, kind = file.rsplit(".", 1)
    path = os.path.join(folder, file)
    flat = torch.from_file(path, size=os.path.getsize(path) // 4, dtype=DTYPES[kind])
    batch[name] = flat.view(-1, int(width)).clone()
torch.save(batch, out)
