import { expect, test } from "vitest";
import { parsePythonFloat, pythonFloat } from "./python-text.ts";

test.each([
  ["2", 2],
  [" -1.5e-3\n", -0.0015],
  [".5", 0.5],
  ["5.", 5],
  ["0_2", 2],
  ["1_000.5", 1000.5],
  ["inf", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
  ["NaN", Number.NaN],
])("float(%j)", (text, value) => {
  expect(parsePythonFloat(text)).toBe(value);
});

test.each(["", "xinf", "infx", "nano", "_2", "2_", "1__0", "1_.5", "0x10", "1e", "abc", "1 2", "+-1"])(
  "float(%j) raises",
  (text) => {
    expect(parsePythonFloat(text)).toBeUndefined();
  },
);

test.each([
  [-1, "-1.0"],
  [0.5, "0.5"],
  [1e-5, "1e-05"],
  [1.5e-7, "1.5e-07"],
  [1e-100, "1e-100"],
  [0.0001, "0.0001"],
  [1e15, "1000000000000000.0"],
  [1e16, "1e+16"],
  [-0, "-0.0"],
  [Number.NEGATIVE_INFINITY, "-inf"],
  [Number.NaN, "nan"],
])("repr(%d)", (value, text) => {
  expect(pythonFloat(value)).toBe(text);
});
