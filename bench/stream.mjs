// The peak memory of a report for any number of tokens: a generated run that is never on disk, as JSON lines to
// `logratio report -`, and as batches to the same sums and the same report without the reader.
//   npm run bench -- stream --tokens 1000    (millions; default 10 and 100)
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { formatTable } from "./support/rounds.mjs";

const SIZES = [10, 100];
/** Tokens of a step: 1,024 prompts with 8 samples of 1,250 tokens each. */
const STEP_MILLIONS = 10;

const local = (path) => fileURLToPath(new URL(path, import.meta.url));

export async function run({ quick, tokens }) {
  const sizes = tokens?.split(",").map(Number) ?? (quick ? SIZES.slice(0, 1) : SIZES);
  if (!sizes.every((size) => size > 0))
    throw new Error(`--tokens needs millions of tokens (10,100), not ${tokens}`);
  const results = [];
  for (const millions of sizes) {
    const steps = Math.ceil(millions / STEP_MILLIONS);
    results.push({ source: "JSON lines", millions, steps, ...(await measureLines(millions, steps)) });
    print(results.at(-1));
    results.push({ source: "batches", millions, steps, ...(await measureBatches(millions, steps)) });
    print(results.at(-1));
  }
  const table = [HEAD, ...results.map(tableRow)];
  const caption = "one thread; one run each";
  console.log(`\n${caption}\n\n${formatTable(table)}`);
  return { caption, table, notes: [], results };
}

/** `logratio report -`, fed by another process, which is not measured. */
async function measureLines(millions, steps) {
  const folder = mkdtempSync(join(tmpdir(), "bench-stream-"));
  const usage = join(folder, "usage.json");
  const writer = spawn(process.execPath, [local("support/stream-lines.mjs"), 1e6 * millions, steps], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const began = performance.now();
  const flags = ["--import", local("support/tell-usage.mjs"), local("../bin/logratio.js")];
  const reader = spawn(process.execPath, [...flags, "report", "-", "--json", "--threads", "1"], {
    stdio: [writer.stdout, "pipe", "inherit"],
    env: { ...process.env, LOGRATIO_USAGE: usage },
  });
  // Only the reader may hold it; otherwise the writer would not learn that the reader has ended.
  writer.stdout.destroy();
  try {
    const report = await readAll(reader, "logratio report -");
    const seconds = (performance.now() - began) / 1000;
    const { metrics } = JSON.parse(report);
    check(metrics, millions, steps);
    return { masked: metrics.tokens, seconds, ...JSON.parse(readFileSync(usage, "utf8")) };
  } finally {
    writer.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureBatches(millions, steps) {
  const script = [local("support/stream-summary.mjs"), 1e6 * millions, steps];
  const child = spawn(process.execPath, script, { stdio: ["ignore", "pipe", "inherit"] });
  const lines = (await readAll(child, "stream-summary.mjs")).trim().split("\n");
  const { masked, seconds, cpu, peak, steps: counted } = JSON.parse(lines.at(-1));
  check({ tokens: masked, steps: counted }, millions, steps);
  return { masked, seconds, cpu, peak };
}

async function readAll(child, name) {
  const chunks = [];
  const ended = once(child, "close");
  for await (const chunk of child.stdout) chunks.push(chunk);
  const [status] = await ended;
  if (status !== 0) throw new Error(`${name} ended with status ${status}`);
  return Buffer.concat(chunks).toString();
}

function check({ tokens, steps: counted }, millions, steps) {
  if (tokens < 1e6 * millions || counted !== steps)
    throw new Error(`${tokens} tokens of ${counted} steps were read, not ${millions} million of ${steps}`);
}

const HEAD = ["", "million tokens", "steps", "wall s", "CPU s", "Mtokens per CPU s", "peak MB"];

function tableRow({ source, masked, steps, seconds, cpu, peak }) {
  return [
    source,
    (masked / 1e6).toFixed(0),
    steps.toLocaleString("en"),
    seconds.toFixed(1),
    cpu.toFixed(1),
    (masked / cpu / 1e6).toFixed(1),
    peak === null ? "" : (peak / 1e6).toFixed(0),
  ];
}

function print(result) {
  console.log(tableRow(result).join("  "));
}
