"""Checks of the other containers against the .npz record that they were made from."""

import json
from pathlib import Path

import numpy as np
import torch

from ..errors import require
from ..record import jsonl, packed, pt
from ..record.npz import Arrays
from ..record.safetensors import load_safetensors
from ..tokenizer import Tokenizer


def check_jsonl(path: Path, a: Arrays, tokenizer: Tokenizer) -> None:
    rows = jsonl.read_jsonl(path)
    require(len(rows) == len(a["acc"]), f"{path}: {len(rows)} rows, {len(a['acc'])} recorded")
    for b, row in enumerate(rows):
        m = len(row["response_ids"])
        require(row["uid"] == a["uid"][b], f"{path}, row {b}: uid {row['uid']}")
        same_ids = row["response_ids"] == a["responses"][b, :m].tolist()
        require(same_ids, f"{path}, row {b}: response_ids differ")
        for name in jsonl.PER_TOKEN:
            same = np.array_equal(np.array(row[name], np.float32), a[name][b, :m])
            require(same, f"{path}, row {b}: {name} differ")
        text = tokenizer.decode(row["response_ids"])
        require(text == row["output"], f"{path}, row {b}: output is not its tokens' text")


def check_pt(path: Path, a: Arrays) -> None:
    content = torch.load(path, weights_only=True)
    for ours, theirs in pt.TENSORS.items():
        same = np.array_equal(content["batch"][theirs].numpy(), a[ours])
        require(same, f"{path}: {theirs} is not the record's {ours}")
    require(content["non_tensor_batch"]["uid"] == a["uid"].tolist(), f"{path}: uid differ")


def check_packed(path: Path, a: Arrays) -> None:
    t = {name: v.numpy() for name, v in load_safetensors(path).items()}
    ends = t["num_tokens"].cumsum()
    require(ends[-1] == len(t["input_ids"]), f"{path}: num_tokens sum to {ends[-1]}")
    offsets = np.concatenate(([0], ends))
    require((t["cu_seq_lens_q"] == offsets).all(), f"{path}: cu_seq_lens_q and num_tokens differ")
    trained, mask = t["shifted_labels"] != packed.NOT_TRAINED, a["response_mask"] == 1
    labels = t["shifted_labels"][trained]
    require(np.array_equal(labels, a["responses"][mask]), f"{path}: labels are not the responses")
    following = np.roll(t["input_ids"], -1)[trained]
    require(np.array_equal(labels, following), f"{path}: labels are not the next tokens")
    for ours, theirs in packed.PER_TOKEN.items():
        same = np.array_equal(t[theirs][trained], a[ours][mask])
        require(same, f"{path}: {theirs} is not the record's {ours}")


def check_metadata(path: Path, a: Arrays) -> None:
    """The strings in the header of a packed file."""
    raw = path.read_bytes()
    size = int.from_bytes(raw[:8], "little")
    found = json.loads(raw[8 : 8 + size])["__metadata__"]
    require(json.loads(found["uid"]) == a["uid"].tolist(), f"{path}: uid differ")
    step = int(a["global_step"])
    require(found["global_step"] == str(step), f"{path}: step {found['global_step']}, not {step}")
