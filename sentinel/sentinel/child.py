"""One trainer's release, asked in a process of its own: `python -m sentinel.child NAME` reads a `Request` as JSON from
standard input, and writes a `Reply` to standard output. What the trainer prints goes to standard error."""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .stubs import install


def ask(name: str, request: dict[str, Any]) -> dict[str, Any]:
    """What the trainer's module says of its release: each part's answer, or under `failed` the last lines of its error."""
    module = importlib.import_module(f".trainers.{name}", __package__)
    sys.path[:0] = request["paths"]
    install(getattr(module, "STUBS", ()))
    reply: dict[str, Any] = {"beside": dict(getattr(module, "BESIDE", {})), "failed": {}}

    def part(of: str, run: Callable[[Any], Any]) -> None:
        function = getattr(module, of, None)
        if function is None:
            return
        try:
            reply[of] = run(function)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            reply["failed"][of] = "".join(traceback.format_exception(error)[-3:]).strip()

    part("accepts", lambda accepts: [accepts(config) for config in request.get("configs", [])])
    part("keys", lambda keys: [dataclasses.asdict(key) for key in keys()])
    part("samples", lambda samples: list(samples()))
    part("hooks", lambda hooks: [dataclasses.asdict(found) for found in hooks()])
    if "dumps" in request:
        part("dumps", lambda dumps: list(dumps(Path(request["dumps"]))))
    return reply


def main() -> None:
    # Trainers print while they are imported, some of them from threads or from C.
    answer = os.dup(1)
    os.dup2(2, 1)
    reply = ask(sys.argv[1], json.load(sys.stdin))
    with os.fdopen(answer, "w", encoding="utf-8") as out:
        json.dump(reply, out, default=str)


if __name__ == "__main__":
    main()
