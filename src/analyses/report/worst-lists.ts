/**
 * The lists of worst tokens and sequences as bytes.
 *
 * @module
 */
import type { ByteReader, ByteWriter } from "../../core/base/index.ts";

/** Twenty of each: their names are a small price for reading them as they are. JSON has no infinities. */
export function encodeWorst(to: ByteWriter, list: readonly object[]): void {
  to.text(
    JSON.stringify(list, (_, value: unknown) =>
      typeof value === "number" && !Number.isFinite(value) ? { number: String(value) } : value,
    ),
  );
}

export function decodeWorst<T>(from: ByteReader, needed: readonly (keyof T & string)[]): T[] {
  const text = from.text();
  const revive = (_: string, value: unknown): unknown =>
    typeof value === "object" && value !== null && "number" in value ? Number(value.number) : value;
  try {
    // Few lists have any, and looking for them takes ten times as long as reading.
    const list = JSON.parse(text, text.includes('{"number"') ? revive : undefined) as T[];
    if (list.every((item) => needed.every((name) => name in (item as object)))) return list;
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
  }
  return from.fail("the list of worst tokens or sequences is not one");
}
