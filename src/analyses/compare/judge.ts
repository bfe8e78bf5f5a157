/**
 * From sums to a certificate, by the definitions of `python/logratio/agree/check.py`.
 *
 * @module
 */
import { boundMean, FEWEST_BOUND_CLUSTERS, type MeanBounds } from "../../core/statistics/mean-bound.ts";
import { CLUSTER, CLUSTER_WIDTH, type MismatchSummary } from "../../core/summaries/index.ts";
import type { Certificate, CertificateBasis } from "../../results/compare.ts";
import type { ColumnCounts } from "./column-sums.ts";

export interface TestOptions {
  /** Tolerance of mean |Δ|, nats; 0: only equality of every bit will do. */
  readonly within: number;
  /** Error rate of either one-sided test. */
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
  // All others are sums of what is never negative.
  if (column === "delta" || bounds.low === undefined) return bounds;
  return { ...bounds, low: Math.max(0, bounds.low) };
}

/**
 * `equal` where no token differs; `equivalent` where mean |Δ| is shown to be within the tolerance, or every |Δ| is;
 * `different` where it is shown to be beyond, or a log-prob is on one side only; else `undecidable`. Unlike the assertion
 * of the Python package, which asks about the tokens at hand, nothing but equality is certified of fewer than ten
 * prompts.
 *
 * @param bounds of mean |Δ|
 * @param largest |Δ|, nats
 */
export function judgeColumn(
  { unequal, oneSided }: ColumnCounts,
  bounds: MeanBounds,
  largest: number,
  { within }: TestOptions,
): Judgment {
  if (unequal === 0) return { certificate: "equal", basis: "bits" };
  if (oneSided > 0) return { certificate: "different", basis: "missing" };
  if (within === 0) return { certificate: "different", basis: "bits" };
  const { low, high } = bounds;
  if (low === undefined || high === undefined) return { certificate: "undecidable", basis: "too_few" };
  if (largest <= within) return { certificate: "equivalent", basis: "every_token" };
  if (high < within) return { certificate: "equivalent", basis: "interval" };
  if (low > within) return { certificate: "different", basis: "interval" };
  return { certificate: "undecidable", basis: "straddles" };
}

/**
 * How many prompts would decide, were their spread what it is here: as many as bring the bound on the tolerance's side
 * to the tolerance. Undefined where the mean lies on the tolerance itself.
 */
export function countNeeded({ mean, low, high, clusters }: MeanBounds, within: number): number | undefined {
  if (low === undefined || high === undefined) return FEWEST_BOUND_CLUSTERS;
  const room = Math.abs(within - mean);
  const wide = mean < within ? high - mean : mean - low;
  if (!(room > 0) || !Number.isFinite(wide / room)) return undefined;
  return Math.ceil(clusters * (wide / room) ** 2 - 1e-6);
}

/** Worst first: two columns agree only where all do, so no correction for their number is due (Berger 1982). */
const BY_CONCERN: readonly Certificate[] = ["different", "undecidable", "equivalent", "equal"];

export function compareConcern(a: Judgment, b: Judgment): number {
  return BY_CONCERN.indexOf(a.certificate) - BY_CONCERN.indexOf(b.certificate);
}

/** Less of either side is not a comparison of the two. */
export const LEAST_TOKEN_SHARE = 0.5;

/** A certificate of what is a small part of either side would be read as one of both. */
export function judgeCoverage(
  judgment: Judgment,
  shares: { readonly a: number; readonly b: number },
): Judgment {
  const covered = Math.min(shares.a, shares.b) >= LEAST_TOKEN_SHARE;
  return covered || judgment.certificate === "different"
    ? judgment
    : { certificate: "undecidable", basis: "coverage" };
}
