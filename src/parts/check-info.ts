import { isObject } from "../core/base/index.ts";

/**
 * Checks the shape of a part's description: a part may come from anywhere, with a valid checksum over anything.
 *
 * @module
 */

/** Checks a value: returns the path of a mismatch and what was expected there, or undefined if the value fits. */
type Shape = (value: unknown, path: string) => string | undefined;

const primitive =
  (type: "string" | "number" | "boolean", word: string): Shape =>
  (value, path) =>
    typeof value === type ? undefined : `${path} is not ${word}`;

const TEXT = primitive("string", "a text");
const NUMBER = primitive("number", "a number");
const FLAG = primitive("boolean", "true or false");

const COUNT: Shape = (value, path) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? undefined : `${path} is not a count`;

const oneOf =
  (...words: readonly string[]): Shape =>
  (value, path) =>
    words.includes(value as string) ? undefined : `${path} is not one of ${words.join(", ")}`;

const nullable =
  (shape: Shape): Shape =>
  (value, path) =>
    value === null ? undefined : shape(value, path);

const optional =
  (shape: Shape): Shape =>
  (value, path) =>
    value === undefined ? undefined : shape(value, path);

const either =
  (...shapes: readonly Shape[]): Shape =>
  (value, path) => {
    const found = shapes.map((shape) => shape(value, path));
    return found.includes(undefined) ? undefined : found[0];
  };

const listOf =
  (shape: Shape): Shape =>
  (value, path) => {
    if (!Array.isArray(value)) return `${path} is not a list`;
    for (const [i, item] of value.entries()) {
      const found = shape(item, `${path}[${i}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  };

/** An object with these fields; others are allowed. */
const objectOf =
  (fields: Readonly<Record<string, Shape>>): Shape =>
  (value, path) => {
    if (!isObject(value)) return `${path} is not an object`;
    for (const [name, shape] of Object.entries(fields)) {
      const own = Object.hasOwn(value, name) ? value[name] : undefined;
      const found = shape(own, path === "" ? name : `${path}.${name}`);
      if (found !== undefined) return found;
    }
    return undefined;
  };

const TEXTS = listOf(TEXT);

const FINDING = objectOf({
  code: TEXT,
  severity: oneOf("info", "warning", "skipped"),
  subject: TEXT,
  one: TEXT,
  many: TEXT,
  count: COUNT,
  at: objectOf({
    file: optional(TEXT),
    entry: optional(TEXT),
    row: optional(NUMBER),
    line: optional(NUMBER),
    offset: optional(NUMBER),
  }),
  likely: optional(TEXT),
  hint: optional(TEXT),
  omits: optional(objectOf({ unit: TEXT, why: TEXT })),
  sides: optional(objectOf({ fact: TEXT, rollout: either(NUMBER, TEXT), trainer: either(NUMBER, TEXT) })),
});

const SOURCE = objectOf({
  file: TEXT,
  bytes: COUNT,
  format: TEXT,
  trainer: TEXT,
  run: TEXT,
  step: nullable(NUMBER),
  rank: nullable(NUMBER),
  found: TEXTS,
  guessed: TEXTS,
  missing: TEXTS,
  checked: optional(TEXTS),
});

const CHECKS = objectOf({
  masks: optional(TEXTS),
  firstMaskTokens: NUMBER,
  maskedTokens: NUMBER,
  zeros: objectOf({ rollout: NUMBER, trainer: NUMBER, both: NUMBER }),
  ids: objectOf({ compared: NUMBER, differ: NUMBER }),
  sentinels: NUMBER,
  shift: NUMBER,
  scanSums: nullable(listOf(NUMBER)),
});

const SHARD = objectOf({
  name: TEXT,
  digest: nullable(TEXT),
  sources: listOf(SOURCE),
  findings: listOf(FINDING),
  filtered: nullable(objectOf({ sequences: COUNT, keptSequences: COUNT, tokens: COUNT, keptTokens: COUNT })),
  checks: optional(nullable(CHECKS)),
  failed: FLAG,
});

const CALL = objectOf({ id: TEXT, paths: TEXTS, expected: TEXTS, findings: listOf(FINDING) });

const INFO = objectOf({
  kind: TEXT,
  version: optional(NUMBER),
  settings: TEXTS,
  filtersTokens: FLAG,
  calls: listOf(CALL),
  shards: listOf(SHARD),
  notes: listOf(FINDING),
});

/** The first mismatch between a part's description and what `summarize` writes; undefined if there is none. */
export function findMisshapenInfo(info: unknown): string | undefined {
  return INFO(info, "");
}
