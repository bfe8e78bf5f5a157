// The fused pass over rollout, trainer and mask, compared with its reference implementation, with reading the same
// bytes, and with the same figures as PyTorch operations.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { compileC } from "./support/c-kernel.mjs";
import { formatTable, median, timeInTurns } from "./support/rounds.mjs";
import { randomMask, rowOffsets, tokenColumns, turnMask } from "./support/token-data.mjs";
import { findTorch, startTorch } from "./support/torch.mjs";

const COLUMNS = 4096;
const C_NAME = "kernel in C for the same WebAssembly, 1 thread";

export async function run({ quick, rounds = quick ? 2 : 7, trainers }) {
  const built = new URL("../dist/core/kernels/index.js", import.meta.url);
  if (!existsSync(built)) throw new Error("dist/ is missing: npm run build");
  const { mismatchSums, sumsLayout, emptySums, mergeSums, ...derive } = await import(built.href);

  const n = quick ? 2 ** 20 : 2 ** 24;
  const columns = tokenColumns(n);
  const offsets = rowOffsets(n);
  const inTurns = { ...columns, mask: turnMask(n), offsets };
  const atRandom = { ...columns, mask: randomMask(n), offsets };
  const constant = {
    ...inTurns,
    trainer: columns.rollout.map((value, i) => value - 0.105 + 1e-6 * Math.sin(i)),
  };
  const share = inTurns.mask.reduce((sum, bit) => sum + bit, 0) / n;
  const c = await kernelInC(built);
  const threads = availableParallelism();
  const unshared = copyOf(inTurns);
  const scratch = copyOf(inTurns);

  const variants = [
    { name: "kernel, 1 thread", run: () => mismatchSums(inTurns) },
    { name: "kernel, 1 thread, rows only", run: () => mismatchSums(inTurns, { turns: false }) },
    { name: "kernel, 1 thread, random mask", run: () => mismatchSums(atRandom) },
    { name: "kernel, 1 thread, random mask, rows only", run: () => mismatchSums(atRandom, { turns: false }) },
    {
      name: "kernel, 1 thread, Δ constant ± 1e-6 (the reference implementation's)",
      run: () => mismatchSums(constant),
      rounds: 2,
    },
    {
      name: "reference implementation, 1 thread",
      run: () => mismatchSums(inTurns, { engine: "scalar" }),
      rounds: 3,
    },
    { name: "sum of the same bytes, plain loops", run: () => plainSum(inTurns) },
    { name: "copy of the same bytes", run: () => plainCopy(scratch, unshared) },
  ];

  const folder = mkdtempSync(join(tmpdir(), "bench-kernel-"));
  const notes = [];
  const torch = findTorch();
  const processes = [];
  let agreement;
  try {
    if (torch.missing) notes.push(`PyTorch skipped: ${torch.missing}`);
    else {
      for (const [name, column] of [
        ["rollout.f32", columns.rollout],
        ["trainer.f32", columns.trainer],
        ["mask.u8", inTurns.mask],
      ]) {
        writeFileSync(join(folder, name), new Uint8Array(column.buffer));
      }
      for (const count of new Set([1, threads])) {
        const started = await startTorch({ python: torch.python, folder, threads: count, columns: COLUMNS });
        processes.push(started);
        const label = `PyTorch ${torch.version}, ${count} thread${count === 1 ? "" : "s"}`;
        variants.push({ name: label, run: () => started.measure("ops") });
        if (trainers)
          variants.push({ name: `${label}, verl's metrics`, run: () => started.measure("trainers") });
      }
      const table = mismatchSums(inTurns, { turns: false });
      const pooled = emptySums();
      for (let at = 0; at < table.rows.length; at += sumsLayout.FIELDS) mergeSums(pooled, table.rows, at);
      agreement = compare(pooled, (await processes[0].measure("ops")).figures, derive, sumsLayout);
      notes.push(
        `PyTorch's float32 figures are within ${agreement.worst.toExponential(1)} of the kernel's (${agreement.figure})`,
      );
    }
    if (c.missing) notes.push(`the kernel in C skipped: ${c.missing}`);
    else {
      const same = sameBits(c.sums(inTurns), mismatchSums(inTurns));
      notes.push(
        `the kernel in C, compiled by clang ${c.version}, gives ${same ? "the same bits" : "OTHER RESULTS"}`,
      );
      variants.splice(2, 0, { name: C_NAME, run: () => c.sums(inTurns) });
    }
    const seconds = await timeInTurns(variants, rounds);
    return report({ n, share, rounds, threads, seconds, notes, torch });
  } finally {
    for (const started of processes) started.close();
    rmSync(folder, { recursive: true });
  }
}

