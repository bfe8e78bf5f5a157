/**
 * Reads the values of one row.
 *
 * @module
 */
import { isNumericArray, isObject, type NumericArray } from "../../../core/base/index.ts";
import type { RowMap, RowValue } from "../../io/columns.ts";

export function isRowMap(value: RowValue | undefined): value is RowMap {
  return isObject(value);
}

export function isRowList(value: RowValue | undefined): value is readonly RowValue[] {
  return Array.isArray(value);
}

/** An array of numbers, booleans and nulls (NaN); nested arrays are flattened. Undefined for anything else. */
export function toNumbers(value: RowValue | undefined): NumericArray | undefined {
  if (isNumericArray(value)) return value;
  if (!isRowList(value)) return undefined;
  const parts: (number | NumericArray)[] = [];
  let length = 0;
  for (const element of value) {
    if (typeof element === "number") parts.push(element);
    else if (typeof element === "boolean") parts.push(element ? 1 : 0);
    else if (element === null) parts.push(NaN);
    else {
      const inner = toNumbers(element);
      if (inner === undefined) return undefined;
      parts.push(inner);
      length += inner.length - 1;
    }
  }
  const flat = new Float64Array(parts.length + length);
  let at = 0;
  for (const part of parts) {
    if (typeof part === "number") flat[at++] = part;
    else {
      flat.set(part, at);
      at += part.length;
    }
  }
  return flat;
}

/** A number, a boolean as 0 or 1, or the only element of an array. */
export function toNumber(value: RowValue | undefined): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if ((isNumericArray(value) || isRowList(value)) && value.length === 1) return toNumber(value[0]);
  return undefined;
}

/** A text, or a number as text. */
export function toText(value: RowValue | undefined): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" && !Number.isNaN(value) ? String(value) : undefined;
}

/** `numbers [136]`, `text`, `object {a, b}`: for messages. */
export function describeRowValue(value: RowValue | undefined): string {
  if (value === undefined || value === null) return "null";
  if (isNumericArray(value)) return `numbers [${value.length}]`;
  if (isRowList(value))
    return value.length === 0 ? "empty list" : `list of ${value.length} × ${describeRowValue(value[0])}`;
  if (isRowMap(value)) return `object {${Object.keys(value).slice(0, 6).join(", ")}}`;
  return typeof value === "string" ? "text" : typeof value;
}

/** The value at a dotted path; a key that itself holds the dots wins. */
export function valueAt(row: RowMap, path: string): RowValue | undefined {
  if (Object.hasOwn(row, path)) return row[path];
  const dot = path.indexOf(".");
  if (dot < 0) return undefined;
  const first = path.slice(0, dot);
  const inner = Object.hasOwn(row, first) ? row[first] : undefined;
  return isRowMap(inner) ? valueAt(inner, path.slice(dot + 1)) : undefined;
}
