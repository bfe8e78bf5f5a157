/**
 * What a certificate says, in one sentence each.
 *
 * @module
 */
import type { MeanBounds } from "../../core/statistics/mean-bound.ts";
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

type Facts = Pick<
  ColumnMetrics,
  "tokens" | "sequences" | "unequal" | "one_sided" | "unequal_share_upper" | "delta_abs_max"
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
  switch (basis) {
    case "bits":
      if (certificate === "equal")
        return `All ${plural(facts.tokens, "token")} of ${plural(facts.sequences, "sequence")} are equal bit for bit; ${formatLevel(test)} leaves open at most ${formatShare(facts.unequal_share_upper)} of tokens that are not.`;
      return `${formatDifferences(facts, first)}, but the tolerance is 0.`;
    case "missing":
      return `${plural(facts.one_sided, "token has", "tokens have")} a finite log-prob on one side only, and ${formatDifferences(facts, first)}.`;
    case "interval":
      return certificate === "equivalent"
        ? `${mean}, and below ${inNats(bounds.high)} with ${formatLevel(test)} confidence: within ${within}.`
        : `${mean}, and above ${inNats(bounds.low)} with ${formatLevel(test)} confidence: beyond ${within}.`;
    case "every_token":
      return `Every |Δ| is within ${within}: the largest is ${inNats(facts.delta_abs_max)}, the mean ${inNats(bounds.mean)}.`;
    case "too_few":
      return `${mean} over ${plural(bounds.clusters, unit)}: too few to judge it against ${within}.`;
    case "straddles":
      return `${mean}, and ${formatLevel(test)} confidence on either side leaves ${formatNumber(bounds.low)} to ${inNats(bounds.high)} open: neither within nor beyond ${within}.`;
    case "coverage":
      return `Only ${formatShare(shares.a)} of A's tokens and ${formatShare(shares.b)} of B's could be compared; a certificate needs ${formatPlainShare(LEAST_TOKEN_SHARE)} of both.`;
  }
}

/** Describes two runs with different texts. */
export function describeFigures(
  { basis, certificate }: Judgment,
  test: TestOptions,
  figure: RunFigure,
  clusters: number,
): string {
  const within = `${formatPlain(test.within)} nats`;
  const means = `Mean |Δ| is ${formatNumber(figure.a)} nats in A and ${formatNumber(figure.b)} in B`;
  const open = `${formatNumber(figure.difference_low)} to ${formatNumber(figure.difference_high)} nats`;
  if (basis === "too_few")
    return `${means}, over ${clusters} prompts or sequences in the smaller run: too few to judge their difference.`;
  const what = `${means}; their difference is ${open} with ${formatLevel(test)} confidence on either side`;
  if (certificate === "equivalent") return `${what}: within ${within}.`;
  if (certificate === "different") return `${what}: beyond ${within}.`;
  return `${what}: neither within nor beyond ${within}.`;
}
