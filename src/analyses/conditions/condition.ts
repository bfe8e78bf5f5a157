import { UsageError } from "../../core/base/index.ts";
import type { VerdictLevel } from "../../results/report.ts";
import type { WatchAlarm } from "../../results/watch.ts";
import { type FigureName, parseFigureName } from "./figure-name.ts";

export type Operator = "<=" | ">=" | "==" | "!=" | "<" | ">";

/** Levels of a verdict, mildest first; `verdict <= elevated` compares by this order. */
export const CONDITION_LEVELS: readonly ConditionLevel[] = [
  "none",
  "normal",
  "elevated",
  "high",
  "broken",
  "fault",
  "not_comparable",
];

/** The levels that have an order; `too_few` has none. */
export type ConditionLevel = Exclude<VerdictLevel, "too_few">;

export interface FigureCondition {
  readonly kind: "figure";
  /** As displayed, regardless of the spaces typed. */
  readonly text: string;
  readonly figure: FigureName;
  readonly operator: Operator;
  readonly bound: number;
}

export interface VerdictCondition {
  readonly kind: "verdict";
  readonly text: string;
  readonly operator: Operator;
  readonly level: ConditionLevel;
}

/** Holds once a test that is valid however often it is checked has found a change (`watch` of `report --json`). */
export interface ChangeCondition {
  readonly kind: "changed";
  readonly text: string;
  /** Null: either. */
  readonly test: WatchAlarm["test"] | null;
}

export type Condition = FigureCondition | VerdictCondition | ChangeCondition;

const MOST_CHARACTERS = 500;
const CHANGED = /^changed(?:\(\s*([a-z_]*)\s*\))?$/;
const TESTS: readonly WatchAlarm["test"][] = ["unit_mean", "delta_abs_mean"];
const EXAMPLES = "delta_abs_mean <= 0.015, per_step.k3 < 0.01, verdict <= elevated, changed(delta_abs_mean)";

/**
 * Reads a condition: FIGURE OPERATOR NUMBER, `verdict` OPERATOR LEVEL, or `changed(TEST)`.
 *
 * @throws UsageError if it does not parse, or names something that does not exist
 */
export function parseCondition(given: string): Condition {
  if (given.length > MOST_CHARACTERS)
    throw new UsageError(`the condition has ${given.length} characters, more than ${MOST_CHARACTERS}`);
  const text = given.trim();
  if (/^changed\b/.test(text)) return parseChange(text);
  // Names of logged metrics may contain almost anything except comparison signs.
  const [, name, operator, bound] = /^([^<>=!]+?)\s*(<=|>=|==|!=|<|>)\s*([^<>=!]+)$/s.exec(text) ?? [];
  if (name === undefined || operator === undefined || bound === undefined)
    throw new UsageError(`cannot read the condition "${text}"`, { hint: `write it as ${EXAMPLES}` });
  const figure = parseFigureName(name);
  const shown = `${figure.text} ${operator} ${bound.trim()}`;
  if (figure.group === "verdict")
    return { kind: "verdict", text: shown, operator: operator as Operator, level: parseLevel(bound, text) };
  return {
    kind: "figure",
    text: shown,
    figure,
    operator: operator as Operator,
    bound: parseBound(bound, text),
  };
}

function parseChange(text: string): ChangeCondition {
  const match = CHANGED.exec(text);
  const test = match?.[1] || undefined;
  if (match === null || (test !== undefined && !TESTS.some((one) => one === test)))
    throw new UsageError(`cannot read the condition "${text}"`, {
      hint: `write changed, ${TESTS.map((one) => `changed(${one})`).join(" or ")}`,
    });
  return {
    kind: "changed",
    text: test === undefined ? "changed" : `changed(${test})`,
    test: (test as WatchAlarm["test"] | undefined) ?? null,
  };
}

function parseBound(given: string, text: string): number {
  const bound = given.trim();
  const value = /^[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(bound)
    ? Number(bound.replaceAll("_", ""))
    : Number.NaN;
  if (Number.isFinite(value)) return value;
  throw new UsageError(`cannot read the condition "${text}": "${bound}" is not a finite number`, {
    hint: "write shares as fractions of 1 and log quantities in nats, without a unit",
  });
}

function parseLevel(given: string, text: string): ConditionLevel {
  const level = CONDITION_LEVELS.find((one) => one === given.trim());
  if (level !== undefined) return level;
  throw new UsageError(
    `cannot read the condition "${text}": "${given.trim()}" is not a level of the verdict`,
    {
      hint: `levels are ${CONDITION_LEVELS.join(", ")}`,
    },
  );
}
