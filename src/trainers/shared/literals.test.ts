import { expect, test } from "vitest";
import { pythonLiteral, yamlLines, yamlLiteral } from "./literals.ts";

test.each([
  [null, "None", "null"],
  [true, "True", "true"],
  [false, "False", "false"],
  [Number.NaN, 'float("NaN")', ".nan"],
  [-1.5e-9, "-1.5e-9", "-1.5e-9"],
  [-1e-7, "-1e-7", "-1.0e-7"],
  [2, "2", "2"],
  [1e-7, "1e-7", "1.0e-7"],
  [Number.POSITIVE_INFINITY, 'float("Infinity")', ".inf"],
  [Number.NEGATIVE_INFINITY, 'float("-Infinity")', "-.inf"],
  ["0.5_2", '"0.5_2"', '"0.5_2"'],
  [[0.5, 1e-9], "(0.5, 1e-9)", "[0.5, 1.0e-9]"],
])("%j", (value, python, yaml) => {
  expect(pythonLiteral(value)).toBe(python);
  expect(yamlLiteral(value)).toBe(yaml);
});

test("lines in the order asked for", () => {
  expect(yamlLines({ a: 1, b: null }, ["b", "a"], "  ")).toBe("  b: null\n  a: 1\n");
});
