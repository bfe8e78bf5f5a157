/**
 * Where a figure turns over training.
 *
 * The three methods are those of RL-Probe's detect_turning_points (scripts/04_visualize.py, commit 324de8ce).
 *
 * @module
 */
import { LengthMismatchError, UsageError } from "../../../core/base/index.ts";
import { findPeaks } from "./peaks.ts";
import { savitzkyGolay } from "./savitzky-golay.ts";

export type TurningPointMethod = "derivative" | "smooth_derivative" | "peaks";

export interface TurningPointOptions {
  readonly method: TurningPointMethod;
  /**
   * Smallest |value − before| + |after − value|; if set, the first and last checkpoint are left out, since they have
   * none.
   */
  readonly minChange?: number;
}

export interface FoundTurningPoint {
  /** Index in the series. */
  readonly index: number;
  readonly step: number;
  /** The series' value; the smoothed one for `smooth_derivative`. */
  readonly value: number;
  readonly type: "max" | "min" | "inflection";
}

/** A second difference below this multiple of the values' rounding error counts as 0. */
const ROUNDINGS = 16;

/**
 * Turning points of a series over training steps; none for fewer than three values.
 *
 * - `derivative`: the slope changes its sign. The second value is never one, even if it is an extremum: the original
 *   skips the first change of slope, and the report's figures must agree with it.
 * - `smooth_derivative`: the curvature of the smoothed series (from five values on: Savitzky-Golay, order 2, window
 *   3 up to seven values, else 5) changes its sign, is or stops being 0: inflections.
 * - `peaks`: maxima, then minima; a plateau is one peak.
 *
 * @param steps ascending, one per value
 * @throws LengthMismatchError, UsageError for a method that does not exist
 */
export function turningPoints(
  steps: ArrayLike<number>,
  values: ArrayLike<number>,
  options: TurningPointOptions,
): readonly FoundTurningPoint[] {
  if (steps.length !== values.length)
    throw new LengthMismatchError(`expected one value per step, got ${values.length} for ${steps.length}`, {
      found: values.length,
      expected: steps.length,
    });
  if (values.length < 3) return [];
  const found = pointsBy(options.method, steps, values);
  const { minChange } = options;
  if (minChange === undefined) return found;
  return found.filter(({ index, value }) => {
    const [before, after] = [values[index - 1], values[index + 1]];
    if (before === undefined || after === undefined) return false;
    return Math.abs(value - before) + Math.abs(after - value) >= minChange;
  });
}

function pointsBy(
  method: TurningPointMethod,
  steps: ArrayLike<number>,
  values: ArrayLike<number>,
): FoundTurningPoint[] {
  switch (method) {
    case "derivative":
      return slopeChanges(steps, values);
    case "smooth_derivative":
      return inflections(steps, values);
    case "peaks": {
      const point = (type: "max" | "min") => (index: number) => ({
        index,
        step: steps[index]!,
        value: values[index]!,
        type,
      });
      const valleys = findPeaks(Array.from(values, (value) => -value));
      return [...findPeaks(values).map(point("max")), ...valleys.map(point("min"))];
    }
    default:
      throw new UsageError(`unknown turning point method "${String(method satisfies never)}"`, {
        hint: "use derivative, smooth_derivative or peaks",
      });
  }
}

function slopeChanges(steps: ArrayLike<number>, values: ArrayLike<number>): FoundTurningPoint[] {
  const slopes = computeSlopes(steps, values);
  const found: FoundTurningPoint[] = [];
  for (let i = 1; i + 1 < slopes.length; i++) {
    const product = Math.sign(slopes[i]!) * Math.sign(slopes[i + 1]!);
    if (product !== -1) continue;
    const type = slopes[i]! < 0 ? "min" : "max";
    found.push({ index: i + 1, step: steps[i + 1]!, value: values[i + 1]!, type });
  }
  return found;
}

function inflections(steps: ArrayLike<number>, values: ArrayLike<number>): FoundTurningPoint[] {
  const n = values.length;
  const smoothed = n >= 5 ? savitzkyGolay(values, n < 8 ? 3 : 5, 2) : Float64Array.from(values);
  const slopes = computeSlopes(steps, smoothed);
  const signs: number[] = [];
  for (let i = 0; i + 1 < slopes.length; i++) {
    // Smoothing rounds, so the curvature of a straight line is nearly 0 with either sign.
    const largest = Math.max(Math.abs(smoothed[i]!), Math.abs(smoothed[i + 1]!), Math.abs(smoothed[i + 2]!));
    const width = Math.min(Math.abs(steps[i + 1]! - steps[i]!), Math.abs(steps[i + 2]! - steps[i + 1]!));
    const rounding = (ROUNDINGS * Number.EPSILON * largest) / width;
    const change = slopes[i + 1]! - slopes[i]!;
    signs.push(Math.abs(change) <= rounding ? 0 : Math.sign(change / (steps[i + 1]! - steps[i]!)));
  }
  const found: FoundTurningPoint[] = [];
  for (let i = 0; i + 1 < signs.length; i++) {
    if (signs[i] === signs[i + 1]) continue;
    found.push({ index: i + 2, step: steps[i + 2]!, value: smoothed[i + 2]!, type: "inflection" });
  }
  return found;
}

/** `[n − 1]`: the change to the next value over the change of step. */
function computeSlopes(steps: ArrayLike<number>, values: ArrayLike<number>): Float64Array {
  const slopes = new Float64Array(values.length - 1);
  for (let i = 0; i < slopes.length; i++)
    slopes[i] = (values[i + 1]! - values[i]!) / (steps[i + 1]! - steps[i]!);
  return slopes;
}
