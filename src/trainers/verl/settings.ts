/**
 * Parses verl's settings as verl does, including its error messages: `_parse_rollout_is_threshold` and
 * `_parse_rollout_rs_thresholds` of verl/trainer/ppo/rollout_corr_helper.py @ 1dda039b.
 *
 * @module
 */
import { UsageError } from "../../core/base/index.ts";
import type { Aggregation } from "../neutral/correction.ts";
import type { Setting, Settings } from "../shared/preset.ts";
import { parsePythonFloat, pythonFloat } from "../shared/python-text.ts";

/** Δ and the log of sequence ratios are clamped to ± this many nats (SAFETY_BOUND). */
export const VERL_BOUND = 20;

/** The measure of each rejection option. */
export const VERL_OPTIONS = [
  "token_k1",
  "token_k2",
  "token_k3",
  "seq_sum_k1",
  "seq_sum_k2",
  "seq_sum_k3",
  "seq_mean_k1",
  "seq_mean_k2",
  "seq_mean_k3",
  "seq_max_k2",
  "seq_max_k3",
] as const;
export type VerlOption = (typeof VERL_OPTIONS)[number];

export interface VerlImportance {
  readonly level: "token" | "sequence";
  readonly upper: number;
  /** With a lower bound (IcePop), weights outside the bounds are zeroed; without one they are clamped to `upper`. */
  readonly lower?: number;
  readonly normalize: boolean;
}

/** One entry of `rollout_rs`. */
export interface VerlRejection {
  readonly option: VerlOption;
  readonly statistic: "k1" | "k2" | "k3";
  readonly level: "token" | "sequence";
  readonly aggregation: Aggregation;
  /** Nats. Only k1 has one: the log of `ratios[0]`. */
  readonly lower?: number;
  /** Nats; for k1 the log of `ratios[1]`. */
  readonly upper: number;
  /** Only for k1, as given: bounds on π_rollout / π_train. */
  readonly ratios?: readonly [lower: number, upper: number];
  /** The threshold as written. */
  readonly spec: string;
}

export interface VerlPlan {
  /** Absent: no weights. */
  readonly importance?: VerlImportance;
  readonly rejections: readonly VerlRejection[];
}

/**
 * The meaning of the settings.
 *
 * @throws UsageError with verl's own message if verl would raise.
 */
export function readVerlSettings(settings: Settings): VerlPlan {
  const importance = readImportance(settings);
  return { ...(importance && { importance }), rejections: readRejections(settings) };
}

/** Statistic, level and aggregation of an option. */
function readVerlMeasure(option: VerlOption): Pick<VerlRejection, "statistic" | "level" | "aggregation"> {
  const statistic = option.slice(-2) as "k1" | "k2" | "k3";
  if (option.startsWith("token")) return { statistic, level: "token", aggregation: "mean" };
  return { statistic, level: "sequence", aggregation: option.split("_")[1] as Aggregation };
}

function readImportance(settings: Settings): VerlImportance | undefined {
  const level = settings.rollout_is ?? null;
  const threshold = settings.rollout_is_threshold ?? null;
  if (level === null || threshold === null) return undefined;
  if (level !== "token" && level !== "sequence") {
    throw new UsageError(`Invalid rollout_is: ${level}. Must be one of {'sequence', 'token'}.`);
  }
  const [lower, upper] = readIsThreshold(threshold);
  return {
    level,
    upper,
    ...(lower !== undefined && { lower }),
    normalize: settings.rollout_is_batch_normalize === true,
  };
}

function readIsThreshold(threshold: Exclude<Setting, null>): [lower: number | undefined, upper: number] {
  if (typeof threshold === "boolean") {
    throw new UsageError(
      "rollout_is_threshold must be specified as a float or a string threshold specification, not a boolean.",
    );
  }
  if (typeof threshold !== "number" && typeof threshold !== "string") {
    throw new UsageError("rollout_is_threshold must be a float or a string threshold specification.", {
      likely: "a pair of numbers is another trainer's form",
      hint: 'write "lower_upper", for instance "0.5_2.0"',
    });
  }
  const spec = String(threshold).trim();
  if (spec === "") throw new UsageError("rollout_is_threshold must not be an empty string.");
  const [first, second] = typeof threshold === "string" ? splitBounds(spec) : [spec];
  const bounds = (second === undefined ? [first] : [first, second]).map(parsePythonFloat);
  if (bounds.includes(undefined)) {
    throw new UsageError(`Invalid rollout_is_threshold '${threshold}'.`, {
      hint: 'write one number, or "lower_upper", for instance "0.5_2.0"',
    });
  }
  const upper = bounds.at(-1)!;
  const lower = bounds.length > 1 ? bounds[0] : undefined;
  if (upper <= 0) {
    throw new UsageError(`rollout_is_threshold upper bound must be positive, got ${pythonFloat(upper)}.`);
  }
  if (lower !== undefined && lower <= 0) {
    throw new UsageError(`rollout_is_threshold lower bound must be positive, got ${pythonFloat(lower)}.`);
  }
  if (lower !== undefined && lower > upper) {
    throw new UsageError("rollout_is_threshold lower bound must be <= upper bound.", {
      likely: `"${spec}" has its upper bound first`,
      hint: `write "${spec.split("_").reverse().join("_")}"`,
    });
  }
  return [lower, upper];
}

