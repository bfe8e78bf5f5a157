from __future__ import annotations

import os

# Some virtual machines list AMX among the processor's instructions but forbid it, so that a bfloat16 layer kills the
# process. Set before torch is imported.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE")
# With models of a few thousand weights, a second thread only waits in a loop for the first one and takes a processor
# that other tests need. This also applies to processes that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")
