/**
 * Reads xtuner's `RolloutImportanceSampling` as xtuner does (InternLM/xtuner xtuner/v1/rl/rollout_is.py @ b934f462),
 * including its asserts.
 *
 * @module
 */
import { UsageError } from "../../core/base/index.ts";
import type { Bounds, Correction, Step, Weight } from "../neutral/correction.ts";
import type { Setting, Settings } from "../shared/preset.ts";
import { pythonFloat } from "../shared/python-text.ts";

/** Log-ratios are clamped to ± this many nats (SAFETY_BOUND). */
export const XTUNER_BOUND = 20;

export type XtunerLevel = "token" | "sequence" | "geometric";
export type XtunerMode = "truncate" | "mask" | "both";

export interface XtunerPlan {
  readonly level: XtunerLevel;
  readonly mode: XtunerMode;
  readonly bounds: Required<Bounds>;
  /** Used by modes mask and both. */
  readonly maskBounds: Required<Bounds>;
  readonly veto?: Required<Bounds>;
}

/**
 * The meaning of the settings; undefined when `rollout_is_threshold` is None, since xtuner then neither weights nor
 * masks.
 *
 * @throws UsageError with xtuner's own message when one of its asserts fails, and for a veto that would reject
 * everything.
 */
export function readXtunerSettings(settings: Settings): XtunerPlan | undefined {
  const threshold = settings.rollout_is_threshold ?? null;
  if (threshold === null) return undefined;
  const mode = settings.rollout_is_mode ?? null;
  if (mode !== "truncate" && mode !== "mask" && mode !== "both") {
    throw new UsageError(
      `Invalid rollout_is_mode: ${mode ?? "None"}. Must be 'truncate', 'mask', or 'both'.`,
    );
  }
  const level = settings.rollout_is_level ?? null;
  if (level !== "token" && level !== "sequence" && level !== "geometric") {
    throw new UsageError(
      `Invalid rollout_is_level: ${level ?? "None"}. Must be 'token', 'sequence', or 'geometric'.`,
    );
  }
  const bounds = orderedPair("rollout_is_threshold", "threshold", threshold);
  const maskThreshold = settings.rollout_is_mask_threshold ?? null;
  const maskBounds =
    maskThreshold === null
      ? bounds
      : orderedPair("rollout_is_mask_threshold", "mask_threshold", maskThreshold);
  const veto = settings.rollout_is_veto_threshold ?? null;
  return { level, mode, bounds, maskBounds, ...(veto !== null && { veto: vetoPair(veto) }) };
}

function makeXtunerWeight(level: XtunerLevel): Weight {
  return {
    level: level === "token" ? "token" : "sequence",
    aggregation: level === "geometric" ? "mean" : "sum",
    logBound: XTUNER_BOUND,
  };
}

/** The steps in xtuner's order: the mask uses weights before they are clamped, the veto comes last. */
export function xtunerCorrection(plan: XtunerPlan | undefined): Correction {
  if (!plan) return { steps: [] };
  const { level, mode, bounds, maskBounds, veto } = plan;
  const steps: Step[] = [];
  if (mode !== "truncate") steps.push({ action: "mask", measure: "weight", ...maskBounds });
  if (mode !== "mask") steps.push({ action: "truncate", ...bounds });
  if (veto) {
    steps.push({
      action: "veto",
      measure: { statistic: "ratio", level: "token", aggregation: "mean" },
      ...veto,
    });
  }
  return { weight: makeXtunerWeight(level), steps };
}

function orderedPair(name: string, quoted: string, value: Exclude<Setting, null>): Required<Bounds> {
  const [upper, lower] = pair(name, value);
  if (!(upper > lower)) {
    throw new UsageError(
      `upper_${quoted} must be greater than lower_${quoted}, but got ${pythonFloat(upper)} and ${pythonFloat(lower)}`,
      upper === lower
        ? { hint: "give two different bounds, the upper one first, such as (2.0, 0.5)" }
        : {
            likely: `${name} is (upper, lower), although xtuner's docstring shows (0.8, 1.2)`,
            hint: `write (${pythonFloat(lower)}, ${pythonFloat(upper)})`,
          },
    );
  }
  return { lower, upper };
}

function vetoPair(value: Exclude<Setting, null>): Required<Bounds> {
  const [upper, lower] = pair("rollout_is_veto_threshold", value);
  if (upper >= lower) return { lower, upper };
  throw new UsageError(
    `rollout_is_veto_threshold is (upper, lower), but got ${pythonFloat(upper)} and ${pythonFloat(lower)}: every ratio is below ${pythonFloat(lower)} or above ${pythonFloat(upper)}, so xtuner, which does not check this pair, would mask every sequence`,
    { hint: `write (${pythonFloat(lower)}, ${pythonFloat(upper)})` },
  );
}

function pair(name: string, value: Exclude<Setting, null>): readonly [number, number] {
  if (typeof value === "object" && value.length === 2) return value as [number, number];
  throw new UsageError(`${name} is a pair of numbers (upper, lower), not ${JSON.stringify(value)}`);
}
