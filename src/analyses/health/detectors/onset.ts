/**
 * Since when something holds: found by the change-point method if the level jumps, else by the running median.
 *
 * @module
 */
import { findChangePoints } from "../../../core/statistics/change-points.ts";
import { median } from "../../../core/statistics/median.ts";
import { runningMedian, type StepSeries } from "./series.ts";

type Course = Pick<StepSeries, "steps" | "values">;

/** Below this, logarithms would distinguish numbers that are all nearly 0. */
const LEAST = 1e-4;
/** A jump that makes up half of a change is most of it. */
const MOST = 0.5;
/** Values on either side of a window's center: more take time and locate the step less exactly. */
const MOST_HALF = 25;
/** Values considered on either side of a jump. */
const NEAR = 5;

/** Indices at which the level of a series jumps, in logarithms. */
function findJumps({ values }: Course): number[] {
  return findChangePoints(values.map(logOf), new Float64Array(values.length));
}

/**
 * The first step from which every running median is beyond; moved to a jump within its window. Null if the series ends
 * within bounds.
 */
export function findOnset(course: Course, isBeyond: (value: number) => boolean): number | null {
  const { steps, values } = course;
  const width = 2 * Math.min(MOST_HALF, Math.max(1, Math.floor(values.length / 40))) + 1;
  const smooth = runningMedian(values, width);
  let at = smooth.length;
  while (at > 0 && isBeyond(smooth[at - 1]!)) at--;
  if (at === smooth.length) return null;
  if (at === 0) return steps[0]!;
  const near = findJumps(course).filter((jump) => Math.abs(jump - at) <= width);
  const nearest = near.sort((a, b) => Math.abs(a - at) - Math.abs(b - at))[0];
  return steps[nearest ?? at]!;
}

/**
 * The step of a jump that makes up most of the fall from `start` to `end`, judged by the few values on either side: a
 * steady fall has none. Null if there is none.
 */
export function findDrop(course: Course, start: number, end: number): number | null {
  const { steps, values } = course;
  let [best, found] = [MOST * (start - end), null as number | null];
  for (const cut of findJumps(course)) {
    const before = median(values.slice(Math.max(0, cut - NEAR), cut));
    const fall = before - median(values.slice(cut, cut + NEAR));
    if (fall >= best) [best, found] = [fall, steps[cut]!];
  }
  return found;
}

const logOf = (value: number): number => Math.log(Math.max(LEAST, value));
