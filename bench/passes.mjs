// What a report does with each token in addition to the kernel's sums, stage by stage, compared with the kernel and
// with the plain loops that define it.
import { existsSync } from "node:fs";
import { formatTable, median, timeInTurns } from "./support/rounds.mjs";
import { rowOffsets, tokenColumns, turnMask, uniforms } from "./support/token-data.mjs";

const BATCH = 2 ** 20;
const STAGES = {
  copy: "tokens copied in",
  groups: "groups looked up",
  list: "few tokens listed for tails, worst tokens, starved ones",
  rows: "sums by token id, probability, place and turn",
  deltas: "sketches of Δ",
  probDiffs: "sketch of Δp",
};

export async function run({ quick, rounds = quick ? 2 : 7 }) {
  const load = (path) => import(new URL(`../dist/${path}`, import.meta.url).href);
  if (!existsSync(new URL("../dist/core/kernels/index.js", import.meta.url)))
    throw new Error("dist/ is missing: npm run build");
  const { mismatchSums, tokensKernel } = await load("core/kernels/index.js");
  const { RunSummary } = await load("analyses/report/index.js");
  const { BUCKET_EDGES } = await load("analyses/report/token-groups.js");
  const { THRESHOLD_WORDS } = await load("core/summaries/index.js");
  const { createRecordBuilder } = await load("core/schema/index.js");

  const batches = Array.from({ length: quick ? 2 : 8 }, (_, i) => makeBatch(createRecordBuilder, i));
  const tokens = batches.reduce((sum, { responseMask }) => sum + responseMask.reduce((a, b) => a + b, 0), 0);
  const kernel = tokensKernel();
  kernel.edgesIn.set(BUCKET_EDGES);
  for (const [i, words] of THRESHOLD_WORDS.entries()) kernel.thresholdsIn.set(words, 2 * i);
  const summarize = (engine) => {
    const summary = new RunSummary({ engine });
    for (const batch of batches) summary.add(batch);
  };
  const variants = [
    {
      name: "kernel",
      run: () => {
        for (const batch of batches) mismatchSums(readBlock(batch));
      },
    },
    ...Object.entries(STAGES).map(([stage, name]) => ({
      name,
      run: () => ({ seconds: timeStages(kernel, batches, mismatchSums)[stage] }),
    })),
    { name: "all that a report sums of tokens and rows, kernel included", run: () => summarize("wasm") },
    { name: "the same with plain loops for all but the kernel", run: () => summarize("scalar"), rounds: 2 },
  ];
  const seconds = await timeInTurns(variants, rounds);
  const base = median(seconds.kernel);
  const results = Object.entries(seconds).map(([name, times]) => ({
    name,
    tokensPerSecond: tokens / median(times),
    ofKernel: median(times) / base,
    seconds: times,
  }));
  const caption = `${tokens.toLocaleString("en")} tokens with mask 1, 1 thread; medians of ${rounds} rounds`;
  const table = [
    ["", "Mtokens/s", "time, kernel = 1"],
    ...results.map((row) => [row.name, (row.tokensPerSecond / 1e6).toFixed(1), row.ofKernel.toFixed(2)]),
  ];
  console.log(`${caption}\n\n${formatTable(table)}`);
  return { tokens, rounds, caption, table, results, notes: [] };
}

function readBlock({ rolloutLogprobs: rollout, trainerLogprobs: trainer, responseMask: mask, offsets }) {
  return { rollout, trainer, mask, offsets };
}

/** A batch of multi-turn rows, each with its rank and outcome; token ids as rare as words are (Zipf). */
function makeBatch(createRecordBuilder, number) {
  const { rollout, trainer } = tokenColumns(BATCH, { seed: number + 1 });
  const mask = turnMask(BATCH, number + 2);
  const offsets = rowOffsets(BATCH, number + 4);
  const random = uniforms(number + 9);
  const ids = Int32Array.from({ length: BATCH }, () => Math.floor(150_000 ** random()));
  const provenance = { file: `${number}`, format: "npz", trainer: "own", alignment: "token" };
  const builder = createRecordBuilder({ provenance, batchTokens: BATCH + 1 });
  for (let row = 0; row + 1 < offsets.length; row++) {
    const part = (column) => column.subarray(offsets[row], offsets[row + 1]);
    builder.push({
      length: offsets[row + 1] - offsets[row],
      responseMask: part(mask),
      rolloutLogprobs: part(rollout),
      trainerLogprobs: part(trainer),
      responseTokenIds: part(ids),
      step: number,
      rank: row % 4,
      correct: row % 2,
    });
  }
  return builder.flush();
}

/** Seconds of each stage, over all pieces that the kernel lends. */
function timeStages(kernel, batches, mismatchSums) {
  const spent = Object.fromEntries(Object.keys(STAGES).map((stage) => [stage, 0]));
  let row = 0;
  const time = (stage, work) => {
    const start = performance.now();
    const result = work();
    spent[stage] += (performance.now() - start) / 1000;
    return result;
  };
  for (const batch of batches) {
    const { offsets } = batch;
    kernel.clearSketches();
    kernel.clearGroups();
    kernel.clearRow();
    row = 0;
    const sink = (piece) => {
      const { count } = piece;
      time("copy", () => {
        for (const name of ["delta", "probDiff", "k3", "index", "turn"])
          kernel[`${name}In`].set(piece[name].subarray(0, count));
        kernel.beginPiece(count);
      });
      time("groups", () => {
        const [first, end] = [kernel.firstPosition(count), kernel.lastPosition(count) + 1];
        kernel.rolloutIn.set(batch.rolloutLogprobs.subarray(first, end));
        kernel.idIn.set(batch.responseTokenIds.subarray(first, end));
        kernel.findGroups(count, first, 1, 0);
      });
      time("list", () => kernel.list(count, -Math.LN2, 2));
      time("probDiffs", () => kernel.addProbDiffs(count));
      for (let from = 0; from < count; ) {
        const position = piece.index[from];
        if (position < offsets[row]) row = 0;
        while (offsets[row + 1] <= position) row++;
        const to = time("rows", () =>
          kernel.addRow(from, count, offsets[row], offsets[row + 1] - offsets[row]),
        );
        time("deltas", () => addDeltas(kernel, from, to));
        from = to;
      }
    };
    mismatchSums(readBlock(batch), { sink });
  }
  return spent;
}

/** Adds Δ by turn, as a report does. */
function addDeltas(kernel, from, to) {
  for (let start = from; start < to; ) {
    const end = kernel.endOfTurn(start, to);
    kernel.addDeltas(start, end, Math.min(kernel.turnIn[start], kernel.sketches));
    start = end;
  }
}
