/**
 * A line of `texts.jsonl`: its keys, and its digest.
 *
 * @module
 */
import { isObject } from "../../../core/base/index.ts";
import type { PreparedText } from "../texts/prepare-text.ts";
import { digestLine } from "./lines-file.ts";

/** Keys of a line, by the fields of a text; fields not listed have the same name. */
const KEYS = {
  promptText: "prompt_text",
  promptLength: "prompt_length",
  promptIds: "prompt_ids",
  tokenIds: "token_ids",
  responseText: "response_text",
  idsFrom: "ids_from",
  errorToken: "error_token",
} as const satisfies Partial<Record<keyof PreparedText, string>>;

const FIELDS = new Map<string, string>(Object.entries(KEYS).map(([field, key]) => [key, field]));

/** Fields that a text needs. */
const TEXTS = ["id", "problem"] as const;
const LISTS = ["promptIds", "tokenIds", "mask"] as const;

export function writeText(text: PreparedText): string {
  const { promptIds, tokenIds, mask } = text;
  const plain: Record<string, unknown> = {
    ...text,
    promptIds: Array.from(promptIds),
    tokenIds: Array.from(tokenIds),
    mask: Array.from(mask),
  };
  const line: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(plain))
    if (value !== undefined) line[KEYS[field as keyof typeof KEYS] ?? field] = value;
  return JSON.stringify({ ...line, digest: digestLine(line) });
}

/**
 * The text of a line or, if it is damaged, why it cannot be used. Lines of older studies have camelCase keys and no
 * digest.
 *
 * @param isSigned whether the study's lines have digests, so that a line without one was edited
 */
export function parseText(line: string, isSigned: boolean): PreparedText | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return error instanceof Error ? error.message : "it is not JSON";
  }
  if (!isObject(value)) return "it is not an object";
  const { digest, ...content } = value;
  if (digest === undefined ? isSigned : digest !== digestLine(content))
    return "it has changed since it was written";
  const text = Object.fromEntries(
    Object.entries(content).map(([key, given]) => [FIELDS.get(key) ?? key, given]),
  );
  const wrong = findWrong(text);
  if (wrong !== undefined) return wrong;
  return {
    ...(text as unknown as PreparedText),
    promptIds: Int32Array.from(text.promptIds as number[]),
    tokenIds: Int32Array.from(text.tokenIds as number[]),
    mask: Uint8Array.from(text.mask as number[]),
  };
}

/** Why an object is not a valid text; undefined if it is. */
function findWrong(text: Readonly<Record<string, unknown>>): string | undefined {
  const key = (field: string): string => KEYS[field as keyof typeof KEYS] ?? field;
  for (const field of TEXTS) if (typeof text[field] !== "string") return `it has no ${key(field)}`;
  for (const field of LISTS)
    if (!isIntegers(text[field])) return `its ${key(field)} is not a list of whole numbers`;
  const { tokenIds, mask, tokens } = text as Readonly<
    Record<"tokenIds" | "mask" | "tokens", readonly unknown[]>
  >;
  if (mask.length !== tokenIds.length)
    return `it has ${tokenIds.length} token ids and a mask of ${mask.length}`;
  if (!Array.isArray(tokens) || tokens.length !== tokenIds.length)
    return `it has ${tokenIds.length} token ids and ${Array.isArray(tokens) ? tokens.length : "no"} tokens`;
  return undefined;
}

function isIntegers(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => Number.isInteger(item));
}
