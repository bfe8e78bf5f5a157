/**
 * Mean |Δ| of right sequences against wrong ones.
 *
 * @module
 */
import {
  type MannWhitneyResult,
  mannWhitneyU,
  type TTestResult,
  tTest,
} from "../../../../src/statistics/index.ts";
import type { SequenceTable } from "../../../../src/wire/index.ts";

export interface RightAgainstWrong {
  readonly right: Float64Array;
  readonly wrong: Float64Array;
  /** Wrong minus right: above 0 where wrong sequences have the larger mismatch. */
  readonly order: MannWhitneyResult;
  readonly means: TTestResult;
}

/** Undefined where one of the two has fewer than two sequences with a mean |Δ|. */
export function rightAgainstWrong(
  { columns }: SequenceTable,
  rows: Uint32Array,
): RightAgainstWrong | undefined {
  const of = (correct: number): Float64Array =>
    Float64Array.from(
      rows.filter((row) => columns.correct[row] === correct && Number.isFinite(columns.delta_abs_mean[row])),
      (row) => columns.delta_abs_mean[row]!,
    );
  const [right, wrong] = [of(1), of(0)];
  if (right.length < 2 || wrong.length < 2) return undefined;
  return {
    right,
    wrong,
    order: mannWhitneyU(wrong, right),
    means: tTest(wrong, right, { equalVariances: false }),
  };
}
