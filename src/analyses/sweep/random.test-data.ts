/**
 * Random record batches and random corrections of every kind.
 *
 * @module
 */
import fc from "fast-check";
import type { RecordBatch } from "../../core/schema/record.ts";
import {
  type Correction,
  isBinaryKl,
  type Measure,
  type Step,
  type Weight,
} from "../../trainers/neutral/correction.ts";

/** A batch of `rows` sequences of one step; Δ of spread 0.3 with a heavy tail, masks in turns, some sequences empty. */
export function randomBatch(seed: number, rows: number, step: number, advantages = true): RecordBatch {
  const random = generator(seed);
  const offsets = new Int32Array(rows + 1);
  for (let row = 0; row < rows; row++) offsets[row + 1] = offsets[row]! + Math.floor(random() * 40);
  const tokens = offsets[rows]!;
  const mask = new Uint8Array(tokens);
  const rollout = new Float64Array(tokens);
  const trainer = new Float64Array(tokens);
  const signs = new Float32Array(tokens);
  for (let row = 0; row < rows; row++) {
    const empty = random() < 0.1;
    const shift = 0.1 * (random() - 0.5);
    let bit = random() < 0.8 ? 1 : 0;
    const advantage = Math.round(2 * random() - 1) * random();
    for (let t = offsets[row]!; t < offsets[row + 1]!; t++) {
      if (random() < 0.15) bit = 1 - bit;
      mask[t] = empty ? 0 : bit;
      const wide = random() < 0.1 ? 10 : 1;
      rollout[t] = -3 * random() - 0.01;
      trainer[t] = rollout[t]! + shift + 0.3 * wide * (random() + random() - 1);
      if (random() < 0.1) trainer[t] = rollout[t]!;
      signs[t] = random() < 0.2 ? random() - 0.5 : advantage;
    }
  }
  const column = (value: () => number): Float64Array => Float64Array.from({ length: rows }, value);
  const texts = Array.from({ length: rows }, () => undefined);
  return {
    length: rows,
    provenance: { file: "random", format: "npz", trainer: "verl", alignment: "token" },
    sampling: {},
    offsets,
    responseMask: mask,
    rolloutLogprobs: rollout,
    trainerLogprobs: trainer,
    ...(advantages && { advantages: signs }),
    policyLogprobs: {},
    entropies: {},
    topK: {},
    steps: column(() => step),
    ranks: column(() => 0),
    rows: Int32Array.from({ length: rows }, (_, i) => i),
    packs: new Int32Array(rows),
    rewards: column(() => (random() < 0.1 ? Number.NaN : random())),
    correctness: column(() => (random() < 0.5 ? 1 : 0)),
    sourceOffsets: column(() => -1),
    sampleIds: texts,
    groupIds: Array.from({ length: rows }, (_, i) => (i % 7 === 6 ? undefined : `g${Math.floor(i / 3)}`)),
    environments: texts,
    promptTexts: texts,
    responseTexts: texts,
  };
}

/** Rows `[from, to)` of a batch. */
export function cutRows(batch: RecordBatch, from: number, to: number): RecordBatch {
  const [start, end] = [batch.offsets[from]!, batch.offsets[to]!];
  return {
    ...batch,
    length: to - from,
    offsets: batch.offsets.slice(from, to + 1).map((offset) => offset - start),
    responseMask: batch.responseMask.slice(start, end),
    rolloutLogprobs: batch.rolloutLogprobs!.slice(start, end),
    trainerLogprobs: batch.trainerLogprobs!.slice(start, end),
    ...(batch.advantages && { advantages: batch.advantages.slice(start, end) }),
    steps: batch.steps.slice(from, to),
    ranks: batch.ranks.slice(from, to),
    rows: batch.rows.slice(from, to),
    packs: batch.packs.slice(from, to),
    rewards: batch.rewards.slice(from, to),
    correctness: batch.correctness.slice(from, to),
    sourceOffsets: batch.sourceOffsets.slice(from, to),
    groupIds: batch.groupIds.slice(from, to),
    sampleIds: batch.sampleIds.slice(from, to),
    environments: batch.environments.slice(from, to),
    promptTexts: batch.promptTexts.slice(from, to),
    responseTexts: batch.responseTexts.slice(from, to),
  };
}

