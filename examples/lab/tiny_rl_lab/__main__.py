"""The command line: python -m tiny_rl_lab STAGE [--root DIR] [flags of the stage]

Stages in order: sft, dpo, rlvr (once per run), accuracy, engines, probe, pack, verify, export,
check, readme. `slice` cuts the shipped examples out of a recording; `selftest` runs almost all of
them on a small scale.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import LabError
from .train.runs import RUNS

if TYPE_CHECKING:
    from .workspace import Workspace

# torch takes seconds to import: a stage imports what it needs when it runs, so that --help and a
# wrong flag answer at once.
# ruff: noqa: PLC0415


def main() -> int:
    args = _parser().parse_args()
    import torch

    from .workspace import Workspace

    torch.set_num_threads(1)  # results depend on it in the last bits
    try:
        STAGES[args.stage][0](Workspace(args.root), args)
    except LabError as error:
        print(f"tiny_rl_lab {args.stage}: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tiny_rl_lab",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    stages = parser.add_subparsers(dest="stage", required=True, metavar="STAGE")
    for name, (_, summary) in STAGES.items():
        stage = stages.add_parser(name, help=summary, description=summary)
        stage.add_argument("--root", type=Path, default=Path("out"), help="default: ./out")
        if name in ("sft", "rlvr"):
            stage.add_argument("--steps", type=_count, help="instead of the stage's own number")
        if name == "rlvr":
            stage.add_argument("--run", choices=RUNS, default="main")
            stage.add_argument("--record-every", type=_count, metavar="N", help="every Nth step")
        if name == "slice":
            stage.add_argument("--out", type=Path, required=True, help="where to write")
    return parser


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is not at least 1")
    return value


def _sft(workspace: "Workspace", args: argparse.Namespace) -> None:
    from .train import sft

    sft.train(workspace, args.steps or sft.STEPS)


def _dpo(workspace: "Workspace", _) -> None:
    from .train import dpo

    dpo.train(workspace)


def _rlvr(workspace: "Workspace", args: argparse.Namespace) -> None:
    from .train import grpo

    run = RUNS[args.run]
    every = args.record_every or run.record_every
    grpo.train(workspace, replace(run, steps=args.steps or run.steps, record_every=every))


def _accuracy(workspace: "Workspace", _) -> None:
    from .measure.accuracy import measure_accuracy

    measure_accuracy(workspace)


def _engines(workspace: "Workspace", _) -> None:
    from .measure.engines import compare_engines

    compare_engines(workspace)


def _probe(workspace: "Workspace", _) -> None:
    from .probe.stage import probe

    probe(workspace)


def _pack(workspace: "Workspace", _) -> None:
    from .record.pack import pack

    pack(workspace)


def _verify(workspace: "Workspace", _) -> None:
    from .verify.stage import verify

    verify(workspace)


def _export(workspace: "Workspace", _) -> None:
    from .export.stage import export

    export(workspace)


def _check(workspace: "Workspace", _) -> None:
    from .export.stage import check

    check(workspace)


def _readme(workspace: "Workspace", _) -> None:
    from .report.readme import write_readme

    write_readme(workspace)


def _slice(workspace: "Workspace", args: argparse.Namespace) -> None:
    from .slices import slice_recording

    slice_recording(workspace, args.out)


def _selftest(workspace: "Workspace", _) -> None:
    from .selftest import selftest

    selftest(workspace)


STAGES = {
    "sft": (_sft, "train the tokenizer and the checkpoint sft from scratch"),
    "dpo": (_dpo, "train the checkpoint dpo from sft"),
    "rlvr": (_rlvr, "one GRPO run from dpo, recorded"),
    "accuracy": (_accuracy, "accuracy of every checkpoint on the held-out problems"),
    "engines": (_engines, "the same weights in three engines"),
    "probe": (_probe, "teacher-forcing references"),
    "pack": (_pack, "write the records in the other containers"),
    "verify": (_verify, "read every container back and check it"),
    "export": (_export, "write model.onnx for every checkpoint"),
    "check": (_check, "compare ONNX and tokenizer files with other libraries"),
    "readme": (_readme, "write the recording's README"),
    "slice": (_slice, "cut the shipped examples out of a recording"),
    "selftest": (_selftest, "train a few steps end to end and verify every container"),
}


if __name__ == "__main__":
    sys.exit(main())
