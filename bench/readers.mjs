// Readers: from a file to record batches, checked, against reading the same bytes and decompressing them.
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, inflateRawSync } from "node:zlib";
import { openRun, writeRecord } from "../dist/ingest/index.js";
import { seededBatch, writeContainers } from "./support/containers.mjs";

const RUNS = 5;

function baseline({ path, compression, members }) {
  if (compression === "members")
    return () => members.reduce((sum, bytes) => sum + inflateRawSync(bytes).length, 0);
  if (compression === "gzip") return () => gunzipSync(readFileSync(path)).length;
  return () => readFileSync(path).length;
}

async function drain(path) {
  const run = await openRun([path]);
  let tokens = 0;
  for await (const batch of run.batches()) tokens += batch.responseMask.length;
  return tokens;
}

async function best(work) {
  let fastest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < RUNS; i++) {
    const start = performance.now();
    await work();
    fastest = Math.min(fastest, performance.now() - start);
  }
  return fastest / 1000;
}

/** @returns rows for the table of bench/run.mjs */
export async function benchReaders({ quick = false } = {}) {
  const directory = mkdtempSync(join(tmpdir(), "logratio-bench-"));
  try {
    const files = writeContainers(seededBatch(quick ? 200 : 2000, 2048), directory);
    const record = join(directory, "record.parquet");
    const stored = await openRun([files[0].path]);
    await writeRecord(record, stored.batches());
    files.push({ label: "Parquet record, zstd", path: record, compression: "none" });

    const rows = [];
    for (const file of files) {
      const plain = baseline(file);
      const bytes = file.compression === "none" ? statSync(file.path).size : plain();
      const tokens = await drain(file.path);
      const ours = await best(() => drain(file.path));
      const theirs = await best(plain);
      rows.push({
        what: file.label,
        "MB/s": bytes / 1e6 / ours,
        "baseline MB/s": bytes / 1e6 / theirs,
        "time / baseline": ours / theirs,
        "Mtok/s": tokens / 1e6 / ours,
      });
    }
    return { title: "From file to record, against reading (and decompressing) the same bytes", rows };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
