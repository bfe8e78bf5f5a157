/**
 * From sums to a certificate, as defined in `python/logratio/agree/check.py`.
 *
 * @module
 */
import {
  boundMean,
  boundUnseen,
  FEWEST_BOUND_CLUSTERS,
  type MeanBounds,
} from "../../core/statistics/mean-bound.ts";
import { CLUSTER, CLUSTER_WIDTH, type MismatchSummary } from "../../core/summaries/index.ts";
import type { Certificate, CertificateBasis } from "../../results/compare.ts";
import type { ColumnCounts } from "./column-sums.ts";

export interface TestOptions {
  /** Tolerance of mean |Δ|, nats; 0: every bit must be equal. */
  readonly within: number;
  /** Error rate of each one-sided test. */
  readonly alpha: number;
}

export interface Judgment {
  readonly certificate: Certificate;
  readonly basis: CertificateBasis;
}

/** Bounds of a mean over tokens, from sums by prompt. */
export function boundColumn(
  { clusters }: MismatchSummary,
  column: keyof typeof CLUSTER,
  alpha: number,
  per: keyof typeof CLUSTER = "tokens",
): MeanBounds {
  const table = clusters?.table ?? new Float64Array(0);
  const take = (name: keyof typeof CLUSTER): Float64Array =>
    Float64Array.from(
      { length: table.length / CLUSTER_WIDTH },
      (_, g) => table[g * CLUSTER_WIDTH + CLUSTER[name]]!,
    );
  const bounds = boundMean(take(column), take(per), alpha);
  // All other columns are means of non-negative values.
  if (column === "delta" || bounds.low === undefined) return bounds;
  return { ...bounds, low: Math.max(0, bounds.low) };
}

/**
 * `equal` if no token differs; `equivalent` if mean |Δ| is shown to be within the tolerance, even if as many prompts as
 * may be of a kind not seen were far off ({@link boundUnseen}); `different` if mean |Δ| is shown to exceed it, or a
 * log-prob is on one side only; else `undecidable`. The assertion of the Python package asks about tokens like the given
 * ones, so it has no such reserve, and also holds if every |Δ| is within the tolerance.
 *
 * @param bounds of mean |Δ|
 */
export function judgeColumn(
  { unequal, oneSided }: Pick<ColumnCounts, "unequal" | "oneSided">,
  bounds: MeanBounds,
  { within, alpha }: TestOptions,
): Judgment {
  if (unequal === 0) return { certificate: "equal", basis: "bits" };
  if (oneSided > 0) return { certificate: "different", basis: "missing" };
  if (within === 0) return { certificate: "different", basis: "bits" };
  const { low, high } = bounds;
  const unseen = boundUnseen(bounds, alpha);
  if (low === undefined || high === undefined || unseen === undefined)
    return { certificate: "undecidable", basis: "too_few" };
  if (low > within) return { certificate: "different", basis: "interval" };
  if (high >= within) return { certificate: "undecidable", basis: "straddles" };
  if (unseen >= within) return { certificate: "undecidable", basis: "unseen" };
  return { certificate: "equivalent", basis: "interval" };
}

/**
 * How many prompts would decide if their spread stayed the same: as many as it takes to bring the bound nearer the
 * tolerance, with its reserve for prompts not seen, onto it. Undefined if the mean equals the tolerance.
 */
export function countNeeded(bounds: MeanBounds, { within, alpha }: TestOptions): number | undefined {
  const { mean, low, high, clusters } = bounds;
  if (low === undefined || high === undefined) return FEWEST_BOUND_CLUSTERS;
  const room = Math.abs(within - mean);
  if (!(room > 0) || !Number.isFinite((high - low) / room)) return undefined;
  if (mean > within) return Math.ceil(clusters * ((mean - low) / room) ** 2 - 1e-6);
  const decides = (count: number): boolean => {
    const narrower = mean + (high - mean) * Math.sqrt(clusters / count);
    return boundUnseen({ ...bounds, high: narrower, clusters: count }, alpha)! < within;
  };
  let [few, many] = [1, 2];
  while (!decides(many) && many < Number.MAX_SAFE_INTEGER / 2) [few, many] = [many, 2 * many];
  while (many - few > 1) {
    const middle = Math.floor((few + many) / 2);
    if (decides(middle)) many = middle;
    else few = middle;
  }
  return many;
}

/** Worst first: two columns agree only if all do, so no correction for their number is needed (Berger 1982). */
const BY_CONCERN: readonly Certificate[] = ["different", "undecidable", "equivalent", "equal"];

export function compareConcern(a: Judgment, b: Judgment): number {
  return BY_CONCERN.indexOf(a.certificate) - BY_CONCERN.indexOf(b.certificate);
}

/** With a smaller share of either side, the two have not been compared. */
export const LEAST_TOKEN_SHARE = 0.5;

/** Otherwise a certificate for a small part of either side would be read as one for both. */
export function judgeCoverage(
  judgment: Judgment,
  shares: { readonly a: number; readonly b: number },
): Judgment {
  const covered = Math.min(shares.a, shares.b) >= LEAST_TOKEN_SHARE;
  return covered || judgment.certificate === "different"
    ? judgment
    : { certificate: "undecidable", basis: "coverage" };
}
