import { spearmanTest } from "../../../core/statistics/correlation.ts";
import { studentQuantile } from "../../../core/statistics/mean-bound.ts";
import { endOf, type StepSeries, startOf } from "./series.ts";

/** Values of neighboring steps resemble each other; means of so many blocks hardly do, and cost little. */
const MOST_BLOCKS = 40;
/** That a series without a trend is said to have one. */
const TREND_RATE = 0.01;

export type Direction = "up" | "down" | "flat";

type Course = Pick<StepSeries, "steps" | "values">;

/**
 * Whether a series rises or falls: Spearman's correlation of its values with the steps (Daniels, "Rank correlation and
 * population models", JRSS B 12, 1950), over means of at most 40 blocks. `flat` where neither can be said.
 */
export function findTrend(course: Course, rate = TREND_RATE): Direction {
  const { steps, values } = toBlocks(course);
  if (values.length < 6) return "flat";
  const { statistic, pValue } = spearmanTest(steps, values);
  // Perfect order has no p-value by Student's t but 0.
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

/** From the beginning to the end, as a part of the larger of the two; 0 where both are 0. */
export function findGain({ values }: Course): number {
  const [start, end] = [startOf(values), endOf(values)];
  const size = Math.max(Math.abs(start), Math.abs(end));
  return size === 0 ? 0 : (end - start) / size;
}

/**
 * The rise over the whole course that 19 of 20 such courses stay below: least squares over block means, slope × span plus
 * 1.64 standard errors (Student's t).
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
