/**
 * Names in files of prompts, responses and facts about them.
 *
 * @module
 */
import { isObject, SchemaError, UsageError } from "../../../core/base/index.ts";

/** Names that are tried, in this order; the first with a value counts. */
const NAMES = {
  prompt: ["prompt", "problem", "question", "input", "problem_text", "prompt_text"],
  response: ["response", "completion", "output", "rollout", "response_text"],
  prompt_ids: ["prompt_ids", "prompt_token_ids"],
  response_ids: ["response_ids", "response_token_ids"],
  response_mask: ["response_mask"],
  /** The id of the text. */
  id: ["id", "sample_id"],
  /** The id of the problem: texts that share one answer the same problem. */
  problem_id: ["problem_id", "unique_id", "group_id", "uid", "prompt_id"],
  correct: ["correct", "acc", "score"],
  level: ["level", "difficulty"],
  subject: ["subject"],
  answer: ["answer", "ground_truth", "gts"],
  source: ["source"],
  error_token: ["error_token"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type TextColumn = keyof typeof NAMES;

/** A file's own name for a {@link TextColumn}, if it is not among those tried; dots lead into nested objects. */
export type ColumnNames = Readonly<Record<string, string>>;

/** The value under a name in a row, or in an entry of an object; undefined if there is none. */
export type Fields = (name: string) => unknown;

export interface ColumnReader {
  /** The column's value; undefined where it is absent or null. */
  get(fields: Fields, column: TextColumn): unknown;
  /** @throws SchemaError when a column that was named never had a value */
  checkSeen(files: readonly string[]): void;
}

/** @throws UsageError for names of columns that do not exist */
export function columnReader(names: ColumnNames): ColumnReader {
  for (const column of Object.keys(names)) {
    if (!Object.hasOwn(NAMES, column)) {
      throw new UsageError(`unknown column "${column}"; the columns are ${Object.keys(NAMES).join(", ")}`);
    }
  }
  const seen = new Set<string>();
  return {
    get: (fields, column) => {
      const named = names[column];
      for (const name of named === undefined ? NAMES[column] : [named]) {
        const value = valueAt(fields, name);
        if (value === undefined || value === null) continue;
        seen.add(column);
        return value;
      }
      return undefined;
    },
    checkSeen: (files) => {
      const absent = Object.entries(names).find(([column]) => !seen.has(column));
      if (absent === undefined) return;
      throw new SchemaError(`no row of ${files.join(", ")} has a value under "${absent[1]}" (${absent[0]})`, {
        hint: "check the name; dots lead into nested objects",
      });
    },
  };
}

/** A name that itself contains the dots takes precedence. */
function valueAt(fields: Fields, path: string): unknown {
  const whole = fields(path);
  const dot = path.indexOf(".");
  if (whole !== undefined || dot < 0) return whole;
  const inner = fields(path.slice(0, dot));
  return isObject(inner) ? valueAt(openFields(inner), path.slice(dot + 1)) : undefined;
}

export function openFields(object: Readonly<Record<string, unknown>>): Fields {
  return (name) => (Object.hasOwn(object, name) ? object[name] : undefined);
}
