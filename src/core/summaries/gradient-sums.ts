/**
 * Sums over tokens with an advantage: how much of the mismatch reaches the policy gradient, and its effect there. Kept
 * by step; the run's sums are those of its steps added.
 *
 * Tokens count if they have mask 1, finite log-probs and a finite advantage. Those whose ρ overflows (Δ > 709.78) are
 * counted separately and are in no sum.
 *
 * @module
 */

import type { FloatArray } from "../base/arrays.ts";
import type { ByteReader } from "../base/byte-reader.ts";
import type { ByteWriter } from "../base/byte-writer.ts";
import { computeImpact, quickK3 } from "../kernels/impact.ts";
import { BinnedSums, listPlaces } from "./binned-sums.ts";

/**
 * Columns: tokens, those of them with advantage 0, tokens whose ρ overflows; Σ|Δ| and Σk3 (nats), of all and of those with
 * advantage 0; ΣA and Σ|A|; ΣA(ρ − 1) and Σ|A||ρ − 1|.
 */
export const GRADIENT = {
  tokens: 0,
  zeroTokens: 1,
  overflowed: 2,
  deltaAbs: 3,
  k3: 4,
  zeroDeltaAbs: 5,
  zeroK3: 6,
  advantage: 7,
  advantageAbs: 8,
  impact: 9,
  impactAbs: 10,
} as const;

const GRADIENT_WIDTH = Object.keys(GRADIENT).length;
/** The first columns are whole numbers, whose sums are exact. */
const WHOLE = 3;
const ROUNDED = GRADIENT_WIDTH - WHOLE;

/** The columns behind the sums, `[tokens]` each. */
export interface AdvantageBlock {
  /** Nats, like `trainer`. */
  readonly rollout: FloatArray;
  readonly trainer: FloatArray;
  readonly mask: Uint8Array;
  readonly advantages: FloatArray;
}

/** The sums of the tokens `[from, to)`: {@link GRADIENT_WIDTH} numbers. */
export function sumGradient(
  { rollout, trainer, mask, advantages }: AdvantageBlock,
  from: number,
  to: number,
): Float64Array {
  let [tokens, zeroTokens, overflowed, deltaAbs, k3Sum, zeroDeltaAbs, zeroK3] = [0, 0, 0, 0, 0, 0, 0];
  let [advantageSum, advantageAbs, impactSum, impactAbs] = [0, 0, 0, 0];
  for (let t = from; t < to; t++) {
    if (mask[t] === 0) continue;
    const delta = trainer[t]! - rollout[t]!;
    const advantage = advantages[t]!;
    if (!Number.isFinite(delta) || !Number.isFinite(advantage)) continue;
    const k3 = quickK3(delta);
    // expm1 Δ, which the k3 of a small Δ nearly gives.
    const impact = advantage * (k3 + delta);
    if (k3 === Number.POSITIVE_INFINITY) {
      overflowed++;
      continue;
    }
    const size = Math.abs(delta);
    tokens++;
    deltaAbs += size;
    k3Sum += k3;
    if (advantage === 0) {
      zeroTokens++;
      zeroDeltaAbs += size;
      zeroK3 += k3;
      continue;
    }
    advantageSum += advantage;
    advantageAbs += Math.abs(advantage);
    impactSum += impact;
    impactAbs += Math.abs(impact);
  }
  return Float64Array.of(
    ...[tokens, zeroTokens, overflowed, deltaAbs, k3Sum, zeroDeltaAbs, zeroK3],
    ...[advantageSum, advantageAbs, impactSum, impactAbs],
  );
}

/** The token's impact if it is in the sums, else NaN. */
export function impactAt({ rollout, trainer, mask, advantages }: AdvantageBlock, t: number): number {
  const delta = trainer[t]! - rollout[t]!;
  if (mask[t] === 0 || !Number.isFinite(delta)) return Number.NaN;
  const impact = computeImpact(advantages[t]!, delta);
  return Number.isFinite(impact) ? impact : Number.NaN;
}

