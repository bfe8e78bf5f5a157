/**
 * The reference implementation: defines every field of `layout.ts`, in float64, with two passes and without tricks that
 * cost readability. Property tests compare the WebAssembly kernel with it, and the kernel falls back on it if single
 * precision is not enough.
 *
 * @module
 */
import type { FloatArray } from "../base/arrays.ts";
import * as F from "./layout.ts";
import { emptySums, mergeSums } from "./merge.ts";
import { unitOf } from "./ratio-units.ts";

/** Below this |Δ| the series is more accurate than `expm1(Δ) − Δ`, which has 14 digits above it. */
const K3_SERIES = 0.0625;

/**
 * Schulman's k3 = exp Δ − Δ − 1 of one log-ratio Δ (nats), ≥ 0, to about 14 digits at any Δ
 * (http://joschu.net/blog/kl-approx.html).
 */
export function computeK3(delta: number, excess: number = Math.expm1(delta)): number {
  if (Math.abs(delta) > K3_SERIES) return excess - delta;
  let series = 1;
  for (let n = 10; n >= 3; n--) series = 1 + (delta / n) * series;
  return (delta * delta * series) / 2;
}

/**
 * Δp = exp(trainer) − exp(rollout) from two log-probs, either of which may be -Infinity, without cancellation if they
 * are close.
 */
export function computeProbDiff(rollout: number, trainer: number): number {
  const delta = trainer - rollout;
  const prob = Math.exp(rollout);
  return Math.abs(delta) < 1 ? prob * Math.expm1(delta) : Math.exp(trainer) - prob;
}

/** Tokens per chunk: bounds the memory of the two passes, and keeps float64 rounding from growing with length. */
const PIECE = 4096;

const deltas = new Float64Array(PIECE);
const rollouts = new Float64Array(PIECE);
const trainers = new Float64Array(PIECE);
const excesses = new Float64Array(PIECE);
const ratios = new Float64Array(PIECE);
const probDiffs = new Float64Array(PIECE);
const absProbDiffs = new Float64Array(PIECE);
const probs = new Float64Array(PIECE);
const tailMasses = new Float64Array(PIECE);

/**
 * The sums of the tokens `[from, to)` with mask 1; without a mask, of all of them.
 *
 * @returns a vector of FIELDS numbers, see `layout.ts`.
 */
export function tokenSums(
  rollout: FloatArray,
  trainer: FloatArray,
  mask: Uint8Array | undefined,
  from: number,
  to: number,
): Float64Array {
  const sums = pieceSums(rollout, trainer, mask, from, Math.min(from + PIECE, to));
  for (let start = from + PIECE; start < to; start += PIECE) {
    mergeSums(sums, pieceSums(rollout, trainer, mask, start, Math.min(start + PIECE, to)));
  }
  return sums;
}

function pieceSums(
  rollout: FloatArray,
  trainer: FloatArray,
  mask: Uint8Array | undefined,
  from: number,
  to: number,
): Float64Array {
  const sums = emptySums();
  let count = 0;
  let probCount = 0;
  for (let i = from; i < to; i++) {
    if (mask !== undefined && mask[i] === 0) continue;
    const a = rollout[i]!;
    const b = trainer[i]!;
    if (!(a < Number.POSITIVE_INFINITY && b < Number.POSITIVE_INFINITY)) {
      sums[F.UNDEFINED_COUNT]!++;
      continue;
    }
    const delta = b - a;
    const excess = Math.expm1(delta);
    const prob = Math.exp(a);
    probs[probCount] = prob;
    tailMasses[probCount] = prob < 0.5 ? 1 - prob : -Math.expm1(a);
    probDiffs[probCount] = Math.abs(delta) < 1 ? prob * excess : Math.exp(b) - prob;
    probCount++;
    if (a > Number.NEGATIVE_INFINITY && b > Number.NEGATIVE_INFINITY) {
      deltas[count] = delta;
      excesses[count] = excess;
      rollouts[count] = a;
      trainers[count] = b;
      count++;
    } else if (a > b) sums[F.NEGATIVE_INFINITE_COUNT]!++;
    else if (b > a) sums[F.POSITIVE_INFINITE_COUNT]!++;
    else sums[F.UNDEFINED_COUNT]!++;
  }
  sums[F.COUNT] = count;
  sums[F.PROB_COUNT] = probCount;
  sums[F.ROLLOUT_SUM] = sum(rollouts, count);
  sums[F.TRAINER_SUM] = sum(trainers, count);
  addDeltas(sums, count);
  addRatios(sums, count);
  addProbabilities(sums, probCount);
  return sums;
}

function addDeltas(sums: Float64Array, count: number): void {
  if (count === 0) return;
  const mean = computeMean(deltas, count);
  sums[F.DELTA_MEAN] = mean;
  for (let i = 0; i < count; i++) {
    const delta = deltas[i]!;
    sums[F.DELTA_M2]! += (delta - mean) ** 2;
    sums[F.DELTA_MIN] = Math.min(sums[F.DELTA_MIN]!, delta);
    sums[F.DELTA_MAX] = Math.max(sums[F.DELTA_MAX]!, delta);
    sums[F.ABS_DELTA_SUM]! += Math.abs(delta);
    sums[F.K3_SUM]! += computeK3(delta, excesses[i]!);
    if (delta > 0) {
      sums[F.POSITIVE_COUNT]!++;
      sums[F.POSITIVE_SUM]! += delta;
    } else if (delta < 0) {
      sums[F.NEGATIVE_COUNT]!++;
      sums[F.NEGATIVE_SUM]! += delta;
    }
  }
}

