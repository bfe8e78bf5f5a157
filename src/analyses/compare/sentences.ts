/**
 * What a certificate says, in one sentence each.
 *
 * @module
 */
import { boundShareOfNone, type MeanBounds, UNSEEN_FACTOR } from "../../core/statistics/mean-bound.ts";
import {
  formatCount,
  formatNumber,
  formatPlain,
  formatPlainShare,
  formatShare,
  plural,
} from "../../core/text/index.ts";
import type { ColumnMetrics, DifferingToken, RunFigure } from "../../results/compare.ts";
import { type Judgment, LEAST_TOKEN_SHARE, type TestOptions } from "./judge.ts";
import type { DifferenceBounds } from "./unpaired.ts";

type Facts = Pick<
  ColumnMetrics,
  | "tokens"
  | "sequences"
  | "unequal"
  | "one_sided"
  | "unequal_share_upper"
  | "unequal_clusters_share_upper"
  | "unseen_clusters_share_upper"
  | "delta_abs_mean_unseen"
>;

/** `95 %` of one-sided bounds at 0.05. */
function formatLevel({ alpha }: TestOptions): string {
  return formatPlainShare(1 - alpha);
}

function formatDifferences(facts: Facts, first: DifferingToken | null): string {
  const where = first === null ? "" : `, the first at ${first.handle}`;
  const verb = facts.unequal === 1 ? "differs" : "differ";
  return `${formatCount(facts.unequal)} of ${plural(facts.tokens, "token")} ${verb}${where}`;
}

export interface ColumnSaid {
  readonly facts: Facts;
  readonly bounds: MeanBounds;
  readonly first: DifferingToken | null;
  readonly unit: "prompt" | "sequence";
  readonly shares: { readonly a: number; readonly b: number };
}

export function describeColumn(
  { basis, certificate }: Judgment,
  test: TestOptions,
  { facts, bounds, first, unit, shares }: ColumnSaid,
): string {
  const inNats = (value: number | null | undefined): string => `${formatNumber(value)} nats`;
  const within = `${formatPlain(test.within)} nats`;
  const mean = `Mean |Δ| is ${inNats(bounds.mean)}`;
  const unseen = `Up to ${formatShare(facts.unseen_clusters_share_upper)} of ${unit}s could be of a kind not seen; ${UNSEEN_FACTOR} times as far off, they would make it ${inNats(facts.delta_abs_mean_unseen)}`;
  switch (basis) {
    case "bits":
      if (certificate === "equal")
        return `All ${plural(facts.tokens, "token")} of ${plural(facts.sequences, "sequence")} are equal bit for bit; ${formatLevel(test)} leaves open at most ${formatShare(facts.unequal_share_upper)} of tokens, or ${formatShare(facts.unequal_clusters_share_upper)} of ${unit}s, that are not.`;
      return `${formatDifferences(facts, first)}, but the tolerance is 0.`;
    case "missing":
      return `${plural(facts.one_sided, "token has", "tokens have")} a finite log-prob on one side only, and ${formatDifferences(facts, first)}.`;
    case "interval":
      return certificate === "equivalent"
        ? `${mean}, and below ${inNats(bounds.high)} with ${formatLevel(test)} confidence. ${unseen}: within ${within}.`
        : `${mean}, and above ${inNats(bounds.low)} with ${formatLevel(test)} confidence: beyond ${within}.`;
    case "unseen":
      return `${mean}, and below ${inNats(bounds.high)} with ${formatLevel(test)} confidence. ${unseen}: not within ${within}.`;
    case "too_few":
      return `${mean} over ${plural(bounds.clusters, unit)}: too few to judge it against ${within}.`;
    case "straddles":
      return `${mean}, and ${formatLevel(test)} confidence on either side leaves ${formatNumber(bounds.low)} to ${inNats(bounds.high)} open: neither within nor beyond ${within}.`;
    case "coverage":
      return `Only ${formatShare(shares.a)} of A's tokens and ${formatShare(shares.b)} of B's could be compared; a certificate needs ${formatPlainShare(LEAST_TOKEN_SHARE)} of both.`;
  }
}

export interface FiguresSaid {
  /** Mean |Δ| of both runs. */
  readonly figure: RunFigure;
  readonly unseen: DifferenceBounds | undefined;
  /** Prompts or sequences of the smaller run. */
  readonly clusters: number;
}

/** Describes two runs with different texts. */
export function describeFigures(
  { basis, certificate }: Judgment,
  test: TestOptions,
  { figure, unseen, clusters }: FiguresSaid,
): string {
  const within = `${formatPlain(test.within)} nats`;
  const means = `Mean |Δ| is ${formatNumber(figure.a)} nats in A and ${formatNumber(figure.b)} in B`;
  if (unseen === undefined)
    return `${means}, over ${clusters} prompts or sequences in the smaller run: too few to judge their difference.`;
  const open = (low: number | null, high: number | null): string =>
    `${formatNumber(low)} to ${formatNumber(high)} nats`;
  const what = `${means}; their difference is ${open(figure.difference_low, figure.difference_high)} with ${formatLevel(test)} confidence on either side`;
  if (certificate === "different") return `${what}: beyond ${within}.`;
  if (basis === "straddles") return `${what}: neither within nor beyond ${within}.`;
  const share = formatShare(boundShareOfNone(clusters, test.alpha));
  const far = `Up to ${share} of prompts could be of a kind not seen; ${UNSEEN_FACTOR} times as far off, they would make it ${open(unseen.low, unseen.high)}`;
  return `${what}. ${far}: ${certificate === "equivalent" ? "within" : "not within"} ${within}.`;
}
