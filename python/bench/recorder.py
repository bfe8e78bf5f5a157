"""What `Recorder.log` costs the training thread, and how fast the writer is, compared with writing Parquet.

python python/bench/recorder.py [--tokens 1000000]
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

import logratio
from logratio.recorder.record import pack


def make_batch(tokens: int, width: int = 4096) -> dict[str, np.ndarray]:
    """A batch like that of verl's trainer: float32 log-probs, int64 ids and masks, half of it padding."""
    rng = np.random.default_rng(0)
    shape = (max(1, tokens // width), width)
    lengths = rng.integers(1, width, shape[0])
    rollout = -rng.exponential(0.3, shape).astype(np.float32)
    return {
        "rollout_log_probs": rollout,
        "old_log_probs": rollout + rng.normal(0, 0.01, shape).astype(np.float32),
        "response_mask": (np.arange(width)[None] < lengths[:, None]).astype(np.int64),
        "responses": rng.integers(0, 150_000, shape),
    }


def time_log(batch: dict[str, np.ndarray], rounds: int = 100) -> None:
    positions = batch["rollout_log_probs"].size
    with tempfile.TemporaryDirectory() as folder:
        run = logratio.init(folder)
        taken, plain = [], []
        held = [np.empty_like(array) for array in batch.values()]
        for step in range(rounds):
            began = time.perf_counter()
            run.log(step=step, **batch)
            taken.append(time.perf_counter() - began)
            run.flush()
            began = time.perf_counter()
            for target, array in zip(held, batch.values(), strict=True):
                np.copyto(target, array)
            plain.append(time.perf_counter() - began)
        run.finish()
        steady = sorted(taken[2:])
        print(
            f"log: {steady[0] * 1e9 / positions:.2f} ms per million positions at least, "
            f"{statistics.median(steady) * 1e9 / positions:.2f} median, {steady[-1] * 1e9 / positions:.2f} at most; "
            f"the first, into fresh memory, {taken[0] * 1e9 / positions:.2f}"
        )
        print(
            f"a plain copy of the same arrays by one thread: {min(plain) * 1e9 / positions:.2f} at least, "
            f"{statistics.median(plain[2:]) * 1e9 / positions:.2f} median"
        )


def time_containers(batch: dict[str, np.ndarray]) -> None:
    arrays = pack(batch)
    tokens = int(arrays["response_offsets"][-1])
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        pack(batch)
        packing = time.perf_counter() - began
        from logratio.recorder.files import write_safetensors

        path = Path(folder) / "a.safetensors"
        began = time.perf_counter()
        write_safetensors(path, arrays, {})
        writing = time.perf_counter() - began
        print(
            f"safetensors: packed in {packing * 1e9 / tokens:.1f} ms, written in {writing * 1e9 / tokens:.1f} ms, "
            f"{path.stat().st_size / tokens:.2f} bytes, per million tokens / per token"
        )
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ImportError:
            print("Parquet: pyarrow is not installed")
            return
        offsets = pa.array(arrays["response_offsets"], pa.int32())
        names = ["rollout_logprobs", "trainer_logprobs", "response_mask", "response_token_ids"]
        for codec in ("none", "snappy", "zstd"):
            path = Path(folder) / f"{codec}.parquet"
            began = time.perf_counter()
            table = pa.table({name: pa.ListArray.from_arrays(offsets, pa.array(arrays[name])) for name in names})
            pq.write_table(table, path, compression=codec, use_dictionary=False)
            writing = time.perf_counter() - began
            print(
                f"Parquet, {codec}: written in {writing * 1e9 / tokens:.1f} ms, "
                f"{path.stat().st_size / tokens:.2f} bytes"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=1_000_000)
    asked = make_batch(parser.parse_args().tokens)
    time_log(asked)
    time_containers(asked)