function report({ n, share, rounds, threads, seconds, notes, torch }) {
  const reference = median(seconds["reference implementation, 1 thread"]);
  const torchOf = (count) => seconds[`PyTorch ${torch.version}, ${count} thread${count === 1 ? "" : "s"}`];
  const results = Object.entries(seconds).map(([name, times]) => {
    const typical = median(times);
    const count = name.includes(`${threads} thread`) ? threads : 1;
    const rival = torch.missing ? undefined : median(torchOf(count));
    return {
      name,
      tokensPerSecond: n / typical,
      best: n / Math.min(...times),
      toTwin: reference / typical,
      toTorchOnSameThreads: rival === undefined || name.startsWith("PyTorch") ? undefined : rival / typical,
      seconds: times,
    };
  });
  const caption = `${n.toLocaleString("en")} tokens, ${(100 * share).toFixed(1)} % with mask 1; medians of ${rounds} rounds`;
  const ratio = (value) => (value === undefined ? "" : `${value.toPrecision(3)}×`);
  const table = [
    ["", "Mtokens/s", "best", "to reference implementation", "to PyTorch, same threads"],
    ...results.map((row) => [
      row.name,
      (row.tokensPerSecond / 1e6).toFixed(1),
      (row.best / 1e6).toFixed(1),
      ratio(row.toTwin),
      ratio(row.toTorchOnSameThreads),
    ]),
  ];
  console.log(`${caption}\n\n${formatTable(table)}`);
  for (const note of notes) console.log(note);
  return { tokens: n, maskedShare: share, rounds, torch: torch.version, caption, table, results, notes };
}

/** The largest relative difference between the kernel's figures and PyTorch's, and where it is. */
function compare(sums, figures, derive, layout) {
  const count = sums[layout.COUNT];
  const ours = {
    count,
    delta_mean: derive.deltaMean(sums),
    delta_std: derive.deltaStd(sums),
    delta_min: sums[layout.DELTA_MIN],
    delta_max: sums[layout.DELTA_MAX],
    delta_abs_mean: derive.deltaAbsMean(sums),
    positive_count: sums[layout.POSITIVE_COUNT],
    positive_sum: sums[layout.POSITIVE_SUM],
    negative_count: sums[layout.NEGATIVE_COUNT],
    negative_sum: sums[layout.NEGATIVE_SUM],
    k2: derive.k2(sums),
    k3: derive.k3(sums),
    ratio_mean: derive.ratioMean(sums),
    ratio_std: derive.ratioStd(sums),
    chi2_token: derive.chi2Token(sums),
    ess: derive.effectiveSampleSize(sums),
    prob_diff_mean: sums[layout.PROB_DIFF_MEAN],
    abs_prob_diff_mean: sums[layout.ABS_PROB_DIFF_MEAN],
    abs_prob_diff_std: derive.absProbDiffStd(sums),
    abs_prob_diff_max: sums[layout.ABS_PROB_DIFF_MAX],
    pearson: derive.pearson(sums),
    rollout_mean: sums[layout.ROLLOUT_SUM] / count,
    trainer_mean: sums[layout.TRAINER_SUM] / count,
  };
  let [worst, figure] = [0, "all equal"];
  for (const [name, value] of Object.entries(ours)) {
    const off = Math.abs(figures[name] - value) / Math.abs(value);
    if (!(off <= worst)) [worst, figure] = [off, name];
  }
  if (!(worst < 0.05))
    throw new Error(
      `PyTorch and the kernel disagree about ${figure}: ${figures[figure]} and ${ours[figure]}`,
    );
  return { worst, figure };
}

/** `sums(block)` from bench/native/mismatch.c under the real kernel's driver, or `{ missing }`. */
async function kernelInC(built) {
  const part = (name) => import(new URL(`wasm/${name}.js`, built).href);
  const [{ MISMATCH_WASM }, { wrapKernel }, { wasmMismatchSums }] = await Promise.all(
    ["mismatch.generated", "kernel", "pass"].map(part),
  );
  const module = new WebAssembly.Module(Buffer.from(MISMATCH_WASM, "base64"));
  const { exports, version, missing } = compileC(new WebAssembly.Instance(module).exports);
  if (missing) return { missing };
  const kernel = wrapKernel(exports);
  return { version, sums: (block) => wasmMismatchSums(kernel, block, {}) };
}

function sameBits(a, b) {
  return (
    a.rows.every((value, i) => Object.is(value, b.rows[i])) &&
    a.turns.every((value, i) => Object.is(value, b.turns[i]))
  );
}

function copyOf({ rollout, trainer, mask, offsets }) {
  return {
    rollout: Float32Array.from(rollout),
    trainer: Float32Array.from(trainer),
    mask: Uint8Array.from(mask),
    offsets,
  };
}

function plainSum({ rollout, trainer, mask }) {
  let sum = 0;
  for (let i = 0; i < rollout.length; i++) sum += rollout[i] + trainer[i] + mask[i];
  return { sum };
}

function plainCopy(to, from) {
  to.rollout.set(from.rollout);
  to.trainer.set(from.trainer);
  to.mask.set(from.mask);
}
