/**
 * Why a logged value differs from the dump's, if the numbers themselves show it.
 *
 * @module
 */
import { formatCount, plural } from "../../core/text/index.ts";
import { isTokenMean, runMetric } from "../../results/metrics/run-metrics.ts";
import type { StepMetrics } from "../../results/report.ts";
import type { RecognisedMetric } from "../../trainers/index.ts";

/** A step that is in the log and in the dumps. */
export interface ComparedStep {
  readonly step: number;
  readonly logged: number | null;
  /** Computed with the trainer's own formula. */
  readonly formula: number | null;
  readonly right: number | null;
  readonly metrics: StepMetrics;
}

/** Logs are rounded, and trainers compute in float32 or less. */
const RELATIVE = 1e-3;
const ABSOLUTE = 1e-6;
/** Number of steps that must agree on the width of padded batches; for one step any width would fit by chance. */
const FEWEST_STEPS = 2;
const WIDTH_TOLERANCE = 2e-3;

export function expected({ formula, right }: ComparedStep): number | null {
  return formula ?? right;
}

/** Whether two values are equal up to rounding. Figures near 1 are judged by their difference from 1. */
export function agrees(a: number | null, b: number | null, { figure }: RecognisedMetric): boolean {
  if (a === null || b === null) return a === b;
  const isNearOne = figure !== undefined && runMetric(figure).kind === "near-one";
  const size = isNearOne ? Math.max(Math.abs(1 - a), Math.abs(1 - b)) : Math.max(Math.abs(a), Math.abs(b));
  return Math.abs(a - b) <= RELATIVE * size + ABSOLUTE;
}

/** The reason that fits every step; null if none does. */
export function findReason(steps: readonly ComparedStep[], metric: RecognisedMetric): string | null {
  const finite = steps.filter((step) => step.logged !== null && expected(step) !== null);
  if (finite.length === 0) return null;
  const all = (fits: (logged: number, right: number, step: ComparedStep) => boolean): boolean =>
    finite.every((step) => fits(step.logged as number, expected(step) as number, step));
  if (metric.worse === "away" && metric.neutral !== 1 && all((a, b) => agrees(a, -b, metric)))
    return "the sign is reversed: the log has trainer − rollout, or the two sides of the dump are exchanged";
  return findPadding(finite, metric) ?? metric.quirk ?? null;
}

/** A mean that includes padding is smaller by tokens / (sequences × width), with the same width in every step. */
function findPadding(steps: readonly ComparedStep[], { figure }: RecognisedMetric): string | null {
  if (figure === undefined || !isTokenMean(figure) || steps.length < FEWEST_STEPS) return null;
  const widths = steps.map((step) => {
    const { tokens, sequences } = step.metrics;
    return (tokens * (expected(step) as number)) / ((step.logged as number) * sequences);
  });
  const width = Math.round(widths[0] ?? Number.NaN);
  const [first] = steps;
  if (first === undefined || !Number.isFinite(width)) return null;
  const isOne = widths.every((each) => Math.abs(each - width) <= WIDTH_TOLERANCE * width);
  const isLonger = steps.every(({ metrics: { tokens, sequences } }) => width * sequences > tokens * 1.01);
  if (!isOne || !isLonger) return null;
  const { tokens, sequences } = first.metrics;
  return `padding was counted: the mean is over ${formatCount(sequences)} × ${formatCount(width)} positions, of which ${plural(tokens, "token")} ${tokens === 1 ? "is" : "are"} in the mask`;
}
