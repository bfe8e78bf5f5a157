import { wilson } from "../../../core/statistics/clusters.ts";
import type { HealthStep } from "../../../results/health.ts";
import { findOnset } from "./onset.ts";
import { FEWEST } from "./series.ts";

export interface ShareAtEnd {
  readonly value: number;
  /** Null if the dump has too few steps to say. */
  readonly since: number | null;
  readonly first: number | undefined;
  /** Whether the whole 95 % interval of the share (Wilson's) is above the limit. */
  readonly isSure: boolean;
  /** Whether the dump has enough steps to speak of a trend over the run. */
  readonly isLong: boolean;
}

/** A share in the last quarter of a dump's steps, or in more steps if these have too little data, and since when. */
export function shareAtEnd(perStep: readonly HealthStep[], least: number, limit: number): ShareAtEnd {
  const known = perStep.flatMap(({ step, count, of }) =>
    step === null || of === 0 ? [] : [{ step, count, of }],
  );
  const used = known.length === perStep.length ? known : perStep;
  const quarter = used.length - Math.max(1, Math.floor(used.length / 4));
  let [count, of] = [0, 0];
  for (let at = used.length - 1; at >= 0 && (at >= quarter || of < least); at--) {
    count += used[at]!.count;
    of += used[at]!.of;
  }
  const course = { steps: known.map(({ step }) => step), values: known.map((one) => one.count / one.of) };
  const isLong = known.length >= FEWEST;
  return {
    value: count / of,
    since: isLong ? findOnset(course, (one) => one > limit) : null,
    first: known[0]?.step,
    isSure: wilson(count / of, of).low > limit,
    isLong,
  };
}
