"""`python -m sentinel [TRAINER…]`: judges each trainer's release, and prints what drifted."""

from __future__ import annotations

import json
import sys

from .judge import ask
from .load import find_packages
from .wheels import fetch, locked, newest, unpack


def main(arguments: list[str]) -> int:
    which = next((a for a in arguments if a.startswith("--")), "--pinned").removeprefix("--")
    for name in (a for a in arguments if not a.startswith("--")):
        paths = []
        for package in find_packages(name):
            release = (
                newest(package) if which == "newest" else locked(package, "earlier" if which == "earlier" else "pinned")
            )
            paths += unpack(fetch(release))
        print(json.dumps(ask(name, paths), indent=1, default=str))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