/** Adds ρ − 1: tokens beyond RATIO_CLAMP as sums, the others as mean and M2. */
function addRatios(sums: Float64Array, count: number): void {
  const unit = unitOf(sums, 0);
  let within = 0;
  for (let i = 0; i < count; i++) {
    const excess = excesses[i]!;
    if (deltas[i]! > F.RATIO_CLAMP) {
      // In such units the 1 in ρ − 1 is negligible.
      const over = unit === 0 ? excess : Math.exp(deltas[i]! - unit);
      sums[F.OVER_COUNT]!++;
      sums[F.OVER_EXCESS_SUM]! += over;
      sums[F.OVER_EXCESS_SQUARE_SUM]! += over * over;
    } else {
      // The smaller of ρ and ρ − 1 has more digits.
      ratios[within] = excess < -0.5 ? Math.exp(deltas[i]! - Math.min(unit, 0)) : 1 + excess;
      excesses[within] = excess;
      within++;
    }
  }
  if (within === 0) return;
  const excessMean = computeMean(excesses, within);
  const ratioMean = computeMean(ratios, within);
  for (let i = 0; i < within; i++) {
    const deviation = ratios[i]! < 0.5 || unit < 0 ? ratios[i]! - ratioMean : excesses[i]! - excessMean;
    sums[F.EXCESS_M2]! += deviation * deviation;
  }
  sums[F.EXCESS_MEAN] = excessMean;
  sums[F.RATIO_MEAN] = ratioMean;
}

/** Adds Δp, |Δp| and p, and the regression of Δp on p. */
function addProbabilities(sums: Float64Array, count: number): void {
  if (count === 0) return;
  const diffMean = computeMean(probDiffs, count);
  const probMean = computeMean(probs, count);
  const tailMean = computeMean(tailMasses, count);
  let absMax = 0;
  let product = 0;
  for (let i = 0; i < count; i++) {
    absProbDiffs[i] = Math.abs(probDiffs[i]!);
    absMax = Math.max(absMax, absProbDiffs[i]!);
    const deviation = probDeviation(i, probMean, tailMean);
    sums[F.PROB_DIFF_M2]! += (probDiffs[i]! - diffMean) ** 2;
    sums[F.TAIL_MASS_M2]! += deviation * deviation;
    product += deviation * (probDiffs[i]! - diffMean);
  }
  const absMean = computeMean(absProbDiffs, count);
  const slope = sums[F.TAIL_MASS_M2]! > 0 ? product / sums[F.TAIL_MASS_M2]! : 0;
  for (let i = 0; i < count; i++) {
    sums[F.ABS_PROB_DIFF_M2]! += (absProbDiffs[i]! - absMean) ** 2;
    const residual = probDiffs[i]! - diffMean - slope * probDeviation(i, probMean, tailMean);
    sums[F.PROB_DIFF_RESIDUAL]! += residual * residual;
  }
  sums[F.PROB_DIFF_MEAN] = diffMean;
  sums[F.ABS_PROB_DIFF_MEAN] = absMean;
  sums[F.ABS_PROB_DIFF_MAX] = absMax;
  sums[F.PROB_MEAN] = probMean;
  sums[F.TAIL_MASS_MEAN] = tailMean;
  sums[F.PROB_DIFF_SLOPE] = slope;
}

/** p − mean p, from whichever of p and 1 − p has more digits. */
function probDeviation(i: number, probMean: number, tailMean: number): number {
  return probs[i]! < 0.5 ? probs[i]! - probMean : tailMean - tailMasses[i]!;
}

function sum(values: Float64Array, count: number): number {
  let total = 0;
  for (let i = 0; i < count; i++) total += values[i]!;
  return total;
}

/** Relative to the first value, so that the mean of equal values is exact and their variance 0. */
function computeMean(values: Float64Array, count: number): number {
  const first = values[0]!;
  let shifted = 0;
  for (let i = 1; i < count; i++) shifted += values[i]! - first;
  return first + shifted / count;
}

/** Δ = trainer − rollout, nats: NaN if a side is missing; infinite if one side, or both, rule the token out. */
export function computeDelta(rollout: number, trainer: number): number {
  // -Infinity on both sides has no difference, but is not missing either.
  return rollout === -Infinity && trainer === -Infinity ? Infinity : trainer - rollout;
}

/** Figures of a token, under the names used everywhere, from its log-probs under both policies, nats. */
export const TOKEN_VALUES = {
  delta: computeDelta,
  abs: (rollout: number, trainer: number) => Math.abs(computeDelta(rollout, trainer)),
  rho: (rollout: number, trainer: number) => Math.exp(computeDelta(rollout, trainer)),
  k3: (rollout: number, trainer: number) => computeK3(computeDelta(rollout, trainer)),
  dp: computeProbDiff,
  logp: (rollout: number) => rollout,
  trainer: (_: number, trainer: number) => trainer,
} as const;
