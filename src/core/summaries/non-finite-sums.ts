import type { ByteReader } from "../base/byte-reader.ts";
import type { ByteWriter } from "../base/byte-writer.ts";
import { READ_AS_MISSING, type RecordBatch } from "../schema/record.ts";

/** Tokens with mask 1 whose log-probs are not finite, by side: as the source has them. */
export interface NonFiniteCounts {
  rolloutNaN: number;
  rolloutInfinite: number;
  trainerNaN: number;
  trainerInfinite: number;
  /** Tokens that are in one of these counts, or in two. */
  tokens: number;
  /** The others that are in no figure: reading took their log-prob for none. */
  readAsMissing: number;
}

const NONE: NonFiniteCounts = {
  rolloutNaN: 0,
  rolloutInfinite: 0,
  trainerNaN: 0,
  trainerInfinite: 0,
  tokens: 0,
  readAsMissing: 0,
};
const NAMES = Object.keys(NONE) as (keyof NonFiniteCounts)[];

/** Which log-probs of a run are not finite, by step. Counts, so merging in any order and tree gives the same. */
export class NonFiniteSums {
  readonly #bySteps = new Map<number, NonFiniteCounts>();

  /** The counts of a step (NaN: unknown); undefined where it has none. */
  at(step: number): Readonly<NonFiniteCounts> | undefined {
    return this.#bySteps.get(step);
  }

  /** Adds the tokens `[from, to)` of a batch that has both sides. */
  add(step: number, batch: RecordBatch, from: number, to: number): void {
    const { rolloutLogprobs: rollout, trainerLogprobs: trainer, responseMask: mask, readAsMissing } = batch;
    const counts = this.#open(step);
    for (let t = from; t < to; t++) {
      const [a, b] = [rollout![t]!, trainer![t]!];
      if (mask[t] === 0 || (Number.isFinite(a) && Number.isFinite(b))) continue;
      const read = readAsMissing?.[t] ?? 0;
      const first = (read & READ_AS_MISSING.rollout) === 0 ? nameOdd(a) : undefined;
      const second = (read & READ_AS_MISSING.trainer) === 0 ? nameOdd(b) : undefined;
      if (first !== undefined) counts[`rollout${first}`]++;
      if (second !== undefined) counts[`trainer${second}`]++;
      counts[(first ?? second) === undefined ? "readAsMissing" : "tokens"]++;
    }
  }

  #open(step: number): NonFiniteCounts {
    const known = this.#bySteps.get(step);
    if (known !== undefined) return known;
    const counts = { ...NONE };
    this.#bySteps.set(step, counts);
    return counts;
  }

  merge(other: NonFiniteSums): void {
    for (const [step, theirs] of other.#bySteps) {
      const counts = this.#open(step);
      for (const name of NAMES) counts[name] += theirs[name];
    }
  }

  encode(to: ByteWriter): void {
    to.whole(this.#bySteps.size);
    // Typed arrays sort numbers by value, and NaN to the end.
    for (const step of Float64Array.from(this.#bySteps.keys()).sort()) {
      to.float(step);
      for (const name of NAMES) to.whole(this.#bySteps.get(step)![name]);
    }
  }

  /** Adds what `encode` wrote. */
  mergeFrom(from: ByteReader): void {
    for (let left = from.count(); left > 0; left--) {
      const counts = this.#open(from.float());
      for (const name of NAMES) counts[name] += from.whole();
    }
  }
}

function nameOdd(value: number): "NaN" | "Infinite" | undefined {
  if (Number.isNaN(value)) return "NaN";
  return Number.isFinite(value) ? undefined : "Infinite";
}
