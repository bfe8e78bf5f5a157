// Commands other than `report` and `view` on padded verl batches: whole processes from start to end.
//   npm run bench -- verbs --tokens 10    (millions; 1 is the other)
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FORMATS, writeRun } from "./support/padded-run.mjs";
import { findPython, measure } from "./support/processes.mjs";
import { formatTable, median } from "./support/rounds.mjs";

const SIZES = [1, 10];
const PROGRAM = fileURLToPath(new URL("../bin/logratio.js", import.meta.url));
/** Ids that stand for the digits: any ten will do for timing; these are frequent. */
const DIGITS = "15,16,17,18,19,20,21,22,23,24";

/** By name: the words after the verb, given a file to write. */
const VERBS = {
  report: () => ["--brief"],
  sweep: () => ["--json"],
  divergence: (out) => ["--threshold", "0", "--out", `${out}.jsonl`],
  digits: () => ["--digit-ids", DIGITS, "--json"],
  convert: (out) => ["--out", `${out}.parquet`],
};

export async function run({ quick, tokens, rounds = quick ? 1 : 3 }) {
  const sizes = tokens === undefined ? (quick ? SIZES.slice(0, 1) : SIZES) : [Number(tokens)];
  if (!sizes.every((size) => SIZES.includes(size)))
    throw new Error(`--tokens needs one of ${SIZES.join(", ")} (millions), not ${tokens}`);
  const launcher = findPython([]);
  if (launcher.missing) throw new Error(`processes are measured from Python: ${launcher.missing}`);
  const results = [];
  for (const millions of sizes) results.push(...(await measureSize(millions, rounds, launcher.python)));
  const table = [HEAD, ...results.map(tableRow)];
  const caption = `npz files of a million tokens with mask 1 each, in the page cache; medians of ${rounds} round${rounds === 1 ? "" : "s"}`;
  console.log(`${caption}\n\n${formatTable(table)}`);
  return { rounds, caption, table, notes: [], results };
}

async function measureSize(millions, rounds, launcher) {
  const directory = mkdtempSync(join(tmpdir(), "bench-verbs-"));
  try {
    const data = join(directory, "run");
    const { tokens } = await writeRun(FORMATS.npz, millions, data, {});
    const out = join(directory, "out");
    const results = Object.keys(VERBS).map((verb) => ({ verb, tokens, samples: [] }));
    // The first round, which brings the files into the page cache, does not count.
    for (let round = -1; round < rounds; round++)
      for (const { verb, samples } of results) {
        const words = [process.execPath, PROGRAM, verb, data, ...VERBS[verb](out)];
        const { wall, cpu, peak } = measure(launcher, words);
        if (round >= 0) samples.push({ wall, cpu, peak });
        for (const path of [`${out}.jsonl`, `${out}.parquet`]) if (existsSync(path)) rmSync(path);
      }
    return results;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const HEAD = ["", "million tokens", "wall s", "CPU s", "Mtokens per CPU s", "peak MB"];

function tableRow({ verb, tokens, samples }) {
  const [wall, cpu, peak] = ["wall", "cpu", "peak"].map((key) => median(samples.map((one) => one[key])));
  return [
    verb,
    (tokens / 1e6).toFixed(1),
    wall.toFixed(2),
    cpu.toFixed(2),
    (tokens / cpu / 1e6).toFixed(1),
    (peak / 1e6).toFixed(0),
  ];
}
