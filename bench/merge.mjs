// `logratio merge` over many parts: the whole command, and what each part adds to it.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { formatTable, median } from "./support/rounds.mjs";

const execute = promisify(execFile);
const PARTS = 2000;
const support = (name) => fileURLToPath(new URL(`support/${name}`, import.meta.url));
const program = fileURLToPath(new URL("../bin/logratio.js", import.meta.url));

export async function run({ quick, rounds = quick ? 1 : 3 }) {
  const { written, counts, samples } = await measureAll(quick, rounds);
  return tell(written, counts, samples, rounds);
}

/** What each part adds to a merge: bytes, tokens, CPU seconds and memory; and the CPU seconds of merging none. */
export async function measureParts({ quick, rounds }) {
  const { written, counts, samples } = await measureAll(quick, rounds);
  return readFigures(written, counts, samples);
}

async function measureAll(quick, rounds) {
  if (!existsSync(new URL("../dist/analyses/parts/index.js", import.meta.url)))
    throw new Error("dist/ is missing: npm run build");
  const folder = mkdtempSync(join(tmpdir(), "bench-merge-"));
  try {
    const count = quick ? PARTS / 10 : PARTS;
    const written = await drawAll(join(folder, "all"), count);
    const counts = [count / 10, count / 2, count];
    const samples = new Map(counts.map((size) => [size, []]));
    for (let round = 0; round < rounds; round++)
      for (const size of counts) samples.get(size).push(await measureMerge(folder, size));
    return { written, counts, samples };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Parts of a run of so many shards, drawn by a process for each core. */
async function drawAll(folder, count) {
  mkdirSync(folder);
  const threads = availableParallelism();
  const edges = Array.from({ length: threads + 1 }, (_, i) => Math.round((count * i) / threads));
  const answers = await Promise.all(
    edges.slice(1).map((to, i) => {
      const numbers = [edges[i], to, count].map(String);
      return execute(process.execPath, [support("drawn-parts.mjs"), folder, ...numbers]);
    }),
  );
  const each = answers.map(({ stdout }) => JSON.parse(stdout));
  const sum = (name) => each.reduce((total, one) => total + one[name], 0);
  return { tokens: sum("tokens"), bytes: sum("bytes"), count };
}

/** Seconds, CPU seconds and peak memory of merging the first `count` parts into a report. */
async function measureMerge(folder, count) {
  const some = join(folder, `first-${count}`);
  if (!existsSync(some)) {
    mkdirSync(some);
    for (const name of readdirSync(join(folder, "all")).sort().slice(0, count))
      symlinkSync(join(folder, "all", name), join(some, name));
  }
  const usage = join(folder, "usage.json");
  const from = performance.now();
  await execute(process.execPath, ["--import", support("tell-usage.mjs"), program, "merge", some, "--json"], {
    env: { ...process.env, LOGRATIO_USAGE: usage },
    maxBuffer: 2 ** 28,
  }).catch((error) => {
    // 4: the first parts name shards that the others hold.
    if (error.code !== 4) throw error;
  });
  return { seconds: (performance.now() - from) / 1000, ...JSON.parse(readFileSync(usage, "utf8")) };
}

const middle = (samples, size, name) => median(samples.get(size).map((sample) => sample[name]));

function readFigures(written, counts, samples) {
  // The sample of prompts is full by then: what still grows is what grows with every part.
  const [, few, many] = counts;
  const slope = (name) => (middle(samples, many, name) - middle(samples, few, name)) / (many - few);
  return {
    bytesPerPart: written.bytes / written.count,
    tokensPerPart: written.tokens / written.count,
    cpuPerPart: slope("cpu"),
    memoryPerPart: slope("peak"),
    fixedCpu: Math.max(0, middle(samples, few, "cpu") - few * slope("cpu")),
  };
}

function tell(written, counts, samples, rounds) {
  const rows = counts.map((size) => [
    `${size.toLocaleString("en")} parts`,
    middle(samples, size, "seconds").toFixed(1),
    middle(samples, size, "cpu").toFixed(1),
    ((1000 * middle(samples, size, "cpu")) / size).toFixed(1),
    (middle(samples, size, "peak") / 1e6).toFixed(0),
  ]);
  const table = [["", "seconds", "CPU seconds", "CPU ms a part", "peak MB"], ...rows];
  console.log(formatTable(table));
  const figures = readFigures(written, counts, samples);
  const notes = [
    `${written.count.toLocaleString("en")} parts of ${Math.round(figures.bytesPerPart / 1000)} kB and ${Math.round(figures.tokensPerPart).toLocaleString("en")} tokens with mask 1 each: 64 sequences of 8 prompts, 8 ranks to a step, ids from a vocabulary of 150,000`,
    `from ${counts[1].toLocaleString("en")} parts on, each further one takes ${(1000 * figures.cpuPerPart).toFixed(1)} ms of CPU and ${(figures.memoryPerPart / 1000).toFixed(0)} kB of peak memory`,
  ];
  for (const note of notes) console.log(note);
  return {
    caption: `\`logratio merge PARTS --json\`, start of the program included; ${rounds === 1 ? "one round" : `medians of ${rounds} rounds`}`,
    table,
    notes,
    figures,
  };
}
