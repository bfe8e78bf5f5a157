/**
 * Kinds of values that are not ordinary log-probs, and which values of a column are of which kind.
 *
 * @module
 */
import type { FloatArray } from "../core/base/index.ts";
import type { FindingCode, Severity } from "../core/schema/index.ts";

/** vLLM writes -inf as -9999. */
export const LOWEST = -9999;
/** The most that rounding can add to a log-prob of 0. */
const ROUNDING = 1e-3;
/**
 * If the other side's log-prob is below this, exactly 0 is more likely a placeholder than certainty: one side is certain of
 * a token that the other gives less than 1/e.
 */
export const CERTAIN_ELSEWHERE = -1;

export interface Kind {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly describe: (count: number, column: string) => string;
  readonly likely?: string;
}

export const KINDS = {
  low: {
    code: "sentinel",
    severity: "warning",
    describe: (count, column) => `${formatCountIs(count, column)} -9999 or below: read as missing`,
    likely: "vLLM writes -9999 where the probability is 0",
  },
  one: {
    code: "sentinel",
    severity: "warning",
    describe: (count, column) => `${formatCountIs(count, column)} exactly 1.0: read as missing`,
    likely: "open-instruct and Flash-RL put 1.0 where there is no log-prob",
  },
  nan: {
    code: "non-finite",
    severity: "warning",
    describe: (count, column) => `${formatCountIs(count, column)} missing or NaN where the mask is 1`,
  },
  infinite: {
    code: "non-finite",
    severity: "warning",
    describe: (count, column) => `${formatCountIs(count, column)} infinite`,
  },
  rounding: {
    code: "positive-logprob",
    severity: "info",
    describe: (count, column) =>
      `${formatCountIs(count, column)} above 0 by at most ${ROUNDING}: kept as rounding`,
  },
  positive: {
    code: "positive-logprob",
    severity: "warning",
    describe: (count, column) => `${formatCountIs(count, column)} positive: read as missing`,
    likely: "logits or rewards are mixed into the log-probs",
  },
  zero: {
    code: "suspicious-zero",
    severity: "warning",
    describe: (count, column) =>
      `${formatCountIs(count, column)} exactly 0 where the other side is below ${CERTAIN_ELSEWHERE}: kept`,
    likely: "the engine returned no log-probs for these tokens, and 0 was filled in",
  },
} as const satisfies Record<string, Kind>;

/** `1 rollout log-prob is`, `3 log-probs of base are`. */
function formatCountIs(count: number, column: string): string {
  return count === 1 ? `1 ${column.replace("log-probs", "log-prob")} is` : `${count} ${column} are`;
}

export type KindName = keyof typeof KINDS;

/** Counts per kind over a column, and where each kind was seen first. */
export interface Tally {
  readonly counts: Record<KindName, number>;
  readonly first: Partial<Record<KindName, number>>;
}

export function newTally(): Tally {
  return { counts: { low: 0, one: 0, nan: 0, infinite: 0, rounding: 0, positive: 0, zero: 0 }, first: {} };
}

/**
 * Counts everything that is not an ordinary log-prob.
 *
 * @param drop called with the tokens of placeholders and positive numbers, which it may change
 */
export function examine(
  values: FloatArray,
  mask: Uint8Array,
  other: FloatArray | undefined,
  tally: Tally,
  drop: (t: number) => void,
): void {
  const note = (kind: KindName, t: number): void => {
    if (mask[t] === 0) return;
    tally.counts[kind]++;
    tally.first[kind] ??= t;
  };
  for (let t = 0; t < values.length; t++) {
    const value = values[t]!;
    // Nearly every value ends here; NaN does not, since it is not below 0.
    if (value < 0 && value > LOWEST) continue;
    if (value === 0) {
      if (other !== undefined && other[t]! < CERTAIN_ELSEWHERE) note("zero", t);
    } else if (Number.isNaN(value)) note("nan", t);
    else if (value === -Infinity || value === Infinity) note("infinite", t);
    else if (value < 0) {
      note("low", t);
      drop(t);
    } else if (value <= ROUNDING) note("rounding", t);
    else {
      note(value === 1 ? "one" : "positive", t);
      drop(t);
    }
  }
}
