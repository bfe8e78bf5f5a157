/**
 * What a page asks of a correction: read, and in the neutral form that presets and the sweep know.
 *
 * @module
 */
import { UsageError } from "../../../../core/base/index.ts";
import type { ExactQuestion } from "../../../../results/index.ts";
import type { Correction, Measure, Step } from "../../../../trainers/neutral/index.ts";

const LEVELS = ["none", "token", "sequence", "geometric"] as const;
type Level = (typeof LEVELS)[number];
type Bounded = ExactQuestion["weights"];
type Rejection = ExactQuestion["mask"];

/**
 * The question as a page sent it.
 *
 * @throws UsageError saying which part is missing or out of range
 */
export function parseQuestion(value: unknown): ExactQuestion {
  if (typeof value !== "object" || value === null)
    throw new UsageError("the question must be an object with weights, mask and veto");
  const { weights, mask, veto = null, steps = null } = value as Record<string, unknown>;
  return {
    weights: bounded("weights", weights),
    mask: rejection(mask),
    veto: bound("veto", veto),
    steps: stepsOf(steps),
  };
}

function stepsOf(value: unknown): readonly [number, number] | null {
  if (value === null) return null;
  const [from, to] = Array.isArray(value) ? (value as unknown[]) : [];
  if (Number.isFinite(from) && Number.isFinite(to)) return [from as number, to as number];
  throw new UsageError("steps must be [first, last], or null");
}

function rejection(value: unknown): Rejection {
  const bounds = bounded("mask", value);
  const { action } = value as Record<string, unknown>;
  if (action === undefined) return bounds;
  if (action === "mask" || action === "zero") return { ...bounds, action };
  throw new UsageError("mask.action must be mask or zero");
}

function bounded(name: string, value: unknown): Bounded {
  const { level, upper = null, lower = null } = (value ?? {}) as Record<string, unknown>;
  if (!LEVELS.includes(level as Level))
    throw new UsageError(`${name}.level must be one of ${LEVELS.join(", ")}`);
  const bounds = { upper: bound(`${name}.upper`, upper), lower: bound(`${name}.lower`, lower) };
  if (bounds.upper !== null && bounds.lower !== null && bounds.lower > bounds.upper)
    throw new UsageError(`${name}.lower ${bounds.lower} is above ${name}.upper ${bounds.upper}`);
  return { level: level as Level, ...bounds };
}

function bound(name: string, value: unknown): number | null {
  if (value === null) return null;
  if (typeof value === "number" && Number.isFinite(value) && value > 0) return value;
  throw new UsageError(`${name} must be a ratio above 0, or null`);
}

const AGGREGATIONS = { sequence: "sum", geometric: "mean" } as const;

/** The question in the neutral form: weights truncated at their bounds, then the mask, then the veto. */
export function correctionOf({ weights, mask, veto }: ExactQuestion): Correction {
  const steps: Step[] = [];
  if (weights.level !== "none" && hasBound(weights)) steps.push({ action: "truncate", ...boundsOf(weights) });
  if (mask.level !== "none" && hasBound(mask))
    steps.push({ action: mask.action ?? "mask", measure: ratioAt(mask.level), ...boundsOf(mask) });
  if (veto !== null)
    steps.push({
      action: "veto",
      measure: { statistic: "ratio", level: "token", aggregation: "sum" },
      lower: veto,
    });
  if (weights.level === "none") return { steps };
  const { level, aggregation } = ratioAt(weights.level);
  return { weight: { level, aggregation }, steps };
}

function hasBound({ upper, lower }: Bounded): boolean {
  return upper !== null || lower !== null;
}

function boundsOf({ upper, lower }: Bounded): { upper?: number; lower?: number } {
  return { ...(upper !== null && { upper }), ...(lower !== null && { lower }) };
}

function ratioAt(level: Exclude<Level, "none">): Measure & { readonly aggregation: "sum" | "mean" } {
  if (level === "token") return { statistic: "ratio", level, aggregation: "sum" };
  return { statistic: "ratio", level: "sequence", aggregation: AGGREGATIONS[level] };
}
