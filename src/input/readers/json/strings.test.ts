import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findEnd, newBoundary, skipValue } from "./boundary.ts";
import { createStringScanner } from "./strings.ts";

/** A string whose quote is in the middle of other bytes. */
function scan(text: string, name = false): { text: string; next: number } {
  const scanner = createStringScanner();
  const bytes = Buffer.from(`##${text}\0`);
  const found = (name ? scanner.scanName : scanner.scan)(bytes, 2, bytes.length - 1);
  return { text: found, next: scanner.next() - 2 };
}

describe("a JSON string", () => {
  it("ends at its quote, not at one that is escaped, however many backslashes there are", () => {
    for (let slashes = 0; slashes < 6; slashes++) {
      for (const length of [0, 10, 61, 62, 63, 64, 65, 200]) {
        const inside = `${"a".repeat(length)}${"\\\\".repeat(slashes)}\\"é`;
        const text = `"${inside}", "more"`;
        for (const isName of [false, true])
          expect(scan(text, isName)).toEqual({
            text: JSON.parse(`"${inside}"`),
            next: Buffer.byteLength(`"${inside}"`),
          });
      }
    }
  });

  it.each([
    ['"', 1, "a closing quote, found the end"],
    [`"${"a".repeat(100)}`, 101, "a closing quote, found the end"],
    ['"\\', 2, "an escape such as \\n, found the end"],
    ['"\\"', 3, "a closing quote, found the end"],
    ['"a\\q"', 3, 'an escape such as \\n, found "q"'],
    ['"\\u12"', 3, 'four hexadecimal digits, found "1"'],
    ['"\\u123', 3, 'four hexadecimal digits, found "1"'],
    ['"\\n\\u00zz"', 5, 'four hexadecimal digits, found "0"'],
    ['"é\x01"', 3, "an escape for a control character in a string, found byte 0x01"],
    ['"\x1f"', 1, "an escape for a control character in a string, found byte 0x1f"],
    ['"\\\\\\x"', 4, 'an escape such as \\n, found "x"'],
    ['"\\uABCD\\u00e9\\"\\/\\b\\f\\n\\r\\t\\z"', 28, 'an escape such as \\n, found "z"'],
  ])("%j is wrong at %i: expected %s", (text, offset, message) => {
    for (const isName of [false, true]) {
      let error: { message?: string; at?: { offset?: number } } = {};
      try {
        scan(text, isName);
      } catch (thrown) {
        error = thrown as typeof error;
      }
      expect([error.message, error.at?.offset]).toEqual([`expected ${message}`, offset + 2]);
    }
  });

  it("is told of before it is made where it is longer than a MiB", () => {
    const spent: number[] = [];
    const scanner = createStringScanner((bytes) => spent.push(bytes));
    for (const length of [2 ** 20 - 1, 2 ** 20]) {
      const bytes = Buffer.from(`"${"a".repeat(length)}"\0`);
      expect(scanner.scan(bytes, 0, bytes.length - 1)).toHaveLength(length);
    }
    expect(spent).toEqual([4 * (2 ** 20 + 1)]);
  });

  it("as a name is the same text again, also where another name took its place", () => {
    const scanner = createStringScanner();
    const read = (name: string): string => {
      const bytes = Buffer.from(`${JSON.stringify(name)}\0`);
      const text = scanner.scanName(bytes, 0, bytes.length - 1);
      expect(scanner.next()).toBe(bytes.length - 1);
      return text;
    };
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 70 }), { minLength: 1 }), (names) => {
        for (const name of [...names, ...names]) expect(read(name)).toBe(name);
      }),
    );
  });
});

describe("the end of a value", () => {
  const value = fc.jsonValue({ maxDepth: 4 }).map((one) => JSON.stringify(one));
  const behind = fc.constantFrom(",", " ", "\n", "]", "}");

  it("is found without looking at what it is, in however many pieces it comes", () => {
    fc.assert(
      fc.property(value, behind, fc.array(fc.nat(9)), (text, next, cuts) => {
        const bytes = Buffer.from(`${text}${next}more`);
        const length = Buffer.byteLength(text);
        const state = newBoundary();
        expect(findEnd(bytes, 0, bytes.length, newBoundary())).toBe(length);
        expect(skipValue(bytes, 0, bytes.length)).toBe(length);
        let pos = 0;
        for (const cut of cuts) {
          const end = Math.min(pos + cut, length - 1);
          expect(findEnd(bytes, pos, end, state)).toBe(-1);
          pos = end;
        }
        expect(findEnd(bytes, pos, bytes.length, state)).toBe(length);
      }),
      { numRuns: 300 },
    );
  });

  it("counts the line breaks between its parts, and none of its strings", () => {
    const state = newBoundary();
    const text = '{"a":\n[1,\n\n2], "b": "x\\n"}';
    expect(findEnd(Buffer.from(text), 0, text.length, state)).toBe(text.length);
    expect(state.lines).toBe(3);
  });

  it.each([
    ["", 0, "a value, found the end"],
    [",", 0, 'a value, found ","'],
    ["]", 0, 'a value, found "]"'],
    ["[1, [2]", 7, "a closing bracket, found the end"],
    ['["]', 3, "a closing quote, found the end"],
    ['{"a": "x', 8, "a closing quote, found the end"],
    ["[1", 2, "a closing bracket, found the end"],
  ])("of %j is not there: at %i expected %s", (text, offset, message) => {
    let error: { message?: string; at?: { offset?: number } } = {};
    try {
      skipValue(Buffer.from(text), 0, text.length);
    } catch (thrown) {
      error = thrown as typeof error;
    }
    expect([error.message, error.at?.offset]).toEqual([`expected ${message}`, offset]);
  });

  it("of an array is not taken for that of one inside it", () => {
    for (const text of ["[[1], 2]", '["]", 2]', '[{"a": "]"}, 2]', "[1, [2], 3]", "[]", "[1, 2]"])
      expect(skipValue(Buffer.from(`#${text}, 5`), 1, text.length + 4)).toBe(1 + text.length);
  });
});
