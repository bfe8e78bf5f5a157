/**
 * Both runs' pooled figures.
 *
 * @module
 */

import type { FigureKind } from "../../../../src/render/text/display/index.ts";
import { RUN_METRICS } from "../../../../src/results/metrics/run-metrics.ts";
import type { ReportMetrics } from "../../../../src/results/report.ts";

export interface ComparedFigure {
  readonly name: string;
  readonly help: string;
  readonly a: number | null;
  readonly b: number | null;
  /** b − a. */
  readonly difference: number | null;
  /** b / a; null if a is 0 or either is negative. */
  readonly ratio: number | null;
  readonly kind: FigureKind;
}

const FIGURES = [
  "sequences",
  "tokens",
  "delta_abs_mean",
  "delta_abs_p50",
  "delta_abs_p99",
  "delta_abs_p999",
  "delta_abs_max",
  "delta_mean",
  "k1",
  "k3",
  "chi2_token",
  "prob_diff_mean",
  "prob_diff_max",
  "ess",
  "pearson",
] as const satisfies readonly (keyof ReportMetrics)[];

export function comparedFigures(a: ReportMetrics, b: ReportMetrics): ComparedFigure[] {
  return FIGURES.map((key) => {
    const { label, meaning, kind } = RUN_METRICS[key];
    const [first, second] = [a[key] as number | null, b[key] as number | null];
    const both = typeof first === "number" && typeof second === "number";
    return {
      name: label,
      help: meaning,
      a: first,
      b: second,
      difference: both ? second - first : null,
      ratio: both && first > 0 && second >= 0 ? second / first : null,
      kind,
    };
  });
}