export class GradientSums {
  readonly #slots = new Map<number, number>();
  #whole = new Float64Array(WHOLE);
  readonly #rounded = new BinnedSums(ROUNDED);

  /** Adds the sums of a sequence. */
  add(step: number, sums: Float64Array): void {
    const slot = this.#slot(step);
    for (let i = 0; i < WHOLE; i++) this.#whole[slot * WHOLE + i]! += sums[i]!;
    for (let i = 0; i < ROUNDED; i++) this.#rounded.add(slot * ROUNDED + i, sums[WHOLE + i]!);
  }

  /** Steps in ascending order; NaN, for sequences without a step, last. */
  get steps(): number[] {
    return this.#sorted().map(([step]) => step);
  }

  at(step: number): Float64Array {
    const slot = this.#slots.get(step);
    const sums = new Float64Array(GRADIENT_WIDTH);
    if (slot !== undefined) this.#addTo(sums, this.#rounded, slot * ROUNDED, [slot]);
    return sums;
  }

  /** Of all steps. */
  total(): Float64Array {
    const all = new BinnedSums(ROUNDED);
    const slots = this.#sorted().map(([, slot]) => slot);
    for (const slot of slots)
      for (let i = 0; i < ROUNDED; i++) all.addPlace(i, this.#rounded, slot * ROUNDED + i);
    const sums = new Float64Array(GRADIENT_WIDTH);
    this.#addTo(sums, all, 0, slots);
    return sums;
  }

  #addTo(sums: Float64Array, rounded: BinnedSums, place: number, slots: readonly number[]): void {
    for (const slot of slots) for (let i = 0; i < WHOLE; i++) sums[i]! += this.#whole[slot * WHOLE + i]!;
    for (let i = 0; i < ROUNDED; i++) sums[WHOLE + i] = rounded.value(place + i);
  }

  merge(other: GradientSums): void {
    for (const [step, slot] of other.#slots) {
      const into = this.#slot(step);
      for (let i = 0; i < WHOLE; i++) this.#whole[into * WHOLE + i]! += other.#whole[slot * WHOLE + i]!;
      for (let i = 0; i < ROUNDED; i++)
        this.#rounded.addPlace(into * ROUNDED + i, other.#rounded, slot * ROUNDED + i);
    }
  }

  encode(to: ByteWriter): void {
    const sorted = this.#sorted();
    to.whole(sorted.length);
    for (const [step, slot] of sorted) {
      to.float(step);
      for (let i = 0; i < WHOLE; i++) to.whole(this.#whole[slot * WHOLE + i]!);
    }
    const slots = sorted.map(([, slot]) => slot);
    this.#rounded.encode(to, listPlaces(slots, ROUNDED));
  }

  /**
   * Adds the output of `encode`.
   *
   * @throws FormatError when the bytes are not these sums
   */
  mergeFrom(from: ByteReader): void {
    const slots = new Set<number>();
    const steps = from.count(8 + WHOLE);
    for (let row = 0; row < steps; row++) {
      const slot = this.#slot(from.float());
      if (slots.has(slot)) from.fail("a step occurs twice");
      slots.add(slot);
      for (let i = 0; i < WHOLE; i++) this.#whole[slot * WHOLE + i]! += from.whole();
    }
    this.#rounded.mergeFrom(from, listPlaces([...slots], ROUNDED));
  }

  #sorted(): [step: number, slot: number][] {
    return [...this.#slots].sort(([a], [b]) => (Number.isNaN(a) ? 1 : Number.isNaN(b) ? -1 : a - b));
  }

  #slot(step: number): number {
    const known = this.#slots.get(step);
    if (known !== undefined) return known;
    const slot = this.#slots.size;
    this.#slots.set(step, slot);
    if ((slot + 1) * WHOLE > this.#whole.length) {
      const next = new Float64Array(2 * this.#whole.length);
      next.set(this.#whole);
      this.#whole = next;
    }
    this.#rounded.grow((slot + 1) * ROUNDED);
    return slot;
  }
}
