/**
 * Exact sums over every token of the run, unlike samples. They serve to judge parts of the run (steps, ranks,
 * environments) and to count rare events.
 *
 * @module
 */
import { NUMBER } from "../../../core/base/index.ts";
import { quickK3 } from "../../../core/kernels/index.ts";
import type { RecordBatch } from "../../../core/schema/index.ts";
import {
  BinnedSums,
  counts,
  exactSums,
  layoutOf,
  maxima,
  part,
  Sums,
} from "../../../core/summaries/index.ts";
import { measureLogitNoise } from "../features/logit-noise.ts";

/** Sums over tokens with mask 1 and two finite log-probs. */
export interface DeltaSums {
  sequences: number;
  tokens: number;
  delta: number;
  abs: number;
  square: number;
  /** Σ(1 − p) and Σ(1 − p)², with p the rollout's probability of the sampled token. */
  unsure: number;
  unsureSquare: number;
  max: number;
  /** Σ(e^Δ − 1 − Δ), with Δ clamped to ±20. */
  k3: number;
  /** Tokens with mask 1 where a side is NaN or infinite. */
  rolloutMissing: number;
  trainerMissing: number;
  equal: number;
}

/** Integers, whose sums are exact. */
const COUNTS = ["sequences", "tokens", "rolloutMissing", "trainerMissing", "equal"] as const;
/** Summed so that the order of rows and of merging has no effect. */
const MEASURED = ["delta", "abs", "square", "unsure", "unsureSquare", "k3"] as const;

function emptyDeltaSums(): DeltaSums {
  return {
    sequences: 0,
    tokens: 0,
    delta: 0,
    abs: 0,
    square: 0,
    unsure: 0,
    unsureSquare: 0,
    max: 0,
    k3: 0,
    rolloutMissing: 0,
    trainerMissing: 0,
    equal: 0,
  };
}

export class RunSums extends Sums {
  static readonly layout = layoutOf<RunSums>({
    counts: part(counts(COUNTS), (sums) => sums.#counts),
    max: part(maxima(["max"], NUMBER), (sums) => sums.#counts),
    measured: part(exactSums(MEASURED.length), (sums) => sums.#measured),
    oneSided: part(counts(["oneSided"]), (sums) => sums.#counts),
  });
  readonly #counts = { ...emptyDeltaSums(), oneSided: 0 };
  readonly #measured = new BinnedSums(MEASURED.length);

  get all(): Readonly<DeltaSums> {
    const { oneSided: _, ...sums } = this.#counts;
    for (const [place, name] of MEASURED.entries()) sums[name] = this.#measured.value(place);
    return sums;
  }

  /** Sequences read, with one side or both. */
  get sequences(): number {
    return this.#counts.sequences + this.#counts.oneSided;
  }

  add(batch: RecordBatch): void {
    const { responseMask: mask, offsets, asWritten } = batch;
    const rollout = asWritten?.rollout ?? batch.rolloutLogprobs;
    const trainer = asWritten?.trainer ?? batch.trainerLogprobs;
    if (rollout === undefined || trainer === undefined) {
      this.#counts.oneSided += batch.length;
      return;
    }
    for (let i = 0; i < batch.length; i++) {
      const sums = sumRow(rollout, trainer, mask, offsets[i]!, offsets[i + 1]!);
      this.#addCounts(sums);
      for (const [place, name] of MEASURED.entries()) this.#measured.add(place, sums[name]);
    }
  }

  #addCounts(from: DeltaSums): void {
    for (const name of COUNTS) this.#counts[name] += from[name];
    this.#counts.max = Math.max(this.#counts.max, from.max);
  }

  metrics(): Record<string, number | null> {
    const sums = this.all;
    const { sequences, tokens, delta, abs, k3, max, equal, unsure } = sums;
    const noise = measureLogitNoise(sums);
    const mean = (sum: number): number | null => (tokens === 0 ? null : sum / tokens);
    return {
      sequences,
      tokens,
      delta_mean: mean(delta),
      delta_abs_mean: mean(abs),
      delta_abs_max: tokens === 0 ? null : max,
      k3: mean(k3),
      equal_share: mean(equal),
      logit_noise: unsure === 0 ? null : noise.logitNoise,
      logit_noise_mean: unsure === 0 ? null : noise.logitNoiseMean,
    };
  }

  /** Tokens and sequences in none of the figures, by reason. */
  excluded(): Record<string, number> {
    const counts = {
      rollout_missing: this.#counts.rolloutMissing,
      trainer_missing: this.#counts.trainerMissing,
      one_sided_sequences: this.#counts.oneSided,
    };
    return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  }
}

type Numbers = ArrayLike<number>;

function sumRow(rollout: Numbers, trainer: Numbers, mask: Uint8Array, from: number, to: number): DeltaSums {
  // Separate numbers: the compiler cannot know the type of a list's elements and would box each sum.
  let tokens = 0;
  let delta = 0;
  let abs = 0;
  let square = 0;
  let unsure = 0;
  let unsureSquare = 0;
  let max = 0;
  let k3 = 0;
  let rolloutMissing = 0;
  let trainerMissing = 0;
  let equal = 0;
  for (let t = from; t < to; t++) {
    if (mask[t] === 0) continue;
    const a = rollout[t]!;
    const c = trainer[t]!;
    const own = c - a;
    if (!Number.isFinite(own)) {
      if (!Number.isFinite(a)) rolloutMissing++;
      if (!Number.isFinite(c)) trainerMissing++;
      continue;
    }
    const size = Math.abs(own);
    tokens++;
    delta += own;
    abs += size;
    square += own * own;
    const q = -Math.expm1(Math.min(0, a));
    unsure += q;
    unsureSquare += q * q;
    if (size > max) max = size;
    if (size === 0) equal++;
    const held = Math.max(-20, Math.min(20, own));
    k3 += quickK3(held);
  }
  return {
    sequences: 1,
    tokens,
    delta,
    abs,
    square,
    unsure,
    unsureSquare,
    max,
    k3,
    rolloutMissing,
    trainerMissing,
    equal,
  };
}
