// node stream-summary.mjs TOKENS STEPS: makes the report of a run of TOKENS tokens with mask 1 in STEPS steps that was
// never on disk. Two seeded batches of a million tokens are added repeatedly to a run's summary, as a reader would pass
// them, each time with the next step and new prompts. Prints a line of JSON at every tenfold number of tokens and when
// the report is made: `masked` tokens, `seconds`, `cpu` (user and system, seconds) and `peak`, the peak memory of the
// process in bytes (null without /proc).
import { existsSync, readFileSync } from "node:fs";
import { buildReport, RunSummary } from "../../dist/analyses/report/index.js";
import { batchColumns, sweepBatch } from "./sweep-batches.mjs";
import { uniforms } from "./token-data.mjs";

const BATCHES = 2;
const VOCABULARY = 150_000;
/** Sequences per prompt. */
const GROUP = 8;

const [tokens, steps] = process.argv.slice(2).map(Number);
const batches = Array.from({ length: BATCHES }, (_, index) => makeBatch(index));
const masked = batches.map(({ responseMask }) => responseMask.reduce((sum, one) => sum + one, 0));

/** A batch without advantages, which few dumps have, and with ids as frequent as words. */
function makeBatch(index) {
  const { advantages: _, ...batch } = sweepBatch(index, batchColumns(index));
  const uniform = uniforms(index + 1);
  const responseTokenIds = Int32Array.from(batch.responseMask, () => Math.floor(VOCABULARY ** uniform()));
  return { ...batch, responseTokenIds };
}

function peak() {
  if (!existsSync("/proc/self/status")) return null;
  return 1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]);
}

const start = performance.now();
function tell(what) {
  const { user, system } = process.cpuUsage();
  const seconds = (performance.now() - start) / 1000;
  console.log(JSON.stringify({ ...what, seconds, cpu: (user + system) / 1e6, peak: peak() }));
}

const count = Math.ceil(tokens / Math.min(...masked));
const summary = new RunSummary();
let added = 0;
let due = 10 ** 7;
for (let i = 0; i < count; i++) {
  const batch = batches[i % BATCHES];
  batch.steps.fill(Math.floor((i * steps) / count));
  const groupIds = batch.groupIds.map((_, row) => `${i}.${Math.floor(row / GROUP)}`);
  summary.add({ ...batch, groupIds });
  added += masked[i % BATCHES];
  if (added < due) continue;
  tell({ masked: added });
  due *= 10;
}
const { metrics } = buildReport({ run: "stream", paths: [], summary, parity: [], findings: [], sources: [] });
tell({ masked: metrics.tokens, steps: metrics.steps });
