import { type Codec, NUMBER, recordOf } from "../base/codec.ts";
import { COUNT, DELTA_MEAN, RATIO_CLAMP, ROLLOUT_SUM, TRAINER_SUM } from "../kernels/layout.ts";
import { contents, type Layout } from "./layout/layout.ts";

/**
 * Sums whose unit is the sequence. With n tokens of mask 1, r = mean rollout log-prob, a = mean trainer log-prob,
 * d = r − a = log(ppl_trainer / ppl_rollout) and S = ΣΔ of one sequence:
 */
export interface SequenceSums {
  /** Sequences with at least one usable token. */
  count: number;
  /** Sequences without one: they are not evidence, but trainers count them. */
  empty: number;
  /** Σ e^(−r), Σ e^(−a): perplexities. */
  rolloutPpl: number;
  trainerPpl: number;
  /** Σ −r, Σ −a. */
  rolloutLogPpl: number;
  trainerLogPpl: number;
  /** Mean and Σ(d − mean)², mergeable without cancellation. */
  diffMean: number;
  diffM2: number;
  diffAbs: number;
  diffMax: number;
  diffMin: number;
  /** Σ (e^d − 1). */
  pplRatioExcess: number;
  /** Σ (e^(2 clamp(S)) − 1), S clamped to ±20. */
  chi2: number;
  /** Mean of e^clamp(S) − 1 and its Σ(x − mean)². */
  ratioExcessMean: number;
  ratioExcessM2: number;
  lengthMax: number;
}

export function emptySequenceSums(): SequenceSums {
  return {
    count: 0,
    empty: 0,
    rolloutPpl: 0,
    trainerPpl: 0,
    rolloutLogPpl: 0,
    trainerLogPpl: 0,
    diffMean: 0,
    diffM2: 0,
    diffAbs: 0,
    diffMax: Number.NEGATIVE_INFINITY,
    diffMin: Number.POSITIVE_INFINITY,
    pplRatioExcess: 0,
    chi2: 0,
    ratioExcessMean: 0,
    ratioExcessM2: 0,
    lengthMax: 0,
  };
}

/** The sums of a single sequence, from its row of kernel sums at `offset`. */
export function readSequenceSums(row: Float64Array, offset: number): SequenceSums {
  const n = row[offset + COUNT]!;
  if (n === 0) return { ...emptySequenceSums(), empty: 1 };
  const rollout = row[offset + ROLLOUT_SUM]! / n;
  const trainer = row[offset + TRAINER_SUM]! / n;
  const delta = row[offset + DELTA_MEAN]!;
  const clamped = Math.min(Math.max(delta * n, -RATIO_CLAMP), RATIO_CLAMP);
  return {
    count: 1,
    empty: 0,
    rolloutPpl: Math.exp(-rollout),
    trainerPpl: Math.exp(-trainer),
    rolloutLogPpl: -rollout,
    trainerLogPpl: -trainer,
    diffMean: -delta,
    diffM2: 0,
    diffAbs: Math.abs(delta),
    diffMax: -delta,
    diffMin: -delta,
    pplRatioExcess: Math.expm1(-delta),
    chi2: Math.expm1(2 * clamped),
    ratioExcessMean: Math.expm1(clamped),
    ratioExcessM2: 0,
    lengthMax: n,
  };
}

/** Adds `from` to `into`; associative and commutative up to rounding. */
export function mergeSequenceSums(into: SequenceSums, from: SequenceSums): void {
  const total = into.count + from.count;
  if (from.count > 0) {
    const share = from.count / total;
    const cross = into.count * share;
    const diff = from.diffMean - into.diffMean;
    into.diffM2 += from.diffM2 + diff * diff * cross;
    into.diffMean += diff * share;
    const ratio = from.ratioExcessMean - into.ratioExcessMean;
    into.ratioExcessM2 += from.ratioExcessM2 + ratio * ratio * cross;
    into.ratioExcessMean += ratio * share;
  }
  into.count = total;
  into.empty += from.empty;
  into.rolloutPpl += from.rolloutPpl;
  into.trainerPpl += from.trainerPpl;
  into.rolloutLogPpl += from.rolloutLogPpl;
  into.trainerLogPpl += from.trainerLogPpl;
  into.diffAbs += from.diffAbs;
  into.diffMax = Math.max(into.diffMax, from.diffMax);
  into.diffMin = Math.min(into.diffMin, from.diffMin);
  into.pplRatioExcess += from.pplRatioExcess;
  into.chi2 += from.chi2;
  into.lengthMax = Math.max(into.lengthMax, from.lengthMax);
}

const NUMBERS = recordOf<SequenceSums>(
  Object.fromEntries(Object.keys(emptySequenceSums()).map((name) => [name, NUMBER])) as Record<
    keyof SequenceSums,
    Codec<number>
  >,
);

export const SEQUENCE_SUMS: Layout<SequenceSums> = contents(NUMBERS, (sums) => sums, mergeSequenceSums);
