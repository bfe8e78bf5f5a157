import { spearmanTest } from "../../../core/statistics/correlation.ts";
import { studentQuantile } from "../../../core/statistics/mean-bound.ts";
import { endOf, type StepSeries, startOf } from "./series.ts";

/** Neighboring steps are correlated; means of at most this many blocks hardly are, and cost little. */
const MOST_BLOCKS = 40;
/** Chance of finding a trend in a series without one. */
const TREND_RATE = 0.01;

export type Direction = "up" | "down" | "flat";

type Course = Pick<StepSeries, "steps" | "values">;

/**
 * Whether a series rises or falls: Spearman's correlation of its values with the steps (Daniels, "Rank correlation and
 * population models", JRSS B 12, 1950), over means of at most 40 blocks. `flat` if neither can be shown.
 */
export function findTrend(course: Course, rate = TREND_RATE): Direction {
  const { steps, values } = toBlocks(course);
  if (values.length < 6) return "flat";
  const { statistic, pValue } = spearmanTest(steps, values);
  // For perfect order, Student's t gives a p-value of 0.
  if (Number.isNaN(statistic) || pValue > rate) return "flat";
  return statistic > 0 ? "up" : "down";
}

function toBlocks({ steps, values }: Course): { steps: number[]; values: number[] } {
  const count = Math.min(MOST_BLOCKS, values.length);
  const average = (all: readonly number[], block: number): number => {
    const [from, to] = [block, block + 1].map((at) => Math.floor((at * all.length) / count)) as [
      number,
      number,
    ];
    return all.slice(from, to).reduce((sum, value) => sum + value, 0) / (to - from);
  };
  const blocks = Array.from({ length: count }, (_, block) => block);
  return {
    steps: blocks.map((block) => average(steps, block)),
    values: blocks.map((block) => average(values, block)),
  };
}

/** Change from beginning to end, relative to the larger of the two; 0 if both are 0. */
export function findGain({ values }: Course): number {
  const [start, end] = [startOf(values), endOf(values)];
  const size = Math.max(Math.abs(start), Math.abs(end));
  return size === 0 ? 0 : (end - start) / size;
}

/**
 * Upper bound on the rise over the whole course, valid for 19 of 20 such courses: least squares over block means, slope
 * × span plus 1.64 standard errors (Student's t).
 */
export function boundRise(course: Course): number {
  const { steps, values } = toBlocks(course);
  const n = values.length;
  const average = (all: readonly number[]): number => all.reduce((sum, value) => sum + value, 0) / n;
  const [x, y] = [average(steps), average(values)];
  let [squares, products] = [0, 0];
  for (let i = 0; i < n; i++) {
    squares += (steps[i]! - x) ** 2;
    products += (steps[i]! - x) * (values[i]! - y);
  }
  const slope = products / squares;
  let residual = 0;
  for (let i = 0; i < n; i++) residual += (values[i]! - y - slope * (steps[i]! - x)) ** 2;
  const error = Math.sqrt(residual / (n - 2) / squares);
  const span = course.steps.at(-1)! - course.steps[0]!;
  return span * (slope + studentQuantile(0.05, n - 2) * error);
}

/** The part of a course from an index on. */
export function tailFrom({ steps, values }: Course, at: number): Course {
  return { steps: steps.slice(at), values: values.slice(at) };
}
