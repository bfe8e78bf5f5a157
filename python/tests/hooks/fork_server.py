"""
Imports the modules in argv once, then runs each script in a forked child, because for most of them the imports take
longer than the run. A line of JSON on standard input is a script to run; the answer is a line with its status.
"""

import importlib
import json
import os
import runpy
import sys

for name in sys.argv[1:]:
    importlib.import_module(name)

job = None
for line in sys.stdin:
    job = json.loads(line)
    child = os.fork()
    if child == 0:
        break
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
    job = None

if job is not None:
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for target, path in enumerate(job["output"], 1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), target)
    os.chdir(job["folder"])
    os.environ.clear()
    os.environ.update(job["env"])
    # As the interpreter does with PYTHONPATH.
    sys.path[1:1] = job["env"]["PYTHONPATH"].split(os.pathsep)
    importlib.invalidate_caches()
    sys.argv = job["command"]
    runpy.run_path(sys.argv[0], run_name="__main__")
