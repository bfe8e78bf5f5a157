"""What logratio prints for each trainer and knows of it, as `scripts/sentinel/product.mjs` says."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "sentinel" / "product.mjs"
PROGRAM = ROOT / "bin" / "logratio.js"
LONGEST = 120

# One trainer of the script's output.
Product = Mapping[str, Any]
UNKNOWN: Product = {"configs": [], "settings": [], "known": []}


def load(told: Mapping[str, str] | None = None) -> Mapping[str, Product]:
    """Every trainer by its name; those in `told` as of that release of theirs."""
    arguments = [f"{trainer}@{version}" for trainer, version in (told or {}).items()]
    products: Mapping[str, Product] = json.loads(_node(SCRIPT, *arguments).stdout)
    return products


def lint(samples: Sequence[Mapping[str, str]]) -> list[list[str]]:
    """For each `{trainer, version, text}` the errors of `logratio correct --lint` that reject it."""
    errors: list[list[str]] = json.loads(_node(SCRIPT, "--lint", said=json.dumps(samples)).stdout)
    return errors


def report(file: Path) -> str | None:
    """None if `logratio report` reads the file, or recognizes it as a dump of texts alone, else its message."""
    done = _node(PROGRAM, "report", str(file), "--json", check=False)
    return None if done.returncode == 0 or "holds text only" in done.stderr else done.stderr.strip()


def _node(script: Path, *arguments: str, said: str = "", check: bool = True) -> subprocess.CompletedProcess[str]:
    command = [os.environ.get("LOGRATIO_NODE", "node"), str(script), *arguments]
    return subprocess.run(command, input=said, capture_output=True, text=True, timeout=LONGEST, check=check)
