"""The stage `readme`: ROOT/README.md, from recording.md and the measured figures."""

import platform
from importlib.resources import files
from string import Template

import torch

from ..measure.recorded import largest_gap
from ..workspace import Workspace
from .figures import (
    accuracy_table,
    engine_table,
    figures,
    mismatch_table,
    run_table,
    template_table,
    timing,
)


def write_readme(workspace: Workspace) -> None:
    """Write ROOT/README.md; what was not measured is said to be so."""
    accuracy, mismatch = (figures(workspace, f"{n}.json") for n in ("accuracy", "mismatch"))
    text = Template(files(__package__).joinpath("recording.md").read_text(encoding="utf-8"))
    filled = text.substitute(
        torch=torch.__version__,
        python=platform.python_version(),
        accuracy=accuracy_table(accuracy),
        templates=template_table(accuracy),
        mismatch=mismatch_table(mismatch),
        runs=run_table(workspace),
        engines=engine_table(figures(workspace, "engines.json")),
        outlier=_outlier(workspace),
        responses=sum(m["responses"] for m in mismatch.values()),
        non_canonical=sum(m["non_canonical"] for m in mismatch.values()),
        unfinished=sum(m["unfinished"] for m in mismatch.values()),
        onnx=_onnx_note(workspace),
        probe=_probe_note(workspace),
        timing=timing(workspace) or "not kept",
    )
    path = workspace.root / "README.md"
    path.write_text(filled, encoding="utf-8")
    print("wrote", path)


def _outlier(workspace: Workspace) -> str:
    """Where the furthest token of all records is."""
    paths = [p for run in workspace.recorded_runs() for p in workspace.records(run)]
    (gap, row, token, rollout, old), path = max(
        ((largest_gap(p), p) for p in paths), key=lambda found: found[0][0]
    )
    where = f"{path.parent.parent.name}, {path.stem}, row {row}, response index {token}"
    return f"{gap:.2f} nats ({where}: rollout {rollout:.2f}, trainer {old:.2f})"


def _onnx_note(workspace: Workspace) -> str:
    path = workspace.root / "checks" / "onnx_result.txt"
    return path.read_text(encoding="utf-8").strip() if path.exists() else "Not checked."


def _probe_note(workspace: Workspace) -> str:
    folder = workspace.root / "probe"
    if not (folder / "reference_kl.json").exists():
        return "Not probed."
    meta = figures(workspace, "probe/reference_kl.json")["meta"]
    kept = len(figures(workspace, "probe/filtered_problems.json"))
    gap = meta["max_abs_difference_from_an_all_float64_forward"]
    return (
        f"{kept} held-out problems are wrong in dpo and right in the last checkpoint; "
        f"an all-float64 forward pass differs from the references by at most {gap:.1e}."
    )
