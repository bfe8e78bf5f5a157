// Exact figures of whole distributions from rows of logits, of one policy and of two, compared with the reference
// implementation and with the same figures as PyTorch operations.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { bfloat16Bits, float16Bits, logitRows } from "./support/logit-data.mjs";
import { formatTable, median, timeInTurns } from "./support/rounds.mjs";
import { findTorch, startTorch } from "./support/torch.mjs";

const COLUMNS = 151_936;
const TOP = 5;
/** Consecutive blocks, as in a study: a thread that slept takes some milliseconds to get a processor. */
const POOL_BLOCKS = 8;
const FORMATS = [
  { format: "float32", extension: "f32", bytes: 4 },
  { format: "bfloat16", extension: "bf16", bytes: 2 },
  { format: "float16", extension: "f16", bytes: 2 },
];
const OPERATIONS = ["describe", "compare"];

export async function run({ quick, rounds = quick ? 2 : 7 }) {
  const built = new URL("../dist/core/kernels/distribution/index.js", import.meta.url);
  if (!existsSync(built)) throw new Error("dist/ is missing: npm run build");
  // Before a kernel is compiled, as the command line does.
  const { setV8Flags } = await import(new URL("../dist/apps/cli/v8-flags.js", import.meta.url).href);
  setV8Flags();
  const { compareRows, describeRows } = await import(built.href);
  const { createDistributionPool } = await import(
    new URL("../dist/analyses/parallel/index.js", import.meta.url).href
  );
  const pool = createDistributionPool(availableParallelism());

  const rows = quick ? 8 : 48;
  const twinRows = 2;
  const tokens = new Int32Array(rows);
  const single = logitRows(rows, COLUMNS);
  const encoded = {
    float32: single,
    bfloat16: { p: bfloat16Bits(single.p), q: bfloat16Bits(single.q) },
    float16: { p: float16Bits(single.p), q: float16Bits(single.q) },
  };
  const blockOf = (format, side, count = rows) => ({
    format,
    values: encoded[format][side].subarray(0, count * COLUMNS),
    rows: count,
    vocabulary: COLUMNS,
  });
  const [p32, q32] = [blockOf("float32", "p"), blockOf("float32", "q")];
  const far = logitRows(rows, COLUMNS, { seed: 2, scale: 1 });
  const farBlock = (side) => ({ format: "float32", values: far[side], rows, vocabulary: COLUMNS });

  const variants = FORMATS.flatMap(({ format }) => {
    const [p, q] = [blockOf(format, "p"), blockOf(format, "q")];
    return [
      { name: `describe, ${format}`, run: () => describeRows(p, tokens, TOP) },
      { name: `compare, ${format}`, run: () => compareRows(p, q, tokens, TOP) },
    ];
  });
  variants.push({
    name: `compare, float32, ${threadsOf(pool.threads + 1)}`,
    tokens: rows * POOL_BLOCKS,
    run: async () => {
      for (let block = 0; block < POOL_BLOCKS; block++) await pool.compare(p32, q32, tokens, TOP);
    },
  });
  variants.push({
    name: "compare, float32, policies far apart",
    run: () => compareRows(farBlock("p"), farBlock("q"), tokens, TOP),
  });
  const few = ["p", "q"].map((side) => blockOf("float32", side, twinRows));
  variants.push({
    name: "compare, float32, reference implementation",
    tokens: twinRows,
    run: () => compareRows(...few, tokens.subarray(0, twinRows), TOP, { engine: "scalar" }),
    rounds: 2,
  });

  const folder = mkdtempSync(join(tmpdir(), "bench-kl-"));
  const notes = [];
  const processes = [];
  const torch = findTorch();
  try {
    if (torch.missing) notes.push(`PyTorch skipped: ${torch.missing}`);
    else {
      for (const { format, extension } of FORMATS) {
        for (const side of ["p", "q"]) {
          const { buffer, byteOffset, byteLength } = encoded[format][side];
          writeFileSync(join(folder, `${side}.${extension}`), new Uint8Array(buffer, byteOffset, byteLength));
        }
      }
      for (const threads of new Set([1, availableParallelism()])) {
        const started = await startTorch({
          python: torch.python,
          folder,
          threads,
          columns: COLUMNS,
          script: "torch_kl.py",
        });
        processes.push(started);
        for (const { format, extension } of FORMATS) {
          for (const operation of OPERATIONS) {
            for (const batch of [4, rows]) {
              variants.push({
                name: `PyTorch, ${operation}, ${format}, ${threadsOf(threads)}, batch ${batch}`,
                torch: { operation, format, threads },
                run: () => started.measure(`${operation} ${extension} ${batch}`),
              });
            }
          }
        }
      }
      const compared = compareRows(blockOf("float32", "p"), blockOf("float32", "q"), tokens, TOP);
      const exact = compareRows(blockOf("float32", "p"), blockOf("float32", "q"), tokens, TOP, {
        engine: "scalar",
      });
      const theirs = (await processes[0].measure("compare f32 4")).figures;
      const ours = worstOf(figuresOf(compared), figuresOf(exact));
      const torchs = worstOf(theirs, figuresOf(exact));
      if (!(torchs.off < 0.1))
        throw new Error(
          `PyTorch and the reference implementation disagree about ${torchs.name} by ${torchs.off}`,
        );
      notes.push(
        `means over the rows, against the reference implementation in float64: the kernel's within ${ours.off.toExponential(1)} (${ours.name}), PyTorch's in float32 within ${torchs.off.toExponential(1)} (${torchs.name})`,
      );
    }
    const seconds = await timeInTurns(variants, rounds);
    return report({ rows, rounds, variants, seconds, notes, torch });
  } finally {
    await pool.close();
    for (const started of processes) started.close();
    rmSync(folder, { recursive: true });
  }
}

