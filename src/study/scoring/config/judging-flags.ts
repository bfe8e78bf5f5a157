/**
 * Flags that decide how the tokens of scored texts are judged, as keys of a study's config.
 *
 * @module
 */
import { resolve } from "node:path";
import { isObject, UsageError } from "../../../core/base/index.ts";
import { defined } from "./merge-configs.ts";
import { ANALYSIS } from "./read-analysis.ts";
import type { StudyConfig } from "./read-config.ts";

/**
 * How tokens of scored texts are judged, as flags of `logratio kl`; `outcomes` is a file, or `policy=file` for each.
 */
export interface JudgingFlags {
  readonly outcomes?: string | readonly string[];
  readonly spikes?: string;
  readonly spikeThreshold?: number | string;
  readonly spikeDistance?: number | string;
  readonly spikePercentile?: number | string;
  readonly parity?: string;
  readonly floor?: number | string;
}

/** The names of all of them, in the order in which a part's settings name them. */
export const JUDGING_FLAGS = [
  "outcomes",
  "spikes",
  "spikeThreshold",
  "spikeDistance",
  "spikePercentile",
  "parity",
  "floor",
] as const satisfies readonly (keyof JudgingFlags)[];

/** Those that were given among other options. */
export function pickJudgingFlags(options: JudgingFlags): JudgingFlags {
  const given = JUDGING_FLAGS.filter((name) => options[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, options[name]]));
}

/** @throws UsageError when a flag makes no sense by itself */
export function readJudgingFlags(flags: JudgingFlags): StudyConfig {
  return defined({
    outcomes: parseOutcomes(flags.outcomes === undefined ? undefined : [flags.outcomes].flat()),
    spikes: defined({
      method: flags.spikes,
      threshold: parseNumber("--spike-threshold", flags.spikeThreshold),
      min_distance: parseNumber("--spike-distance", flags.spikeDistance),
      percentile: parseNumber("--spike-percentile", flags.spikePercentile),
    }),
    parity: flags.parity,
    floor: parseNumber("--floor", flags.floor),
  });
}

/** @throws UsageError when the text of a flag is not a number */
export function parseNumber(flag: string, given: number | string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const value = typeof given === "string" && given.trim() === "" ? Number.NaN : Number(given);
  if (Number.isFinite(value)) return value;
  throw new UsageError(`${flag} must be a number, not "${given}"`);
}

/** `name=value` flags as an object. */
export function parseNamed(
  flag: string,
  given: readonly string[] | undefined,
): Record<string, string> | undefined {
  if (given === undefined) return undefined;
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf("=");
      if (at <= 0) throw new UsageError(`${flag} must have the form name=value, not "${text}"`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

/** Made absolute, since the study keeps the paths and may be read from elsewhere. */
function parseOutcomes(given: readonly string[] | undefined): unknown {
  const [only] = given ?? [];
  if (given?.length === 1 && only?.includes("=") === false) return resolve(only);
  const files = Object.entries(parseNamed("--outcomes", given) ?? {});
  return given && Object.fromEntries(files.map(([name, file]) => [name, resolve(file)]));
}

/** How scores are read, as JSON: equal settings give equal text. Outcomes are data and are not included. */
export function writeSettings(config: StudyConfig): string {
  const kept = ANALYSIS.filter((name) => name !== "outcomes" && config[name] !== undefined);
  const sort = (name: string, value: unknown): unknown =>
    // The order of categories matters: the first that matches a token wins.
    name === "categories" || !isObject(value)
      ? value
      : Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify(Object.fromEntries(kept.map((name) => [name, sort(name, config[name])])));
}
