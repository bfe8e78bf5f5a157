/**
 * A JSON parser over bytes: arrays of numbers go straight into typed arrays, so lines of hundreds of megabytes, and
 * their numbers, never become JavaScript strings.
 *
 * Beyond RFC 8259 it accepts the literals that Python writes: `NaN`, `Infinity` and `-Infinity`.
 *
 * @module
 */
import { FormatError, memoryExceeded, memoryLimit } from "../../../core/base/index.ts";
import type { RowMap, RowValue } from "../../io/columns.ts";
import { skipValue } from "./boundary.ts";
import { FALSE, INFINITE, MINUS_INFINITE, matches, NOT_A_NUMBER, NULL, TRUE } from "./literals.ts";
import { NumberArrayScanner } from "./number-arrays.ts";
import { NumberScanner } from "./numbers.ts";
import { createStringScanner, type StringScanner } from "./strings.ts";
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
  /** Like `parse`, for an object. */
  parseRow(bytes: Uint8Array, start: number, end: number, wish?: RowWish): RowMap;
  /** Approximate bytes of memory of the last value, including its text. */
  cost(): number;
}

/** What the caller needs of a row. */
export interface RowWish {
  /** The only members that are built, if given. */
  readonly wanted?: ReadonlySet<string> | undefined;
  /** A long array of numbers may have a narrower type that holds its values exactly. */
  readonly isNarrow?: boolean | undefined;
}

/** Depth of nested arrays and objects; the parser recurses, and the stack is limited. */
export const DEFAULT_MAX_DEPTH = 256;

/**
 * Limit on names in one object: with more it is neither a row nor a set of columns, and searching its names takes
 * minutes.
 */
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

/** @param maxDepth arrays and objects within each other */
export function createJsonParser(maxDepth: number = DEFAULT_MAX_DEPTH): JsonParser {
  return new Parser(maxDepth);
}

/**
 * Recursive descent: `#value`, `#array` and `#object` read what starts at `#pos` and move it past the end. The memory
 * that a value takes is added up while it is built (`#spend`), because a few bytes of text can take many of memory.
 */
