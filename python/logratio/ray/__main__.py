"""``python -m logratio.ray PATH… --out FILE``, which ``logratio report --on`` starts and a Ray job runs."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

from ..errors import LogratioError
from ..program import environment, find_command


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m logratio.ray",
        description="Summarizes a run on a Ray cluster, and prints the verb's result or writes its part.",
    )
    parser.add_argument("paths", nargs="+", help="files, directories and addresses, as the cluster sees them")
    parser.add_argument(
        "--address", help="the cluster: ray://host:10001, auto (default: RAY_ADDRESS, else this machine)"
    )
    parser.add_argument(
        "--part", type=Path, help="write the merged part to this .lrs file instead of printing the result"
    )
    parser.add_argument("--parts", type=Path, help="directory that keeps the parts: a broken job goes on from there")
    parser.add_argument("--for", dest="verb", default="report", help="the verb that answers (default report)")
    parser.add_argument("--workers", type=int, help="actors, with one core each (default: all cores)")
    parser.add_argument("--retries", type=int, default=3, help="tries after a worker or its node was lost (default 3)")
    parser.add_argument("--options", type=json.loads, default={}, help='flags of summarize as JSON: {"steps": "1..9"}')
    parser.add_argument("--runtime-env", type=json.loads, help="Ray's runtime_env for the workers, as JSON")
    given = parser.parse_args(arguments)
    try:
        from .run import answering_command, summarize, tell_on_stderr
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        print(
            f"error: ray is not installed in {sys.executable}\n  try     pip install 'logratio[ray]'", file=sys.stderr
        )
        return 3
    if given.parts is not None and given.parts.exists() and not given.parts.is_dir():
        print(f"error: {given.parts} is not a directory", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="logratio-") as folder:
        try:
            summary = summarize(
                given.paths,
                out=given.parts or folder,
                verb=given.verb,
                address=given.address,
                workers=given.workers,
                retries=given.retries,
                runtime_env=given.runtime_env,
                progress=tell_on_stderr,
                **given.options,
            )
        except LogratioError as error:
            print(f"error: {error}", file=sys.stderr)
            return error.status or 3
        except KeyboardInterrupt:
            kept = "" if given.parts is None else f": what is done is in {given.parts}"
            print(f"interrupted{kept}", file=sys.stderr)
            return 130
        tell_on_stderr(
            f"{summary.shards} shards on {summary.workers} workers in {summary.seconds:.1f} s; "
            f"{summary.resumed} done before, {summary.lost} workers lost, {len(summary.given_up)} shards given up"
        )
        if given.part is not None:
            shutil.copyfile(summary.part, given.part)
            return 4 if summary.given_up else 0
        import subprocess

        command = answering_command(given.verb)
        return subprocess.run(
            [*find_command(), command, "--", str(summary.part)], env=environment(), check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
