// How many tokens a number of cores can process in a given time, calculated from measurements of what a core sums and
// what a part costs. Makes the table of docs/larger-than-one-machine.md:  npm run bench -- merge capacity --document
// The cost of a part is read from bench/out/merge.json if that exists, and measured otherwise.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { measureParts } from "./merge.mjs";
import { formatTable, median } from "./support/rounds.mjs";
import { tokenColumns, turnMask, uniforms } from "./support/token-data.mjs";

export const page = "larger-than-one-machine.md";

const execute = promisify(execFile);
const program = fileURLToPath(new URL("../bin/logratio.js", import.meta.url));
const usageHook = fileURLToPath(new URL("support/tell-usage.mjs", import.meta.url));
/** The batch of a step and rank: 256 sequences of 4,096 tokens. */
const [ROWS, WIDTH] = [256, 4096];
const SHARDS = 4;
const VOCABULARY = 150_000;
/** Bytes per second that an object store gives a cluster; an assumption, and stated as such. */
const STORE = 10e9;
const RUNS = [1e9, 1e11, 1e13];
const CORES = [16, 256, 4096];

export async function run({ quick, rounds = quick ? 1 : 3 }) {
  const folder = mkdtempSync(join(tmpdir(), "bench-capacity-"));
  try {
    const shards = await measureShards(folder, rounds);
    const parts = readMeasured(quick) ?? (await measureParts({ quick, rounds: 1 }));
    return tell(shards, scale(parts, shards.bytesPerPart));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readMeasured(quick) {
  const path = new URL("out/merge.json", import.meta.url);
  if (!existsSync(path)) return undefined;
  const { options, figures } = JSON.parse(readFileSync(path, "utf8"));
  return options.quick === quick ? figures : undefined;
}

/** The time of merging is proportional to the bytes of parts, and parts of larger shards hold more token ids. */
function scale(parts, bytesPerPart) {
  return { ...parts, cpuPerPart: (parts.cpuPerPart * bytesPerPart) / parts.bytesPerPart };
}

async function writeShards(folder) {
  const { writeNpz } = await import(new URL("../dist/input/readers/npz/index.js", import.meta.url).href);
  mkdirSync(folder);
  let bytes = 0;
  for (let number = 0; number < SHARDS; number++) {
    const size = ROWS * WIDTH;
    const random = uniforms(number + 1);
    const { rollout, trainer } = tokenColumns(size, { seed: 3 * number + 1 });
    const columns = {
      responses: Int32Array.from({ length: size }, () => Math.floor(VOCABULARY ** random())),
      rollout_log_probs: Float32Array.from(rollout),
      old_log_probs: Float32Array.from(trainer),
      response_mask: Uint8Array.from(turnMask(size, 3 * number + 2)),
    };
    const dtypes = { Int32Array: "int32", Float32Array: "float32", Uint8Array: "uint8" };
    const arrays = Object.entries(columns).map(([name, values]) => ({
      name,
      dtype: dtypes[values.constructor.name],
      shape: [ROWS, WIDTH],
      async *pieces() {
        yield new Uint8Array(values.buffer);
      },
    }));
    const path = join(folder, `step_${number}.npz`);
    const file = await open(path, "w");
    await writeNpz(file, arrays);
    await file.close();
    bytes += (await stat(path)).size;
  }
  return bytes;
}

/** A core's speed on shards: the whole command with one thread, minus the time that it takes for one shard. */
async function measureShards(folder, rounds) {
  const bytes = await writeShards(join(folder, "run"));
  const cpu = { one: [], all: [] };
  const out = join(folder, "parts");
  const usage = join(folder, "usage.json");
  const summarize = async (path) => {
    rmSync(out, { recursive: true, force: true });
    await execute(
      process.execPath,
      ["--import", usageHook, program, "summarize", path, "--out", out, "--threads", "1"],
      { env: { ...process.env, LOGRATIO_USAGE: usage } },
    );
    return JSON.parse(readFileSync(usage, "utf8")).cpu;
  };
  for (let round = 0; round < rounds; round++) {
    cpu.one.push(await summarize(join(folder, "run/step_0.npz")));
    cpu.all.push(await summarize(join(folder, "run")));
  }
  const tokens = ROWS * WIDTH;
  const seconds = (median(cpu.all) - median(cpu.one)) / (SHARDS - 1);
  const { findParts } = await import(new URL("../dist/parts/index.js", import.meta.url).href);
  const sizes = await Promise.all((await findParts([out])).map(async (path) => (await stat(path)).size));
  return {
    tokensPerSecond: tokens / seconds,
    bytesPerToken: bytes / (SHARDS * tokens),
    bytesPerPart:
      sizes
        .sort((a, b) => a - b)
        .slice(-SHARDS)
        .reduce((sum, size) => sum + size, 0) / SHARDS,
    tokensPerPart: tokens,
  };
}

/** Turns measurements into a table and notes. */
export function tell(shards, parts) {
  const head = [
    "tokens",
    "dumps",
    "parts",
    ...CORES.map((cores) => `${count(cores)} cores`),
    "merge, one core",
    "merge, tree",
    "memory of the last merge",
  ];
  const rows = RUNS.map((tokens) => {
    const made = tokens / shards.tokensPerPart;
    const serial = parts.fixedCpu + made * parts.cpuPerPart;
    return [
      `10^${Math.log10(tokens)}`,
      size(tokens * shards.bytesPerToken),
      `${count(made)}, ${size(made * shards.bytesPerPart)}`,
      ...CORES.map((cores) => time(tokens / shards.tokensPerSecond / cores)),
      time(serial),
      made * parts.memoryPerPart > MOST_MEMORY ? "in pieces" : time(treeSeconds(made, parts)),
      size(made * parts.memoryPerPart),
    ];
  });
  const table = [head, ...rows];
  console.log(formatTable(table));
  const fed = STORE / (shards.tokensPerSecond * shards.bytesPerToken);
  const million = parts.memoryPerPart * 1e6;
  const notes = [
    `measured: ${count(shards.tokensPerSecond / 1e3)} thousand tokens a second and core (npz with ids, log-probs and mask; one thread, reading included), ${shards.bytesPerToken.toFixed(1)} bytes a token, ${size(shards.bytesPerPart)} for the part of a shard of ${count(shards.tokensPerPart)} tokens with ids from a vocabulary of ${count(VOCABULARY)}, ${(1000 * parts.cpuPerPart).toFixed(0)} ms of CPU to merge it, ${size(parts.memoryPerPart)} of memory that stays of it; all else is arithmetic`,
    `reading: an object store that gives ${size(STORE)} a second feeds ${count(fed)} cores; beyond, it is the limit`,
    `merging: in a tree each ${FAN_IN} parts are merged by one core, so that the time grows with the levels; one core that merges keeps up with ${(shards.tokensPerPart / shards.tokensPerSecond / parts.cpuPerPart).toFixed(0)} that sum, and is the limit of more`,
    `memory: what stays of a part is kept for each file and each million tokens of it (\`--batch-tokens\`), so that the order of merging leaves no trace: ${size(million)} for a million of them, wherever the last level is merged. Report runs for which a node has too little in pieces, by \`--steps\``,
  ];
  for (const note of notes) console.log(note);
  return {
    caption: "Time on so many cores, without waiting for the store",
    table,
    notes,
    figures: { shards, parts },
  };
}

/** Memory of a node that merges, bytes; an assumption. */
const MOST_MEMORY = 64e9;
/** The same as in `logratio.ray`. */
const FAN_IN = 128;

function treeSeconds(parts, { cpuPerPart, fixedCpu }) {
  const levels = Math.max(1, Math.ceil(Math.log(parts) / Math.log(FAN_IN)));
  return fixedCpu + levels * Math.min(FAN_IN, parts) * cpuPerPart;
}

const count = (value) => Math.round(value).toLocaleString("en");

function size(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}

function time(seconds) {
  if (seconds < 90) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} days`;
}
