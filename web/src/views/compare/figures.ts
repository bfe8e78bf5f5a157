/**
 * Both runs' pooled figures.
 *
 * @module
 */

import type { FigureKind } from "../../../../src/render/text/display/index.ts";
import { metricsAt, runMetric } from "../../../../src/results/metrics/run-metrics.ts";
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

export function comparedFigures(a: ReportMetrics, b: ReportMetrics): ComparedFigure[] {
  return metricsAt("pooled").map((key) => {
    const { label, meaning, kind } = runMetric(key);
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
