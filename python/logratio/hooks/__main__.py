"""``python -m logratio.hooks``: which trainers are installed here, and what to type for each.

    --trainer NAME   one trainer, installed or not
    --path NAME      the plug-in file of a trainer that takes one (ms-swift)
    --json           for programs

Exit status: 0, or 2 for an unknown trainer.
"""

from __future__ import annotations

import argparse
import json
import sys

from .catalog import TRAINERS, Trainer


def find_trainer(name: str) -> Trainer | None:
    """Finds a trainer by name, in any case and with any separators."""
    wanted = _fold(name)
    return next((trainer for trainer in TRAINERS if wanted in (_fold(trainer.name), _fold(trainer.distribution))), None)


def describe(trainer: Trainer) -> str:
    """Describes the trainer as text: version, lines, what it needs."""
    version = trainer.find_version()
    state = "not installed" if version is None else version
    if version is not None and version != trainer.written_for:
        state += f" (hook written for {trainer.written_for})"
    lines = [f"{trainer.name} {state}", f"  {trainer.place}:", *(f"    {line}" for line in trainer.show_lines())]
    if trainer.needs:
        lines.append(f"  needs {trainer.needs}")
    return "\n".join(lines)


def to_json(trainer: Trainer) -> dict[str, object]:
    """The trainer as data for JSON."""
    return {
        "trainer": trainer.name,
        "installed": trainer.find_version(),
        "written_for": trainer.written_for,
        "place": trainer.place,
        "lines": trainer.show_lines(),
        "needs": trainer.needs,
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m logratio.hooks", description="says how to record both policies in the trainers installed here"
    )
    parser.add_argument("--trainer", metavar="NAME", help="one trainer, installed or not")
    parser.add_argument("--path", metavar="NAME", help="the plug-in file of a trainer that takes one")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    name = options.path or options.trainer
    if name is not None:
        found = find_trainer(name)
        if found is None:
            names = ", ".join(trainer.name for trainer in TRAINERS)
            print(f'error: no hook for "{name}"\n  hint    one of {names}', file=sys.stderr)
            return 2
        if options.path is not None:
            if found.find_plugin() is None:
                print(f"error: {found.name} takes no plug-in file", file=sys.stderr)
                return 2
            print(found.find_plugin())
            return 0
        chosen = [found]
    else:
        chosen = [trainer for trainer in TRAINERS if trainer.find_version() is not None]
    if options.json:
        print(json.dumps([to_json(trainer) for trainer in chosen], indent=2, ensure_ascii=False))
        return 0
    if not chosen:
        print("no trainer is installed here that logratio knows; hooks for the others: --trainer NAME, one of")
        print("  " + ", ".join(trainer.name for trainer in TRAINERS))
        return 0
    print("\n\n".join(describe(trainer) for trainer in chosen))
    if any(trainer.language != "none" for trainer in chosen):
        print("\nThen: logratio view logratio --follow")
    return 0


def _fold(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


if __name__ == "__main__":
    sys.exit(main())
