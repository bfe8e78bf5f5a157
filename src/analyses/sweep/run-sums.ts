/**
 * Sums of a correction over a run: those of its batches, added so that the order of batches and of merging has no
 * effect.
 *
 * @module
 */
import type { Codec } from "../../core/base/index.ts";
import {
  BinnedSums,
  COUNT_ARRAY,
  counts,
  exactSums,
  type Layout,
  layoutOf,
  part,
  Sums,
  SumTable,
  tableByKey,
} from "../../core/summaries/index.ts";
import { CorrectionSums } from "./correction-sums.ts";

/** Integers, whose sums are exact. */
const COUNTS = [
  "keptTokens",
  "keptSequences",
  "truncated",
  "rewardTokens",
  "correctnessTokens",
  "droppedPositive",
  "droppedNegative",
] as const;
const MEASURED = ["rawMass", "movedMass", "rewardSum", "correctnessSum"] as const;
const MOMENTS = ["sum", "within", "between", "lengthSquares"] as const;
/** Of the weights of a trainer's batch; its `normalize` steps come after them. */
const WEIGHTS = ["mass", "square", "sequenceMass", "sequenceSquare", "lossMass"] as const;
type BatchKey = number | string;

/** The key of a correction without `normalize` steps. */
export const ALL = "all";

const BATCH_KEY: Codec<BatchKey> = {
  text: "all or number",
  write(key, to) {
    to.byte(typeof key === "string" ? 0 : 1);
    if (typeof key === "number") to.float(key);
  },
  read: (from) => (from.byte() === 0 ? ALL : from.float()),
};

/** What can be counted. */
const COUNTED: Layout<CorrectionSums> = layoutOf({
  counts: counts(COUNTS),
  moments: part(counts(["sequences", "tokens"]), ({ moments }) => moments),
  droppedByLength: part(COUNT_ARRAY, ({ droppedByLength }) => droppedByLength),
  droppedByTurn: part(COUNT_ARRAY, ({ droppedByTurn }) => droppedByTurn),
});

export class RunCorrectionSums extends Sums {
  static readonly layout = layoutOf<RunCorrectionSums>(
    {
      counted: part(COUNTED, (sums) => sums.#counted),
      measured: part(exactSums(MEASURED.length + MOMENTS.length), (sums) => sums.#measured),
      weights: part(
        tableByKey(BATCH_KEY, ["largest", "normalized", ...WEIGHTS, "normalizers"]),
        (sums) => sums.#weights,
      ),
    },
    (sums) => {
      sums.#folded = undefined;
    },
  );
  readonly #normalizers: number;
  readonly #counted = new CorrectionSums();
  readonly #measured = new BinnedSums(MEASURED.length + MOMENTS.length);
  /** Of the trainer's batches the largest weight, how many weights each `normalize` step has, and sums. */
  readonly #weights: SumTable<BatchKey>;
  #folded: CorrectionSums | undefined;

  /** @param normalizers number of `normalize` steps in the correction */
  constructor(normalizers: number) {
    super();
    this.#normalizers = normalizers;
    this.#weights = new SumTable({ largest: 1, whole: normalizers, exact: WEIGHTS.length + normalizers });
  }

  add(batch: CorrectionSums): void {
    this.#folded = undefined;
    COUNTED.merge(this.#counted, batch);
    for (const [place, name] of MEASURED.entries()) this.#measured.add(place, batch[name]);
    for (const [place, name] of MOMENTS.entries())
      this.#measured.add(MEASURED.length + place, batch.moments[name]);
    for (const [key, from] of batch.weights) {
      const slot = this.#weights.open(key);
      this.#weights.addPlain(slot, 0, from.largest);
      for (const [column, name] of WEIGHTS.entries()) this.#weights.addExact(slot, column, from[name]);
      for (const [step, { sum, count }] of from.normalizers.entries()) {
        this.#weights.addPlain(slot, 1 + step, count);
        this.#weights.addExact(slot, WEIGHTS.length + step, sum);
      }
    }
  }

  /** The sums as numbers. Valid until more is added. */
  fold(): CorrectionSums {
    if (this.#folded !== undefined) return this.#folded;
    const sums = new CorrectionSums();
    COUNTED.merge(sums, this.#counted);
    for (const [place, name] of MEASURED.entries()) sums[name] = this.#measured.value(place);
    for (const [place, name] of MOMENTS.entries())
      sums.moments[name] = this.#measured.value(MEASURED.length + place);
    // In the order of steps, those that are not known last: figures add them up.
    for (const [key, slot] of this.#weights.sorted()) {
      const weights = sums.weightsOf(key);
      weights.largest = this.#weights.plain(slot, 0);
      for (const [column, name] of WEIGHTS.entries()) weights[name] = this.#weights.exact(slot, column);
      weights.normalizers = Array.from({ length: this.#normalizers }, (_, step) => ({
        sum: this.#weights.exact(slot, WEIGHTS.length + step),
        count: this.#weights.plain(slot, 1 + step),
      }));
    }
    this.#folded = sums;
    return sums;
  }
}
