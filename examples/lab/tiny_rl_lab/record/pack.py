"""The stage `pack`: the other containers, all made from the .npz records.

RUN/jsonl/step_NNNN.jsonl[.gz]      every record; every 4th plain, the others compressed
main/pt/step_NNNN.pt                three steps
main/packed/step_NNNN.safetensors   the same three steps
"""

from collections.abc import Collection

from ..workspace import Workspace
from .jsonl import write_jsonl
from .npz import load_npz
from .packed import write_packed
from .pt import write_pt

TENSOR_STEPS = (1, 500, 1000)
PLAIN_EVERY = 4


def pack(workspace: Workspace, tensor_steps: Collection[int] = TENSOR_STEPS) -> None:
    """Write the containers of every run; .pt and packed only for `tensor_steps` of main."""
    tokenizer = workspace.tokenizer()
    for run in workspace.recorded_runs():
        jsonl = workspace.folder(run, "jsonl")
        for k, path in enumerate(workspace.records(run)):
            a = load_npz(path)
            suffix = ".jsonl" if k % PLAIN_EVERY == 0 else ".jsonl.gz"
            write_jsonl(jsonl / (path.stem + suffix), a, tokenizer)
            if run == "main" and int(a["global_step"]) in tensor_steps:
                write_pt(workspace.folder(run, "pt") / f"{path.stem}.pt", a)
                write_packed(workspace.folder(run, "packed") / f"{path.stem}.safetensors", a)
        print(f"{run}: {k + 1} records packed")
