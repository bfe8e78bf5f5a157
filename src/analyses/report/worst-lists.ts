/**
 * The lists of worst tokens and sequences as bytes.
 *
 * @module
 */
import { type Codec, TEXT } from "../../core/base/index.ts";

/**
 * Twenty of each: their names are a small price for reading them as they are. JSON has no infinities.
 *
 * @param needed fields that the list is sorted by
 */
export function worstOf<T extends object>(...needed: readonly (keyof T & string)[]): Codec<readonly T[]> {
  return {
    text: `JSON of {${needed.join(", ")}, ...}`,
    write: (list, to) =>
      TEXT.write(
        JSON.stringify(list, (_, value: unknown) =>
          typeof value === "number" && !Number.isFinite(value) ? { number: String(value) } : value,
        ),
        to,
      ),
    read(from) {
      const text = TEXT.read(from);
      try {
        // Few lists have any, and looking for them takes ten times as long as reading.
        const list = JSON.parse(text, text.includes('{"number"') ? revive : undefined) as T[];
        if (list.every((item) => needed.every((name) => name in item))) return list;
      } catch (error) {
        if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
      }
      return from.fail("the list of worst tokens or sequences is not one");
    },
  };
}

function revive(_: string, value: unknown): unknown {
  return typeof value === "object" && value !== null && "number" in value ? Number(value.number) : value;
}