const threadsOf = (count) => `${count} thread${count === 1 ? "" : "s"}`;

function figuresOf({ p, q, divergences }) {
  const mean = (column) => column.reduce((sum, value) => sum + value, 0) / p.logprobs.length;
  return {
    logprob: mean(p.logprobs),
    entropy: mean(p.entropies),
    top: mean(p.topLogprobs),
    entropyOfQ: mean(q.entropies),
    topOfQ: mean(q.topLogprobs),
    forwardKl: mean(divergences.forwardKl),
    reverseKl: mean(divergences.reverseKl),
    jsDivergence: mean(divergences.jsDivergence),
    totalVariation: mean(divergences.totalVariation),
  };
}

/** The largest relative error of a figure. */
function worstOf(actual, exact) {
  let worst = { off: 0, name: "all equal" };
  for (const [name, value] of Object.entries(exact)) {
    const off = Math.abs(actual[name] - value) / Math.abs(value);
    if (!(off <= worst.off)) worst = { off, name };
  }
  return worst;
}

function report({ rows, rounds, variants, seconds, notes, torch }) {
  const rateOf = ({ name, tokens = rows }) => tokens / median(seconds[name]);
  /** PyTorch at the same task, with the faster of its batch sizes. */
  const rival = (name, threads) =>
    Math.max(
      ...variants
        .filter(
          ({ torch: of }) => of?.threads === threads && name.startsWith(`${of.operation}, ${of.format}`),
        )
        .map(rateOf),
    );
  const most = availableParallelism();
  const results = variants.map((variant) => {
    const { name, tokens = rows } = variant;
    const { bytes } = FORMATS.find(({ format }) => name.includes(format));
    const policies = name.includes("compare") ? 2 : 1;
    const rate = rateOf(variant);
    const ratio = (threads) => (torch.missing || variant.torch ? undefined : rate / rival(name, threads));
    return {
      name,
      tokensPerSecond: rate,
      best: tokens / Math.min(...seconds[name]),
      gigabytesPerSecond: (rate * policies * COLUMNS * bytes) / 1e9,
      toTorch: ratio(1),
      toTorchOnAllCores: ratio(most),
      seconds: seconds[name],
    };
  });
  // The table has the faster of PyTorch's batch sizes.
  const isFastest = ({ name, tokensPerSecond }) =>
    !name.startsWith("PyTorch") ||
    results.every(
      (other) =>
        other.name.replace(/ \d+$/, "") !== name.replace(/ \d+$/, "") ||
        other.tokensPerSecond <= tokensPerSecond,
    );
  const times = (value) => (value === undefined ? "" : `${value.toPrecision(3)}×`);
  const caption = `${rows} rows of ${COLUMNS.toLocaleString("en")} columns, log-ratios of standard deviation 0.05 (far apart: 1), one thread but where it says; medians of ${rounds} rounds`;
  const table = [
    ["", "tokens/s", "best", "GB/s of logits", "to PyTorch, 1 thread", `to PyTorch, ${threadsOf(most)}`],
    ...results
      .filter(isFastest)
      .map((row) => [
        row.name,
        row.tokensPerSecond.toFixed(0),
        row.best.toFixed(0),
        row.gigabytesPerSecond.toFixed(2),
        times(row.toTorch),
        times(row.toTorchOnAllCores),
      ]),
  ];
  notes.push("ratios are to the faster of PyTorch's batch sizes; the kernel takes one row at a time");
  console.log(`${caption}\n\n${formatTable(table)}`);
  for (const note of notes) console.log(note);
  return { rows, columns: COLUMNS, rounds, torch: torch.version, caption, table, results, notes };
}
