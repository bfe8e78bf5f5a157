/**
 * Looking into parsed JSON of unknown shape.
 *
 * @module
 */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member of an object; undefined where either is not there. */
export function member(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined;
}

export function listAt(value: unknown, key: string): readonly unknown[] | undefined {
  const found = member(value, key);
  return Array.isArray(found) ? found : undefined;
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
