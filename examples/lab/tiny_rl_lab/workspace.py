"""Where things are under --root, and the log of a training stage."""

import json
import time
from pathlib import Path

from .errors import LabError, require
from .model import TinyLlama
from .record.checkpoint import load_checkpoint
from .tokenizer import Tokenizer, load_tokenizer
from .train.runs import RUNS

RUN_NAMES = tuple(RUNS)


class Workspace:
    """The directory that the stages read and write.

    ckpt/NAME    checkpoints and ckpt/tokenizer
    RUN          npz, jsonl, pt and packed records of a run (main, int8, stale)
    probe        teacher-forcing references
    checks       inputs and results of the export checks
    logs         one .log and one .jsonl for each training stage
    """

    def __init__(self, root: Path | str):
        self.root = Path(root)

    def folder(self, *parts: str) -> Path:
        """The folder ROOT/parts, made if need be."""
        path = self.root.joinpath(*parts)
        path.mkdir(parents=True, exist_ok=True)
        return path

    def checkpoint_folder(self, name: str) -> Path:
        return self.root / "ckpt" / name

    def tokenizer(self) -> Tokenizer:
        path = self.checkpoint_folder("tokenizer") / "tokenizer.json"
        require(path.exists(), f"no tokenizer at {path}: run the stage sft first")
        return load_tokenizer(path)

    def model(self, name: str) -> TinyLlama:
        folder = self.checkpoint_folder(name)
        if not (folder / "model.safetensors").exists():
            raise LabError(f"no checkpoint {name!r} at {folder}: run the stage that makes it first")
        return load_checkpoint(folder)

    def checkpoint_names(self) -> list[str]:
        """Checkpoints whose weights are here, in order of training."""
        steps = (int(f.name.rsplit("_", 1)[1]) for f in self.root.glob("ckpt/rlvr_step_*"))
        every = ["sft", "dpo", *(f"rlvr_step_{s}" for s in sorted(steps))]
        return [n for n in every if (self.checkpoint_folder(n) / "model.safetensors").exists()]

    def records(self, run: str) -> list[Path]:
        """The .npz records of a run, in order of steps."""
        return sorted((self.root / run / "npz").glob("*.npz"))

    def recorded_runs(self) -> list[str]:
        """Names of the runs that have records; at least one."""
        runs = [run for run in RUN_NAMES if self.records(run)]
        require(runs, f"no records under {self.root}: run the stage rlvr first")
        return runs


class Log:
    """Lines to logs/NAME.log and to stdout, metrics to logs/NAME.jsonl."""

    def __init__(self, workspace: Workspace, name: str):
        folder = workspace.folder("logs")
        self.start = time.time()
        self.text = open(folder / f"{name}.log", "w", encoding="utf-8")  # noqa: SIM115
        self.rows = open(folder / f"{name}.jsonl", "w", encoding="utf-8")  # noqa: SIM115

    def __enter__(self) -> "Log":
        return self

    def __exit__(self, *_) -> None:
        self.text.close()
        self.rows.close()

    def say(self, message: str) -> None:
        line = f"[{time.time() - self.start:7.1f}s] {message}"
        print(line, flush=True)
        print(line, file=self.text, flush=True)

    def record(self, **values) -> None:
        self.rows.write(json.dumps(values) + "\n")
        self.rows.flush()
