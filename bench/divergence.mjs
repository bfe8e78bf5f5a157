// What the log of high-divergence tokens costs in addition to the metrics pass: a batch of 1,024 sequences of 4,096
// tokens.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { formatTable, median, timeInTurns } from "./support/rounds.mjs";
import { ROW_TOKENS, sweepBatch } from "./support/sweep-batches.mjs";
import { tokenColumns, turnMask, uniforms } from "./support/token-data.mjs";

const ROWS = 1024;
const PROMPT_TOKENS = 256;
const TOKENIZER = fileURLToPath(new URL("../test/fixtures/tokenizer/byte-level", import.meta.url));
const TEXT =
  "Step 1: the shop has 12 red and 345 blue cups, so 12 + 345 = 357 cups.\nTherefore x = 357. #### 357\n";
/** Runs that are timed together, because one is too short for the clock. */
const REPEATS = 20;
const THRESHOLD = 0.8;

export async function run({ quick, rounds = quick ? 3 : 15 }) {
  const built = new URL("../dist/analyses/divergence/index.js", import.meta.url);
  if (!existsSync(built)) throw new Error("dist/ is missing: npm run build");
  const load = (module) => import(new URL(`../dist/${module}.js`, import.meta.url).href);
  const { calculateRecordDebugMetrics } = await load("analyses/divergence/index");
  const { openTokenizer } = await load("input/tokens/index");
  const tokenizer = await openTokenizer(TOKENIZER);
  const words = tokenizer.encode(TEXT);
  const batch = recordBatch(quick ? ROWS / 4 : ROWS, words, () => 1);
  // Every sequence has the same largest |Δp|, so that none can be skipped.
  const tied = recordBatch(batch.length, words, (token) => (token === 100 ? 0 : 1));
  const measure = async (data, k, decoder) =>
    rest(await load("analyses/divergence/select"), load, data, k, decoder);

  const whole = (data, options) => ({ run: () => void calculateRecordDebugMetrics(data, options) });
  const options = { divergenceThreshold: THRESHOLD, tokenizer };
  const extra = {
    "top 5, records without a tokenizer": await measure(batch, 5, undefined),
    "top 5, records with texts": await measure(batch, 5, tokenizer),
    "top 20, records with texts": await measure(batch, 20, tokenizer),
    "top 5, all sequences tied": await measure(tied, 5, tokenizer),
  };
  const variants = [
    { name: "metrics pass", ...whole(batch, { ...options, logDivergence: false }) },
    { name: "metrics pass and log, top 5", ...whole(batch, options) },
    ...Object.entries(extra).map(([name, once]) => ({ name, run: () => timed(once) })),
  ];
  const seconds = await timeInTurns(variants, rounds);
  return report({ batch, rounds, seconds });
}

/**
 * 1,024 sequences with a few tokens far apart: those for which `keep`, given the token's index in its row, returns 0.
 */
function recordBatch(rows, words, keep) {
  const tokens = rows * ROW_TOKENS;
  const columns = { ...tokenColumns(tokens, { seed: 7 }), mask: turnMask(tokens, 8) };
  const random = uniforms(9);
  for (let t = 0; t < tokens; t++) {
    if (keep(t % ROW_TOKENS) === 0) {
      columns.mask[t] = 1;
      columns.rollout[t] = -1e-6;
      columns.trainer[t] = -15;
    } else if (random() < 1e-4) columns.trainer[t] = -8 * random();
  }
  const ids = (count) => Int32Array.from({ length: count }, (_, i) => words[i % words.length]);
  return {
    ...sweepBatch(0, columns),
    responseTokenIds: ids(tokens),
    promptOffsets: Int32Array.from({ length: rows + 1 }, (_, i) => i * PROMPT_TOKENS),
    promptTokenIds: ids(rows * PROMPT_TOKENS),
  };
}

/** Everything after the pass: selecting tokens, then making the records. */
async function rest({ offerTokens, topTokens }, load, batch, k, tokenizer) {
  const { mismatchSums } = await load("core/kernels/index");
  const { buildRecord } = await load("analyses/divergence/build-record");
  const { recordFacts } = await load("analyses/divergence/record-facts");
  const { checkOptions } = await load("analyses/divergence/options");
  const checked = checkOptions({ tokenizer, divergenceTopK: k });
  const block = {
    rollout: batch.rolloutLogprobs,
    trainer: batch.trainerLogprobs,
    mask: batch.responseMask,
    offsets: batch.offsets,
  };
  const table = mismatchSums(block);
  const factsOf = recordFacts(batch, checked.contextWindow);
  return () => {
    const top = topTokens(k);
    offerTokens(block, table, [0, batch.length], top, (divergence, row, token) => ({
      divergence,
      sequence: row,
      token,
    }));
    const ranked = top.ranked();
    if (!(ranked[0].divergence >= THRESHOLD)) throw new Error("the data does not reach the threshold");
    const place = (rank, divergence) => ({ iteration: 0, rank, divergence });
    return ranked.map(({ sequence, token, divergence }, rank) =>
      buildRecord(factsOf(sequence, token), place(rank, divergence), checked),
    );
  };
}

function timed(once) {
  const start = performance.now();
  for (let i = 0; i < REPEATS; i++) once();
  return { seconds: (performance.now() - start) / 1000 / REPEATS };
}

function report({ batch, rounds, seconds }) {
  const tokens = batch.length * ROW_TOKENS;
  const pass = median(seconds["metrics pass"]);
  const results = Object.entries(seconds).map(([name, times]) => ({
    name,
    seconds: median(times),
    all: times,
  }));
  const caption = `${batch.length.toLocaleString("en")} sequences of ${ROW_TOKENS.toLocaleString("en")} tokens, 83 % with mask 1; medians of ${rounds} rounds`;
  const table = [
    ["", "ms", "of the metrics pass"],
    ...results.map((row) => [
      row.name,
      (1000 * row.seconds).toPrecision(3),
      `${((100 * row.seconds) / pass).toPrecision(3)} %`,
    ]),
  ];
  const notes = [
    "the rows after the second are what comes after the pass: finding the tokens, and making their records",
  ];
  console.log(`${caption}\n\n${formatTable(table)}`);
  for (const note of notes) console.log(note);
  return { tokens, rounds, caption, table, results, notes };
}
