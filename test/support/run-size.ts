/**
 * How much a test tries: a few cases in `npm test`, all of them in `npm run test:long` (LOGRATIO_LONG=1), which also
 * uses another seed each time. Both assert the same.
 *
 * @module
 */
import { env } from "node:process";

/** Whether this is the long run. */
export const isLongRun = env.LOGRATIO_LONG === "1";

/** A number of cases: `ordinary` in `npm test`, `full` in the long run. */
export function sized(ordinary: number, full: number): number {
  return isLongRun ? full : ordinary;
}

/** Every case in the long run, else every `step`th from `first` on. */
export function sample<T>(cases: readonly T[], step: number, first = 0): readonly T[] {
  return isLongRun ? cases : cases.filter((_, index) => index % step === first % step);
}
