import { FormatError, type Place } from "../../../core/base/index.ts";
import { LIKELY_DAMAGED } from "../../io/advice.ts";

/** A value of the part of Python's literal syntax that npy headers use. Tuples and lists both become arrays. */
export type Literal = string | number | boolean | null | Literal[] | Map<string, Literal>;

const MAX_DEPTH = 16;

/**
 * Parses a Python literal: dicts with strings as keys, tuples, lists, strings, whole numbers (Python 2 writes `10L`),
 * True, False and None. NumPy uses `ast.literal_eval` for this.
 */
export function parsePythonLiteral(text: string, at: Place): Literal {
  let pos = 0;

  const fail = (wanted: string): FormatError =>
    new FormatError(
      `npy header is malformed: expected ${wanted} at character ${pos}, found ${JSON.stringify(text.slice(pos, pos + 12))}`,
      { at, likely: LIKELY_DAMAGED },
    );

  const skipBlanks = (): void => {
    while (pos < text.length && " \t\r\n\f".includes(text[pos]!)) pos++;
  };

  const accept = (character: string): boolean => {
    skipBlanks();
    if (text[pos] !== character) return false;
    pos++;
    return true;
  };

  const match = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = pos;
    const found = pattern.exec(text) ?? undefined;
    if (found !== undefined) pos = pattern.lastIndex;
    return found;
  };

  const parseItems = (close: string, depth: number): Literal[] => {
    const items: Literal[] = [];
    while (!accept(close)) {
      items.push(parseValue(depth + 1));
      if (accept(",")) continue;
      if (!accept(close)) throw fail(`"," or "${close}"`);
      break;
    }
    return items;
  };

  const parseDict = (depth: number): Map<string, Literal> => {
    const dict = new Map<string, Literal>();
    while (!accept("}")) {
      const key = parseValue(depth + 1);
      if (typeof key !== "string") throw fail("a string as key");
      if (!accept(":")) throw fail('":"');
      dict.set(key, parseValue(depth + 1));
      if (accept(",")) continue;
      if (!accept("}")) throw fail('"," or "}"');
      break;
    }
    return dict;
  };

  const parseValue = (depth: number): Literal => {
    if (depth > MAX_DEPTH) throw fail(`at most ${MAX_DEPTH} levels of nesting`);
    if (accept("{")) return parseDict(depth);
    if (accept("(")) return parseItems(")", depth);
    if (accept("[")) return parseItems("]", depth);
    const string = match(/[uUbB]?(?:'([^'\\\n]*)'|"([^"\\\n]*)")/y);
    if (string !== undefined) return string[1] ?? string[2] ?? "";
    const number = match(/([+-]?[0-9]+)L?\b/y);
    if (number !== undefined) return Number(number[1]);
    const word = match(/(?:True|False|None)\b/y);
    if (word !== undefined) return word[0] === "None" ? null : word[0] === "True";
    throw fail("a value");
  };

  const value = parseValue(0);
  skipBlanks();
  if (pos < text.length) throw fail("the end");
  return value;
}
