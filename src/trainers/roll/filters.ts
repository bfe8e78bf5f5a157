import { UsageError } from "../../core/base/index.ts";
import type { Aggregation, Bounds, Level, Measure, Reject, Step } from "../neutral/correction.ts";

export const ROLL_AGG_TYPES = ["token", "segment", "geometric", "sequence"] as const;
export type RollAggType = (typeof ROLL_AGG_TYPES)[number];

/** ROLL's names for level and aggregation of a log-ratio; a segment is a turn, with a geometric mean ratio. */
export const ROLL_LEVELS: Readonly<Record<RollAggType, { level: Level; aggregation: "sum" | "mean" }>> = {
  token: { level: "token", aggregation: "sum" },
  segment: { level: "turn", aggregation: "mean" },
  geometric: { level: "sequence", aggregation: "mean" },
  sequence: { level: "sequence", aggregation: "sum" },
};

/** One side of one entry of ROLL's `filters`: bounds on the ratio or on the probability difference. */
export interface RollFilter {
  readonly aggType: RollAggType;
  readonly on: "ratio" | "diff";
  /** May be -Infinity. */
  readonly low: number;
  /** May be Infinity. */
  readonly high: number;
}

/**
 * `agg_type:ratio|diff:low:high`, separated by commas; low and high may be `-inf` and `inf`. Empty text is not a filter.
 * Each becomes one entry of ROLL's list with the other kind of bound switched off.
 *
 * @throws UsageError for anything else, quoting the entry.
 */
export function parseRollFilters(text: string): readonly RollFilter[] {
  const entries = text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  return entries.map((entry) => {
    const [aggType, on, low, high, ...rest] = entry.split(":").map((part) => part.trim());
    if (!ROLL_AGG_TYPES.includes(aggType as RollAggType)) {
      throw refused(entry, `ROLL's agg_type is Literal["${ROLL_AGG_TYPES.join('", "')}"]`);
    }
    if (on !== "ratio" && on !== "diff") throw refused(entry, "after agg_type comes ratio or diff");
    const bounds = [low, high].map(toBound);
    if (rest.length > 0 || bounds.some(Number.isNaN))
      throw refused(entry, "then two numbers, the lower first");
    if (bounds[0]! > bounds[1]!) {
      throw refused(entry, "ROLL would take it and mask every token: it keeps low ≤ value ≤ high");
    }
    return { aggType: aggType as RollAggType, on, low: bounds[0]!, high: bounds[1]! };
  });
}

/** The text of filters, as `parseRollFilters` reads it. */
export function rollFiltersText(filters: readonly RollFilter[]): string {
  return filters
    .map(({ aggType, on, low, high }) => `${aggType}:${on}:${boundText(low)}:${boundText(high)}`)
    .join(",");
}

/** Undefined when the filter keeps everything. */
export function rollFilterStep({ aggType, on, low, high }: RollFilter): Reject | undefined {
  const { level, aggregation } = ROLL_LEVELS[aggType];
  const floor = on === "ratio" ? 0 : Number.NEGATIVE_INFINITY;
  const bounds: Bounds = {
    ...(low > floor && { lower: low }),
    ...(Number.isFinite(high) && { upper: high }),
  };
  if (bounds.lower === undefined && bounds.upper === undefined) return undefined;
  return {
    action: "mask",
    measure: { statistic: on === "ratio" ? "ratio" : "prob_diff", level, aggregation },
    ...bounds,
  };
}

/** The filter equivalent to a step; undefined when ROLL has none. */
export function toRollFilter(step: Step): RollFilter | undefined {
  if (step.action !== "mask" || step.measure === "weight") return undefined;
  const { statistic, level, aggregation } = step.measure;
  const aggType = rollAggType(level, aggregation);
  if (!aggType || (statistic !== "ratio" && statistic !== "prob_diff")) return undefined;
  const on = statistic === "ratio" ? "ratio" : "diff";
  const floor = on === "ratio" ? 0 : Number.NEGATIVE_INFINITY;
  return { aggType, on, low: step.lower ?? floor, high: step.upper ?? Number.POSITIVE_INFINITY };
}

export function rollAggType(level: Level, aggregation: Measure["aggregation"]): RollAggType | undefined {
  const known = (name: RollAggType): boolean => {
    const own: { level: Level; aggregation: Aggregation } = ROLL_LEVELS[name];
    return own.level === level && (level === "token" || own.aggregation === aggregation);
  };
  return ROLL_AGG_TYPES.find(known);
}

function toBound(text: string | undefined): number {
  if (text === undefined || text === "") return Number.NaN;
  if (/^[+-]?\.?inf(inity)?$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  return Number(text);
}

function boundText(value: number): string {
  return Number.isFinite(value) ? String(value) : value > 0 ? "inf" : "-inf";
}

function refused(entry: string, why: string): UsageError {
  return new UsageError(`roll: cannot use the filter ${JSON.stringify(entry)}: ${why}`, {
    hint: "write for instance token:ratio:0.8:1.2,sequence:diff:-0.2:0.2",
  });
}
