import { NUMBER } from "../base/codec.ts";
import { READ_AS_MISSING, type RecordBatch } from "../schema/record.ts";
import { counts, layoutOf, part } from "./layout/layout.ts";
import { Sums } from "./layout/sums.ts";
import { byKey, SumsByKey } from "./layout/sums-by-key.ts";

/** Tokens with mask 1 whose log-probs are not finite in the source, by side. */
export interface NonFiniteCounts {
  rolloutNaN: number;
  rolloutInfinite: number;
  trainerNaN: number;
  trainerInfinite: number;
  /** Tokens that are in one of these counts, or in two. */
  tokens: number;
  /** Other tokens that are in no figure, because the reader treated a log-prob as missing. */
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
export class NonFiniteSums extends Sums {
  static readonly layout = layoutOf<NonFiniteSums>({
    steps: part(byKey(NUMBER, counts(NAMES)), (sums) => sums.#steps),
  });
  readonly #steps = new SumsByKey<number, NonFiniteCounts>(() => ({ ...NONE }));

  /** The counts of a step (NaN: unknown); undefined if it has none. */
  at(step: number): Readonly<NonFiniteCounts> | undefined {
    return this.#steps.byKey.get(step);
  }

  /** Adds the tokens `[from, to)` of a batch that has both sides. */
  add(step: number, batch: RecordBatch, from: number, to: number): void {
    const { rolloutLogprobs: rollout, trainerLogprobs: trainer, responseMask: mask, readAsMissing } = batch;
    const counts = this.#steps.get(step);
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
}

function nameOdd(value: number): "NaN" | "Infinite" | undefined {
  if (Number.isNaN(value)) return "NaN";
  return Number.isFinite(value) ? undefined : "Infinite";
}
