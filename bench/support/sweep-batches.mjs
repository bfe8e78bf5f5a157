import { tokenColumns, turnMask, uniforms } from "./token-data.mjs";

/** Tokens of one batch, as ingest reads them by default, and of one sequence. */
export const BATCH_TOKENS = 2 ** 20;
export const ROW_TOKENS = 4096;

/** Record batch number `index` of a seeded run: 256 sequences of 4,096 tokens, groups of 8, one step per batch. */
export function sweepBatch(index, columns = batchColumns(index)) {
  const random = uniforms(1000 + index);
  const length = columns.rollout.length / ROW_TOKENS;
  const perRow = (value) => Float64Array.from({ length }, value);
  const rewards = perRow(() => (random() < 0.5 ? 1 : 0));
  const texts = Array.from({ length }, () => undefined);
  return {
    length,
    provenance: { file: `step_${index}`, format: "npz", trainer: "verl", alignment: "token" },
    sampling: {},
    offsets: Int32Array.from({ length: length + 1 }, (_, i) => i * ROW_TOKENS),
    responseMask: columns.mask,
    rolloutLogprobs: columns.rollout,
    trainerLogprobs: columns.trainer,
    advantages: Float32Array.from(columns.rollout, (_, t) => rewards[Math.floor(t / ROW_TOKENS)] - 0.5),
    policyLogprobs: {},
    entropies: {},
    topK: {},
    steps: perRow(() => index),
    ranks: perRow(() => 0),
    rows: Int32Array.from({ length }, (_, i) => i),
    packs: new Int32Array(length),
    rewards,
    correctness: rewards,
    sourceOffsets: perRow(() => -1),
    sampleIds: texts,
    groupIds: Array.from({ length }, (_, i) => `g${i >> 3}`),
    environments: texts,
    promptTexts: texts,
    responseTexts: texts,
  };
}

export function batchColumns(index) {
  return {
    ...tokenColumns(BATCH_TOKENS, { seed: 2 * index + 1 }),
    mask: turnMask(BATCH_TOKENS, 2 * index + 2),
  };
}

const TOKEN = { level: "token", aggregation: "sum" };
const truncate = (upper) => ({ action: "truncate", upper });
const rejecting = (level, statistic, aggregation, bounds) => ({
  action: "mask",
  measure: { statistic, level, aggregation },
  ...bounds,
});

/** The five kinds of correction that the PyTorch reference is timed on, by a threshold x in [0, 1). */
export const KINDS = {
  "token-tis": (x) => ({ weight: TOKEN, steps: [truncate(1.5 + 6 * x)] }),
  icepop: (x) => ({
    weight: TOKEN,
    steps: [{ action: "zero", measure: "weight", lower: 0.2 + 0.3 * x, upper: 2 + 6 * x }],
  }),
  "geo-rs": (x) => ({
    steps: [
      rejecting("sequence", "ratio", "mean", { lower: 0.9915 + 0.0015 * x, upper: 0.9945 + 0.002 * x }),
    ],
  }),
  "seq-k3": (x) => ({ steps: [rejecting("sequence", "k3", "mean", { upper: 0.001 + 0.002 * x })] }),
  "geo-rs + token-tis": (x) => ({
    weight: TOKEN,
    steps: [truncate(1.5 + 6 * x), ...KINDS["geo-rs"](x).steps],
  }),
};

/** `count` corrections, equally many of each kind, at thresholds spread over its range. */
export function sweepCorrections(count) {
  const kinds = Object.keys(KINDS);
  return Array.from({ length: count }, (_, i) => {
    const kind = kinds[i % kinds.length];
    const at = Math.floor(i / kinds.length) / Math.ceil(count / kinds.length);
    return { name: `${kind} #${i}`, methods: [kind], correction: KINDS[kind](at) };
  });
}
