/**
 * Categories from plain configuration data.
 *
 * @module
 */
import { isObject, UsageError } from "../../../core/base/index.ts";
import { type Category, DEFAULT_CATEGORIES, OTHER, trimToken } from "./categories.ts";

/** The configuration of one category. */
export interface CategoryConfig {
  /** Whole tokens, ignoring case and surrounding space. */
  readonly words?: readonly string[];
  /** JavaScript regular expressions (Unicode, ignoring case) that a trimmed token must fit from its first character. */
  readonly patterns?: readonly string[];
  /** The category to try it before; by default it is tried last. */
  readonly before?: string;
}

/** A text that only a pattern without any particular content matches. */
const UNUSUAL = "\u{f0000}";
const FIELDS: readonly string[] = ["words", "patterns", "before"];

/**
 * Adds categories to the existing ones. An existing name gets the new words and patterns too.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { classifyToken, extendCategories } from "logratio/internal/study/analysis";
 *
 * const latex = { words: ["$", "$$"], patterns: ["\\\\[a-z]+"], before: "math_symbol" };
 * assert.equal(classifyToken("$$", extendCategories({ latex })), "latex");
 * ```
 *
 * @throws UsageError for anything that is not such a configuration, a pattern that is not a regular expression or
 * matches everything, the name `other`, or a `before` that names no category
 */
export function extendCategories(
  additions: Readonly<Record<string, CategoryConfig>>,
  categories: readonly Category[] = DEFAULT_CATEGORIES,
): readonly Category[] {
  if (!isObject(additions))
    throw new UsageError(`token categories must be an object with names as keys, not ${shown(additions)}`);
  const all = [...categories];
  for (const [name, config] of Object.entries(additions)) {
    if (name === OTHER || name.trim() === "")
      throw new UsageError(`a token category cannot be named "${name}"`, {
        hint: `"${OTHER}" is what fits no category: choose another name`,
      });
    const added = readCategory(name, config);
    const place = all.findIndex((category) => category.name === name);
    const existing = all[place];
    if (existing === undefined) all.splice(placeBefore(name, config.before, all), 0, added);
    else if (config.before !== undefined)
      throw new UsageError(
        `token category "${name}" exists already, so it cannot be put before "${config.before}"`,
      );
    else
      all[place] = {
        name: existing.name,
        words: [...existing.words, ...added.words],
        patterns: [...existing.patterns, ...added.patterns],
      };
  }
  return all;
}

function placeBefore(name: string, before: string | undefined, all: readonly Category[]): number {
  if (before === undefined || before === OTHER) return all.length;
  const place = all.findIndex((category) => category.name === before);
  if (place >= 0) return place;
  throw new UsageError(
    `token category "${name}" is to be tried before "${before}", which is not a category`,
    {
      hint: `there are ${all.map((category) => category.name).join(", ")}`,
    },
  );
}

function readCategory(name: string, config: CategoryConfig): Category {
  if (!isObject(config))
    throw new UsageError(
      `token category "${name}" is an object with words and patterns, not ${shown(config)}`,
    );
  const unknown = Object.keys(config).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined)
    throw new UsageError(`token category "${name}" has a field "${unknown}"`, {
      hint: `a category has ${FIELDS.join(", ")}`,
    });
  if (config.before !== undefined && typeof config.before !== "string")
    throw new UsageError(
      `"before" of token category "${name}" is the name of a category, not ${shown(config.before)}`,
    );
  const words = strings(name, "words", config.words).map((word) => trimToken(word).toLowerCase());
  const patterns = strings(name, "patterns", config.patterns).map((source) => readPattern(name, source));
  if (words.length + patterns.length === 0)
    throw new UsageError(`token category "${name}" has neither words nor patterns: no token can fit it`);
  return { name, words, patterns };
}

function strings(name: string, field: string, value: unknown): readonly string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw new UsageError(`"${field}" of token category "${name}" is a list of texts, not ${shown(value)}`);
}

function readPattern(name: string, source: string): RegExp {
  try {
    // Tried alone first: the parentheses put around it must not close a stray one.
    new RegExp(source, "iu");
    const pattern = new RegExp(`^(?:${source})`, "iu");
    if (!(pattern.test("") && pattern.test(UNUSUAL))) return pattern;
  } catch (cause) {
    throw new UsageError(
      `pattern ${JSON.stringify(source)} of token category "${name}" is not a regular expression: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        likely: "it is not written for JavaScript, or lost its backslashes in the configuration",
        hint: "in JSON a backslash is written twice",
        cause,
      },
    );
  }
  throw new UsageError(`pattern ${JSON.stringify(source)} of token category "${name}" fits every token`, {
    hint: "end it with $, or ask for at least one character",
  });
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 60);
}
