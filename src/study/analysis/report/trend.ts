import { spearmanTest } from "../../../core/statistics/correlation.ts";
import { driftTest } from "../../../core/statistics/drift.ts";
import type { Trend } from "../../results/checkpoints.ts";
import { finite } from "./numbers.ts";

/** With fewer checkpoints, their order says nothing. */
const FEWEST_CHECKPOINTS = 4;
/** With fewer checkpoints, there are too few increments for a test. */
const FEWEST_TESTED = 6;

/**
 * Whether a figure drifts over training. Values of successive checkpoints depend on each other: even a random walk is
 * usually rank-correlated with the step, so no test on the values themselves is valid. Instead, the increments are
 * tested (`driftTest`).
 *
 * @returns undefined for fewer than four checkpoints or if all values are equal; p is null for fewer than six
 * checkpoints
 */
export function findTrend(steps: readonly number[], values: readonly number[]): Trend | undefined {
  const { statistic: rho } = spearmanTest(steps, values);
  if (values.length < FEWEST_CHECKPOINTS || Number.isNaN(rho)) return undefined;
  return { rho, p_value: values.length < FEWEST_TESTED ? null : finite(driftTest(steps, values).pValue) };
}
