// Readers: from a file to checked batches of the record, compared with the least that must be done with the bytes:
// reading them, decompressing them, parsing them as JSON, decoding their columns.
import { spawnSync } from "node:child_process";
import { existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, inflateRawSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { columnScan } from "./support/column-scan.mjs";
import { seededBatch, writeContainers, writeTorch } from "./support/containers.mjs";
import { formatTable, median, timeInTurns } from "./support/rounds.mjs";
import { findTorch } from "./support/torch.mjs";

const WIDTH = 2048;
/** Files that are read as one run when memory is measured a second time. */
const COPIES = 4;

export async function run({ quick, rounds = quick ? 2 : 7 }) {
  const built = new URL("../dist/ingest/index.js", import.meta.url);
  if (!existsSync(built)) throw new Error("dist/ is missing: npm run build");
  const { openRun } = await import(built.href);
  const { writeRecord } = await import(new URL("../dist/ingest/writing/index.js", import.meta.url).href);
  const directory = mkdtempSync(join(tmpdir(), "bench-readers-"));
  const notes = [];
  let duckdb;
  try {
    const batch = seededBatch(quick ? 200 : 2000, WIDTH);
    const files = writeContainers(batch, directory);
    const torch = findTorch();
    if (torch.missing) notes.push(`the torch file skipped: ${torch.missing}`);
    else files.splice(3, 0, writeTorch(batch, directory, torch.python));
    const record = join(directory, "record.parquet");
    await writeRecord(record, (await openRun([files[0].path])).batches());
    files.push({ label: "Parquet record, zstd", path: record, compression: "parquet" });
    duckdb = await DuckDBInstance.create(":memory:", { threads: "1" });
    const connection = await duckdb.connect();

    const variants = [];
    const wanted = await drain(openRun, files[0].path);
    for (const file of files) {
      // A fast reader that reads something else is useless.
      const got = await drain(openRun, file.path);
      if (got.tokens !== wanted.tokens || got.sum !== wanted.sum)
        throw new Error(
          `${file.label}: ${got.tokens} tokens that sum to ${got.sum}, not ${wanted.tokens} and ${wanted.sum}`,
        );
      file.baselines = await baselinesOf(file, connection);
      file.bytes = plainBytes(file);
      variants.push({ name: file.label, run: () => drain(openRun, file.path) });
      for (const { name, run } of file.baselines) variants.push({ name: `${file.label} / ${name}`, run });
    }
    const seconds = await timeInTurns(variants, rounds);
    for (const file of files) {
      file.peak = peakMemory([file.path]);
      file.peakOfCopies = peakMemory(copies(file.path, directory));
    }
    const idle = peakMemory([]);
    notes.push(
      idle === undefined
        ? "peak memory skipped: there is no /proc here"
        : `a process that has loaded logratio and read nothing peaks at ${(idle / 1e6).toFixed(0)} MB`,
    );
    return report({ files, tokens: wanted.tokens, rows: batch.rows, rounds, seconds, notes, torch });
  } finally {
    duckdb?.closeSync();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Reads a file as `logratio report` does, without its figures. */
async function drain(openRun, path) {
  const run = await openRun([path]);
  let [tokens, sum] = [0, 0];
  for await (const batch of run.batches()) {
    tokens += batch.responseMask.length;
    sum += batch.rolloutLogprobs[0] + batch.trainerLogprobs.at(-1);
  }
  return { tokens, sum };
}

async function baselinesOf({ path, compression, spans }, connection) {
  if (compression === "members") {
    const inflate = () => {
      const bytes = readFileSync(path);
      return spans.map(({ start, end }) => inflateRawSync(bytes.subarray(start, end)).length);
    };
    return [{ name: "read, inflate", run: inflate }];
  }
  if (compression === "gzip")
    return [{ name: "read, gunzip", run: () => gunzipSync(readFileSync(path)).length }];
  if (compression === "parquet") {
    const scan = await columnScan(path, connection);
    return [{ name: "DuckDB scan, 1 thread", run: () => connection.runAndReadAll(scan) }];
  }
  const read = { name: "read", run: () => readFileSync(path).length };
  return path.endsWith(".jsonl") ? [read, { name: "read, JSON.parse", run: () => parseLines(path) }] : [read];
}

function parseLines(path) {
  const bytes = readFileSync(path);
  let last;
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start);
    last = JSON.parse(bytes.toString("utf8", start, end));
    start = end + 1;
  }
  return last;
}

/** Bytes of a file after decompression; for Parquet, as on disk. */
function plainBytes({ path, compression, spans }) {
  const bytes = compression === "gzip" || compression === "members" ? readFileSync(path) : undefined;
  if (compression === "gzip") return gunzipSync(bytes).length;
  if (compression === "members")
    return spans.reduce((sum, { start, end }) => sum + inflateRawSync(bytes.subarray(start, end)).length, 0);
  return statSync(path).size;
}

function copies(path, directory) {
  return Array.from({ length: COPIES }, (_, i) => {
    const folder = join(directory, `step_${i + 1}`);
    mkdirSync(folder, { recursive: true });
    const copy = join(folder, basename(path));
    linkSync(path, copy);
    return copy;
  });
}

function peakMemory(paths) {
  const script = fileURLToPath(new URL("support/peak-memory.mjs", import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...paths], { encoding: "utf8" });
  if (status !== 0) throw new Error(`peak-memory.mjs failed: ${stderr.trim()}`);
  return stdout === "" ? undefined : Number(stdout);
}

function report({ files, tokens, rows, rounds, seconds, notes, torch }) {
  const results = files.flatMap(({ label, bytes, baselines, peak, peakOfCopies }) =>
    baselines.map(({ name }) => {
      const [ours, theirs] = [seconds[label], seconds[`${label} / ${name}`]];
      return {
        name: label,
        baseline: name,
        bytes,
        bytesPerSecond: bytes / median(ours),
        tokensPerSecond: tokens / median(ours),
        baselineBytesPerSecond: bytes / median(theirs),
        timeToBaseline: median(ours) / median(theirs),
        peakBytes: peak,
        peakBytesOfCopies: peakOfCopies,
        seconds: ours,
        baselineSeconds: theirs,
      };
    }),
  );
  const mega = (value) => (value === undefined ? "–" : (value / 1e6).toFixed(0));
  const table = [
    ["", "MB", "MB/s", "Mtokens/s", "against", "MB/s", "time to it", "peak MB", `peak MB, ${COPIES} files`],
    ...results.map((row) => [
      row.name,
      mega(row.bytes),
      mega(row.bytesPerSecond),
      (row.tokensPerSecond / 1e6).toFixed(1),
      row.baseline,
      mega(row.baselineBytesPerSecond),
      `${row.timeToBaseline.toPrecision(3)}×`,
      mega(row.peakBytes),
      mega(row.peakBytesOfCopies),
    ]),
  ];
  const caption = `${rows.toLocaleString("en")} sequences, ${tokens.toLocaleString("en")} response tokens, files in the page cache; medians of ${rounds} rounds`;
  console.log(`${caption}\n\n${formatTable(table)}`);
  for (const note of notes) console.log(note);
  return { tokens, rounds, torch: torch.version, caption, table, results, notes };
}
