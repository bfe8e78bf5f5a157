// A sweep of 200 corrections over 10 million tokens, compared with the same corrections written as PyTorch operations.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { formatTable, median, timeInTurns } from "./support/rounds.mjs";
import {
  BATCH_TOKENS,
  batchColumns,
  KINDS,
  ROW_TOKENS,
  sweepBatch,
  sweepCorrections,
} from "./support/sweep-batches.mjs";
import { findTorch, startTorch } from "./support/torch.mjs";

const CORRECTIONS = 200;

export async function run({ quick, rounds = quick ? 1 : 3 }) {
  const built = new URL("../dist/analyses/sweep/index.js", import.meta.url);
  if (!existsSync(built)) throw new Error("dist/ is missing: npm run build");
  const { Sweep, buildSweep, defaultGrid } = await import(built.href);
  const count = quick ? 1 : 10;
  const tokens = count * BATCH_TOKENS;
  const columns = Array.from({ length: count }, (_, index) => batchColumns(index));
  const batches = columns.map((column, index) => sweepBatch(index, column));
  const sweepAll = (corrections) => {
    const sweep = new Sweep(corrections);
    for (const batch of batches) sweep.add(batch);
    return buildSweep({ run: "bench", sweep, presets: [], findings: [], sources: [] });
  };
  const corrections = sweepCorrections(CORRECTIONS);
  const variants = [
    { name: `sweep, ${CORRECTIONS} corrections, 1 thread`, run: () => void sweepAll(corrections) },
    { name: "sweep, 1 correction, 1 thread", run: () => void sweepAll(corrections.slice(0, 1)) },
    {
      name: `sweep, the default grid of ${defaultGrid().length}, 1 thread`,
      run: () => void sweepAll(defaultGrid()),
    },
  ];
  const notes = [];
  const folder = mkdtempSync(join(tmpdir(), "bench-sweep-"));
  const torch = findTorch();
  const processes = [];
  const threads = availableParallelism();
  const labelOf = (kind, count) => `PyTorch, ${kind}, ${count} thread${count === 1 ? "" : "s"}`;
  try {
    if (torch.missing) notes.push(`PyTorch skipped: ${torch.missing}`);
    else {
      for (const [name, column] of [
        ["rollout.f32", "rollout"],
        ["trainer.f32", "trainer"],
        ["mask.u8", "mask"],
      ]) {
        const parts = columns.map((part) => new Uint8Array(part[column].buffer));
        writeFileSync(join(folder, name), Buffer.concat(parts));
      }
      for (const count of new Set([1, threads])) {
        const script = "torch_sweep.py";
        const started = await startTorch({
          python: torch.python,
          folder,
          threads: count,
          columns: ROW_TOKENS,
          script,
        });
        processes.push(started);
        for (const kind of Object.keys(KINDS))
          variants.push({ name: labelOf(kind, count), run: () => started.measure(request(kind)) });
      }
      notes.push(await agreement(sweepAll, processes[0], tokens));
      notes.push(
        `PyTorch: one correction of each of ${Object.keys(KINDS).length} kinds is timed, and their mean stands for each of the ${CORRECTIONS} calls`,
      );
    }
    const seconds = await timeInTurns(variants, rounds);
    notes.push(...memoryNotes(count));
    return report({ tokens, rounds, seconds, notes, torch, threads, labelOf });
  } finally {
    for (const started of processes) started.close();
    rmSync(folder, { recursive: true });
  }
}

/** A correction in the middle of its kind's range, for the script. */
function request(kind) {
  return JSON.stringify({ kind, correction: KINDS[kind](0.5) });
}

/** Compares the reference's figures with the sweep's: both must have computed the same thing. */
async function agreement(sweepAll, torch, tokens) {
  const corrections = Object.keys(KINDS).map((kind) => ({
    name: kind,
    methods: [kind],
    correction: KINDS[kind](0.5),
  }));
  const rows = sweepAll(corrections).corrections;
  let worst = 0;
  for (const { name } of corrections) {
    const ours = rows.find((row) => row.name === name);
    const { figures } = await torch.measure(request(name));
    const off = Math.abs(figures.tokens_kept - ours.tokens_kept) / tokens;
    // Without weights, the trainer's own ESS is that of ones, the sweep's that of ratios.
    const offEss = figures.ess === null ? 0 : Math.abs(figures.ess / ours.ess_tokens - 1);
    if (!(Math.max(off, offEss) < 1e-3)) {
      throw new Error(
        `PyTorch and the sweep disagree about ${name}: kept ${figures.tokens_kept} and ${ours.tokens_kept}, ESS ${figures.ess} and ${ours.ess_tokens}`,
      );
    }
    worst = Math.max(worst, off, offEss);
  }
  return `kept tokens and ESS of PyTorch's float32 are within ${worst.toExponential(1)} of the sweep's`;
}

function memoryNotes(batches) {
  const script = fileURLToPath(new URL("support/sweep-memory.mjs", import.meta.url));
  const peak = (count) =>
    Number(
      execFileSync(process.execPath, [script, String(count), String(CORRECTIONS)], { encoding: "utf8" }),
    );
  const few = peak(1);
  if (!(few > 0)) return ["peak memory skipped: there is no /proc"];
  const megabytes = (bytes) => `${Math.round(bytes / 1e6)} MB`;
  const million = (count) => `${((count * BATCH_TOKENS) / 1e6).toFixed(0)} million tokens`;
  const counts = batches > 1 ? [4, batches, 4 * batches] : [4];
  const rest = counts.map((count) => `${megabytes(peak(count))} for ${million(count)}`);
  return [
    `peak memory with ${CORRECTIONS} corrections: ${megabytes(few)} for ${million(1)}, ${rest.join(", ")}`,
  ];
}

function report({ tokens, rounds, seconds, notes, torch, threads, labelOf }) {
  const sweepSeconds = median(seconds[`sweep, ${CORRECTIONS} corrections, 1 thread`]);
  const results = Object.entries(seconds).map(([name, times]) => ({
    name,
    seconds: median(times),
    all: times,
  }));
  if (!torch.missing) {
    for (const count of new Set([1, threads])) {
      const kinds = Object.keys(KINDS);
      const each = kinds.reduce((sum, kind) => sum + median(seconds[labelOf(kind, count)]), 0) / kinds.length;
      results.push({
        name: `PyTorch, ${CORRECTIONS} calls (scaled), ${count} thread${count === 1 ? "" : "s"}`,
        seconds: CORRECTIONS * each,
      });
    }
  }
  const caption = `${tokens.toLocaleString("en")} tokens in sequences of ${ROW_TOKENS.toLocaleString("en")}, 83 % with mask 1; medians of ${rounds} rounds`;
  const table = [
    ["", "seconds", `to the sweep of ${CORRECTIONS}`],
    ...results.map((row) => [
      row.name,
      row.seconds.toPrecision(3),
      `${(row.seconds / sweepSeconds).toPrecision(3)}×`,
    ]),
  ];
  console.log(`${caption}\n\n${formatTable(table)}`);
  for (const note of notes) console.log(note);
  return { tokens, rounds, torch: torch.version, caption, table, results, notes };
}