class Parser implements JsonParser {
  readonly #maxDepth: number;
  readonly #numbers = new NumberScanner();
  readonly #arrays: NumberArrayScanner;
  readonly #strings: StringScanner;
  #bytes: Uint8Array = new Uint8Array(0);
  #end = 0;
  #pos = 0;
  #depth = 0;
  #spent = 0;
  #limit = 0;
  #isNarrow = false;

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth;
    const spend = (cost: number): void => this.#spend(cost);
    this.#arrays = new NumberArrayScanner(spend);
    this.#strings = createStringScanner(spend);
  }

  parse(bytes: Uint8Array, start: number, end: number): RowValue {
    this.#isNarrow = false;
    return this.#whole(bytes, start, end, () => this.#value());
  }

  parseRow(
    bytes: Uint8Array,
    start: number,
    end: number,
    { wanted, isNarrow = false }: RowWish = {},
  ): RowMap {
    this.#isNarrow = isNarrow;
    return this.#whole(bytes, start, end, () => {
      if (this.#byte() !== OPEN_BRACE) throw this.#expected('"{"');
      return this.#object(wanted);
    });
  }

  cost(): number {
    return this.#spent;
  }

  #whole<T>(bytes: Uint8Array, start: number, end: number, parseOne: () => T): T {
    this.#bytes = bytes;
    this.#pos = skipSpace(bytes, start, end);
    this.#end = end;
    this.#depth = 0;
    this.#spent = end - start;
    this.#limit = memoryLimit();
    try {
      const value = parseOne();
      this.#pos = skipSpace(bytes, this.#pos, end);
      if (this.#pos < end) throw this.#expected("nothing more");
      return value;
    } finally {
      // A parser must not keep its last chunk alive.
      this.#bytes = new Uint8Array(0);
    }
  }

  #value(): RowValue {
    const bytes = this.#bytes;
    const pos = this.#pos;
    const end = this.#end;
    const code = pos < end ? bytes[pos]! : 0;
    if (code === QUOTE) {
      const text = this.#strings.scan(bytes, pos, end);
      this.#spend(STRING_BYTES + 2 * text.length);
      this.#pos = this.#strings.next();
      return text;
    }
    if (code === OPEN_BRACE) return this.#object(undefined);
    if (code === OPEN_BRACKET) return this.#array();
    if ((code - ZERO) >>> 0 <= 9 || (code === MINUS && bytes[pos + 1] !== INFINITE.text[0])) {
      const value = this.#numbers.scan(bytes, pos, end);
      this.#pos = this.#numbers.next();
      return value;
    }
    for (const { text, value } of LITERALS) {
      if (matches(bytes, pos, end, text)) {
        this.#pos += text.length;
        return value;
      }
    }
    throw this.#expected("a value");
  }

  #array(): RowValue {
    this.#enter();
    if (this.#byte() === CLOSE_BRACKET) {
      this.#leave();
      return EMPTY;
    }
    this.#spend(ARRAY_BYTES);
    const typed = this.#arrays.scan(this.#bytes, this.#pos, this.#end, this.#isNarrow);
    if (typed !== undefined) {
      this.#depth--;
      this.#pos = this.#arrays.next();
      return typed;
    }
    // Numbers before the first other value are read again, at most once per array.
    const values: RowValue[] = [];
    this.#spend(LIST_BYTES);
    do {
      this.#spend(ELEMENT_BYTES);
      values.push(this.#value());
    } while (this.#goesOn(CLOSE_BRACKET, '"," or "]"'));
    this.#leave();
    return values;
  }

  #object(wanted: ReadonlySet<string> | undefined): RowMap {
    this.#enter();
    const members: Record<string, RowValue> = {};
    let count = 0;
    this.#spend(OBJECT_BYTES);
    if (this.#byte() === CLOSE_BRACE) {
      this.#leave();
      return members;
    }
    do {
      const name = this.#name(++count);
      if (wanted !== undefined && !wanted.has(name)) this.#pos = skipValue(this.#bytes, this.#pos, this.#end);
      else if (name === "__proto__") {
        // A plain assignment would change the prototype of the row.
        Object.defineProperty(members, name, {
          value: this.#value(),
          enumerable: true,
          configurable: true,
          writable: true,
        });
      } else members[name] = this.#value();
    } while (this.#goesOn(CLOSE_BRACE, '"," or "}"'));
    this.#leave();
    return members;
  }

  /** The name of a member, and the colon after it. */
  #name(count: number): string {
    if (this.#byte() !== QUOTE) throw this.#expected("a name in quotes");
    const name = this.#strings.scanName(this.#bytes, this.#pos, this.#end);
    if (count > MAX_NAMES) {
      throw new FormatError(`an object has more than ${MAX_NAMES} names`, { at: { offset: this.#pos } });
    }
    this.#spend(MEMBER_BYTES);
    this.#pos = skipSpace(this.#bytes, this.#strings.next(), this.#end);
    if (this.#byte() !== COLON) throw this.#expected('":"');
    this.#pos = skipSpace(this.#bytes, this.#pos + 1, this.#end);
    return name;
  }

  /** Skips a comma; false at `close`, which it does not skip. */
  #goesOn(close: number, what: string): boolean {
    this.#pos = skipSpace(this.#bytes, this.#pos, this.#end);
    const code = this.#byte();
    if (code === close) return false;
    if (code !== COMMA) throw this.#expected(what);
    this.#pos = skipSpace(this.#bytes, this.#pos + 1, this.#end);
    return true;
  }

  #enter(): void {
    if (++this.#depth > this.#maxDepth) {
      throw new FormatError(`arrays and objects are nested more than ${this.#maxDepth} deep`, {
        at: { offset: this.#pos },
      });
    }
    this.#pos = skipSpace(this.#bytes, this.#pos + 1, this.#end);
  }

  #leave(): void {
    this.#depth--;
    this.#pos++;
  }

  /** The byte at `#pos`; after the end 0, which JSON does not use. */
  #byte(): number {
    return this.#pos < this.#end ? this.#bytes[this.#pos]! : 0;
  }

  #spend(cost: number): void {
    this.#spent += cost;
    if (this.#spent > this.#limit) throw memoryExceeded("one JSON value", { offset: this.#pos });
  }

  #expected(what: string): FormatError {
    return expected(what, this.#bytes, this.#pos, this.#end);
  }
}
