import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sized } from "../../../../test/support/run-size.ts";
import { FormatError } from "../../../core/base/errors.ts";
import type { RowValue } from "../../io/columns.ts";
import { createJsonParser } from "./parser.ts";

const parser = createJsonParser();

/** Parses the text with something before it and, after it, what a parser needs. */
function parse(text: string, own = parser): RowValue {
  const bytes = Buffer.from(`##${text}\n`);
  return own.parse(bytes, 2, bytes.length - 1);
}

/** What the parser must make of a value of `JSON.parse`. */
function typed(value: unknown): unknown {
  if (Array.isArray(value)) {
    const numeric = value.every((item) => item === null || typeof item === "number");
    return numeric ? Float64Array.from(value, (item) => item ?? NaN) : value.map(typed);
  }
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, typed(item)]));
}

function fault(text: string): string {
  try {
    parse(text);
  } catch (error) {
    expect(error).toBeInstanceOf(FormatError);
    const { message, at } = error as FormatError;
    return `${at.offset! - 2}: ${message}`;
  }
  throw new Error(`${text} was read`);
}

describe("the JSON parser", () => {
  test("reads what JSON.parse reads, numbers in typed arrays", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 6, noUnicodeString: false }),
        fc.constantFrom(0, 1, "\t"),
        (value, indent) => {
          const text = JSON.stringify(value, null, indent);
          expect(parse(text)).toEqual(typed(JSON.parse(text)));
        },
      ),
      { numRuns: sized(300, 2000) },
    );
  });

  test("reads any text of a number as Number does", () => {
    const number = fc.stringMatching(/^-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,4})?$/);
    fc.assert(
      fc.property(
        fc.array(number, { minLength: 1 }),
        fc.constantFrom(",", ", ", " ,\r\n"),
        (texts, comma) => {
          expect(parse(`[${texts.join(comma)}]`)).toEqual(Float64Array.from(texts, Number));
          expect(parse(texts[0]!)).toBe(Number(texts[0]));
        },
      ),
      { numRuns: sized(400, 2000) },
    );
  });

  test("reads any array of doubles back", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true })), (values) => {
        expect(parse(JSON.stringify(values))).toEqual(Float64Array.from(values, (value) => value + 0));
      }),
    );
  });

  test("reads any string, escaped or not, long or short", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.string({ unit: "grapheme" }),
      fc.string(),
    );
    fc.assert(
      fc.property(text, (value) => {
        expect(parse(JSON.stringify(value))).toBe(value);
        const escaped = [...value].map((c) =>
          [...Array(c.length).keys()].map((i) => hex(c.charCodeAt(i))).join(""),
        );
        expect(parse(`"${escaped.join("")}"`)).toBe(value);
        expect(parse(`{${JSON.stringify(value)}: 1}`)).toEqual({ [value]: 1 });
      }),
      { numRuns: sized(300, 1000) },
    );
  });

  test.each([
    ["[NaN, Infinity, -Infinity, null, -0, 1]", Float64Array.of(NaN, Infinity, -Infinity, NaN, -0, 1)],
    ["[null]", Float64Array.of(NaN)],
    ["[ ]", new Float64Array(0)],
    ["NaN", NaN],
    ["-Infinity", -Infinity],
    ["null", null],
    ["[null, {}]", [null, {}]],
    ['[1, "a", [2], null]', [1, "a", Float64Array.of(2), null]],
    ["[true, false]", [true, false]],
    ["[[1, 2], [], [null]]", [Float64Array.of(1, 2), new Float64Array(0), Float64Array.of(NaN)]],
    ['{"a": 1, "a": 2}', { a: 2 }],
    ['"\\u00e9\\ud83d\\ude00\\/"', "é😀/"],
    [" \t\r\n{ } ", {}],
  ])("%s", (text, value) => {
    expect(parse(text)).toEqual(value);
  });

  test("takes __proto__ for a name like any other", () => {
    const value = parse('{"__proto__": {"polluted": 1}}') as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test("keeps one copy of a name, and tells names with the same hash apart", () => {
    const names = Array.from({ length: 5000 }, (_, i) => `column_${i}`);
    const text = `{${names.map((name, i) => `"${name}": ${i}`).join(",")}}`;
    expect(parse(text)).toEqual(JSON.parse(text));
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  test.each([
    ["", "0: expected a value, found the end"],
    ["[1, 2", '5: expected "," or "]", found the end'],
    ["[1 2]", '3: expected "," or "]", found "2"'],
    ["[1,]", '3: expected a value, found "]"'],
    ["[,1]", '1: expected a value, found ","'],
    ["[01]", '2: expected no digit after a leading zero, found "1"'],
    ["-", "1: expected a digit, found the end"],
    ["[1.]", '3: expected a digit, found "]"'],
    ["[1e]", '3: expected a digit, found "]"'],
    ["[.5]", '1: expected a value, found "."'],
    ["+1", '0: expected a value, found "+"'],
    ["12345678901234567890.x", '21: expected a digit, found "x"'],
    ["nul", '0: expected a value, found "n"'],
    ["[nan]", '1: expected a value, found "n"'],
    ["1 2", '2: expected nothing more, found "2"'],
    ["{a: 1}", '1: expected a name in quotes, found "a"'],
    ["{'a': 1}", '1: expected a name in quotes, found "\'"'],
    ['{"a" 1}', '5: expected ":", found "1"'],
    ['{"a": 1,}', '8: expected a name in quotes, found "}"'],
    ['{"a": 1 "b": 2}', '8: expected "," or "}", found """'],
    ['"abc', "4: expected a closing quote, found the end"],
    ['"a\\x"', '3: expected an escape such as \\n, found "x"'],
    ['"a\\u12g4"', '4: expected four hexadecimal digits, found "1"'],
    ['"a\tb"', "2: expected an escape for a control character in a string, found byte 0x09"],
    ['"a\nb"', "2: expected an escape for a control character in a string, found a line break"],
    ["\u00e9", "0: expected a value, found byte 0xc3"],
  ])("says what is wrong with %j", (text, message) => {
    expect(fault(text)).toBe(message);
  });

  test("says what is wrong with any text that JSON.parse refuses, or both read it", () => {
    const broken = fc
      .tuple(
        fc.jsonValue({ maxDepth: 3 }),
        fc.nat(),
        fc.constantFrom("", ",", "}", "]", '"', "\\", "0", "x", "-", " "),
      )
      .map(([value, at, insert]) => {
        const text = JSON.stringify(value);
        const place = at % (text.length + 1);
        return text.slice(0, place) + insert + text.slice(place + 1);
      });
    fc.assert(
      fc.property(broken, (text) => {
        let value: unknown;
        try {
          value = JSON.parse(text);
        } catch {
          expect(() => parse(text)).toThrow(FormatError);
          return;
        }
        expect(parse(text)).toEqual(typed(value));
      }),
      { numRuns: sized(1000, 5000) },
    );
  });

  test("refuses to nest deeper than its limit instead of overflowing the stack", () => {
    const own = createJsonParser(4);
    expect(parse("[[[[1]]]]", own)).toEqual([[[Float64Array.of(1)]]]);
    expect(() => parse("[[[[[1]]]]]", own)).toThrow("arrays and objects are nested more than 4 deep");
    expect(() => parse("[".repeat(1e6))).toThrow("arrays and objects are nested more than 256 deep");
    expect(() => parse('{"a":'.repeat(1e6))).toThrow("arrays and objects are nested more than 256 deep");
    expect(parse("[1]")).toEqual(Float64Array.of(1));
  });

  test("refuses more names in one object than a row has", () => {
    const named = (count: number): string =>
      `{${Array.from({ length: count }, (_, i) => `"${i}":0`).join(",")}}`;
    expect(() => parse(named(2 ** 18 + 1))).toThrow("an object has more than 262144 names");
  });

  test("builds only the members that are asked for", () => {
    const text = Buffer.from(
      '{"skip": [1, [2, "]"], {"x": "}"}], "keep": [3], "text": "a\\"b", "flat": [1, 2, 3], "n": -1e5, "last": null}\n',
    );
    const wanted = (...names: string[]): RowValue =>
      parser.parseRow(text, 0, text.length - 1, { wanted: new Set(names) });
    expect(wanted("keep", "absent")).toEqual({ keep: Float64Array.of(3) });
    expect(wanted("n", "last")).toEqual({ n: -1e5, last: null });
    expect(wanted()).toEqual({});
    expect(() => parser.parseRow(Buffer.from('{"a": }\n'), 0, 7, { wanted: new Set() })).toThrow(
      'expected a value, found "}"',
    );
    expect(() => parser.parseRow(Buffer.from('{"a": [1\n'), 0, 8, { wanted: new Set() })).toThrow(
      "expected a closing bracket",
    );
  });
});

function hex(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}
