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
    ["''", ""],
  ])("reads %s", (text, value) => {
    expect(parsePythonLiteral(text, {})).toEqual(value);
  });

  it.each(["(1", "{'a' 1}", "{1: 2}", "'a", "Truest", "1 2", "'a\\'b'", "1.5", "", "f(1)"])(
    "refuses %s",
    (text) => {
      expect(() => parsePythonLiteral(text, {})).toThrow("npy header is malformed: expected");
    },
  );
});
