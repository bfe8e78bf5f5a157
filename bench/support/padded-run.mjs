// Runs as trainers save them, a file per step: padded verl batches of about a million sampled tokens each, in every
// container that `logratio report` reads. Seeded, so that a run made again has the same bytes.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { Zstd } from "@hpcc-js/wasm-zstd";
import { jsonl, npy, safetensors, viewBytes, zip } from "./containers.mjs";
import { uniforms } from "./token-data.mjs";

const WIDTH = 4096;
/** Sequences of a step; at 65 % of the width on average and with four of five tokens sampled, a million tokens. */
const ROWS = 470;
const VOCABULARY = 150_000;

/**
 * One step: lengths from 0.3 to 1 of the width, a fifth of the tokens tool output (mask 0) in stretches of 100, token
 * ids as frequent as words (the k-th in proportion to 1/k), most tokens almost certain, Δ with heavy tails.
 */
export function paddedBatch(seed, { rows = ROWS, width = WIDTH } = {}) {
  const uniform = uniforms(seed);
  const size = rows * width;
  const columns = {
    responses: new Int32Array(size),
    response_mask: new Int32Array(size),
    rollout_log_probs: new Float32Array(size),
    old_log_probs: new Float32Array(size),
  };
  const lengths = Array.from({ length: rows }, () => Math.floor(width * (0.3 + 0.7 * uniform())));
  for (const [row, length] of lengths.entries()) {
    for (let t = 0; t < length; t++) {
      const at = row * width + t;
      columns.responses[at] = Math.floor(VOCABULARY ** uniform());
      columns.response_mask[at] = Math.floor(t / 100) % 5 === 4 && t < length - 1 ? 0 : 1;
      const rollout = -(uniform() < 0.6 ? 0.05 : 3) * uniform();
      const noise = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
      const scale = uniform() < 0.002 ? 0.3 : 0.03;
      columns.rollout_log_probs[at] = rollout;
      columns.old_log_probs[at] = Math.min(rollout * (1 + scale * noise), -1e-7);
    }
  }
  return { rows, width, lengthOf: (row) => lengths[row], columns };
}

/** The same batch with 64-bit integers, as in trainers. */
function widen(batch) {
  const columns = Object.entries(batch.columns).map(([name, array]) => {
    if (array instanceof Float32Array) return [name, array];
    const wide = new BigInt64Array(array.length);
    const halves = new Int32Array(wide.buffer);
    for (let i = 0; i < array.length; i++) halves[2 * i] = array[i];
    return [name, wide];
  });
  return { ...batch, columns: Object.fromEntries(columns) };
}

function npz(batch, deflate) {
  const shape = [batch.rows, batch.width];
  const members = Object.entries(widen(batch).columns);
  return zip(
    members.map(([name, array]) => [`${name}.npy`, npy(array, shape)]),
    deflate,
  ).bytes;
}

/** Lets Python save raw columns: `torch` as one dict of tensors, `parquet` as list columns without padding. */
function saveWithPython(kind) {
  return (batch, path, { python }) => {
    const folder = `${path}.columns`;
    mkdirSync(folder);
    for (const [name, array] of Object.entries(widen(batch).columns)) {
      const suffix = array instanceof Float32Array ? "f32" : "i64";
      writeFileSync(join(folder, `${name}.${suffix}`), viewBytes(array));
    }
    const lengths = Int32Array.from({ length: batch.rows }, (_, row) => batch.lengthOf(row));
    writeFileSync(join(folder, "lengths"), viewBytes(lengths));
    const script = fileURLToPath(new URL("save_batch.py", import.meta.url));
    const { status, stderr } = spawnSync(python, [script, kind, folder, path, String(batch.width)], {
      encoding: "utf8",
    });
    rmSync(folder, { recursive: true });
    if (status !== 0) throw new Error(`save_batch.py failed: ${stderr.trim()}`);
  };
}

const save = (encode) => async (batch, path) => writeFileSync(path, await encode(batch));

/**
 * The containers by the name that chooses them. `python` names the modules needed to write one; `floor` is the least
 * that must be done with the bytes (support/floor.mjs); `peers` are the scripts of bench/peers that read it.
 */
export const FORMATS = {
  npz: {
    label: "npz",
    file: "batch.npz",
    write: save((batch) => npz(batch, false)),
    floor: "checksum",
    peers: ["torch"],
  },
  "npz-deflated": {
    label: "npz, deflated",
    file: "batch.npz",
    write: save((batch) => npz(batch, true)),
    floor: "inflate",
    peers: ["torch"],
  },
  safetensors: {
    label: "safetensors",
    file: "batch.safetensors",
    write: save((batch) => safetensors(widen(batch))),
    floor: "checksum",
    peers: ["torch"],
  },
  pt: {
    label: "torch",
    file: "batch.pt",
    python: ["numpy", "torch"],
    write: saveWithPython("torch"),
    floor: "checksum",
    peers: ["torch"],
  },
  record: {
    label: "Parquet record",
    file: "record.parquet",
    write: async (batch, path, { writeRecord, openRun }) => {
      const source = `${path}.npz`;
      writeFileSync(source, npz(batch, false));
      await writeRecord(path, (await openRun([source])).batches());
      rmSync(source);
    },
    floor: "duckdb",
    peers: ["duckdb", "pyarrow"],
    columns: ["response_mask", "rollout_logprobs", "trainer_logprobs"],
  },
  parquet: {
    label: "Parquet lists",
    file: "batch.parquet",
    python: ["numpy", "pyarrow"],
    write: saveWithPython("parquet"),
    floor: "duckdb",
    peers: ["duckdb", "pyarrow"],
  },
  jsonl: { label: "JSONL", file: "batch.jsonl", write: save(jsonl), floor: "parse", peers: ["polars"] },
  "jsonl-gz": {
    label: "JSONL, gzip",
    file: "batch.jsonl.gz",
    write: save((batch) => gzipSync(jsonl(batch))),
    floor: "gunzip",
    peers: ["polars"],
  },
  "jsonl-zst": {
    label: "JSONL, zstd",
    file: "batch.jsonl.zst",
    write: save(async (batch) => (await Zstd.load()).compress(jsonl(batch), 3)),
    floor: "unzstd",
    peers: ["polars"],
  },
};

/** Names of the three columns that figures need, unless a format says otherwise. */
export const COLUMNS = ["response_mask", "rollout_log_probs", "old_log_probs"];

/**
 * Writes `steps` steps in a format.
 *
 * @param tools `python` with the format's modules, `openRun` and `writeRecord` of the build; `shape` of a step, instead
 * of the usual `rows` and `width`
 * @returns paths of the files and the number of tokens with mask 1
 */
export async function writeRun(format, steps, directory, tools) {
  const paths = [];
  let tokens = 0;
  for (let step = 1; step <= steps; step++) {
    const batch = paddedBatch(step, tools.shape);
    for (const one of batch.columns.response_mask) tokens += one;
    const folder = join(directory, `step_${step}`);
    mkdirSync(folder, { recursive: true });
    const path = join(folder, format.file);
    await format.write(batch, path, tools);
    paths.push(path);
  }
  return { paths, tokens };
}
