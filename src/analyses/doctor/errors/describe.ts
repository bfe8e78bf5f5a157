/**
 * What is said of the sums of errors: each column's, each pair's, and whose the gap between rollout and trainer is.
 *
 * @module
 */
import type { Interval } from "../../../core/statistics/result.ts";
import type { SumsByKey } from "../../../core/summaries/index.ts";
import { plural } from "../../../core/text/index.ts";
import type { ColumnError, ErrorPair, GapOwner, OwnErrors } from "../../../results/diagnosis.ts";
import { FEWEST_CLUSTERS } from "../../report/intervals.ts";
import { PairMeasure } from "./measure.ts";
import type { PairSums } from "./pair-sums.ts";

interface Measured {
  readonly first: string;
  readonly second: string;
  readonly measure: PairMeasure;
}

export type ErrorFacts = Pick<OwnErrors, "reference" | "unit" | "missing" | "columns_left_out">;

/** @param pairs by the names of both columns */
export function describeErrors(
  pairs: SumsByKey<string, SumsByKey<string, PairSums>>,
  facts: ErrorFacts,
): OwnErrors {
  const measured = listPairs(pairs);
  const clusters = Math.max(0, ...measured.map(({ measure }) => measure.clusters));
  const hasIntervals = clusters >= FEWEST_CLUSTERS;
  const described = measured.map((pair) => describePair(pair, hasIntervals));
  const [sides] = measured;
  const [sidesDescribed] = described;
  return {
    ...facts,
    owner: sides && sidesDescribed ? findOwner(sides.measure, sidesDescribed) : null,
    clusters,
    no_interval: hasIntervals ? null : `only ${plural(clusters, facts.unit)}`,
    columns: rankColumns(measured, hasIntervals),
    pairs: described,
  };
}

/** Pairs with tokens; that of rollout and trainer first, if it has any. */
function listPairs(pairs: SumsByKey<string, SumsByKey<string, PairSums>>): Measured[] {
  return pairs
    .sorted()
    .flatMap(([first, others]) =>
      others
        .sorted()
        .filter(([, sums]) => sums.clusters.length > 0)
        .map(([second, sums]): Measured => ({ first, second, measure: new PairMeasure(sums) })),
    )
    .sort((a, b) => Number(isSides(b)) - Number(isSides(a)));
}

const isSides = ({ first, second }: Measured): boolean => first === "rollout" && second === "trainer";

function describePair({ first, second, measure }: Measured, hasIntervals: boolean): ErrorPair {
  const hasCorrelation = !Number.isNaN(measure.correlation);
  const hasGap = measure.gapVariance > 0;
  return {
    first,
    second,
    tokens: measure.tokens,
    gap_rms: measure.gap,
    independent_rms: measure.independentGap,
    covariance: measure.covariance,
    correlation: hasCorrelation ? measure.correlation : null,
    correlation_interval: hasIntervals && hasCorrelation ? measure.correlationInterval() : null,
    first_share: hasGap ? measure.firstShare : null,
    first_share_interval: hasIntervals && hasGap ? measure.shareInterval() : null,
  };
}

/** Of the pair rollout, trainer. */
function findOwner(measure: PairMeasure, { first_share_interval: share }: ErrorPair): GapOwner | null {
  const [rollout, trainer] = measure.rms;
  if (measure.gap === 0) return null;
  if (rollout === 0 || trainer === 0) return "copy";
  if (measure.gapVariance < Math.min(...measure.variances)) return "shared";
  if (share === null) return null;
  if (share.low > 0.5) return "rollout";
  return share.high < 0.5 ? "trainer" : "both";
}

function rankColumns(measured: readonly Measured[], hasIntervals: boolean): ColumnError[] {
  const columns = new Map<string, Omit<ColumnError, "ratio_to_previous">>();
  for (const { first, second, measure } of measured) {
    const intervals = hasIntervals ? measure.rmsIntervals() : [null, null];
    for (const [side, column] of [first, second].entries()) {
      // The pair with the most tokens; all are equal unless some files lack a column that others have.
      if ((columns.get(column)?.tokens ?? 0) >= measure.tokens) continue;
      columns.set(column, {
        column,
        tokens: measure.tokens,
        mean: measure.means[side]!,
        rms: measure.rms[side]!,
        interval: intervals[side] ?? null,
      });
    }
  }
  const ranked = [...columns.values()].sort((a, b) => a.rms - b.rms);
  return ranked.map((column, at) => ({
    ...column,
    ratio_to_previous: hasIntervals ? compareWith(measured, column, ranked[at - 1]) : null,
  }));
}

/** The interval of a column's rms over that of another; null without one, or if either is 0. */
function compareWith(
  measured: readonly Measured[],
  { column, rms }: { readonly column: string; readonly rms: number },
  other: { readonly column: string; readonly rms: number } | undefined,
): Interval | null {
  if (other === undefined || other.rms === 0 || rms === 0) return null;
  const isPair = (pair: Measured, first: string, second: string): boolean =>
    pair.first === first && pair.second === second;
  const upward = measured.find((pair) => isPair(pair, other.column, column));
  if (upward !== undefined) return upward.measure.ratioInterval();
  const downward = measured.find((pair) => isPair(pair, column, other.column))?.measure.ratioInterval();
  return downward === undefined ? null : { low: 1 / downward.high, high: 1 / downward.low };
}
