"""Runs a command and writes what it took to file descriptor 3, as one JSON object; its exit status becomes this one's.

    measure.py COMMAND ARGUMENT...

`wall` and `cpu` (user and system, of all threads and of child processes) in seconds, `peak` resident memory in bytes.
From outside, because what a process says of itself misses how it starts and ends.
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
