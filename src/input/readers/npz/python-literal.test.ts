import { describe, expect, it } from "vitest";
import { parsePythonLiteral } from "./python-literal.ts";

describe("parsePythonLiteral", () => {
  it.each([
    [
      "{'shape': (10L, 20L), \"order\": False}\n",
      new Map<string, unknown>([
        ["shape", [10, 20]],
        ["order", false],
      ]),
    ],
    ["(3,)", [3]],
    ["( )", []],
    [
      "[('a', u'<f4'), ('b', '<i8', (2,))]",
      [
        ["a", "<f4"],
        ["b", "<i8", [2]],
      ],
    ],
    ["-7", -7],
    ["None", null],
    ["True", true],
    ["+12", 12],
    ["False", false],
    ["''", ""],
    ['b"x"', "x"],
    ["U'x'", "x"],
    ["{}", new Map()],
    ["{'a': {'b': (1, [2, ()])},}", new Map([["a", new Map([["b", [1, [2, []]]]])]])],
    ["[1,2 , 3]", [1, 2, 3]],
    [" \t\r\n\f[ 1 \n] \t\r\n\f", [1]],
  ])("reads %s", (text, value) => {
    expect(parsePythonLiteral(text, {})).toEqual(value);
  });

  it.each([
    "(1",
    "{'a' 1}",
    "{1: 2}",
    "'a",
    "Truest",
    "1 2",
    "'a\\'b'",
    "1.5",
    "",
    "f(1)",
    "[1 2]",
    "(1]",
    "[1)",
    "{'a': 1",
    "{'a': 1 'b': 2}",
    "{'a', 1}",
    "[,]",
    "1L2",
    "'a\nb'",
    "\v1",
    "[1,, 2]",
    "(1) x",
  ])("refuses %s", (text) => {
    expect(() => parsePythonLiteral(text, {})).toThrow("npy header is malformed: expected");
  });

  it.each([
    ["{'a' 1}", 'expected ":" at character 5, found "1}"'],
    ["{1: 2}", 'expected a string as key at character 2, found ": 2}"'],
    ["(1 2)", 'expected "," or ")" at character 3, found "2)"'],
    ["[1 2]", 'expected "," or "]" at character 3, found "2]"'],
    ["{'a': 1 2}", 'expected "," or "}" at character 8, found "2}"'],
    ["1 of too many characters", 'expected the end at character 2, found "of too many "'],
    ["x", 'expected a value at character 0, found "x"'],
  ])("says of %s what it expected, and where", (text, message) => {
    expect(() => parsePythonLiteral(text, {})).toThrow(message);
  });

  it("follows 16 levels of nesting", () => {
    const nest = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    expect(JSON.stringify(parsePythonLiteral(nest(17), {}))).toBe(nest(17));
    expect(() => parsePythonLiteral(nest(18), {})).toThrow("expected at most 16 levels of nesting");
    const dicts = (levels: number): string => `${"{'a': ".repeat(levels)}1${"}".repeat(levels)}`;
    expect(parsePythonLiteral(dicts(16), {})).toBeInstanceOf(Map);
    for (const text of [dicts(17), "{".repeat(18), "[{".repeat(9)])
      expect(() => parsePythonLiteral(text, {})).toThrow("expected at most 16 levels of nesting");
  });
});
