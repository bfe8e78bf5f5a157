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
} from "../../../src/statistics/index.ts";
import type { SequenceTable } from "../../../src/wire/index.ts";

export interface RightWrong {
  /** Mean |Δ| of each sequence, nats. */
  readonly right: Float64Array;
  readonly wrong: Float64Array;
  /**
   * Wrong minus right: above 0 where wrong sequences have the larger mismatch. Undefined where one of the two has fewer
   * than two sequences with a mean |Δ|.
   */
  readonly tests: { readonly order: MannWhitneyResult; readonly means: TTestResult } | undefined;
}

/** @param rows places in the table; default all */
export function rightWrong({ columns, length }: SequenceTable, rows?: Uint32Array): RightWrong {
  const places = rows ?? Uint32Array.from({ length }, (_, row) => row);
  const of = (correct: number): Float64Array =>
    Float64Array.from(
      places.filter(
        (row) => columns.correct[row] === correct && Number.isFinite(columns.delta_abs_mean[row]),
      ),
      (row) => columns.delta_abs_mean[row]!,
    );
  const [right, wrong] = [of(1), of(0)];
  const enough = right.length > 1 && wrong.length > 1;
  return {
    right,
    wrong,
    tests: enough
      ? { order: mannWhitneyU(wrong, right), means: tTest(wrong, right, { equalVariances: false }) }
      : undefined,
  };
}
