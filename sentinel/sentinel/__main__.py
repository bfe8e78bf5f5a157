"""`python -m sentinel [TRAINER…]`: judges each trainer's release by what logratio prints and knows, and lists what
drifted. Exit status: 0 nothing, 1 drift, 2 wrong usage."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

from . import facts, table, wheels
from . import product as products
from .drift import Drift, Judged
from .judge import judge
from .load import find_packages, list_names
from .wheels import Release, Unavailable

# Processes of trainers at a time.
AT_ONCE = 2


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="sentinel", description=__doc__)
    parser.add_argument("trainers", nargs="*", metavar="TRAINER", help="by default all")
    which = parser.add_mutually_exclusive_group()
    for name, help_text in (
        ("pinned", "the releases in releases.json (the default)"),
        ("newest", "the newest releases on PyPI"),
        ("earlier", "releases of about half a year before"),
    ):
        which.add_argument(f"--{name}", dest="which", action="store_const", const=name, help=help_text)
    parser.add_argument("--told", action="store_true", help="judge a release by what logratio knows of that release")
    parser.add_argument("--wheels", type=Path, metavar="DIR", help="where releases are kept")
    parser.add_argument("--offline", action="store_true", help="download nothing")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    parser.add_argument("--write", action="store_true", help=f"write the table of {table.PAGE.name}")
    parser.add_argument(
        "--lock", action="store_true", help="pin the newest releases of these trainers, and judge nothing"
    )
    parser.set_defaults(which="pinned")
    options = parser.parse_args(arguments)
    known = [*list_names(), *facts.list_names()]
    names = [name.replace("-", "_") for name in options.trainers] or known
    unknown = sorted(set(names) - set(known))
    if unknown:
        parser.error(f"no module of {', '.join(unknown)}; there are {', '.join(known)}")
    if options.write and (options.trainers or options.which != "pinned"):
        parser.error("--write is for the pinned releases of all trainers")
    options.trainers = [name for name in names if name in list_names()]
    # Of these one commit is known, whichever release is asked for.
    options.read = [name for name in names if name not in options.trainers]
    return options


def _find(options: argparse.Namespace) -> tuple[dict[str, tuple[Release, list[Path]]], dict[str, str]]:
    """Each trainer's release with the folders it was unpacked to, and why the others are left out."""
    found: dict[str, tuple[Release, list[Path]]] = {}
    missing: dict[str, str] = {}
    for name in options.trainers:
        try:
            releases = [
                wheels.newest(package) if options.which == "newest" else wheels.locked(package, options.which)
                for package in find_packages(name)
            ]
            files = [wheels.fetch(release, options.wheels, offline=options.offline) for release in releases]
            found[name] = (releases[0], [path for file in files for path in wheels.unpack(file)])
        except Unavailable as error:
            missing[name] = str(error)
    return found, missing


def run(options: argparse.Namespace) -> tuple[list[Judged], Mapping[str, str]]:
    """All trainers' results, and why some have none."""
    found, missing = _find(options)
    told = {name.replace("_", "-"): release.version for name, (release, _) in found.items()} if options.told else {}
    known = products.load(told)

    def one(name: str) -> Judged:
        release, paths = found[name]
        return judge(name, release, paths, known.get(name.replace("_", "-"), products.UNKNOWN))

    read = [facts.judge_facts(name, known.get(name.replace("_", "-"), products.UNKNOWN)) for name in options.read]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [*pool.map(one, found), *read], missing


def _describe(judged: Judged) -> str:
    there, hooks = judged.hooks
    dumps = "" if judged.dumps is None else f", {judged.dumps} dumps"
    return (
        f"{judged.trainer} {judged.version} ({judged.date}): {judged.configs} configs, {judged.keys} keys, "
        f"{judged.samples} samples{dumps}, {there} of {hooks} places of hooks, {judged.seconds} s"
    )


def _group(drift: Iterable[Drift]) -> list[list[Drift]]:
    """Those of one cause together: many configs have the key that a release refuses."""
    groups: dict[tuple[str, ...], list[Drift]] = {}
    for each in drift:
        cause = (each.says,) if each.kind == "refused" else (each.says, each.key)
        groups.setdefault((each.kind, each.ours, *cause), []).append(each)
    return list(groups.values())


def _print(results: list[Judged], missing: Mapping[str, str], say: Callable[[str], None] = print) -> None:
    for judged in results:
        say(f"{'drift' if judged.drift else 'ok   '} {_describe(judged)}")
        for first, *same in _group(judged.drift):
            more = f" (and {len(same)} more with the same message)" if same else ""
            say(f"  {first.kind}: {first.key}{more}\n    {first.says}\n    {first.ours}: {first.task}")
    for name, why in missing.items():
        say(f"SKIPPED {name.replace('_', '-')}: {why}")
    total = sum(len(judged.drift) for judged in results)
    say(f"{total} drifted; {sum(judged.configs for judged in results)} configs of {len(results)} trainers tried")


def _lock(names: Iterable[str]) -> int:
    for package in (package for name in names for package in find_packages(name)):
        release = wheels.lock(package, datetime.now(UTC).date())
        print(f"{package} {release.version} ({release.date})")
    return 0


def main(arguments: list[str]) -> int:
    options = _parse(arguments)
    if options.lock:
        return _lock(options.trainers)
    results, missing = run(options)
    if options.json:
        print(json.dumps({"trainers": [judged.to_json() for judged in results], "skipped": missing}, default=str))
    else:
        _print(results, missing)
    if options.write:
        table.write(results)
    return 1 if any(judged.drift for judged in results) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