function readRejections(settings: Settings): VerlRejection[] {
  const list = settings.rollout_rs ?? null;
  const threshold = settings.rollout_rs_threshold ?? null;
  if (list === null) return [];
  if (threshold === null) {
    throw new UsageError(
      "rollout_rs_threshold must be explicitly provided when rollout_rs is enabled. Set rollout_rs_threshold to the desired threshold value.",
    );
  }
  if (typeof list !== "string") {
    throw new UsageError("rollout_rs must be a non-empty string (comma separated for multiple options).");
  }
  const named = commaList(list);
  if (named.length === 0) throw new UsageError("rollout_rs must contain at least one valid option.");
  for (const option of named) {
    if ((VERL_OPTIONS as readonly string[]).includes(option)) continue;
    const known = VERL_OPTIONS.toSorted().map((name) => `'${name}'`);
    throw new UsageError(`Invalid rollout_rs option: ${option}. Must be one of [${known.join(", ")}].`, {
      ...(option === "binary_kl" && { likely: "binary_kl came to verl after commit 1dda039b" }),
    });
  }
  const options = [...new Set(named as VerlOption[])];
  const specs = rejectionSpecs(threshold, options.length);
  return options.map((option, i) => readRejection(option, specs.length === 1 ? specs[0]! : specs[i]!));
}

function rejectionSpecs(threshold: Exclude<Setting, null>, options: number): readonly string[] {
  const specs =
    typeof threshold === "number"
      ? [pythonFloat(threshold)]
      : commaList(typeof threshold === "object" ? threshold.map(pythonFloat).join(",") : String(threshold));
  if (specs.length === 0) {
    throw new UsageError("rollout_rs_threshold must contain at least one threshold value.");
  }
  if (specs.length !== 1 && specs.length !== options) {
    throw new UsageError(
      `rollout_rs_threshold expects either one threshold shared by all options or exactly ${options} thresholds to match the provided rollout_rs options.`,
      {
        likely: `rollout_rs names ${options} different options, rollout_rs_threshold has ${specs.length} entries`,
      },
    );
  }
  return specs;
}

function readRejection(option: VerlOption, spec: string): VerlRejection {
  const measure = readVerlMeasure(option);
  if (measure.statistic !== "k1") {
    if (spec.includes("_")) {
      throw new UsageError(
        `rollout_rs_threshold for option '${option}' must provide a single upper bound without '_'. Received '${spec}'.`,
      );
    }
    const upper = parseThreshold(spec, spec, option);
    if (upper <= 0) throw new UsageError(`Threshold for option '${option}' must be positive, got ${spec}.`);
    return { option, ...measure, upper, spec };
  }
  const [first, second] = splitBounds(spec);
  if (second === undefined && parseThreshold(first, spec, option) === 0) {
    throw new UsageError(`Thresholds for option '${option}' must be positive, got ${spec}.`);
  }
  const upper = parseThreshold(second ?? first, spec, option);
  const lower = second === undefined ? 1 / upper : parseThreshold(first, spec, option);
  if (lower <= 0 || upper <= 0) {
    throw new UsageError(`Thresholds for option '${option}' must be positive, got ${spec}.`);
  }
  if (lower > upper) {
    throw new UsageError(`Thresholds for option '${option}' must be lower <= upper, got ${spec}.`, {
      likely:
        second === undefined
          ? `the single number ${spec} is the upper bound, and its lower bound is 1/${spec} = ${pythonFloat(lower)}`
          : `"${spec}" has its upper bound first`,
    });
  }
  return {
    option,
    ...measure,
    lower: Math.log(lower),
    upper: Math.log(upper),
    ratios: [lower, upper],
    spec,
  };
}

function parseThreshold(text: string, spec: string, option: VerlOption): number {
  const value = parsePythonFloat(text);
  if (value === undefined)
    throw new UsageError(`Invalid numeric threshold '${spec}' for option '${option}'.`);
  return value;
}

/** `text.split("_", 1)`. */
function splitBounds(text: string): [first: string, second?: string] {
  const at = text.indexOf("_");
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function commaList(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
