"""One release, asked in a process of its own, and its answers compared with what the product knows."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import product as products
from .drift import Drift, Judged, Kind
from .product import Product
from .wheels import Release

# Seconds; the slowest module takes ten.
LONGEST = 120
PACKAGE = Path(__file__).resolve().parents[1]

Reply = Mapping[str, Any]


class NoAnswer(Exception):
    """The process that read the release ended without an answer."""


def ask(name: str, paths: Sequence[Path], configs: Sequence[str] = (), dumps: Path | None = None) -> Reply:
    """What the module of this name says of the release in `paths`.

    Raises:
        NoAnswer: its process failed or took too long, with the end of what it said.
    """
    request: dict[str, Any] = {"paths": [str(path) for path in paths], "configs": list(configs)}
    if dumps is not None:
        request["dumps"] = str(dumps)
    command = [sys.executable, "-m", "sentinel.child", name]
    try:
        done = subprocess.run(
            command, input=json.dumps(request), capture_output=True, text=True, timeout=LONGEST, cwd=PACKAGE
        )
    except subprocess.TimeoutExpired as error:
        raise NoAnswer(f"no answer within {LONGEST} s") from error
    if done.returncode != 0:
        raise NoAnswer("\n".join(done.stderr.strip().splitlines()[-5:]))
    reply: Reply = json.loads(done.stdout)
    return reply


def judge(name: str, release: Release, paths: Sequence[Path], product: Product) -> Judged:
    """Asks a release for all that its module can say, and lists where it differs from `product`."""
    start = time.monotonic()
    trainer = name.replace("_", "-")
    texts = [config["text"] for config in product["configs"]]
    ours = f"sentinel/sentinel/trainers/{name}.py"
    with tempfile.TemporaryDirectory() as folder:
        try:
            reply = ask(name, paths, texts, Path(folder))
        except NoAnswer as error:
            reply = {"beside": {}, "failed": {"all": str(error)}}
        unread = {file: products.report(Path(folder) / file) for file in reply.get("dumps", ())}
    samples = reply.get("samples", [])
    linted = products.lint([{"trainer": trainer, "version": release.version, "text": text} for text in samples])
    found = compare(product, reply, linted, unread)
    failed: list[Difference] = [("unreadable", part, message, ours) for part, message in reply["failed"].items()]
    hooks = reply.get("hooks", [])
    return Judged(
        trainer=trainer,
        distribution=release.distribution,
        version=release.version,
        date=release.date,
        configs=len(reply.get("accepts", ())),
        keys=len(reply.get("keys", ())),
        samples=len(samples),
        dumps=len(reply["dumps"]) if "dumps" in reply else None,
        hooks=(sum(hook["found"] for hook in hooks), len(hooks)),
        drift=tuple(Drift(trainer, release.version, *each) for each in (*failed, *found)),
        seconds=round(time.monotonic() - start, 1),
    )


# The kind, the key, what is said of it, and our file.
Difference = tuple[Kind, str, str, str]


def compare(
    product: Product,
    reply: Reply,
    linted: Sequence[Sequence[str]] = (),
    unread: Mapping[str, str | None] | None = None,
) -> list[Difference]:
    """Where a release's answers differ from what the product prints and knows.

    Args:
        product: one trainer of `product.load`
        reply: what `ask` returns
        linted: for each of the reply's samples the linter's errors
        unread: for each of its dumps the message of `logratio report`, None if it reads it
    """
    ours = product.get("ours", "src/trainers")
    hook = product.get("hook", {}).get("ours", "python/logratio/hooks")
    return [
        *_refused(product, reply),
        *(_keys(product, reply) if reply.get("keys") else ()),
        *(
            ("lint", _short(sample), error, ours)
            for sample, errors in zip(reply.get("samples", ()), linted, strict=False)
            for error in errors
        ),
        *(("hook", found["place"], "not there", hook) for found in reply.get("hooks", ()) if not found["found"]),
        *(("dump", file, message, ours) for file, message in (unread or {}).items() if message is not None),
    ]


def _refused(product: Product, reply: Reply) -> Iterator[Difference]:
    for config, message in zip(product["configs"], reply.get("accepts", ()), strict=False):
        if message is not None:
            yield "refused", _short(config["text"]), message, config["ours"]


def _keys(product: Product, reply: Reply) -> Iterator[Difference]:
    theirs, settings = reply["keys"], product["settings"]
    beside: Mapping[str, str] = reply["beside"]
    names = [setting["name"] for setting in settings]
    for setting in settings:
        same = [key for key in theirs if is_same(key["name"], setting["name"])]
        if not same:
            yield "gone", setting["name"], "the parser has no such key", setting["ours"]
        for key in same:
            yield from _values(key, setting)
    for key in theirs:
        name, file = key["name"], key["file"]
        is_known = any(is_same(name, known) for known in (*names, *product["known"]))
        if not is_known and name not in beside:
            yield (
                "unknown",
                name,
                f"{file} has it, with default {key['default']!r}",
                product.get("ours", "src/trainers"),
            )
        if is_known and name in beside:
            yield "beside", name, "is known, so that BESIDE need not name it", "sentinel/sentinel/trainers"
    for name in beside:
        if name not in [key["name"] for key in theirs]:
            yield "beside", name, "the parser has no such key", "sentinel/sentinel/trainers"


def _values(key: Mapping[str, Any], setting: Mapping[str, Any]) -> Iterator[Difference]:
    if key["choices"] and setting.get("choices"):
        theirs, own = {str(each) for each in key["choices"]}, {str(each) for each in setting["choices"]}
        if theirs != own:
            says = f"new: {_list(theirs - own)}; gone: {_list(own - theirs)}"
            yield "choices", key["name"], says, setting["ours"]
    if "default" in setting and setting["default"] != key["default"]:
        says = f"{key['default']!r}, not {setting['default']!r}"
        yield "default", key["name"], says, setting["ours"]


def is_same(one: str, other: str) -> bool:
    """Whether two names can be of the same key: one ends with all parts of the other. Dashes are underscores."""
    a, b = (name.lstrip("-").replace("-", "_").split(".") for name in (one, other))
    return a[-len(b) :] == b or b[-len(a) :] == a


def _list(values: Iterable[str]) -> str:
    return ", ".join(sorted(values)) or "none"


def _short(config: str) -> str:
    """A config in one line."""
    return " ".join(config.split())