const level = fc.constantFrom("token", "turn", "sequence" as const);
const bound = fc.option(fc.constantFrom(0.2, 0.5, 1, 20), { nil: undefined });
const over = fc.constantFrom(undefined, undefined, "kept" as const);

const weight: fc.Arbitrary<Weight> = fc
  .record({
    level,
    aggregation: fc.constantFrom("sum", "mean" as const),
    logBound: bound,
    deltaBound: bound,
    over,
  })
  .map(present);

/** Bounds that some values of the statistic are inside of and some are not. */
const ranges: Readonly<Record<Measure["statistic"], readonly [lower: number, upper: number]>> = {
  ratio: [0.8, 1.25],
  error_ratio: [1, 1.3],
  ratio_distance: [0, 0.2],
  k1: [-0.3, 0.2],
  k2: [0, 0.05],
  k3: [0, 0.04],
  k3_reverse: [0, 0.06],
  prob_diff: [-0.05, 0.04],
  abs_prob_diff: [0, 0.07],
  binary_kl: [0, 0.03],
  binary_kl_reverse: [0, 0.03],
};

const guards = fc.constantFrom({}, {}, { probBound: 1e-3 }, { restShift: 1e-2 });

const measure: fc.Arbitrary<Measure> = fc
  .record({
    statistic: fc.constantFrom(...(Object.keys(ranges) as Measure["statistic"][])),
    level,
    aggregation: fc.constantFrom("sum", "mean", "max" as const),
    deltaBound: bound,
    over,
    guards,
  })
  .map(({ guards, ...measure }) => present({ ...measure, ...(isBinaryKl(measure.statistic) && guards) }));

const sides = fc.constantFrom("both", "lower", "upper" as const);

function boundsFor([lower, upper]: readonly [number, number], which: string, scale: number) {
  const shrink = (value: number): number => (value > 0 ? value * scale : value / scale);
  return {
    ...(which !== "upper" && { lower: Math.min(lower, shrink(lower)) }),
    ...(which !== "lower" && { upper: shrink(upper) }),
  };
}

const scale = fc.double({ min: 1, max: 3, noNaN: true });
const when = fc.constantFrom(undefined, undefined, "positive", "negative", "not positive" as const);
const only = fc.constantFrom(undefined, undefined, undefined, "diverging tokens" as const);

const measured: fc.Arbitrary<Step> = fc
  .record({ action: fc.constantFrom("zero", "mask" as const), measure, sides, scale, when, only })
  .map(({ action, measure, sides, scale, when, only }) =>
    present({
      action,
      measure,
      ...boundsFor(ranges[measure.statistic], sides, scale),
      when,
      only,
    }),
  );
const byWeight: fc.Arbitrary<Step> = fc
  .record({ action: fc.constantFrom("zero", "mask" as const), sides, scale })
  .map(({ action, sides, scale }) => ({
    action,
    measure: "weight",
    ...boundsFor(ranges.ratio, sides, scale),
  }));
const truncate: fc.Arbitrary<Step> = fc
  .record({ sides, scale })
  .map(({ sides, scale }) => ({ action: "truncate", ...boundsFor(ranges.ratio, sides, scale) }));
const veto: fc.Arbitrary<Step> = fc.record({ measure, sides, scale }).map(({ measure, sides, scale }) => ({
  action: "veto",
  measure: { ...measure, level: "token" },
  ...boundsFor(ranges[measure.statistic], sides, 4 * scale),
}));
const normalize: fc.Arbitrary<Step> = fc
  .constantFrom("token", "sequence", "every sequence" as const)
  .map((over) => ({ action: "normalize", over }));

/** Without weights: rejections only. With weights: anything in any order, a `normalize` last of what is on weights. */
export const corrections: fc.Arbitrary<Correction> = fc.oneof(
  fc.array(fc.oneof(measured, veto), { maxLength: 3 }).map((steps) => ({ steps })),
  fc
    .record({
      weight,
      steps: fc.array(fc.oneof(measured, byWeight, truncate, veto), { maxLength: 4 }),
      end: fc.array(fc.oneof(normalize, measured, veto), { maxLength: 3 }),
    })
    .map(({ weight, steps, end }) => ({ weight, steps: [...steps, ...end] })),
);

function present<T extends object>(value: T): Present<T> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as Present<T>;
}

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

function generator(seed: number): () => number {
  let state = (seed * 2654435761 + 1) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
}
