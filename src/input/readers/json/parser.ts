/**
 * A JSON parser over bytes: arrays of numbers go straight into typed arrays, so lines of hundreds of megabytes, and
 * their numbers, never become JavaScript strings.
 *
 * Beyond RFC 8259 it accepts the literals that Python writes: `NaN`, `Infinity` and `-Infinity`.
 *
 * @module
 */
import { FormatError, memoryExceeded, memoryLimit } from "../../../core/base/index.ts";
import type { RowMap, RowValue } from "../../io/index.ts";
import { skipValue } from "./boundary.ts";
import {
  createNumberScanner,
  FALSE,
  INFINITE,
  MINUS_INFINITE,
  matches,
  NOT_A_NUMBER,
  NULL,
  TRUE,
} from "./numbers.ts";
import { createStringScanner } from "./strings.ts";
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  expected,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
  ZERO,
} from "./syntax.ts";

export interface JsonParser {
  /**
   * The value that fills `bytes[start, end)`, white space aside. An array of numbers and nulls is a Float64Array (null
   * is NaN; `[]` is one of length 0); everything else is as `JSON.parse` has it.
   *
   * `bytes[end]` must exist and must not be able to continue a number (a line break, a comma, a zero byte): it saves the
   * inner loops a bounds check. Throws FormatError with `at.offset` an index into `bytes`, and LimitError when text and
   * value together take more than the memory limit.
   */
  parse(bytes: Uint8Array, start: number, end: number): RowValue;
  /** Like `parse`, for an object; if `wanted` is given, only its members are built. */
  parseRow(bytes: Uint8Array, start: number, end: number, wanted?: ReadonlySet<string>): RowMap;
  /** Approximate bytes of memory of the last value, including its text. */
  readonly cost: () => number;
}

/** Depth of nested arrays and objects; the parser recurses, and the stack is limited. */
export const DEFAULT_MAX_DEPTH = 256;

/** Names in one object: with more it is neither a row nor a set of columns, and searching its names takes minutes. */
const MAX_NAMES = 2 ** 18;

/** Bytes that V8 needs for values, measured on millions of them and including what the collector leaves unused. */
const ARRAY_BYTES = 256;
const LIST_BYTES = 64;
const ELEMENT_BYTES = 24;
const OBJECT_BYTES = 96;
const MEMBER_BYTES = 128;
const STRING_BYTES = 40;

/** Shared: an array without elements cannot be changed. */
const EMPTY = new Float64Array(0);

const LITERALS = [TRUE, FALSE, NULL, NOT_A_NUMBER, INFINITE, MINUS_INFINITE];

export function createJsonParser(maxDepth: number = DEFAULT_MAX_DEPTH): JsonParser {
  let spent = 0;
  let limit = 0;
  const spend = (cost: number): void => {
    spent += cost;
    if (spent > limit) throw memoryExceeded("one JSON value", { offset: pos });
  };
  const numbers = createNumberScanner(spend);
  const strings = createStringScanner(spend);
  let bytes: Uint8Array = new Uint8Array(0);
  let end = 0;
  let pos = 0;
  let depth = 0;

  function enter(): void {
    if (++depth > maxDepth) {
      throw new FormatError(`arrays and objects are nested more than ${maxDepth} deep`, {
        at: { offset: pos },
      });
    }
    pos = skipSpace(bytes, pos + 1, end);
  }

  function parseValue(): RowValue {
    const code = pos < end ? bytes[pos]! : 0;
    if (code === QUOTE) {
      const text = strings.scan(bytes, pos, end);
      spend(STRING_BYTES + 2 * text.length);
      pos = strings.next();
      return text;
    }
    if (code === OPEN_BRACE) return parseObject(undefined);
    if (code === OPEN_BRACKET) return parseArray();
    if ((code - ZERO) >>> 0 <= 9 || (code === MINUS && bytes[pos + 1] !== INFINITE.text[0])) {
      const value = numbers.scan(bytes, pos, end);
      pos = numbers.next();
      return value;
    }
    for (const { text, value } of LITERALS) {
      if (matches(bytes, pos, end, text)) {
        pos += text.length;
        return value;
      }
    }
    throw expected("a value", bytes, pos, end);
  }

  function parseArray(): RowValue {
    enter();
    if (pos < end && bytes[pos] === CLOSE_BRACKET) {
      depth--;
      pos++;
      return EMPTY;
    }
    spend(ARRAY_BYTES);
    const typed = numbers.scanArray(bytes, pos, end);
    if (typed !== undefined) {
      depth--;
      pos = numbers.next();
      return typed;
    }
    // Numbers before the first other value are read again, at most once per array.
    const values: RowValue[] = [];
    spend(LIST_BYTES);
    for (;;) {
      spend(ELEMENT_BYTES);
      values.push(parseValue());
      pos = skipSpace(bytes, pos, end);
      const code = pos < end ? bytes[pos]! : 0;
      if (code === COMMA) pos = skipSpace(bytes, pos + 1, end);
      else if (code === CLOSE_BRACKET) break;
      else throw expected('"," or "]"', bytes, pos, end);
    }
    depth--;
    pos++;
    return values;
  }

  function parseObject(wanted: ReadonlySet<string> | undefined): RowMap {
    enter();
    const members: Record<string, RowValue> = {};
    let count = 0;
    spend(OBJECT_BYTES);
    if (pos < end && bytes[pos] === CLOSE_BRACE) {
      depth--;
      pos++;
      return members;
    }
    for (;;) {
      if (pos >= end || bytes[pos] !== QUOTE) throw expected("a name in quotes", bytes, pos, end);
      const name = strings.scanName(bytes, pos, end);
      if (++count > MAX_NAMES) {
        throw new FormatError(`an object has more than ${MAX_NAMES} names`, { at: { offset: pos } });
      }
      spend(MEMBER_BYTES);
      pos = skipSpace(bytes, strings.next(), end);
      if (pos >= end || bytes[pos] !== COLON) throw expected('":"', bytes, pos, end);
      pos = skipSpace(bytes, pos + 1, end);
      if (wanted !== undefined && !wanted.has(name)) pos = skipValue(bytes, pos, end);
      else if (name === "__proto__") {
        Object.defineProperty(members, name, {
          value: parseValue(),
          enumerable: true,
          configurable: true,
          writable: true,
        });
      } else members[name] = parseValue();
      pos = skipSpace(bytes, pos, end);
      const code = pos < end ? bytes[pos]! : 0;
      if (code === COMMA) pos = skipSpace(bytes, pos + 1, end);
      else if (code === CLOSE_BRACE) break;
      else throw expected('"," or "}"', bytes, pos, end);
    }
    depth--;
    pos++;
    return members;
  }

  function whole<T>(text: Uint8Array, first: number, last: number, parseOne: () => T): T {
    bytes = text;
    pos = skipSpace(text, first, last);
    end = last;
    depth = 0;
    spent = last - first;
    limit = memoryLimit();
    try {
      const value = parseOne();
      pos = skipSpace(bytes, pos, end);
      if (pos < end) throw expected("nothing more", bytes, pos, end);
      return value;
    } finally {
      // A parser must not keep its last chunk alive.
      bytes = new Uint8Array(0);
    }
  }

  return {
    parse: (text, first, last) => whole(text, first, last, parseValue),
    parseRow: (text, first, last, wanted) =>
      whole(text, first, last, () => {
        if (pos >= end || bytes[pos] !== OPEN_BRACE) throw expected('"{"', bytes, pos, end);
        return parseObject(wanted);
      }),
    cost: () => spent,
  };
}
