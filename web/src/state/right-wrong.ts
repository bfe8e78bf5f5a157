/**
 * Mean |Δ| of right sequences compared with wrong ones.
 *
 * @module
 */

import { clusteredDifference, FEWEST_TO_COMPARE } from "../../../src/core/statistics/clusters.ts";
import { mannWhitneyU } from "../../../src/core/statistics/mann-whitney.ts";
import type { ClusteredDifference, MannWhitneyResult } from "../../../src/core/statistics/result.ts";
import { formatCount, formatNumber, formatSigned } from "../../../src/render/text/display/index.ts";
import type { SequenceTable } from "../../../src/results/wire/table.ts";

export interface RightWrong {
  /** Mean |Δ| of each sequence, nats. */
  readonly right: Float64Array;
  readonly wrong: Float64Array;
  /**
   * Wrong minus right: above 0 if wrong sequences have the larger mismatch. Undefined if either side has fewer than two
   * sequences with a mean |Δ|.
   */
  readonly tests:
    | {
        /** Describes these sequences only, because those of one prompt are alike. */
        readonly order: MannWhitneyResult;
        /** The means, clustered by prompt (step and group); a sequence without a known group is its own cluster. */
        readonly means: ClusteredDifference;
        readonly by: "prompt" | "sequence";
        /** Whether there are enough prompts for an interval. */
        readonly enough: boolean;
      }
    | undefined;
}

/** @param rows places in the table; default all */
export function rightWrong({ columns, texts, length }: SequenceTable, rows?: Uint32Array): RightWrong {
  const places = [...(rows ?? Uint32Array.from({ length }, (_, row) => row).values())];
  const known = places.filter(
    (row) =>
      (columns.correct[row] === 0 || columns.correct[row] === 1) &&
      Number.isFinite(columns.delta_abs_mean[row]),
  );
  const getMismatch = (row: number): number => columns.delta_abs_mean[row]!;
  const of = (correct: number): Float64Array =>
    Float64Array.from(
      known.filter((row) => columns.correct[row] === correct),
      getMismatch,
    );
  const [right, wrong] = [of(1), of(0)];
  if (right.length < 2 || wrong.length < 2) return { right, wrong, tests: undefined };
  const prompts = new Map<string, number>();
  let grouped = true;
  const clusters = known.map((row) => {
    const group = texts.group.codes[row]!;
    if (group < 0) grouped = false;
    const key = group < 0 ? `row ${row}` : `${columns.step[row]} ${group}`;
    const cluster = prompts.get(key) ?? prompts.size;
    prompts.set(key, cluster);
    return cluster;
  });
  const means = clusteredDifference(
    known.map(getMismatch),
    known.map((row) => columns.correct[row] === 0),
    clusters,
  );
  return {
    right,
    wrong,
    tests: {
      order: mannWhitneyU(wrong, right),
      means,
      by: grouped ? "prompt" : "sequence",
      enough: Math.min(means.clustersA, means.clustersB) >= FEWEST_TO_COMPARE,
    },
  };
}

/** The comparison in a sentence, and what its interval is over. */
export function sayRightWrong({ order, means, by, enough }: NonNullable<RightWrong["tests"]>): string {
  const { interval, clusters } = means;
  const over = `${formatCount(clusters)} ${clusters === 1 ? by : `${by}s`}`;
  if (!enough)
    return `Right and wrong sequences come from too few ${by}s for an interval: each needs ${FEWEST_TO_COMPARE}.`;
  const pairs = `A wrong sequence has the larger mismatch in ${formatNumber(100 * order.probabilityOfSuperiority, 2)}\u00a0% of these pairs`;
  const verdict =
    interval.low > 0
      ? `Wrong sequences have the larger mismatch. ${pairs}.`
      : interval.high < 0
        ? `Right sequences have the larger mismatch. ${pairs}.`
        : `${pairs}, but the ${by}s do not settle which mean is larger: wrong − right may be ${formatSigned(interval.low)} to ${formatSigned(interval.high)} nats.`;
  const basis =
    by === "prompt"
      ? `The interval is over ${over}: sequences of one prompt are alike.`
      : `The interval treats ${over} as independent, since the prompts of some are unknown.`;
  return `${verdict} ${basis}`;
}
