from __future__ import annotations

import os

# Some virtual machines name AMX among the processor's instructions and forbid it: a bfloat16 layer then ends the process.
# Before torch is imported.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE")
# Models of a few thousand weights: a second thread waits for the first one in a loop, which takes a processor that other
# tests need. In the processes that tests start as well.
os.environ.setdefault("OMP_NUM_THREADS", "1")
