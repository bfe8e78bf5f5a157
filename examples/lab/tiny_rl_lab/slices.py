"""The stage `slice`: the small pieces of a recording that the product ships.

demo/stale/step_NNNN.npz     every record of the run `stale`, byte for byte
demo-formats/step_NNNN.*     one prompt group of one record of `main`, in all four containers
"""

import shutil
from pathlib import Path

import numpy as np

from .errors import require
from .record.jsonl import write_jsonl
from .record.npz import Arrays, load_npz, save_npz, take_rows
from .record.packed import write_packed
from .record.pt import write_pt
from .tokenizer import Tokenizer
from .train.ppo import GROUP_SIZE
from .verify.containers import check_jsonl, check_metadata, check_packed, check_pt
from .verify.record import check_record
from .workspace import Workspace

DEMO_RUN = "stale"
FORMATS_RUN, FORMATS_STEP = "main", 500


def slice_recording(workspace: Workspace, out: Path, formats_step: int = FORMATS_STEP) -> None:
    """Write both folders into `out`, and check what was written."""
    tokenizer = workspace.tokenizer()
    copied = copy_run(workspace, DEMO_RUN, out / "demo" / DEMO_RUN)
    source = workspace.root / FORMATS_RUN / "npz" / f"step_{formats_step:04d}.npz"
    require(source.exists(), f"no record {source}")
    record = load_npz(source)
    group = first_mixed_group(record)
    written = write_formats(out / "demo-formats", source.stem, take_rows(record, group), tokenizer)
    size = sum(path.stat().st_size for path in copied + written)
    print(
        f"{len(copied)} records of {DEMO_RUN}; rows {group.start} to {group.stop - 1} of {source}"
    )
    print(f"{len(copied) + len(written)} files, {size} bytes")


def copy_run(workspace: Workspace, run: str, folder: Path) -> list[Path]:
    records = workspace.records(run)
    require(records, f"no records of {run} under {workspace.root}")
    folder.mkdir(parents=True, exist_ok=True)
    for path in records:
        shutil.copyfile(path, folder / path.name)
    return [folder / path.name for path in records]


def first_mixed_group(a: Arrays) -> slice:
    """The rows of the first prompt group in which some responses are right and some are wrong."""
    rewards = a["acc"].reshape(-1, GROUP_SIZE)
    mixed = np.flatnonzero(rewards.std(1) > 0)
    require(len(mixed), f"all {len(rewards)} groups have equal rewards")
    start = int(mixed[0]) * GROUP_SIZE
    return slice(start, start + GROUP_SIZE)


def write_formats(folder: Path, stem: str, a: Arrays, tokenizer: Tokenizer) -> list[Path]:
    """The same sequences as .npz, .jsonl.gz, .pt and packed .safetensors."""
    folder.mkdir(parents=True, exist_ok=True)
    npz, jsonl, pt, packed = (
        folder / f"{stem}.{suffix}" for suffix in ("npz", "jsonl.gz", "pt", "safetensors")
    )
    save_npz(npz, a)
    write_jsonl(jsonl, a, tokenizer)
    write_pt(pt, a)
    write_packed(packed, a)
    written = load_npz(npz)
    check_record(written, tokenizer)
    check_jsonl(jsonl, written, tokenizer)
    check_pt(pt, written)
    check_packed(packed, written)
    check_metadata(packed, written)
    return [npz, jsonl, pt, packed]
