"""Runs a command and writes its usage to file descriptor 3 as a JSON object; exits with the command's status.

    measure.py COMMAND ARGUMENT...

`wall` and `cpu` (user and system, of all threads and of child processes) in seconds, `peak` resident memory in bytes.
Measured from outside, because a process itself cannot include its start and end.
"""

import json
import os
import sys
import time

start = time.perf_counter()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
taken = {
    "wall": time.perf_counter() - start,
    "cpu": usage.ru_utime + usage.ru_stime,
    "peak": usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
}
os.write(3, json.dumps(taken).encode())
sys.exit(os.waitstatus_to_exitcode(status) != 0)
