/**
 * Flags that decide how the tokens of scored texts are judged, as keys of a study's config.
 *
 * @module
 */
import { resolve } from "node:path";
import { isObject } from "../../../core/base/index.ts";
import { JUDGING_FLAGS, JUDGING_OPTIONS, type JudgingFlags } from "../../flags.ts";
import { configFromFlags, parseNamed } from "./config-from-flags.ts";
import { defined } from "./merge-configs.ts";
import { ANALYSIS } from "./read-analysis.ts";
import type { StudyConfig } from "./read-config.ts";

/** Those that were given among other options. */
export function pickJudgingFlags(options: JudgingFlags): JudgingFlags {
  const given = JUDGING_OPTIONS.filter((name) => options[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, options[name]]));
}

/** @throws UsageError when a flag makes no sense by itself */
export function readJudgingFlags(flags: JudgingFlags): StudyConfig {
  return defined({ outcomes: parseOutcomes(flags.outcomes), ...configFromFlags(JUDGING_FLAGS, flags) });
}

/** Made absolute, since the study keeps the paths and may be read from elsewhere. */
function parseOutcomes(outcomes: JudgingFlags["outcomes"]): unknown {
  if (outcomes === undefined) return undefined;
  const given = [outcomes].flat();
  const [only] = given;
  if (given.length === 1 && only?.includes("=") === false) return resolve(only);
  const files = Object.entries(parseNamed("--outcomes", given));
  return Object.fromEntries(files.map(([name, file]) => [name, resolve(file)]));
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
