import type { MismatchReport } from "../../results/report.ts";
import { CONDITION_LEVELS, type Operator, type VerdictCondition } from "./condition.ts";

/** Whether a condition is shown to hold, shown not to, or neither. */
export type Holding = "holds" | "fails" | "open";

const COMPARE: Readonly<Record<Operator, (value: number, bound: number) => boolean>> = {
  "<=": (value, bound) => value <= bound,
  ">=": (value, bound) => value >= bound,
  "==": (value, bound) => value === bound,
  "!=": (value, bound) => value !== bound,
  "<": (value, bound) => value < bound,
  ">": (value, bound) => value > bound,
};

/** Whether a value meets the bound; false for NaN. */
export function meets(value: number, operator: Operator, bound: number): boolean {
  return !Number.isNaN(value) && COMPARE[operator](value, bound);
}

/**
 * Judges a condition on a figure known only within an interval: it holds if it does at both ends, fails if it does at
 * neither, and is open if they disagree. `==` and `!=` use the value itself.
 */
export function judgeInterval(
  value: number,
  interval: { readonly low: number; readonly high: number } | null,
  operator: Operator,
  bound: number,
): Holding {
  if (interval === null || operator === "==" || operator === "!=")
    return meets(value, operator, bound) ? "holds" : "fails";
  const ends = [meets(interval.low, operator, bound), meets(interval.high, operator, bound)];
  if (ends[0] !== ends[1]) return "open";
  return ends[0] ? "holds" : "fails";
}

/**
 * The same for a verdict whose level is known within a range. `too_few` is not a level, so no condition on it holds.
 */
export function judgeVerdict(
  { level_range: range }: MismatchReport["verdict"],
  { operator, level }: Pick<VerdictCondition, "operator" | "level">,
): Holding {
  const place = (one: string): number => (CONDITION_LEVELS as readonly string[]).indexOf(one);
  const [low, high] = [place(range[0]), place(range[1])];
  if (low < 0 || high < 0) return "open";
  const wanted = place(level);
  const all = Array.from({ length: high - low + 1 }, (_, at) => meets(low + at, operator, wanted));
  if (all.every((one) => one)) return "holds";
  return all.some((one) => one) ? "open" : "fails";
}
