/**
 * Converts values of rows to types; undefined where a value does not fit.
 *
 * @module
 */

/** Ids and names: text, or a number as text. */
export function asName(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" && !Number.isNaN(value) ? String(value) : undefined;
}

/** Whole numbers of 32 bits, and booleans as 0 and 1. */
export function asIntegers(value: unknown): Int32Array | undefined {
  if (!Array.isArray(value) && !ArrayBuffer.isView(value)) return undefined;
  const given = value as unknown as ArrayLike<unknown>;
  const integers = new Int32Array(given.length);
  for (let i = 0; i < integers.length; i++) {
    const item = typeof given[i] === "boolean" ? Number(given[i]) : given[i];
    if (typeof item !== "number") return undefined;
    integers[i] = item;
    if (integers[i] !== item) return undefined;
  }
  return integers;
}

/** A boolean, or a score of 1 (right), 0 or −1 (wrong); other scores say neither. */
export function asCorrect(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (value === 1) return true;
  return value === 0 || value === -1 ? false : undefined;
}

/** `3`, `"3"`, `"Level 3"`. */
export function asLevel(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  const digits =
    typeof value === "string" ? /^(?:level\s*)?(\d+(?:\.\d+)?)$/i.exec(value.trim())?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}
