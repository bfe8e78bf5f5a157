/**
 * Differences paired by problem, and their correction over checkpoints.
 *
 * @module
 */

import { spearmanTest } from "../../../core/statistics/correlation.ts";
import { holm } from "../../../core/statistics/multiple-testing.ts";
import { exactSignedRank } from "../../../core/statistics/wilcoxon.ts";
import type { PairedDifference, RankCorrelation } from "../../results/wrong-texts.ts";
import { FEWEST_PAIRS } from "./comparisons.ts";
import { computeMean, finite } from "./numbers.ts";
import type { KlStudy } from "./report-input.ts";

/** Needs at least one problem; not yet corrected. */
export function pairedDifference(study: KlStudy, differences: readonly number[]): PairedDifference {
  const test = exactSignedRank(differences);
  return {
    problems: differences.length,
    mean: computeMean(differences),
    interval: study.bootstrap.mean(differences),
    p_value: test.pairs >= FEWEST_PAIRS ? test.pValue : null,
    adjusted_p_value: null,
    rank_biserial: finite(test.rankBiserial),
    significant: false,
  };
}

/** Null if it is known for no problem. */
export function pairedOrNull(study: KlStudy, differences: readonly number[]): PairedDifference | null {
  return differences.length === 0 ? null : pairedDifference(study, differences);
}

/**
 * Holm's correction over the rows of one question.
 *
 * @returns a function that puts the corrected p-value into the difference of a row, given its index
 */
export function correctOver<Row>(
  study: KlStudy,
  rows: readonly Row[],
  pick: (row: Row) => PairedDifference | null | undefined,
): <T extends PairedDifference | null>(difference: T, place: number) => T {
  const adjusted = holm(rows.map((row) => pick(row)?.p_value ?? Number.NaN));
  return (difference, place) => {
    const p = finite(adjusted[place]!);
    const { alpha } = study.input.settings;
    return difference && { ...difference, adjusted_p_value: p, significant: p !== null && p < alpha };
  };
}

/**
 * Spearman's correlation of two figures over the problems that have both. Not yet corrected.
 *
 * @returns null for too few pairs, or if one of the two is constant
 */
export function rankCorrelation(a: readonly number[], b: readonly number[]): RankCorrelation | null {
  const known = [...a.keys()].filter((i) => Number.isFinite(a[i]) && Number.isFinite(b[i]));
  const [xs, ys] = [a, b].map((values) => known.map((i) => values[i]!)) as [number[], number[]];
  if (known.length < FEWEST_PAIRS || [xs, ys].some((values) => new Set(values).size < 2)) return null;
  const { statistic, pValue, interval } = spearmanTest(xs, ys);
  const { low, high } = interval;
  return {
    problems: known.length,
    coefficient: statistic,
    interval: Number.isFinite(low) && Number.isFinite(high) ? { low, high } : null,
    p_value: pValue,
    adjusted_p_value: pValue,
  };
}
