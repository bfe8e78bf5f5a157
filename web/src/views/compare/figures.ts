/**
 * Both runs' pooled figures.
 *
 * @module
 */

import type { FigureKind } from "../../../../src/render/text/display/index.ts";
import type { ReportMetrics } from "../../../../src/results/index.ts";

export interface ComparedFigure {
  readonly name: string;
  readonly help: string;
  readonly a: number | null;
  readonly b: number | null;
  /** b − a. */
  readonly difference: number | null;
  /** b / a; null where a is 0, or one of them below it. */
  readonly ratio: number | null;
  readonly kind: FigureKind;
}

const FIGURES: readonly (readonly [keyof ReportMetrics, name: string, help: string, kind?: FigureKind])[] = [
  ["sequences", "sequences", "with a token in the mask", "count"],
  ["tokens", "tokens", "with mask 1 and both log-probs", "count"],
  ["delta_abs_mean", "mean |Δ|", "nats"],
  ["delta_abs_p50", "median |Δ|", "nats"],
  ["delta_abs_p99", "p99 |Δ|", "nats"],
  ["delta_abs_p999", "p99.9 |Δ|", "nats"],
  ["delta_abs_max", "max |Δ|", "nats"],
  ["delta_mean", "mean Δ", "nats, trainer − rollout", "signed"],
  ["k1", "k1", "nats"],
  ["k3", "k3", "nats"],
  ["chi2_token", "χ²", "mean ρ² − 1"],
  ["prob_diff_mean", "mean |Δp|", "of probabilities"],
  ["prob_diff_max", "max |Δp|", "of probabilities"],
  ["ess", "effective sample size", "share of the tokens", "near-one"],
  ["pearson", "Pearson", "correlation of both probabilities", "near-one"],
];

export function comparedFigures(a: ReportMetrics, b: ReportMetrics): ComparedFigure[] {
  return FIGURES.map(([key, name, help, kind = "number"]) => {
    const [first, second] = [a[key] as number | null, b[key] as number | null];
    const both = typeof first === "number" && typeof second === "number";
    return {
      name,
      help,
      a: first,
      b: second,
      difference: both ? second - first : null,
      ratio: both && first > 0 && second >= 0 ? second / first : null,
      kind,
    };
  });
}
