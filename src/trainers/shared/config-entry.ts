/**
 * The common form of all config formats: settings with a dotted path, a value and a line.
 *
 * @module
 */
import type { Setting } from "./preset.ts";

export type ConfigFormat = "yaml" | "json" | "toml" | "python" | "command line";

export interface Entry {
  /** Normalized: dashes become underscores, `--` and `+` are dropped. List items are numbered from 0. */
  readonly path: readonly string[];
  /** The key as written in the file: `--tis-clip`, `algorithm.rollout_correction.rollout_is`. */
  readonly key: string;
  /** Undefined when only the run knows the value (a variable, an expression, a table of another shape). */
  readonly value: Setting | undefined;
  /** The value as written, without quotes. */
  readonly text: string;
  readonly quoted: boolean;
  /** One-based. */
  readonly line: number;
  /** The included file that has it, as the config would name it; absent for the config itself. */
  readonly file?: string;
  /** Why the value is unknown, or what it depends on. */
  readonly unsure?: string;
}

/** One config in a file: a YAML document, a call, a command. */
export interface ConfigDocument {
  readonly format: ConfigFormat;
  /** Its name in the file, for instance `document 2` or `RolloutImportanceSampling(…)`. */
  readonly name: string;
  /** For a Python call, the callee's last name. */
  readonly callee?: string;
  readonly line: number;
  readonly entries: readonly Entry[];
}

/** Where a finding about the entry is. */
export function placeOf({ key, line, file }: Entry): Pick<Entry, "key" | "line" | "file"> {
  return { key, line, ...(file !== undefined && { file }) };
}

/** `algorithm.rollout_correction.rollout_is` and `--tis-clip-low` as path parts. */
export function normalizedPath(key: string): string[] {
  return key
    .replace(/^(--|[+~]{1,2})/, "")
    .replaceAll("-", "_")
    .split(".");
}

/** True when the entry's path ends with these parts. */
export function endsWith({ path }: Entry, parts: readonly string[]): boolean {
  const from = path.length - parts.length;
  return from >= 0 && parts.every((part, i) => path[from + i] === part);
}

/** An unquoted scalar as YAML 1.1, hydra and argparse all read it: numbers, booleans, null; else text. */
export function plainValue(text: string): Setting {
  if (/^(null|~|)$/i.test(text)) return null;
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
  return plainNumber(text) ?? text;
}

/** `_` between digits is a thousands separator to all three, so `0.5_2` is 0.52; `0.5_2.0` is not a number. */
export function plainNumber(text: string): number | undefined {
  if (/^[+-]?\d[\d_]*\.?[\d_]*$/.test(text) && /\d_\d/.test(text) && !/^[+-]?0_/.test(text)) {
    return Number(text.replaceAll("_", ""));
  }
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text);
  if (/^[+-]?\.?inf(inity)?$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  return undefined;
}

/** A pair or list of numbers; undefined when it contains anything else. */
export function numberList(items: readonly (Setting | undefined)[]): readonly number[] | undefined {
  return items.length > 0 && items.every((item) => typeof item === "number")
    ? (items as number[])
    : undefined;
}
