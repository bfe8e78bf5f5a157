"""The stage `verify`: every container of every run, then log-probs recomputed from `dpo`."""

from collections import Counter
from pathlib import Path

import numpy as np
import torch

from ..engine import MAX_PROMPT as P
from ..errors import require
from ..measure.recorded import mismatch_over
from ..model import next_token_log_probs
from ..record.npz import Arrays, load_npz
from ..record.text import write_json
from ..tokenizer import Tokenizer
from ..workspace import RUN_NAMES, Workspace
from .containers import check_jsonl, check_metadata, check_packed, check_pt
from .record import check_record

COUNTS = (
    "responses",
    "non_canonical",
    "tool_tokens",
    "model_tokens",
    "tool_errors",
    "unfinished",
)
RECOMPUTED_ROWS = 8


def verify(workspace: Workspace) -> None:
    """Raise LabError at the first lie; otherwise write mismatch.json and print its figures."""
    tokenizer, summary = workspace.tokenizer(), {}
    runs = workspace.recorded_runs()
    for run in RUN_NAMES:
        if run not in runs:
            print(f"{run}: no records here, nothing verified")
            continue
        counts, containers = Counter(dict.fromkeys(COUNTS, 0)), 0
        for path in workspace.records(run):
            a = load_npz(path)
            counts.update(check_record(a, tokenizer))
            containers += check_containers(workspace, run, path, a, tokenizer)
        summary[run] = mismatch_over(workspace.records(run)) | counts
        print(f"{run} ok: {containers} other containers, {summary[run]}")
    first = workspace.records(runs[0])[0]
    worst = check_reference(workspace, load_npz(first))
    print(f"log-probs of {first.name} recomputed from dpo agree to {worst:.2e}")
    write_json(workspace.root / "mismatch.json", summary)


def check_containers(
    workspace: Workspace, run: str, path: Path, a: Arrays, tokenizer: Tokenizer
) -> int:
    """Check what `pack` made from one record; returns the number of files."""
    folder = workspace.root / run
    texts = list((folder / "jsonl").glob(path.stem + ".jsonl*"))
    for text in texts:
        check_jsonl(text, a, tokenizer)
    packs = list((folder / "packed").glob(path.stem + ".safetensors"))
    for pack in packs:
        check_packed(pack, a)
        check_metadata(pack, a)
    tensors = list((folder / "pt").glob(path.stem + ".pt"))
    for tensor in tensors:
        check_pt(tensor, a)
    return len(texts) + len(packs) + len(tensors)


def check_reference(workspace: Workspace, a: Arrays) -> float:
    """Largest gap between a record's ref_log_probs and those of the checkpoint `dpo`, in nats.

    At step 1 the trainer still is that checkpoint, so old_log_probs must agree too.
    """
    if int(a["global_step"]) == 1:
        gap = np.abs(a["old_log_probs"] - a["ref_log_probs"]).max()
        require(gap < 1e-5, f"at step 1 old and ref log-probs differ by {gap:.2e}")
    dpo, worst = workspace.model("dpo"), 0.0
    for b in range(min(RECOMPUTED_ROWS, len(a["acc"]))):
        row = a["input_ids"][b][a["attention_mask"][b] == 1].tolist()
        with torch.no_grad():
            log_probs = next_token_log_probs(dpo, [row])[0][0].numpy()
        n = int(a["attention_mask"][b, :P].sum())
        gap = np.abs(log_probs[n - 1 :] - a["ref_log_probs"][b, : len(row) - n]).max()
        worst = max(worst, float(gap))
    require(worst < 1e-4, f"ref_log_probs differ by {worst:.2e} from those of the checkpoint dpo")
    return worst
