/**
 * Reads parsed JSON of unknown shape, from `JSON.parse` or from the JSON reader, whose lists of numbers are typed
 * arrays.
 *
 * @module
 */
import { isNumericArray, isObject } from "../../core/base/index.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** A member of an object; undefined when either does not exist. */
export function member(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The elements of a list; undefined for any other value. */
export function toList(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  return isNumericArray(value) ? Array.from(value) : undefined;
}

export function listAt(value: unknown, key: string): readonly unknown[] | undefined {
  return toList(member(value, key));
}

export function textAt(value: unknown, key: string): string | undefined {
  const found = member(value, key);
  return typeof found === "string" ? found : undefined;
}

/** A finite number. */
export function numberAt(value: unknown, key: string): number | undefined {
  const found = member(value, key);
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}
